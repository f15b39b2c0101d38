// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reduce/conformance.hpp"
#include "tests/reduce/gpu/support.cuh"

namespace peneira::test {

template <class Item, class Result, class Op, class Offset>
using reduce_on_gpu = reduce_in_space<reduce_combo<Item, Result, Op, Offset>, device_reduce_space>;

using words_on_gpu = ::testing::Types<reduce_on_gpu<std::uint32_t, std::uint32_t, max, std::uint32_t>,
                                      reduce_on_gpu<std::uint8_t, std::uint64_t, plus, std::int32_t>,
                                      reduce_on_gpu<float, float, plus, std::int64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu_words, reduce_conformance, words_on_gpu);

}  // namespace peneira::test
