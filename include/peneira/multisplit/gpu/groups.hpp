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
// Bins are counted in passing, where several passes of `tiles` count each time: 16 bytes for a 32-bit key against 24.
// Every tile takes room by adding to the cursors of its bins, so the order within a bin is any. What outgrows its
// group's region goes to the spare array, and from there one by one to its bin. Where the sample misled so much that it
// is too much for that, items are moved by groups once more.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit/gpu/even_ranges.hpp"
#include "peneira/multisplit/gpu/group_regions.hpp"
#include "peneira/multisplit/gpu/sample.hpp"
#include "peneira/multisplit/problem.hpp"
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
    const std::size_t counters = std::size_t{problem.bins} * sizeof(std::uint32_t);
    const std::size_t tile = tile_of(problem).shared(std::max(by.groups, by.bins), 2) + detail::tile_static_bytes;
    const std::size_t shared = tile + std::max(counters, tables_of(by.groups));
    if (shared > machine.shared_per_block) {
      return "needs " + std::to_string(shared) + " bytes of shared memory a block, for a tile and the counters of " +
             "all bins";
    }
    return "";
  }

  static plan make_plan(const multisplit_problem& problem, const device& machine) {
    const detail::planned_tile tile = tile_of(problem);
    const digits by = digits_of(problem);
    const auto sms = static_cast<std::size_t>(machine.sms);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, sms);
    const std::size_t counters = std::size_t{problem.bins} * sizeof(std::uint32_t);
    const std::size_t room =
        machine.shared_per_block - detail::tile_static_bytes - std::max(counters, tables_of(by.groups));
    const bool ordered = problem.value_bytes != 0;  // in large tiles of pairs, any order is no faster
    const auto chains_of = [&](std::uint32_t bins) {
      return ordered ? tile.chains(bins, true, room) : tile.columns(bins);
    };
    const auto shared_for = [&](std::uint32_t bins) {
      return ordered ? tile.shared(bins, chains_of(bins)) : tile.shared_in_any_order(bins);
    };
    const std::size_t tables = std::max(shared_for(by.groups), shared_for(by.bins));
    const std::uint32_t lines = lines_of(problem, by.groups);
    const std::size_t sample = detail::sampled_items(problem.items, lines, problem.key_bytes);
    const std::size_t between = detail::group_regions::all(problem.items, by.groups);
    const std::size_t spare = std::max<std::size_t>(problem.items / tuning::grouped_spare_share, tile.size);
    plan p;
    p.set("tile", tile.size, "items that a block orders at a time");
    p.set("groups", by.groups, "of neighbouring bins");
    p.set("bins a group", by.bins, "the last group may have fewer");
    p.set("shift", by.shift, "bits of a bin's number that tell the bins of a group apart");
    p.set("chains of groups", chains_of(by.groups), "parts that a group's counters are in");
    p.set("chains", chains_of(by.bins), "parts that a bin's counters are in");
    p.set("lines", lines, "of the input of which the sample has one");
    p.set("sample", sample, "items");
    p.set("between", between, "items that the copy has room for");
    p.set("spare", spare, "items that may outgrow their groups' room before all are moved again");
    p.set("tables", tables, "bytes of shared memory for a tile, before tables");
    p.steps.push_back({"clear_counts", 1, clear_threads});
    p.steps.push_back({"sample_bins", sms, tuning::count_threads, by.groups * sizeof(std::uint32_t)});
    p.steps.push_back({"scatter_groups", blocks, tuning::tile_threads, tables + counters});
    p.steps.push_back({"scan_bins", 1, scan_threads});
    p.steps.push_back({"scatter_groups", blocks, tuning::tile_threads, tables + counters});
    p.steps.push_back({"scatter_bins", blocks, tuning::tile_threads, tables + tables_of(by.groups)});
    p.reserve<std::uint64_t>(words(by));
    p.reserve<std::uint64_t>(std::size_t{problem.bins} + 1);
    p.temporary_bytes += detail::workspace::round_up((between + spare) * problem.key_bytes) +
                         detail::workspace::round_up((between + spare) * problem.value_bytes);
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    detail::with_fast_form(f, [&](const auto& fast) { run_by(on, made, in, out, fast, offsets, checked); });
  }
