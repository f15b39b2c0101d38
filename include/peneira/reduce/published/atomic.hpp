// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// atomic (ui32_atomic_op in the paper): every thread of a block combines its value into one variable in shared memory
// by an atomic operation.
//
//   a block's values  --atomic operations-->  one in shared memory  -->  atomic operation on the result
//
// One instruction a thread where the hardware has it for the type and the operator (integers: plus, min, max and the
// operators on bits), and a loop of compare-and-swap otherwise, in which the threads of a block wait for each other.
// Reads each item once.
//
// Cordeiro, Nunan Zola: bestReduce, section 4 (see persistent.hpp).
#pragma once

#include "peneira/reduce/published/persistent.hpp"

namespace peneira::reduce_strategies {

namespace published_kernels {

struct gather_in_variable {
#if defined(__CUDACC__)
  template <class T, class Op>
  __device__ static T run(const T& mine, const Op& op) {
    __shared__ shared_values<T, 1> all;
    return gather_by_atomics(mine, op, *all.get());
  }
#endif
};

}  // namespace published_kernels

struct atomic : reads_items<published_kernels::gather_in_variable> {
  static constexpr std::string_view name = "atomic";
  static constexpr std::string_view about = "published: a block's values are combined by atomics in shared memory";
};

}  // namespace peneira::reduce_strategies
