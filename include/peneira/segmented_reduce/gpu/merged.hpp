// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// merged: merge-based; the merge path of items and segment ends is cut into equal shares, one a warp; one launch.
//
//   items |-----share 0-----|-----share 1-----|...  --tile by tile, some neighbouring items a lane-->  results
//   ends  |  '    '  '''''''|''''             |...  what crosses borders  --block, stamped slot-->  the fixup block
//
// Reads each item and each offset once and writes each result once. Neither long nor short nor empty segments can give
// one warp more to do than another. Items are combined in their order where the operator does not say that it is
// commutative. The equal shares are those of Merrill and Garland, Merge-based Parallel Sparse Matrix-Vector
// Multiplication (2016).
#pragma once

#include <algorithm>

#include "peneira/segmented_reduce/gpu/warp_tile_shape.hpp"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/strategy.hpp"

#if defined(__CUDACC__)
#include "peneira/segmented_reduce/gpu/merged.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

struct merged {
  static constexpr std::string_view name = "merged";
  static constexpr std::string_view about = "items and segment ends shared out evenly together, whatever their shape";

  static std::string refuses(const segmented_reduce_problem& problem, const device& machine) {
    if (room_of(problem) + reserved > machine.shared_per_block) {
      return "needs " + std::to_string(room_of(problem) + reserved) + " bytes of shared memory a block";
    }
    constexpr std::size_t most = std::size_t{1} << 31U;  // a warp counts by 32 bits
    if (path_of(problem) / workers(problem, machine) >= most) {
      return "cannot give a block " + std::to_string(most) + " items or more";
    }
    return {};
  }

  /// None of the optional ones where there are no segments.
  struct parameters {
    segmented_reduce_problem problem;
    std::optional<std::uint32_t> sharers;
    std::optional<std::size_t> warp_tile;
    std::optional<step> reduce;

    static constexpr std::tuple fields{
        detail::field{&parameters::sharers, "sharers",
                      "warps of a block that have an equal part of items and segment ends"},
        detail::field{&parameters::warp_tile, "warp tile", "items that a warp takes at a time"},
        detail::members{&parameters::reduce},
    };
  };

  static parameters decide(const segmented_reduce_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    if (problem.segments == 0) return p;
    const std::size_t blocks = workers(problem, machine);
    p.sharers = static_cast<std::uint32_t>(sharers_of(problem, machine));
    p.warp_tile = 32 * detail::lane_items(problem.item_bytes, problem.result_bytes);
    p.reduce = {"reduce_segments", blocks == 1 ? 1 : blocks + 1, tuning::segment_threads,
                *p.sharers * room_of(problem)};
    return p;
  }

  struct arrays {
    detail::stamped_word* slots;   ///< of all blocks but the fixup block; none where there is one block
    std::uint64_t* first_invalid;  ///< nullptr: nobody asks
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (!p.reduce.has_value()) return a;
    const std::size_t words = detail::share_slot_words(p.problem.result_bytes);
    a.slots = memory.template take<detail::stamped_word>((p.reduce->grid - 1) * words);
    if (p.problem.checked) a.first_invalid = memory.template take<std::uint64_t>(1);
    return a;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool checked) {
    if (count == 0) return;
    const detail::temporary<merged> memory(on, p);
    const auto work = kernel_work(p, memory, items, n, segments, count, results, op);
    detail::launch(on, *p.reduce, detail::reduce_segments<T, Result, Segments, Op>, work);
    if (checked) detail::report_invalid(on, work.first_invalid, segments, count, n);
  }

  /// What the kernel gets.
  template <class T, class Result, class Segments, class Op>
  static detail::share_work<T, Result, Segments, Op> kernel_work(const parameters& p, const arrays& a, const T* items,
                                                                 std::size_t n, const Segments& segments,
                                                                 std::size_t count, Result* results, const Op& op) {
    using found = detail::share_found<Result>;
    static_assert(detail::slot_words(sizeof(found)) <= detail::share_slot_words(sizeof(Result)));
    const std::size_t blocks = p.reduce->grid == 1 ? 1 : p.reduce->grid - 1;
    const detail::equal_shares shares(n, count, blocks * *p.sharers, tuning::segment_threads);
    return {.items = items,
            .n = n,
            .segments = segments,
            .count = count,
            .op = op,
            .results = results,
            .slots = {a.slots, detail::fresh_stamp()},
            .first_invalid = a.first_invalid,
            .sharers = *p.sharers,
            .shares = shares};
  }
#endif

 private:
  /// What a block takes of shared memory beside what it asks for: what the kernel declares itself, and what the system
  /// keeps.
  static constexpr std::size_t reserved = 4096;

  /// Shared memory of a warp.
  static std::size_t room_of(const segmented_reduce_problem& problem) {
    return detail::warp_tile_memory(problem.item_bytes, problem.result_bytes, problem.offset_bytes).all;
  }
  /// Warps of a block that have shares: all, unless the device has little shared memory.
  static std::size_t sharers_of(const segmented_reduce_problem& problem, const device& machine) {
    return std::clamp<std::size_t>((machine.shared_per_block - reserved) / room_of(problem), 1,
                                   tuning::segment_threads / 32);
  }
  /// The length of the merge path: items and ends, as shares count them.
  static std::size_t path_of(const segmented_reduce_problem& problem) {
    return problem.items + problem.segments * tuning::segment_end_cost;
  }
  /// Blocks that have shares.
  static std::size_t workers(const segmented_reduce_problem& problem, const device& machine) {
    const std::size_t shared = sharers_of(problem, machine) * room_of(problem) + reserved;
    const std::size_t a_processor =
        std::clamp<std::size_t>(machine.shared_per_sm / shared, 1, tuning::segment_blocks_a_processor);
    const std::size_t most = std::max<std::size_t>(a_processor * static_cast<std::size_t>(machine.sms), 2) - 1;
    const std::size_t wanted = (path_of(problem) + tuning::segment_least_share - 1) / tuning::segment_least_share;
    return std::clamp<std::size_t>(wanted, 1, most);
  }
};

}  // namespace peneira::segmented_reduce_strategies
