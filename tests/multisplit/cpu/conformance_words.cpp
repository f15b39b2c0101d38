// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"

namespace peneira::test {

using words_combos = ::testing::Types<on_cpu<std::uint32_t, no_value, by_digit, std::uint32_t>,
                                      on_cpu<std::uint32_t, no_value, by_ranges, std::uint64_t>,
                                      on_cpu<std::uint32_t, no_value, by_splitters, std::int32_t>,
                                      on_cpu<std::uint32_t, no_value, by_function, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_words, conformance, words_combos, combo_names);

}  // namespace peneira::test
