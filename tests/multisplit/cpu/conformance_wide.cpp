// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"

namespace peneira::test {

using wide_combos = ::testing::Types<on_cpu<std::uint64_t, no_value, by_ranges, std::uint32_t>,
                                     on_cpu<std::uint64_t, no_value, by_splitters, std::uint64_t>,
                                     on_cpu<std::int32_t, no_value, by_ranges, std::int32_t>,
                                     on_cpu<std::uint32_t, no_value, by_hash, std::uint64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_wide, conformance, wide_combos, combo_names);

}  // namespace peneira::test
