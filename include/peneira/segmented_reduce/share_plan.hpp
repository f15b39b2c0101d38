// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The plan of a kernel that gives every block an equal share of items and segment ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/segmented_reduce/share_shape.hpp"

namespace peneira::detail {

/// A kernel of shares as the plan sees it.
struct share_kernel {
  std::string_view name;
  std::uint32_t threads;
  std::size_t shared;
  std::size_t most_a_processor;
  std::size_t least_share;  ///< items and ends that a block should have at least

  /// What a block takes beside what it asks for: what the kernel declares itself, and what the system keeps.
  static constexpr std::size_t reserved = 2048;

  [[nodiscard]] std::string refuses(const segmented_reduce_problem& problem, const device& machine) const {
    if (shared + reserved > machine.shared_per_block) {
      return "needs " + std::to_string(shared + reserved) + " bytes of shared memory a block";
    }
    constexpr std::size_t most = std::size_t{1} << 31U;  // a block counts by 32 bits
    if (work_of(problem) / workers(problem, machine) >= most) {
      return "cannot give a block " + std::to_string(most) + " items or more";
    }
    return {};
  }
  /// Items and ends together, as shares count them.
  [[nodiscard]] static std::size_t work_of(const segmented_reduce_problem& problem) {
    return problem.items + problem.segments * tuning::segment_end_cost;
  }
  [[nodiscard]] std::size_t workers(const segmented_reduce_problem& problem, const device& machine) const {
    const std::size_t a_processor =
        std::clamp<std::size_t>(machine.shared_per_sm / (shared + reserved), 1, most_a_processor);
    const std::size_t most = std::max<std::size_t>(a_processor * static_cast<std::size_t>(machine.sms), 2) - 1;
    const std::size_t wanted = (work_of(problem) + least_share - 1) / least_share;
    return std::clamp<std::size_t>(wanted, 1, most);
  }
  [[nodiscard]] plan make_plan(const segmented_reduce_problem& problem, const device& machine) const {
    plan p;
    if (problem.segments == 0) return p;
    const std::size_t blocks = workers(problem, machine);
    p.set("shares", blocks, "equal parts of items and segment ends, one a block");
    p.steps.push_back({name, blocks == 1 ? 1 : blocks + 1, threads, shared});
    if (blocks > 1) p.reserve<letter>(blocks * share_letters(problem.result_bytes));
    if (problem.checked) p.reserve<std::uint64_t>(1);
    return p;
  }
};

}  // namespace peneira::detail
