// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// best_reduce (bestReduce in the paper): a warp, a block or the whole grid for a segment, by its length.
//
//   segment --shorter than the warp limit----> its warp, shuffles ---------------------------> result
//           --shorter than the block limit---> all warps of its block, atomics in shared ----> result
//           --longer--> list --second kernel-> all blocks, as vector4, atomics in global ----> result
//
// Reads each item and each offset once, writes each result once; the list costs 8 bytes a long segment. Three things
// are read into the paper. Warps are numbered across the blocks (warp 0 of every block, then warp 1), since Algorithm
// 1's numbering would leave 128 segments to 4 blocks, while section 6 says that 112 blocks take one each. Segments that
// wait for the block are taken one after the other behind a barrier. The paper launches a kernel for each listed
// segment; here one kernel goes through the list, so that the host need not wait to read it.
//
// Cordeiro, Nunan Zola: Redução Paralela Otimizada para Segmentos Regulares e Irregulares em GPU, 2024, Algorithm 1.
#pragma once

#include <algorithm>

#include "peneira/reduce/published/persistent.hpp"
#include "peneira/reduce/published/vector4.hpp"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/published_gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/segmented_reduce/gpu/merged.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

#if defined(__CUDACC__)

namespace published_kernels {

using namespace reduce_strategies::published_kernels;

/// Long segments, in the order in which warps met them.
struct segment_list {
  unsigned long long* segments;
  unsigned long long* met;  ///< how many; may be more than there is room for
  std::size_t room;
};

/// What both kernels of a call know.
template <class T, class Result, class Segments, class Op>
struct best_work {
  const T* items;
  std::size_t n;
  Segments segments;
  std::size_t count;
  Op op;
  Result* results;
  segment_list list;
  std::size_t warp_limit;
  std::size_t block_limit;
  std::uint64_t* first_invalid;  ///< nullptr: nobody asks
};

/// A segment that waits for its block.
struct waiting_segment {
  std::size_t segment;
  std::size_t begin;
  std::size_t end;  ///< begin: there is none
};

/// What one thread of a block combines of the items from begin to before end. Of a stride that the compiler knows it
/// has several loads under way at once: three times as fast.
template <class Result, class T, class Op>
__device__ Result fold_by_block(const T* items, std::size_t begin, std::size_t end, const Op& op) {
  if (blockDim.x == most_threads) return fold_items<Result>(items, begin, end, op, threadIdx.x, most_threads);
  return fold_items<Result>(items, begin, end, op, threadIdx.x, blockDim.x);
}

template <class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(most_threads, least_blocks)
    reduce_by_length(best_work<T, Result, Segments, Op> work) {
  __shared__ waiting_segment waiting[most_threads / 32];
  __shared__ shared_values<Result, 1> room;
  const unsigned warps = blockDim.x / 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  const std::size_t all_warps = std::size_t{gridDim.x} * warps;

  // All threads of a block make the same number of steps, as there are barriers in them.
  for (std::size_t first = 0; first < work.count; first += all_warps) {
    const std::size_t s = first + std::size_t{warp} * gridDim.x + blockIdx.x;
    waiting_segment left{s, 0, 0};
    if (s < work.count) {
      std::size_t begin = work.segments.begin(s);
      std::size_t end = work.segments.end(s);
      if (begin > end || end > work.n) {
        if (lane == 0 && work.first_invalid != nullptr) {
          atomicMin(reinterpret_cast<unsigned long long*>(work.first_invalid), static_cast<unsigned long long>(s));
        }
        begin = end = 0;
      }
      if (end - begin < work.warp_limit) {
        auto mine = fold_items<Result>(work.items, begin, end, work.op, lane, 32);
        mine = shuffle_warp(mine, work.op);
        if (lane == 0) work.results[s] = mine;
      } else if (end - begin < work.block_limit) {
        left = {s, begin, end};
      } else if (lane == 0) {
        // Only offsets that descend can give more long segments than there is room for; the block takes those.
        const unsigned long long slot = atomicAdd(work.list.met, 1ULL);
        if (slot < work.list.room) {
          work.list.segments[slot] = s;
          work.results[s] = work.op.template identity<Result>();
        } else {
          left = {s, begin, end};
        }
      }
    }
    if (lane == 0) waiting[warp] = left;
    if (__syncthreads_or(lane == 0 && left.begin != left.end ? 1 : 0) == 0) continue;

    // The block takes the segments of its warps one after the other.
    for (unsigned w = 0; w < warps; ++w) {
      const waiting_segment next = waiting[w];
      if (next.begin == next.end) continue;
      const auto mine = fold_by_block<Result>(work.items, next.begin, next.end, work.op);
      const Result all = gather_by_atomics(mine, work.op, *room.get());
      if (threadIdx.x == 0) work.results[next.segment] = all;
    }
    __syncthreads();  // all have read what waits before the next step writes it
  }
}

template <class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(most_threads, least_blocks) reduce_listed(best_work<T, Result, Segments, Op> work) {
  __shared__ shared_values<Result, 1> room;
  const std::size_t met = *work.list.met;
  const std::size_t listed = met < work.list.room ? met : work.list.room;
  for (std::size_t k = 0; k < listed; ++k) {
    const std::size_t s = work.list.segments[k];
    const auto mine = fold_vectors<Result>(work.items, work.segments.begin(s), work.segments.end(s), work.op);
    const Result all = gather_by_atomics(mine, work.op, *room.get());
    if (threadIdx.x == 0) detail::atomic_combine(&work.results[s], all, work.op);
  }
}

}  // namespace published_kernels

