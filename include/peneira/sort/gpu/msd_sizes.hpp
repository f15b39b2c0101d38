// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How much of everything a sort by levels can need: items of a task, tasks, counts, shared memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/gpu/block_radix_sort.cuh"
#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/sort/problem.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::sort_strategies {

struct level_sizes {
  /// Whether segments of so many items on average are tasks, by six deviations.
  static bool fits(double average, std::size_t most) {
    return average + 6 * std::sqrt(average) <= static_cast<double>(most);
  }
  static detail::planned_tile small_tile_of(const sort_problem& problem) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes, tuning::small_tile_bytes);
  }
  static constexpr std::size_t task_size(const sort_problem& problem) {
    return static_cast<std::size_t>(tuning::task_threads) *
           static_cast<std::size_t>(problem.value_bytes == 0 ? tuning::task_items : tuning::task_pairs);
  }
  static constexpr std::size_t large_task_size(const sort_problem& problem) {
    return static_cast<std::size_t>(tuning::task_threads) *
           static_cast<std::size_t>(detail::large_task_items(problem.key_bytes, problem.value_bytes));
  }
  static std::size_t large_tasks(std::size_t items, std::size_t most) { return items / most + 1; }
  /// Tasks that there can be: neighbours that make a task fill half of it, or something larger lies between them; and
  /// of each segment, those before and behind what goes on to the next level.
  static std::size_t most_tasks(std::size_t items, std::size_t task, const plan& made) {
    std::size_t segments = 0;  // of all levels
    std::size_t bits = 0;
    for (std::size_t l = 0; l < made.get("levels"); ++l) {
      segments += std::min(made.get("segments"), std::size_t{1} << std::min<std::size_t>(bits, 60));
      bits += l < made.get("expected") ? made.get("digit bits") : tuning::further_level_bits;
    }
    return 4 * (items / task + 1) + 2 * segments + items / copy_items(task) + 64;
  }
  static std::size_t copy_items(std::size_t task) { return 16 * task; }
  /// What is set to zero at the beginning: the counts of the levels' segments, the bits that differ, six numbers, what
  /// the first level counts, and what passes do.
  static std::size_t header_words(const plan& made, std::size_t words_of_passes) {
    return made.get("levels") + 1 + 2 + 3 + (std::size_t{1} << made.get("digit bits")) + words_of_passes;
  }
  /// Bytes of a count of a piece: two where the pieces of the smallest grid have no more items, which is what counts
  /// where the order is kept.
  static std::size_t row_bytes(std::size_t items, std::size_t blocks, bool stable) {
    if (stable && items / blocks + 128 <= 0xFFFFU) return 2;  // pieces are rounded up to 64 items, twice
    return items > 0xFFFFFFFFU ? 8 : 4;
  }
  /// Counts of a level at most, but for those of the first, which are elsewhere where they can be.
  struct level_words {
    std::size_t sums;  ///< of all segments
    std::size_t rows;  ///< of all pieces
  };
  static level_words counts_of(const plan& made) {
    const bool apart = made.get("apart") != 0;
    const bool further = made.get("levels") > made.get("expected");
    const std::size_t blocks = made.at(apart ? "count_segments" : "split_further").grid;
    const std::size_t expected = made.get("expected");
    const std::size_t bits = made.get("digit bits");
    const bool first_has_rows = made.get("cursors") == 0 && made.get("rows between") == 0;
    level_words most{0, first_has_rows ? blocks << bits : 0};
    const auto add = [&](std::size_t segments, std::size_t digit_bits, std::size_t pieces) {
      most = {std::max(most.sums, segments << digit_bits), std::max(most.rows, pieces << digit_bits)};
    };
    for (std::size_t l = 1; l < expected; ++l) {
      const std::size_t segments = std::min(made.get("segments"), std::size_t{1} << l * bits);
      add(segments, bits, blocks + segments);
    }
    if (further) {
      const std::size_t segments = made.get("segments");
      const bool has_rows = made.get("keep order") != 0;
      add(segments, tuning::further_level_bits, has_rows ? made.at("split_further").grid + segments : 0);
    }
    return most;
  }
  /// Bytes of the sums of two levels, which they use by turns.
  static std::size_t sum_bytes(const plan& made) {
    return detail::level_counts::bytes(2 * counts_of(made).sums, made.get("wide") != 0);
  }
  /// Bytes of all counts, in which come the numbers of crowded tasks, once all levels are done.
  static std::size_t count_bytes(const plan& made) {
    const std::size_t levels = sum_bytes(made) + counts_of(made).rows * made.get("row bytes");
    return std::max(levels, made.get("tasks") * sizeof(std::uint32_t));
  }
  /// Bytes of lists, counts and tasks.
  static std::size_t level_bytes(const plan& made, std::size_t items) {
    using detail::workspace;
    const std::size_t segments = made.get("segments");
    return workspace::footprint<detail::sort_segment>(2 * segments) +
           workspace::footprint<unsigned char>(count_bytes(made)) +
           workspace::footprint<unsigned long long>(2 * segments) +
           workspace::footprint<detail::sort_task>(made.get("tasks") + large_tasks(items, made.get("task")));
  }
  /// As detail::task_memory has it.
  static constexpr std::size_t task_shared(const sort_problem& problem) {
    const std::size_t items = task_size(problem);
    const std::size_t buckets =
        std::size_t{1} << (problem.value_bytes == 0 ? tuning::task_bucket_bits : tuning::task_pair_bucket_bits);
    const std::size_t word = problem.value_bytes == 0 ? problem.key_bytes : sizeof(std::uint64_t);
    const std::size_t indices = problem.value_bytes != 0 && problem.key_bytes > 4 ? items * sizeof(std::uint16_t) : 0;
    return buckets * sizeof(std::uint32_t) + (items + 64) * word + indices + items * problem.value_bytes + 1024;
  }
  /// As detail::sort_by_digits has it, for tasks of so many items.
  static constexpr std::size_t digits_shared(const sort_problem& problem, std::size_t items) {
    const std::size_t places = detail::task_places(problem.key_bytes, problem.value_bytes, items);
    return detail::digits_bytes(problem.key_bytes, places) + items * problem.value_bytes;
  }
};

}  // namespace peneira::sort_strategies
