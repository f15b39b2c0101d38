// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// even: segments of one size that is a power of two, each within what a warp loads at a time; one launch, in which no
// warp needs another.
//
//   a warp's loads   |gggggggg|gggggggg|gggggggg|gggggggg|   a group of 16 bytes a lane each
//   segments         | | | | | or |    |    | or |       |   of some groups, of a load, or of several loads
//
// Reads each item once and writes each result once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

#if defined(__CUDACC__)

template <class T, class Result, class Op>
class even_turns {
  static constexpr unsigned group = detail::items_of_16_bytes(sizeof(T));
  static constexpr unsigned loads = tuning::even_loads;

 public:
  static constexpr unsigned turn = 32 * loads * group;

  __device__ even_turns(const T* items, std::size_t n, unsigned shift, const Op& op, Result* results)
      : items_(items),
        n_(n),
        shift_(shift),
        op_(op),
        results_(results),
        aligned_(detail::aligned_for<T, group>(items)) {}

  /// A warp's turn, from an item on at which a segment begins.
  __device__ void take(std::size_t first) const {
    if (n_ - first < turn) {
      take_last(first);
      return;
    }
    alignas(16) T some[loads][group];
    const std::size_t mine = first + threadIdx.x % 32 * group;
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      const T* const from = items_ + mine + k * 32 * group;
      if (aligned_) {
        detail::load_group<group, true>(some[k], from);
      } else {
#pragma unroll
        for (unsigned j = 0; j < group; ++j) some[k][j] = from[j];
      }
    }
    if ((1U << shift_) < group) {
      combine_within_groups(some, mine);
    } else {
      combine_groups(some, mine);
    }
  }

 private:
  __device__ void add(Result& with, const T& item, std::size_t at) const {
    with = op_(with, detail::lifted<Result>(op_, item, at));
  }

  /// Segments of several groups.
  __device__ void combine_groups(const T (&some)[loads][group], std::size_t mine) const {
    Result values[loads];
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      values[k] = op_.template identity<Result>();
#pragma unroll
      for (unsigned j = 0; j < group; ++j) add(values[k], some[k][j], mine + k * 32 * group + j);
    }
    unsigned lanes = (1U << shift_) / group;
    unsigned stride = 1;  // loads that a segment takes
#pragma unroll
    for (unsigned step = 1; step < loads; step *= 2) {
      if (lanes <= 32) break;
#pragma unroll
      for (unsigned k = 0; k + step < loads; k += 2 * step) values[k] = op_(values[k], values[k + step]);
      lanes /= 2;
      stride *= 2;
    }
#pragma unroll 1
    for (unsigned step = 1; step < lanes; step *= 2) {
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) {
        values[k] = op_(values[k], detail::shuffled<detail::direction::down>(values[k], step));
      }
    }
    if (threadIdx.x % 32 % lanes != 0) return;
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      if (k % stride == 0) results_[(mine + k * 32 * group) >> shift_] = values[k];
    }
  }

  /// Groups of several segments.
  __device__ void combine_within_groups(const T (&some)[loads][group], std::size_t mine) const {
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      const std::size_t first = mine + k * 32 * group;
      if (shift_ == 0) give<1>(some[k], first);
      if (shift_ == 1) give<2>(some[k], first);
      if (shift_ == 2) give<4>(some[k], first);
      if (shift_ == 3) give<8>(some[k], first);
    }
  }
  template <unsigned Size>
  __device__ void give(const T (&some)[group], std::size_t first) const {
    if constexpr (Size < group) {
      constexpr unsigned count = group / Size;
      alignas(16) Result values[count];
#pragma unroll
      for (unsigned s = 0; s < count; ++s) {
        values[s] = op_.template identity<Result>();
#pragma unroll
        for (unsigned j = 0; j < Size; ++j) add(values[s], some[s * Size + j], first + s * Size + j);
      }
      Result* const to = results_ + first / Size;
      if (detail::aligned_for<Result, count>(to)) {
        detail::copy_group<count>(to, values);
      } else {
#pragma unroll
        for (unsigned s = 0; s < count; ++s) to[s] = values[s];
      }
    }
  }

  /// The last turn, load by load, as far as there are items.
  __device__ void take_last(std::size_t first) const {
    const unsigned size = 1U << shift_;
    const unsigned lanes = size < group ? 1 : ::min(size / group, 32U);
    const unsigned stride = size <= 32 * group ? 1 : size / (32 * group);  // loads that a segment takes
    Result value = op_.template identity<Result>();
#pragma unroll 1
    for (unsigned k = 0; k < loads; ++k) {
      const std::size_t mine = first + (k * 32 + threadIdx.x % 32) * group;
      for (std::size_t at = mine; at < mine + group; ++at) {
        if (at < n_) add(value, items_[at], at);
        if (size >= group || (at + 1) % size != 0) continue;
        if (at + 1 - size < n_) results_[at >> shift_] = value;
        value = op_.template identity<Result>();
      }
      if (size < group || (k + 1) % stride != 0) continue;
      for (unsigned step = 1; step < lanes; step *= 2) {
        value = op_(value, detail::shuffled<detail::direction::down>(value, step));
      }
      const std::size_t begin = mine - (stride - 1) * 32 * group;  // of the segment, in its first lane
      if (threadIdx.x % 32 % lanes == 0 && begin < n_) results_[begin >> shift_] = value;
      value = op_.template identity<Result>();
    }
  }

  const T* items_;
  std::size_t n_;
  unsigned shift_;  // the size's only bit
  const Op& op_;
  Result* results_;
  bool aligned_;
};