#endif

 private:
#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run_by(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                     Offset* offsets, bool checked) {
    static_assert(scan_threads == detail::scan_bins_threads);
    const auto number = [&](std::string_view of) { return static_cast<std::uint32_t>(made.get(of)); };
    const std::uint32_t bins = f.bins();
    const digits by{number("groups"), number("bins a group"), number("shift")};
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const all = reinterpret_cast<unsigned long long*>(memory.take<std::uint64_t>(words(by)));
    auto* const starts = memory.take<std::uint64_t>(std::size_t{bins} + 1);
    const std::size_t room = made.get("between");
    const std::size_t more = made.get("spare");
    view<K, V> whole{memory.take<K>(room + more), nullptr, room + more};
    if constexpr (view<K, V>::has_values) whole.values = memory.take<V>(room + more);
    const view<K, V> between = whole.part(0, room);
    const view<K, V> spare = whole.part(room, more);

    const std::size_t zeros = zero_words(by);
    auto* const rest = all + zeros;
    const detail::group_pass pass{by.groups,
                                  by.bins,
                                  bins,
                                  number("chains of groups"),
                                  number("chains"),
                                  number("tables"),
                                  detail::group_regions::of(in.size, made.get("sample"), by.groups),
                                  all + 1,
                                  all + 1 + by.groups,
                                  all,
                                  all + 1 + 2 * std::size_t{by.groups},
                                  reinterpret_cast<std::uint64_t*>(rest),
                                  rest + 1 + by.groups,
                                  rest + 1 + 2 * std::size_t{by.groups},
                                  starts};
    constexpr bool keep = view<K, V>::has_values;
    using shapes = detail::tile_shapes<K, V>;
    using shape = std::conditional_t<keep, typename shapes::stable, typename shapes::padded>;
    using digit = detail::digit_of_bin<F>;
    const digit group{f, by.shift, ~0U};
    const digit bin{f, 0, by.bins - 1};
    constexpr auto early = detail::start::early;
    detail::launch(on, made.at("clear_counts"), detail::clear_counts, all, static_cast<std::uint32_t>(zeros));
    detail::launch(on, early, made.at("sample_bins"), detail::sample_bins<K, digit>, in.keys, in.size, number("lines"),
                   group, by.groups, pass.sampled);
    const auto scatter_groups = [&](bool again) {
      detail::launch(on, early, made.at("scatter_groups"), detail::scatter_groups<keep, shape, K, V, digit>, in,
                     between, group, pass, spare, again);
    };
    scatter_groups(false);
    detail::launch(on, early, made.at("scan_bins"), detail::scan_bins<Offset>, pass.cursors, bins, by.shift, pass.again,
                   starts, offsets);
    scatter_groups(true);
    detail::launch(on, early, made.at("scatter_bins"), detail::scatter_bins<keep, shape, K, V, digit>, between, out,
                   bin, pass, spare);
    if (checked) detail::report_dropped(on, starts + bins, in.size, bins);
  }
#endif

  static constexpr std::uint32_t scan_threads = 1024;
  static constexpr std::uint32_t clear_threads = 1024;

  /// Groups, bins of each, and the bits of a bin's number that tell these apart.
  struct digits {
    std::uint32_t groups;
    std::uint32_t bins;
    unsigned shift;
  };
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
  /// Lines of the input of which the sample has one: so many that groups are told well even if each line is of equal
  /// keys.
  static std::uint32_t lines_of(const multisplit_problem& problem, std::uint32_t groups) {
    const std::size_t all = problem.items / (detail::groups_of_sampled_line *
                                             static_cast<std::size_t>(detail::items_of_16_bytes(problem.key_bytes)));
    const std::size_t lines = all / (groups * tuning::grouped_lines_a_group);
    return static_cast<std::uint32_t>(std::clamp(lines, tuning::grouped_least_lines, tuning::grouped_most_lines));
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
