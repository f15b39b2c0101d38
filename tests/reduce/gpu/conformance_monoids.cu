// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reduce/conformance.hpp"
#include "tests/reduce/gpu/support.cuh"

namespace peneira::test {

template <class Item, class Result, class Op, class Offset>
using reduce_on_gpu = reduce_in_space<reduce_combo<Item, Result, Op, Offset>, device_reduce_space>;

using monoids_on_gpu = ::testing::Types<reduce_on_gpu<std::uint64_t, std::uint64_t, bit_xor, std::uint64_t>,
                                        reduce_on_gpu<affine, affine, then, std::uint32_t>,
                                        reduce_on_gpu<bytes3, ends, both_ends, std::uint64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu_monoids, reduce_conformance, monoids_on_gpu);

}  // namespace peneira::test
