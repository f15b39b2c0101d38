// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// groups: many bins in any order, by groups of neighbouring bins first and then each group by itself.
//
//   a sample of in --sample_bins--> about how large each group is
//   in --scatter_groups, by the bin's leading bits--> | group 0 | group 1  | ... | spare |  a copy of the items
//      and the size of every bin --scan_bins--> where it begins: cursors
//      --scatter_bins, by the rest of its bits--> | 0 1 2 3 | 4 5 6 7 | ... |  out
//
// The histogram of bins is made in passing, where several passes of `tiles` count each time: 16 bytes for a 32-bit key
// against 24. Every tile allocates its runs from global cursors of the bins, so the order within a bin is any. What
// outgrows its group's region goes to the spare array, and from there one by one to its bin. Where the sample misled so
// much that it is too much for that, items are moved by groups once more.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/gpu/even_ranges.hpp"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit/gpu/sample.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/multisplit/gpu/groups.cuh"
#endif

namespace peneira::multisplit_strategies {

struct groups {
  static constexpr std::string_view name = "groups";
  static constexpr std::string_view about = "any order: groups of neighbouring bins first, then each group by itself";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    if (problem.within_bin != order::any) return "keeps no order";
    if (problem.bins < 4) return "needs at least 4 bins";
    const digits by = digits_of(problem);
    if (std::max(by.groups, by.bins) > tuning::tile_bins) return "cannot tell so many bins apart in two passes";
    const std::size_t tile = tile_of(problem).shared(std::max(by.groups, by.bins), 2) + detail::tile_static_bytes;
    return detail::refuse_shared(tile + std::max(counter_bytes(problem), tables_of(by.groups)), machine,
                                 ", for a tile and the counters of all bins");
  }

  /// Groups, bins of each, and the bits of a bin's number that tell these apart.
  struct digits {
    std::uint32_t groups = 0;
    std::uint32_t bins = 0;
    unsigned shift = 0;

    static constexpr std::tuple fields{
        detail::field{&digits::groups, "groups", "of neighbouring bins"},
        detail::field{&digits::bins, "bins a group", "the last group may have fewer"},
        detail::field{&digits::shift, "shift", "bits of a bin's number that tell the bins of a group apart"},
    };
  };

  struct parameters {
    multisplit_problem problem;
    std::size_t tile = 0;
    digits by;
    std::uint32_t counter_sets_of_groups = 0;
    std::uint32_t counter_sets = 0;
    std::uint32_t lines = 0;
    std::size_t sampled = 0;
    std::size_t between = 0;
    std::size_t spare = 0;
    std::uint32_t tables = 0;
    step clear;
    step sample;
    step scatter_groups;  ///< twice: a second time where the sample misled
    step scan;
    step scatter_bins;

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile", "items that a block orders at a time"},
        detail::members{&parameters::by},
        detail::field{&parameters::counter_sets_of_groups, "counter sets of groups", "of a group, against contention"},
        detail::field{&parameters::counter_sets, "counter sets", "of a bin, against contention"},
        detail::field{&parameters::lines, "lines", "of the input of which the sample has one"},
        detail::field{&parameters::sampled, "sample", "items"},
        detail::field{&parameters::between, "between", "items that the copy has room for"},
        detail::field{&parameters::spare, "spare",
                      "items that may outgrow their groups' room before all are moved again"},
        detail::field{&parameters::tables, "tables", "bytes of shared memory for a tile, before tables"},
        detail::members{&parameters::clear, &parameters::sample, &parameters::scatter_groups, &parameters::scan,
                        &parameters::scatter_groups, &parameters::scatter_bins},
    };
  };

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.by = digits_of(problem);
    decide_tile(p, machine);
    p.lines = lines_of(problem, p.by.groups);
    p.sampled = detail::sampled_items(problem.items, p.lines, problem.key_bytes);
    p.between = detail::group_regions::all(problem.items, p.by.groups);
    p.spare = std::max<std::size_t>(problem.items / tuning::grouped_spare_share, p.tile);
    decide_steps(p, machine);
    return p;
  }

  struct arrays {
    unsigned long long* words;  ///< counters of groups and bins
    std::uint64_t* starts;      ///< of the bins, and the end
    detail::item_arrays items;  ///< the copy of the items, then the spare array
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.words = memory.template take<unsigned long long>(words(p.by));
    a.starts = memory.template take<std::uint64_t>(std::size_t{p.problem.bins} + 1);
    a.items = detail::item_arrays::take(memory, p.problem, p.between + p.spare);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    const detail::temporary<groups> a(on, p);
    detail::with_fast_form(f, [&](const auto& fast) { launch_all(on, p, a, in, out, fast, offsets); });
    if (checked) detail::report_dropped(on, a.starts + p.problem.bins, in.size, p.problem.bins);
  }
#endif

 private:
  static void decide_tile(parameters& p, const device& machine) {
    const detail::planned_tile tile = tile_of(p.problem);
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes -
                             std::max(counter_bytes(p.problem), tables_of(p.by.groups));
    const bool ordered = p.problem.value_bytes != 0;  // in large tiles of pairs, any order is no faster
    const auto sets_of = [&](std::uint32_t bins) {
      return ordered ? tile.counter_sets(bins, true, room) : tile.columns(bins);
    };
    const auto shared_for = [&](std::uint32_t bins) {
      return ordered ? tile.shared(bins, sets_of(bins)) : tile.shared_in_any_order(bins);
    };
    p.tile = tile.size;
    p.counter_sets_of_groups = sets_of(p.by.groups);
    p.counter_sets = sets_of(p.by.bins);
    p.tables = static_cast<std::uint32_t>(std::max(shared_for(p.by.groups), shared_for(p.by.bins)));
  }
  static void decide_steps(parameters& p, const device& machine) {
    const auto sms = static_cast<std::size_t>(machine.sms);
    const std::size_t blocks = std::clamp<std::size_t>((p.problem.items + p.tile - 1) / p.tile, 1, sms);
    p.clear = {"clear_counts", 1, clear_threads};
    p.sample = {"sample_bins", sms, tuning::count_threads, p.by.groups * sizeof(std::uint32_t)};
    p.scatter_groups = {"scatter_groups", blocks, tuning::tile_threads, p.tables + counter_bytes(p.problem)};
    p.scan = {"scan_bins", 1, scan_threads};
    p.scatter_bins = {"scatter_bins", blocks, tuning::tile_threads, p.tables + tables_of(p.by.groups)};
  }

