// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"

namespace peneira::test {

using large_blocks_combos = ::testing::Types<on_cpu<bytes33, no_value, by_function, std::int32_t>,
                                             on_cpu<bytes64, no_value, by_splitters, std::uint64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_large_blocks, conformance, large_blocks_combos, combo_names);

}  // namespace peneira::test
