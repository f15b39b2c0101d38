// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// merged: items and segment ends make one stream, of which every warp gets an equal share; one launch.
//
//   items |-----share 0-----|-----share 1-----|...  --turn by turn, some neighbouring items a lane-->  results
//   ends  |  '    '  '''''''|''''             |...  what crosses borders  --block, mailbox-->  the gathering block
//
// Reads each item and each offset once and writes each result once. Neither long nor short nor empty segments can give
// one warp more to do than another. Items are combined in their order where the operator does not say that it is
// commutative.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "peneira/segmented_reduce/gpu/turn_shape.hpp"
#include "peneira/segmented_reduce/problem.hpp"

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
    if (work_of(problem) / workers(problem, machine) >= most) {
      return "cannot give a block " + std::to_string(most) + " items or more";
    }
    return {};
  }
  static plan make_plan(const segmented_reduce_problem& problem, const device& machine) {
    plan p;
    if (problem.segments == 0) return p;
    const std::size_t blocks = workers(problem, machine);
    const std::size_t sharing = sharers(problem, machine);
    p.set("sharers", sharing, "warps of a block that have an equal part of items and segment ends");
    p.set("turn", 32 * detail::lane_items(problem.item_bytes, problem.result_bytes),
          "items that a warp takes at a time");
    p.steps.push_back(
        {"reduce_segments", blocks == 1 ? 1 : blocks + 1, tuning::segment_threads, sharing * room_of(problem)});
    if (blocks > 1) p.reserve<detail::letter>(blocks * detail::share_letters(problem.result_bytes));
    if (problem.checked) p.reserve<std::uint64_t>(1);
    return p;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const plan& made, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool checked) {
    if (count == 0) return;
    detail::launch_shares(on, made, items, n, segments, count, results, op, checked);
  }
#endif

 private:
  /// What a block takes of shared memory beside what it asks for: what the kernel declares itself, and what the system
  /// keeps.
  static constexpr std::size_t reserved = 4096;

  /// Shared memory of a warp.
  static std::size_t room_of(const segmented_reduce_problem& problem) {
    return detail::turn_room(problem.item_bytes, problem.result_bytes, problem.offset_bytes).all;
  }
  /// Warps of a block that have shares: all, unless the device has little shared memory.
  static std::size_t sharers(const segmented_reduce_problem& problem, const device& machine) {
    return std::clamp<std::size_t>((machine.shared_per_block - reserved) / room_of(problem), 1,
                                   tuning::segment_threads / 32);
  }
  /// Items and ends together, as shares count them.
  static std::size_t work_of(const segmented_reduce_problem& problem) {
    return problem.items + problem.segments * tuning::segment_end_cost;
  }
  /// Blocks that have shares.
  static std::size_t workers(const segmented_reduce_problem& problem, const device& machine) {
    const std::size_t shared = sharers(problem, machine) * room_of(problem) + reserved;
    const std::size_t a_processor =
        std::clamp<std::size_t>(machine.shared_per_sm / shared, 1, tuning::segment_blocks_a_processor);
    const std::size_t most = std::max<std::size_t>(a_processor * static_cast<std::size_t>(machine.sms), 2) - 1;
    const std::size_t wanted = (work_of(problem) + tuning::segment_least_share - 1) / tuning::segment_least_share;
    return std::clamp<std::size_t>(wanted, 1, most);
  }
};

}  // namespace peneira::segmented_reduce_strategies
