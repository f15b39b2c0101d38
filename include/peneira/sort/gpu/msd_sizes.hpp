// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What msd decides, and how much of everything it can need: items of a task, tasks, counts, shared memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/gpu/block_radix_sort.cuh"
#include "peneira/sort/gpu/lsd.hpp"
#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/sort/gpu/survey.cuh"
#include "peneira/sort/problem.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::sort_strategies {

/// The launches of a level that has its own.
struct level_steps {
  step count;
  step divide;
  step scatter;

  static constexpr std::tuple fields{detail::members{&level_steps::count, &level_steps::divide, &level_steps::scatter}};
};

struct level_parameters {
  sort_problem problem;
  std::size_t given_above = 0;  ///< segments that are larger are given; 0: there is one, the input
  std::uint32_t levels = 0;
  std::uint32_t expected = 0;
  std::uint32_t digit_bits = 0;
  std::size_t tile = 0;
  bool large = false;
  std::uint32_t counter_sets = 0;
  bool ordered_tiles = false;
  bool keep_order = false;
  bool cursors = false;
  std::size_t task = 0;
  std::size_t large_task = 0;
  std::size_t segments = 0;
  std::size_t tasks = 0;
  bool wide = false;
  std::uint32_t row_bytes = 0;
  bool rows_between = false;
  bool decides = false;
  std::optional<step> survey;
  std::vector<level_steps> apart;  ///< of pairs: the expected levels
  std::optional<step> further;     ///< all other levels, in one launch
  step sort_tasks;
  step sort_large_tasks;
  std::optional<lsd::parameters> or_lsd;  ///< what may run instead

