// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reduce/conformance.hpp"

namespace peneira::test {

using words_combos = ::testing::Types<reduce_on_cpu<std::uint32_t, std::uint32_t, max, std::uint32_t>,
                                      reduce_on_cpu<std::int32_t, std::int32_t, plus, std::uint64_t>,
                                      reduce_on_cpu<std::uint64_t, std::uint64_t, bit_xor, std::uint32_t>,
                                      reduce_on_cpu<std::int64_t, std::int64_t, min, std::int32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_words, reduce_conformance, words_combos);

}  // namespace peneira::test