#if defined(__CUDACC__)
  static detail::group_pass pass_of(const parameters& p, const arrays& a) {
    const std::size_t of_groups = p.by.groups;
    unsigned long long* const rest = a.words + zero_words(p.by);
    detail::group_pass pass{};
    pass.groups = p.by.groups;
    pass.bins = p.by.bins;
    pass.all_bins = p.problem.bins;
    pass.counter_sets_of_groups = p.counter_sets_of_groups;
    pass.counter_sets = p.counter_sets;
    pass.tables = p.tables;
    pass.regions = detail::group_regions::of(p.problem.items, p.sampled, p.by.groups);
    pass.sampled = a.words + 1;
    pass.taken = a.words + 1 + of_groups;
    pass.strayed = a.words;
    pass.cursors = a.words + 1 + 2 * of_groups;
    pass.begins = reinterpret_cast<std::uint64_t*>(rest);
    pass.filled = rest + 1 + of_groups;
    pass.again = rest + 1 + 2 * of_groups;
    pass.starts = a.starts;
    return pass;
  }

  template <class K, class V, class F, class Offset>
  static void launch_all(const gpu& on, const parameters& p, const arrays& a, const view<const K, const V>& in,
                         const view<K, V>& out, const F& f, Offset* offsets) {
    static_assert(scan_threads == detail::scan_bins_threads);
    const detail::group_pass pass = pass_of(p, a);
    const view<K, V> whole = a.items.as<K, V>(p.between + p.spare);
    const view<K, V> between = whole.part(0, p.between);
    const view<K, V> spare = whole.part(p.between, p.spare);

    constexpr bool keep = view<K, V>::has_values;
    using shapes = detail::tile_shapes<K, V>;
    using shape = std::conditional_t<keep, typename shapes::stable, typename shapes::padded>;
    using digit = detail::digit_of_bin<F>;
    const digit group{f, p.by.shift, ~0U};
    const digit bin{f, 0, p.by.bins - 1};
    constexpr auto early = detail::start::early;
    detail::launch(on, p.clear, detail::clear_counts, a.words, static_cast<std::uint32_t>(zero_words(p.by)));
    detail::launch(on, early, p.sample, detail::sample_bins<K, digit>, in.keys, in.size, p.lines, group, pass.groups,
                   pass.sampled);
    const auto scatter_groups = [&](bool again) {
      detail::launch(on, early, p.scatter_groups, detail::scatter_groups<keep, shape, K, V, digit>, in, between, group,
                     pass, spare, again);
    };
    scatter_groups(false);
    detail::launch(on, early, p.scan, detail::scan_bins<Offset>, pass.cursors, pass.all_bins, p.by.shift, pass.again,
                   a.starts, offsets);
    scatter_groups(true);
    detail::launch(on, early, p.scatter_bins, detail::scatter_bins<keep, shape, K, V, digit>, between, out, bin, pass,
                   spare);
  }
#endif

  static constexpr std::uint32_t scan_threads = 1024;
  static constexpr std::uint32_t clear_threads = 1024;

  static digits digits_of(const multisplit_problem& problem) {
    const auto shift = static_cast<unsigned>(std::bit_width(problem.bins - 1)) / 2;
    return {((problem.bins - 1) >> shift) + 1, 1U << shift, shift};
  }
  /// Words that are zero at first: one, two a group and one a bin; and all, with three more a group and one more.
  static std::size_t zero_words(const digits& by) {
    return 1 + 2 * std::size_t{by.groups} + std::size_t{by.groups} * by.bins;  // what a function that lies can ask for
  }
  static std::size_t words(const digits& by) {
    return zero_words(by) + 3 * std::size_t{by.groups} + 1;
  }
  /// Lines of the input of which the sample has one: so many that groups are estimated well even if each line is of
  /// equal keys.
  static std::uint32_t lines_of(const multisplit_problem& problem, std::uint32_t groups) {
    const std::size_t all = problem.items / (detail::groups_of_sampled_line *
                                             static_cast<std::size_t>(detail::items_of_16_bytes(problem.key_bytes)));
    const std::size_t lines = all / (groups * tuning::grouped_lines_a_group);
    return static_cast<std::uint32_t>(std::clamp(lines, tuning::grouped_least_lines, tuning::grouped_most_lines));
  }
  /// Bytes of shared memory for a histogram of all bins.
  static std::size_t counter_bytes(const multisplit_problem& problem) {
    return std::size_t{problem.bins} * sizeof(std::uint32_t);
  }
  /// Bytes of shared memory for where groups begin and end, and their tiles.
  static std::size_t tables_of(std::uint32_t groups) {
    return groups * 2 * sizeof(std::uint64_t) + (std::size_t{groups} + 1) * sizeof(std::uint32_t);
  }
  static detail::planned_tile tile_of(const multisplit_problem& problem) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes,
                                    problem.value_bytes != 0 ? tuning::stable_tile_bytes : tuning::any_tile_bytes);
  }
};

}  // namespace peneira::multisplit_strategies
