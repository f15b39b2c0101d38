// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a multisplit by tiles decides: passes, tiles and their schedule, steps.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_histogram.cuh"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit/gpu/bin_offsets.cuh"
#include "peneira/multisplit/gpu/two_digit_histogram.cuh"
#include "peneira/multisplit/problem.hpp"
#include "peneira/plan.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::multisplit_strategies {

/// Of passes of which every two are counted at once, from the last down: which is this?
enum class place_in_pair { none, first, second };

struct tile_parameters {
  multisplit_problem problem;
  std::size_t tile = 0;
  bool large = false;
  detail::tile_schedule schedule{};
  std::uint32_t unit = 0;
  unsigned passes = 0;
  std::uint32_t bins = 0;
  unsigned shift = 0;
  std::uint32_t counter_sets = 0;
  bool keep_order = false;
  std::optional<std::uint32_t> counter_sets_of_first;
  bool in_pairs = false;
  std::optional<step> count;  ///< of a pass that is counted by itself, as the next one; a single tile is not counted
  std::optional<step> scan;
  std::optional<step> count_both;  ///< of every two passes, as the next two
  std::optional<step> scan_both;
  std::optional<step> begin_bins;
  std::optional<step> scatter_first;  ///< of the first of several passes, which need not keep any order
  step scatter;
  std::optional<step> begin;  ///< finds where bins begin after several passes

  using self = tile_parameters;
  static constexpr std::tuple fields{
      detail::field{&self::tile, "tile", "items that a block orders at a time"},
      detail::field{&self::large, "large", "tiles, a block a processor; or small ones, two"},
      detail::field{&self::schedule, "schedule",
                    "which tiles a block takes; slices: of its own; round robin: runs by global cursors; dynamic: by a "
                    "counter"},
      detail::field{&self::unit, "unit", "items that stay together when blocks share them out"},
      detail::field{&self::passes, "passes", "times that all items are moved"},
      detail::field{&self::bins, "bins a pass", "that one pass splits into"},
      detail::field{&self::shift, "shift", "bits of a bin's number that a pass goes by; 0: the whole of it"},
      detail::field{&self::counter_sets, "counter sets", "of a bin, against contention"},
      detail::field{&self::keep_order, "keep order", "whether items of a bin stay in their order"},
      detail::field{&self::counter_sets_of_first, "counter sets of the first", "pass, whose schedule is round robin"},
      detail::field{&self::in_pairs, "in pairs", "whether every two passes are counted at once, from the last down"},
  };
  template <class Add>
  void each_step(const Add& add) const {
    const auto add_some = [&](std::initializer_list<const std::optional<step>*> some) {
      for (const std::optional<step>* one : some) {
        if (one->has_value()) add(**one);
      }
    };
    for (unsigned pass = 0; pass < passes; ++pass) {
      const place_in_pair place = place_of(pass);
      if (place == place_in_pair::first) {
        add_some({&count_both, &scan_both});
      } else if (place == place_in_pair::second) {
        add_some({&begin_bins});
      } else {
        add_some({&count, &scan});
      }
      add(pass == 0 && scatter_first.has_value() ? *scatter_first : scatter);
    }
    add_some({&begin});
  }

  [[nodiscard]] place_in_pair place_of(unsigned pass) const {
    if (!in_pairs || pass < passes % 2) return place_in_pair::none;
    return (passes - pass) % 2 == 0 ? place_in_pair::first : place_in_pair::second;
  }
  /// Whether one tile holds all items: nothing is counted then.
  [[nodiscard]] bool is_single() const { return passes == 1 && !count.has_value(); }
  [[nodiscard]] bool is_dynamic() const { return schedule == detail::tile_schedule::dynamic; }
  /// Whether a pass allocates runs from global cursors.
  [[nodiscard]] bool has_cursors() const {
    return schedule == detail::tile_schedule::round_robin || scatter_first.has_value();
  }
  /// The pieces of a dynamic schedule.
  [[nodiscard]] detail::tile_pieces pieces() const {
    return detail::tile_pieces::of(problem.items, tile, scatter.grid, detail::few_items);
  }
  /// Rows of the histograms: of groups of pieces, or of blocks.
  [[nodiscard]] std::size_t rows() const {
    return is_dynamic() ? detail::groups_of(pieces().count, row_shift()) : scatter.grid;
  }
  /// Pieces of a group, as a power of two: so few that all processors have groups to count.
  [[nodiscard]] unsigned row_shift() const {
    unsigned power = detail::row_shift_of(tile);
    while (power != 0 && detail::groups_of(pieces().count, power) < scatter.grid) --power;
    return power;
  }
  /// Counters of a row at most.
  [[nodiscard]] std::size_t row() const { return in_pairs ? detail::paired_counts::row(bins) : bins; }
};