  using self = level_parameters;
  static constexpr std::tuple fields{
      detail::field{&self::levels, "levels", "the most that keys can need"},
      detail::field{&self::expected, "expected", "levels that uniform keys need"},
      detail::field{&self::digit_bits, "digit bits", "that an expected level goes by"},
      detail::field{&self::tile, "tile", "items that a block orders at a time"},
      detail::field{&self::large, "large", "tiles; or small ones, for few items"},
      detail::field{&self::counter_sets, "counter sets", "of a bin, against contention"},
      detail::field{&self::ordered_tiles, "ordered tiles", "whether tiles keep their order"},
      detail::field{&self::keep_order, "keep order", "whether equal keys stay in their order"},
      detail::field{&self::cursors, "cursors",
                    "whether tiles of the first level allocate their runs from global cursors"},
      detail::field{&self::task, "task", "items that a block sorts by itself"},
      detail::field{&self::large_task, "large task", "that it sorts digit by digit, at most"},
      detail::field{&self::segments, "segments", "room for what a level leaves too large for a task"},
      detail::field{&self::tasks, "tasks", "room for tasks"},
      detail::field{&self::wide, "wide", "whether counts have 64 bits"},
      detail::field{&self::row_bytes, "row bytes", "of a count of a piece"},
      detail::field{&self::rows_between, "rows between",
                    "whether the copy holds what the blocks of the first level count, until items come"},
      detail::field{&self::decides, "decides", "whether what the first level counts may choose passes"},
      detail::members{&self::survey, &self::apart, &self::further, &self::sort_tasks, &self::sort_large_tasks,
                      &self::or_lsd},
  };
};

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
  static std::size_t large_tasks(const level_parameters& p) {
    return p.problem.items / (p.given_above != 0 ? p.given_above : p.task) + 1;
  }
  /// Bits of the digits of levels that are not expected; of given segments all are such.
  static std::uint32_t further_bits(const level_parameters& p) {
    return p.given_above != 0 ? p.digit_bits : tuning::further_level_bits;
  }
  /// Tasks that there can be: neighbours that make a task fill half of it, or something larger lies between them; and
  /// of each segment, those before and behind what goes on to the next level.
  static std::size_t most_tasks(const level_parameters& p) {
    std::size_t segments = 0;  // of all levels
    std::size_t bits = 0;
    for (std::size_t l = 0; l < p.levels; ++l) {
      const std::size_t of_level = std::size_t{1} << std::min<std::size_t>(bits, 60);
      segments += p.given_above != 0 ? p.segments : std::min(p.segments, of_level);
      bits += l < p.expected ? p.digit_bits : further_bits(p);
    }
    return 4 * (p.problem.items / p.task + 1) + 2 * segments + p.problem.items / copy_items(p.task) + 64;
  }
  static std::size_t copy_items(std::size_t task) { return 16 * task; }
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
  static level_words counts_of(const level_parameters& p) {
    if (p.levels == 0) return {};
    const std::size_t blocks = (p.apart.empty() ? *p.further : p.apart.front().count).grid;
    const bool first_has_rows = !p.cursors && !p.rows_between;
    level_words most{0, first_has_rows ? blocks << p.digit_bits : 0};
    const auto add = [&](std::size_t segments, std::size_t digit_bits, std::size_t pieces) {
      most = {std::max(most.sums, segments << digit_bits), std::max(most.rows, pieces << digit_bits)};
    };
    for (std::size_t l = 1; l < p.expected; ++l) {
      const std::size_t segments = std::min(p.segments, std::size_t{1} << l * p.digit_bits);
      add(segments, p.digit_bits, blocks + segments);
    }
    if (p.levels > p.expected) {
      add(p.segments, further_bits(p), p.keep_order ? p.further->grid + p.segments : 0);
    }
    return most;
  }
  /// Bytes of the sums of two levels, which they use by turns.
  static std::size_t sum_bytes(const level_parameters& p) {
    return detail::level_counts::bytes(2 * counts_of(p).sums, p.wide);
  }
  /// Bytes of all counts, in which come the numbers of crowded tasks, once all levels are done.
  static std::size_t count_bytes(const level_parameters& p) {
    const std::size_t levels = sum_bytes(p) + counts_of(p).rows * p.row_bytes;
    return std::max(levels, p.tasks * sizeof(std::uint32_t));
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

  /// What the survey of the keys goes by.
  static detail::sort_survey survey_of(const level_parameters& p) {
    const bool with_values = p.problem.value_bytes != 0;
    const std::size_t items = p.problem.items;
    const unsigned sampled = items < tuning::sort_sampled(with_values) ? 2 : detail::survey_keys_a_thread;
    const std::size_t sample = sampled * detail::survey_threads;
    const auto crowd = static_cast<std::uint32_t>(std::max<std::size_t>(2 * p.large_task * sample / items, 3));
    return {items,
            sampled,
            static_cast<std::uint32_t>(8 * p.problem.key_bytes),
            p.digit_bits,
            p.expected * p.digit_bits,
            crowd,
            2 * static_cast<float>(items) / static_cast<float>(sample * sample),
            static_cast<float>(p.task * sample) / static_cast<float>(items),
            tuning::costs_of(items, p.problem.key_bytes, with_values)};
  }

  static level_parameters decide(const sort_problem& problem, const device& machine) {
    level_parameters p;
    p.problem = problem;
    p.keep_order = problem.equal_keys == order::stable;
    p.wide = problem.items > 0xFFFFFFFFU;
    const std::uint32_t bins = decide_levels(p, machine);
    const detail::planned_tile tile = decide_tile(p, machine, bins);
    decide_room(p, machine);
    decide_steps(p, machine, tile.shared(bins, p.counter_sets), bins);
    return p;
  }

  /// The same for segments that another kernel lists, those of more than `above` items, of at most `longest`.
  static level_parameters decide_given(const sort_problem& problem, const device& machine, std::size_t above,
                                       std::size_t longest) {
    level_parameters p;
    p.problem = problem;
    p.given_above = above;
    p.keep_order = problem.equal_keys == order::stable;
    p.wide = problem.items > 0xFFFFFFFFU;
    decide_tasks(p, machine);
    const auto key_bits = static_cast<unsigned>(8 * problem.key_bytes);
    p.digit_bits = std::min(key_bits, tuning::level_bits);
    p.levels = longest > p.large_task ? (key_bits + p.digit_bits - 1) / p.digit_bits : 0;
    const std::uint32_t bins = 1U << p.digit_bits;
    const detail::planned_tile tile = decide_tile(p, machine, bins);
    decide_room(p, machine);
    decide_steps(p, machine, tile.shared(bins, p.counter_sets), bins);
    return p;
  }

 private:
  static void decide_tasks(level_parameters& p, const device& machine) {
    p.task = task_size(p.problem);
    const bool large_fits = digits_shared(p.problem, large_task_size(p.problem)) <= machine.shared_per_block;
    p.large_task = large_fits ? large_task_size(p.problem) : p.task;
  }

  /// As many levels of as few bits as leave tasks; further ones for what is still too large then. Returns the bins of a
  /// level at most.
  static std::uint32_t decide_levels(level_parameters& p, const device& machine) {
    const sort_problem& problem = p.problem;
    decide_tasks(p, machine);
    const auto key_bits = static_cast<unsigned>(8 * problem.key_bytes);
    unsigned bits = 4;
    while (bits < key_bits && !fits(std::ldexp(static_cast<double>(problem.items), -static_cast<int>(bits)), p.task))
      ++bits;
    const bool has_room = small_tile_of(problem).shared(1U << tuning::only_level_bits, 2) <= room(machine);
    const unsigned only = has_room ? tuning::only_level_bits : tuning::level_bits;
    p.expected = bits <= only ? 1 : (bits + tuning::level_bits - 1) / tuning::level_bits;
    p.digit_bits = (bits + p.expected - 1) / p.expected;
    const bool can_survey = detail::survey_shared + 1024 <= machine.shared_per_block;
    const bool few = p.expected == 1 && lsd::goes_by_rows(problem, machine);
    if ((can_survey || few) && lsd::refuses(problem, machine).empty()) {
      p.or_lsd = lsd::decide(problem, machine, false);
    }
    p.decides = p.or_lsd.has_value() && few;  // no bin that is too large is left then
    const unsigned left = !p.decides && key_bits > p.expected * p.digit_bits ? key_bits - p.expected * p.digit_bits : 0;
    p.levels = p.expected + (left + tuning::further_level_bits - 1) / tuning::further_level_bits;
    return 1U << (p.levels > p.expected ? std::max(p.digit_bits, tuning::further_level_bits) : p.digit_bits);
  }

  static detail::planned_tile decide_tile(level_parameters& p, const device& machine, std::uint32_t bins) {
    const sort_problem& problem = p.problem;
    const bool with_values = problem.value_bytes != 0;
    const auto large =
        detail::planned_tile::of(problem.key_bytes, problem.value_bytes,
                                 with_values ? tuning::sort_stable_tile_bytes : tuning::sort_any_tile_bytes);
    const std::size_t tiles = static_cast<std::size_t>(machine.sms) * (p.keep_order ? 1 : tuning::sort_any_tiles);
    p.large = problem.items >= tiles * large.size && large.shared(bins, 2) <= room(machine);
    p.ordered_tiles = p.keep_order || (p.large && with_values);  // in large tiles no slower
    const detail::planned_tile tile = p.large ? large : small_tile_of(problem);
    p.tile = tile.size;
    p.counter_sets = tile.counter_sets(bins, p.ordered_tiles, room(machine));
    p.cursors = !p.keep_order && p.digit_bits >= tuning::sort_cursor_bits;
    return tile;
  }

  /// Blocks of a level that has launches of its own.
  static std::size_t blocks_of(const level_parameters& p, const device& machine) {
    const std::size_t resident =
        static_cast<std::size_t>(machine.sms) * (p.large || p.problem.value_bytes == 0 ? 1 : 2);
    return std::clamp<std::size_t>((p.problem.items + p.tile - 1) / p.tile, 1, resident);
  }
  /// Blocks that are there at the same time.
  static std::size_t at_once(const level_parameters& p, const device& machine) {
    return std::min(blocks_of(p, machine), static_cast<std::size_t>(machine.sms));
  }

  static void decide_room(level_parameters& p, const device& machine) {
    const sort_problem& problem = p.problem;
    p.segments = problem.items / p.large_task + 1;
    p.tasks = most_tasks(p);
    p.row_bytes = static_cast<std::uint32_t>(row_bytes(problem.items, at_once(p, machine), p.keep_order));
    const std::size_t rows = (blocks_of(p, machine) << p.digit_bits) * p.row_bytes;
    p.rows_between = p.expected == 1 && !problem.in_place && rows <= problem.items * problem.key_bytes;
  }

  static void decide_steps(level_parameters& p, const device& machine, std::size_t tile_shared, std::uint32_t bins) {
    const auto sms = static_cast<std::size_t>(machine.sms);
    const std::size_t blocks = blocks_of(p, machine);
    if (p.or_lsd.has_value() && !p.decides) {
      p.survey = {"survey_keys", 1, detail::survey_threads, detail::survey_shared};
    }
    if (p.problem.value_bytes != 0) {
      const step count{"count_segments", blocks, tuning::count_threads, bins * sizeof(std::uint32_t)};
      const step divide{"divide_segments", std::min<std::size_t>(p.segments, 8 * sms),
                        1U << std::max(p.digit_bits, tuning::level_bits)};
      const step scatter{"scatter_segments", blocks, tuning::tile_threads, tile_shared};
      p.apart.assign(p.expected, {count, divide, scatter});
    }
    if (p.levels > p.apart.size()) {
      p.further = {"split_further", at_once(p, machine), tuning::tile_threads, tile_shared, 1, true};
    }
    const std::size_t shared = task_shared(p.problem);
    const std::size_t resident = sms * std::clamp<std::size_t>(machine.shared_per_sm / (shared + 1024), 1, 2);
    p.sort_tasks = {"sort_tasks", std::min(p.tasks, resident), tuning::task_threads, shared};
    p.sort_large_tasks = {"sort_by_digits", std::min(p.tasks, sms), tuning::task_threads,
                          digits_shared(p.problem, p.large_task)};
  }

  static std::size_t room(const device& machine) { return machine.shared_per_block - detail::tile_static_bytes; }
};

}  // namespace peneira::sort_strategies
