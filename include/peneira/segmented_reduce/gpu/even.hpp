// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// even: segments of one size that is a power of two, each within what a warp loads at a time; one launch of persistent
// blocks, in which no warp needs another.
//
//   a warp's loads   |gggggggg|gggggggg|gggggggg|gggggggg|   a group of 16 bytes a lane each
//   segments         | | | | | or |    |    | or |       |   of some groups, of a load, or of several loads
//
// Reads each item once and writes each result once.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu_reduce.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/segmented_reduce/gpu/even.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

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

  /// None of them where there are no segments.
  struct parameters {
    std::optional<std::size_t> tile;
    std::optional<step> reduce;

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile", "items that a block takes at a time"},
        detail::members{&parameters::reduce},
    };
  };

  static parameters decide(const segmented_reduce_problem& problem, const device& machine) {
    parameters p;
    if (problem.segments == 0) return p;
    const std::size_t most = std::size_t{tuning::even_blocks_a_processor} * static_cast<std::size_t>(machine.sms);
    const std::size_t tile = tuning::even_threads * tuning::even_loads *
                             static_cast<std::size_t>(detail::items_of_16_bytes(problem.item_bytes));
    p.tile = tile;
    p.reduce = {"reduce_even", std::clamp<std::size_t>((problem.items + tile - 1) / tile, 1, most),
                tuning::even_threads};
    return p;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool /*checked*/) {
    if constexpr (Segments::regular) {
      if (count == 0) return;
      const auto shift = static_cast<unsigned>(std::countr_zero(segments.size));
      detail::launch(on, *p.reduce, reduce_even<T, Result, Op>, items, n, shift, op, results);
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