struct tile_decisions {
  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    const detail::planned_tile small = tile_of(problem, tuning::small_tile_bytes);
    const std::size_t least = small.shared(2, 2);
    if (least > room(machine)) {
      return "needs " + std::to_string(least + detail::tile_static_bytes) + " bytes of shared memory a block";
    }
    const unsigned passes = digits_of(problem, machine, small).passes;
    return passes <= most_passes ? "" : "would need " + std::to_string(passes) + " passes with so little shared memory";
  }

  static tile_parameters decide(const multisplit_problem& problem, const device& machine) {
    tile_parameters p;
    p.problem = problem;
    const detail::planned_tile tile = decide_tile(p, machine);
    const std::size_t resident = static_cast<std::size_t>(machine.sms) * (p.large ? 1 : 2);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, resident);
    p.scatter = {"scatter_tiles", blocks, tuning::tile_threads, tile.shared(p.bins, p.counter_sets)};
    decide_schedule(p, machine);
    decide_pairs(p, machine);
    decide_first(p, machine);
    decide_counts(p, machine);
    return p;
  }

  /// Shared memory of a block, beside what its kernel declares.
  static std::size_t room(const device& machine) {
    return machine.shared_per_block - std::min(machine.shared_per_block, detail::tile_static_bytes);
  }

 private:
  static constexpr unsigned most_passes = 5;  ///< of a bin's 32 bits; with less shared memory not worth while
  static constexpr std::size_t grain = 64;    ///< items at which tiles are aligned

  /// How many passes there are, by how many bits of a bin's number each, and of how many bins.
  struct digits {
    unsigned passes;
    unsigned shift;
    std::uint32_t bins;
  };
  static digits digits_of(const multisplit_problem& problem, const device& machine, const detail::planned_tile& tile) {
    std::uint32_t most = tuning::tile_bins;  // of a pass
    while (most > 2 && tile.shared(most, 2) > room(machine)) most /= 2;
    if (problem.bins <= most) return {1, 0, problem.bins};
    const auto bits = static_cast<unsigned>(std::bit_width(problem.bins - 1));
    const unsigned most_bits = static_cast<unsigned>(std::bit_width(most)) - 1;
    const unsigned digit_bits = std::min<unsigned>(tuning::tile_digit_bits, most_bits);
    const unsigned passes = std::min((bits + digit_bits - 1) / digit_bits, (bits + most_bits - 1) / most_bits);
    const unsigned shift = (bits + passes - 1) / passes;
    return {passes, shift, 1U << shift};
  }
  static detail::planned_tile tile_of(const multisplit_problem& problem, std::size_t tile_bytes) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes, tile_bytes);
  }
  /// Whether any order is asked for, by one pass that can make use of it: in small tiles, or where blocks have enough
  /// large ones that those which have one more are not waited for; slices, which keep the order, are all of one size.
  static bool any_order(const multisplit_problem& problem, const device& machine) {
    if (problem.within_bin != order::any || problem.bins < tuning::any_order_bins || problem.bins > tuning::tile_bins) {
      return false;
    }
    const auto sms = static_cast<std::size_t>(machine.sms);
    const std::size_t round = sms * tile_of(problem, tuning::any_tile_bytes).size;
    const bool small = problem.items < sms * tile_of(problem, tuning::stable_tile_bytes).size;
    return 2 * problem.items >= tuning::any_order_half_rounds * round || 2 * problem.items < round ||
           (small && problem.bins > tuning::small_any_order_bins);
  }

  /// Tile, passes and counters. In large tiles of pairs, any order is no faster than the order kept.
  static detail::planned_tile decide_tile(tile_parameters& p, const device& machine) {
    const multisplit_problem& problem = p.problem;
    const bool with_values = problem.value_bytes != 0;
    const bool any = any_order(problem, machine);
    const detail::planned_tile large =
        tile_of(problem, any && !with_values ? tuning::any_tile_bytes : tuning::stable_tile_bytes);
    p.large = problem.items >= static_cast<std::size_t>(machine.sms) * large.size &&
              large.shared(tuning::tile_bins, 2) <= room(machine);
    const detail::planned_tile tile = p.large ? large : tile_of(problem, tuning::small_tile_bytes);
    p.tile = tile.size;
    const digits by = digits_of(problem, machine, tile);
    p.passes = by.passes;
    p.shift = by.shift;
    p.bins = by.bins;
    const bool stable = !any || p.passes > 1 || (p.large && with_values);
    p.counter_sets = tile.counter_sets(p.bins, stable, room(machine));
    p.keep_order = stable;
    return tile;
  }

  /// What is written at the same time had better lie close together, so blocks have no slices of their own where the
  /// order is any, nor where tiles of pairs are counted one by one.
  static void decide_schedule(tile_parameters& p, const device& machine) {
    const multisplit_problem& problem = p.problem;
    if (p.large && any_order(problem, machine) && p.passes == 1) {
      p.schedule = detail::tile_schedule::round_robin;
      p.keep_order = false;
    } else if (p.large && problem.value_bytes != 0 && p.bins >= tuning::tile_row_bins) {
      p.schedule = detail::tile_schedule::dynamic;
    }
    const std::size_t left = problem.items / p.scatter.grid % p.tile + grain;  // of a block at most, beside whole tiles
    p.unit = static_cast<std::uint32_t>(p.large && left > detail::few_items ? p.tile : grain);
  }

  /// Every two passes are counted at once where counters for the bins of both fit and are few beside the items.
  static void decide_pairs(tile_parameters& p, const device& machine) {
    const std::size_t items = p.problem.items;
    const std::size_t row = detail::paired_counts::row(p.bins);
    p.in_pairs = p.large && !p.is_dynamic() && p.passes > 1 && row * sizeof(std::uint32_t) <= room(machine) &&
                 row * p.scatter.grid * tuning::paired_items_a_counter <=
                     items + (p.passes == 2 ? tuning::paired_items_for_search : 0);
    if (!p.in_pairs) return;
    const std::size_t both = std::size_t{p.bins} * p.bins;  // bins of two passes
    p.count_both = {"count_both", p.scatter.grid, tuning::count_threads, row * sizeof(std::uint32_t)};
    p.scan_both = scan_of("scan_both", row);
    p.begin_bins = {"begin_bins", (both + detail::begin_bins_threads - 1) / detail::begin_bins_threads,
                    detail::begin_bins_threads};
  }

  /// The first of several passes keeps no order, since there is none yet.
  static void decide_first(tile_parameters& p, const device& machine) {
    const multisplit_problem& problem = p.problem;
    if (problem.within_bin != order::any || !p.large || p.passes == 1 || problem.value_bytes != 0 ||
        problem.items < tuning::unordered_pass_items || p.place_of(0) != place_in_pair::none) {
      return;
    }
    const detail::planned_tile tile = tile_of(problem, tuning::any_tile_bytes);
    p.counter_sets_of_first = tile.counter_sets(p.bins, false, room(machine));
    p.scatter_first = {"scatter_first", p.scatter.grid, tuning::tile_threads,
                       tile.shared(p.bins, *p.counter_sets_of_first)};
  }

  /// How passes are counted that are not counted in pairs, and how offsets are found.
  static void decide_counts(tile_parameters& p, const device& machine) {
    const bool single = !p.large && p.passes == 1 && p.problem.items <= p.tile;
    if (!single && p.is_dynamic()) {
      p.count = {"count_rows", std::min<std::size_t>(p.rows(), 2 * static_cast<std::size_t>(machine.sms)),
                 tuning::count_threads / 2, 2 * p.bins * sizeof(std::uint32_t)};
    } else if (!single) {
      p.count = {"count_columns", p.scatter.grid, tuning::count_threads / (p.large ? 1 : 2),
                 p.bins * sizeof(std::uint32_t)};
    }
    if (!single) p.scan = scan_of("scan_columns", p.bins);
    if (p.passes > 1 && !(p.in_pairs && p.passes == 2)) {
      p.begin = detail::step_of_offsets(p.problem.items, p.problem.bins);
    }
  }

  static step scan_of(std::string_view name, std::size_t columns) {
    return {name, (columns + detail::scan_columns_bins - 1) / detail::scan_columns_bins, detail::scan_columns_threads};
  }
};

}  // namespace peneira::multisplit_strategies