#endif

struct best_reduce {
  static constexpr std::string_view name = "best_reduce";
  static constexpr std::string_view about = "published: a warp, a block or the grid for a segment, by its length";

  static std::string refuses(const segmented_reduce_problem& problem, const device& /*machine*/) {
    const best_reduce_limits& given = problem.limits;
    if (given.block_items != 0 && given.block_items < given.warp_items) {
      return "needs block_items of at least warp_items, which are " + std::to_string(given.warp_items) + ", not " +
             std::to_string(given.block_items);
    }
    return reduce_strategies::refuse_published(problem);
  }

  /// None of the optional ones where there are no segments.
  struct parameters {
    segmented_reduce_problem problem;
    std::optional<std::size_t> warp_limit;
    std::optional<std::size_t> block_limit;
    std::optional<std::size_t> most_listed;
    std::optional<step> by_length;
    std::optional<step> listed;  ///< none where no segment can be so long

    static constexpr std::tuple fields{
        detail::field{&parameters::warp_limit, "warp limit", "segments of fewer items are reduced by a warp"},
        detail::field{&parameters::block_limit, "block limit", "of fewer, by a block; the others by the grid"},
        detail::field{&parameters::most_listed, "listed at most", "segments for the grid"},
        detail::members{&parameters::by_length, &parameters::listed},
    };
  };

  static parameters decide(const segmented_reduce_problem& problem, const device& machine) {
    using reduce_strategies::published_blocks;
    const std::uint32_t threads = tuning::published_threads(machine.arch);
    parameters p;
    p.problem = problem;
    if (problem.segments == 0) return p;
    const tuning::segment_limits tuned = tuning::best_reduce_limits(machine.arch);
    const auto or_tuned = [](std::size_t given, std::size_t otherwise) { return given != 0 ? given : otherwise; };
    p.warp_limit = or_tuned(problem.limits.warp_items, tuned.warp_items);
    // A warp limit of the caller's may lie above the tuned one of a block.
    p.block_limit = std::max(*p.warp_limit, or_tuned(problem.limits.block_items, tuned.block_items));
    p.most_listed = std::min(problem.segments, problem.items / *p.block_limit);
    p.by_length = {"reduce_by_length", published_blocks(problem.segments, machine), threads};
    if (*p.most_listed != 0) {
      const std::size_t together = threads * static_cast<std::size_t>(detail::items_of_16_bytes(problem.item_bytes));
      p.listed = {"reduce_listed", published_blocks((problem.items + together - 1) / together, machine), threads};
    }
    return p;
  }

  struct arrays {
    unsigned long long* listed;    ///< the long segments; nullptr where there can be none
    unsigned long long* met;       ///< how many; zero before
    std::uint64_t* first_invalid;  ///< all ones before; nullptr: nobody asks
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.listed.has_value()) {
      a.listed = memory.template take<unsigned long long>(*p.most_listed);
      a.met = memory.template take<unsigned long long>(1);
    }
    if (p.by_length.has_value() && p.problem.checked) a.first_invalid = memory.template take<std::uint64_t>(1);
    return a;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool checked) {
    reduce_strategies::check_alignment<Result>("segmented_reduce");
    if constexpr (detail::is_commutative<Op> && detail::fits_atomics<Result>) {
      if (count == 0) return;
      const detail::temporary<best_reduce> a(on, p);
      if (p.listed.has_value()) {
        detail::check(cudaMemsetAsync(a.met, 0, sizeof(*a.met), on.stream), "cudaMemsetAsync");
      }
      if (checked) {
        detail::check(cudaMemsetAsync(a.first_invalid, 0xFF, sizeof(*a.first_invalid), on.stream), "cudaMemsetAsync");
      }
      const published_kernels::best_work<T, Result, Segments, Op> work{.items = items,
                                                                       .n = n,
                                                                       .segments = segments,
                                                                       .count = count,
                                                                       .op = op,
                                                                       .results = results,
                                                                       .list = {a.listed, a.met, *p.most_listed},
                                                                       .warp_limit = *p.warp_limit,
                                                                       .block_limit = *p.block_limit,
                                                                       .first_invalid = a.first_invalid};
      detail::launch(on, *p.by_length, published_kernels::reduce_by_length<T, Result, Segments, Op>, work);
      if (p.listed.has_value()) {
        detail::launch(on, *p.listed, published_kernels::reduce_listed<T, Result, Segments, Op>, work);
      }
      if (checked) detail::report_invalid(on, a.first_invalid, segments, count, n);
    }
  }
#endif
};

}  // namespace peneira::segmented_reduce_strategies
