// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// persistent: what the published reductions by persistent blocks have in common. They differ in how the threads of a
// block put their values together, and in how wide they read.
//
//   items  --thread t of all: t, t + T, t + 2 T, ...-->  a value a thread  --the strategy-->  a value a block
//   set_result: result = identity          every block's value  --atomic operation in global memory-->  result
//
// Two blocks a processor stay for the whole input, as in the paper's section 6. It does not say how many threads they
// have, nor how the values of the blocks become one. We take as many as let two blocks be on a processor at once (1024
// on an H200, 768 on its A4500, 512 on a T4), and an atomic operation on the result, which is how its faster variants
// treat the threads of a block. Reads each item once. Items are grouped as they come: the bits of a float sum may
// differ from run to run.
//
// Cordeiro, Nunan Zola: Redução Paralela Otimizada para Segmentos Regulares e Irregulares em GPU (bestReduce), 2024,
// section 4.
#pragma once

#include <algorithm>

#include "peneira/error.hpp"
#include "peneira/ops.hpp"
#include "peneira/plan.hpp"
#include "peneira/reduce/problem.hpp"
#include "peneira/tuning/published_gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/atomic.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::reduce_strategies {

/// What all of the published strategies refuse; of a reduce or a segmented_reduce.
template <class Problem>
std::string refuse_published(const Problem& problem) {
  if (!problem.commutative) return "needs an operator that says that it is commutative";
  if (problem.result_bytes != 4 && problem.result_bytes != 8) {
    return "combines by atomic operations on 4 or 8 bytes, but the result has " + std::to_string(problem.result_bytes);
  }
  if (problem.grouping == order::stable) return "groups items as they come; ask for the grouping order::any";
  return {};
}

/// Persistent blocks, or as many as there is work for.
inline std::size_t published_blocks(std::size_t wanted, const device& machine) {
  const std::size_t most = std::size_t{tuning::published_blocks_a_processor} * static_cast<std::size_t>(machine.sms);
  return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(most, 1));
}

/// What the published strategies decide on.
struct persistent_parameters {
  std::size_t items_a_load = 1;
  step set_result{"set_result"};
  step reduce;

  static constexpr std::tuple fields{
      detail::field{&persistent_parameters::items_a_load, "items a load", "that a thread reads at a time"},
      detail::members{&persistent_parameters::set_result, &persistent_parameters::reduce},
  };
};

/// For a kernel whose threads read so many items at a time.
inline persistent_parameters decide_persistent(const reduce_problem& problem, const device& machine,
                                               std::string_view kernel, std::size_t items_a_load) {
  const std::uint32_t threads = tuning::published_threads(machine.arch);
  const std::size_t stride = threads * items_a_load;
  const std::size_t wanted = problem.items / stride + (problem.items % stride != 0 ? 1 : 0);
  persistent_parameters p;
  p.items_a_load = items_a_load;
  p.reduce = {kernel, published_blocks(wanted, machine), threads};
  return p;
}

#if defined(__CUDACC__)

namespace published_kernels {

/// Threads of a block at most, and blocks that the registers must leave room for on a processor. A launch has as many
/// threads as its plan says: code for one architecture may run on a later one, which holds more.
inline constexpr std::uint32_t most_threads = tuning::published_most_threads;
#if defined(__CUDA_ARCH__)
inline constexpr std::uint32_t least_blocks =
    std::min(tuning::published_blocks_a_processor, tuning::threads_a_processor(__CUDA_ARCH__ / 10) / most_threads);
#else
inline constexpr std::uint32_t least_blocks = tuning::published_blocks_a_processor;
#endif

/// Room in shared memory for values of any type, also of one with a constructor.
template <class T, unsigned Count>
struct alignas(T) shared_values {
  unsigned char bytes[Count * sizeof(T)];

  __device__ T* get() { return reinterpret_cast<T*>(bytes); }
};

template <class Result, class Op>
__global__ void set_result(Result* result, Op op) {
  *result = op.template identity<Result>();
}

/// What one thread of several combines of the items from begin to before end, read one by one, side by side.
template <class Result, class T, class Op>
__device__ Result fold_items(const T* items, std::size_t begin, std::size_t end, const Op& op, std::size_t thread,
                             std::size_t threads) {
  Result mine = op.template identity<Result>();
  for (std::size_t at = begin + thread; at < end; at += threads) {
    mine = op(mine, detail::lifted<Result>(op, items[at], at));
  }
  return mine;
}

/// In the first lane, the values of all lanes of the warp, by shuffles.
template <class T, class Op>
__device__ T shuffle_warp(T value, const Op& op) {
#pragma unroll
  for (unsigned step = 16; step > 0; step /= 2) {
    value = op(value, detail::shuffled<detail::direction::down>(value, step));
  }
  return value;
}

/// In thread 0, the values of all threads of the block, by an atomic operation of each on one variable `all` in shared
/// memory. To be called by all threads; they may call it again at once.
template <class T, class Op>
__device__ T gather_by_atomics(const T& mine, const Op& op, T& all) {
  if (threadIdx.x == 0) all = op.template identity<T>();
  __syncthreads();
  detail::atomic_combine(&all, mine, op);
  __syncthreads();
  return threadIdx.x == 0 ? all : mine;
}

/// The kernel of the strategies that read item by item. Gather::run puts the values of a block together in thread 0.
template <class Gather, class T, class Result, class Op>
__global__ void __launch_bounds__(most_threads, least_blocks)
    reduce_items(const T* items, std::size_t n, Op op, Result* result) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto mine = fold_items<Result>(items, 0, n, op, thread, std::size_t{gridDim.x} * blockDim.x);
  const Result all = Gather::run(mine, op);
  if (threadIdx.x == 0) detail::atomic_combine(result, all, op);
}

}  // namespace published_kernels

/// Throws where results of a type are not aligned as atomic operations want them, which no plan can see.
template <class Result>
void check_alignment(std::string_view primitive) {
  if constexpr (alignof(Result) != sizeof(Result)) {
    detail::reject(primitive, "strategy", "combines by atomic operations; align the type of the result to its size");
  }
}

/// Sets the result to the identity and launches the kernel that combines into it.
template <class T, class Result, class Op>
void run_persistent(const gpu& on, const persistent_parameters& p,
                    void (*kernel)(const T* items, std::size_t n, Op op, Result* result), const T* items, std::size_t n,
                    Result* result, const Op& op) {
  detail::launch(on, p.set_result, published_kernels::set_result<Result, Op>, result, op);
  detail::launch(on, p.reduce, kernel, items, n, op, result);
}

#endif

/// What the strategies that read item by item have in common. Gather::run puts the values of a block together.
template <class Gather>
struct reads_items {
  static std::string refuses(const reduce_problem& problem, const device& /*machine*/) {
    return refuse_published(problem);
  }

  using parameters = persistent_parameters;

  static parameters decide(const reduce_problem& problem, const device& machine) {
    return decide_persistent(problem, machine, "reduce_items", 1);
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, Result* result, const Op& op) {
    check_alignment<Result>("reduce");
    if constexpr (detail::is_commutative<Op> && detail::fits_atomics<Result>) {
      run_persistent(on, p, published_kernels::reduce_items<Gather, T, Result, Op>, items, n, result, op);
    }
  }
#endif
};

}  // namespace peneira::reduce_strategies