template <class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::even_threads, tuning::even_blocks_a_processor)
    reduce_even(const T* items, std::size_t n, unsigned shift, Op op, Result* results) {
  using turns = even_turns<T, Result, Op>;
  const turns work(items, n, shift, op, results);
  const std::size_t warps = std::size_t{gridDim.x} * (tuning::even_threads / 32);
  const std::size_t warp = std::size_t{blockIdx.x} * (tuning::even_threads / 32) + threadIdx.x / 32;
  for (std::size_t first = warp * turns::turn; first < n; first += warps * turns::turn) work.take(first);
}

#endif

struct even {
  static constexpr std::string_view name = "even";
  static constexpr std::string_view about =
      "every{a power of two} of a few items, each within what a warp loads at a time";

  static std::string refuses(const segmented_reduce_problem& problem, const device& /*machine*/) {
    if (problem.offset_bytes != 0) return "needs segments of one size, every{size}";
    if (!std::has_single_bit(problem.segment_items)) return "needs segments of a size that is a power of two";
    if (problem.result_bytes * static_cast<std::size_t>(detail::items_of_16_bytes(problem.item_bytes)) > 64) {
      return "takes no results of " + std::to_string(problem.result_bytes) + " bytes of items of " +
             std::to_string(problem.item_bytes) + ", of which a thread has too many";
    }
    const std::size_t most = most_items(problem);
    if (problem.segment_items > most) return "takes segments of up to " + std::to_string(most) + " items";
    return {};
  }
  static plan make_plan(const segmented_reduce_problem& problem, const device& machine) {
    plan p;
    if (problem.segments == 0) return p;
    const std::size_t turn = tuning::even_threads * tuning::even_loads *
                             static_cast<std::size_t>(detail::items_of_16_bytes(problem.item_bytes));
    const std::size_t most = std::size_t{tuning::even_blocks_a_processor} * static_cast<std::size_t>(machine.sms);
    p.set("turn", turn, "items that a block takes at a time");
    p.steps.push_back(
        {"reduce_even", std::clamp<std::size_t>((problem.items + turn - 1) / turn, 1, most), tuning::even_threads});
    return p;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const plan& made, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool /*checked*/) {
    if constexpr (Segments::regular) {
      if (count == 0) return;
      const auto shift = static_cast<unsigned>(std::countr_zero(segments.size));
      detail::launch(on, made.steps[0], reduce_even<T, Result, Op>, items, n, shift, op, results);
    }
  }
#endif

 private:
  /// Segments of several loads are combined load by load: only commutative operators may have them.
  static std::size_t most_items(const segmented_reduce_problem& problem) {
    const std::size_t a_load =
        std::size_t{32} * static_cast<std::size_t>(detail::items_of_16_bytes(problem.item_bytes));
    return problem.commutative ? tuning::even_loads * a_load : a_load;
  }
};

}  // namespace peneira::segmented_reduce_strategies
