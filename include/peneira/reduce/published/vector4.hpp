// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// vector4 (ui32x4 in the paper, its fastest): like atomic, but a thread reads 16 bytes at a time, four items of 32
// bits.
//
//   items  h|0000|1111|2222|...|tt   groups of 16 aligned bytes, strided over threads; head and tail: the first block
//   a block's values  --atomic operations-->  one in shared memory  -->  atomic operation on the result
//
// Items of other sizes go as many to a group as fill 16 bytes. Where items do not fill them, or never begin at a
// multiple of 16 bytes, they are read one by one. Reads each item once.
//
// Cordeiro, Nunan Zola: bestReduce, section 4 (see persistent.hpp).
#pragma once

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/reduce/published/persistent.hpp"

namespace peneira::reduce_strategies {

#if defined(__CUDACC__)

namespace published_kernels {

/// What one thread of all blocks combines of the items from begin to before end, 16 bytes at a time.
template <class Result, class T, class Op>
__device__ Result fold_vectors(const T* items, std::size_t begin, std::size_t end, const Op& op) {
  constexpr unsigned group = detail::items_of_16_bytes(sizeof(T));
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  if constexpr (group == 1) {
    return fold_items<Result>(items, begin, end, op, thread, threads);
  } else {
    const auto past = reinterpret_cast<std::uintptr_t>(items + begin) % 16;  // a multiple of 16 bytes
    const std::size_t bytes_before = (16 - past) % 16;
    if (bytes_before % sizeof(T) != 0) return fold_items<Result>(items, begin, end, op, thread, threads);

    Result mine = op.template identity<Result>();
    const auto take = [&](const T& item, std::size_t at) { mine = op(mine, detail::lifted<Result>(op, item, at)); };
    const std::size_t before = bytes_before / sizeof(T);
    const std::size_t head = begin + (before < end - begin ? before : end - begin);
    const std::size_t groups = (end - head) / group;
    const std::size_t tail = head + groups * group;
    if (blockIdx.x == 0) {
      if (threadIdx.x < head - begin) take(items[begin + threadIdx.x], begin + threadIdx.x);
      if (threadIdx.x < end - tail) take(items[tail + threadIdx.x], tail + threadIdx.x);
    }
    for (std::size_t g = thread; g < groups; g += threads) {
      const std::size_t first = head + g * group;
      alignas(16) T some[group];
      detail::load_group<group, false>(some, items + first);
#pragma unroll
      for (unsigned k = 0; k < group; ++k) take(some[k], first + k);
    }
    return mine;
  }
}

template <class T, class Result, class Op>
__global__ void __launch_bounds__(most_threads, least_blocks)
    reduce_vectors(const T* items, std::size_t n, Op op, Result* result) {
  __shared__ shared_values<Result, 1> room;
  const Result all = gather_by_atomics(fold_vectors<Result>(items, 0, n, op), op, *room.get());
  if (threadIdx.x == 0) detail::atomic_combine(result, all, op);
}

}  // namespace published_kernels

#endif

struct vector4 {
  static constexpr std::string_view name = "vector4";
  static constexpr std::string_view about = "published: like atomic, but a thread reads 16 bytes at a time";

  static std::string refuses(const reduce_problem& problem, const device& /*machine*/) {
    return refuse_published(problem);
  }

  using parameters = persistent_parameters;

  static parameters decide(const reduce_problem& problem, const device& machine) {
    return decide_persistent(problem, machine, "reduce_vectors",
                             static_cast<std::size_t>(detail::items_of_16_bytes(problem.item_bytes)));
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, Result* result, const Op& op) {
    check_alignment<Result>("reduce");
    if constexpr (detail::is_commutative<Op> && detail::fits_atomics<Result>) {
      run_persistent(on, p, published_kernels::reduce_vectors<T, Result, Op>, items, n, result, op);
    }
  }
#endif
};

}  // namespace peneira::reduce_strategies
