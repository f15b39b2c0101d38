// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// groups: many bins in any order, by groups of neighbouring bins first and then each group by itself.
//
//   in --count_bins--> size of every bin --scan_bins--> where it begins: cursors
//   in --scatter_groups, by the bin's leading bits--> | group 0 | group 1 | ... |  a copy of the items
//      --scatter_groups, by the rest of its bits----> | 0 1 2 3 | 4 5 6 7 | ... |  out
//
// Counts once, where several passes of `tiles` count each time: 20 bytes for a 32-bit key against 24. Every tile takes
// room by adding to the cursors of its bins, so the order within a bin is any.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/multisplit/even_ranges.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/multisplit/tile_shape.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/device/groups.cuh"
#include "peneira/device/runtime.cuh"
#endif

namespace peneira::multisplit_strategies {

struct groups {
  static constexpr std::string_view name = "groups";
  static constexpr std::string_view about = "any order: groups of neighbouring bins first, then each group by itself";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    if (problem.within_bin != order::any) return "keeps no order";
    if (problem.bins < 4) return "needs at least 4 bins";
    const std::size_t counters = std::size_t{problem.bins} * sizeof(std::uint32_t);
    if (counters > machine.shared_per_block) {
      return "needs " + std::to_string(counters) + " bytes of shared memory a block, for the counters of all bins";
    }
    const digits by = digits_of(problem);
    if (std::max(by.groups, by.bins) > tuning::tile_bins) return "cannot tell so many bins apart in two passes";
    const std::size_t shared = tile_of(problem).shared(std::max(by.groups, by.bins), 2) + detail::tile_static_bytes;
    if (shared > machine.shared_per_block) {
      return "needs " + std::to_string(shared) + " bytes of shared memory a block, for a tile";
    }
    return "";
  }

  static plan make_plan(const multisplit_problem& problem, const device& machine) {
    const detail::planned_tile tile = tile_of(problem);
    const digits by = digits_of(problem);
    const auto sms = static_cast<std::size_t>(machine.sms);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, sms);
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes;
    plan p;
    p.set("tile", tile.size, "items that a block orders at a time");
    p.set("groups", by.groups, "of neighbouring bins");
    p.set("bins a group", by.bins, "the last group may have fewer");
    p.set("shift", by.shift, "bits of a bin's number that tell the bins of a group apart");
    p.steps.push_back({"count_bins", sms, tuning::count_threads, problem.bins * sizeof(std::uint32_t)});
    p.steps.push_back({"scan_bins", 1, scan_threads});
    const auto scatter = [&](std::string_view step_name, std::string_view parameter, std::uint32_t bins) {
      const std::uint32_t chains = tile.chains(bins, problem.value_bytes != 0, room);
      p.set(parameter, chains, "parts that a bin's counters are in");
      p.steps.push_back({step_name, blocks, tuning::tile_threads, tile.shared(bins, chains)});
    };
    scatter("scatter_groups", "chains of groups", by.groups);
    scatter("scatter_bins", "chains", by.bins);
    p.reserve<std::uint64_t>(std::size_t{by.groups} * by.bins);
    p.reserve<std::uint64_t>(by.groups);
    p.reserve<std::uint64_t>(std::size_t{problem.bins} + 1);
    p.temporary_bytes += detail::workspace::round_up(problem.items * problem.key_bytes) +
                         detail::workspace::round_up(problem.items * problem.value_bytes);
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
    const std::uint32_t bins = f.bins();
    const auto count = static_cast<std::uint32_t>(made.get("groups"));
    const auto bins_a_group = static_cast<std::uint32_t>(made.get("bins a group"));
    const auto shift = static_cast<unsigned>(made.get("shift"));
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    const std::size_t all = std::size_t{count} * bins_a_group;  // what a function that lies can ask for
    auto* const cursors = reinterpret_cast<unsigned long long*>(memory.take<std::uint64_t>(all));
    auto* const of_groups = reinterpret_cast<unsigned long long*>(memory.take<std::uint64_t>(count));
    auto* const starts = memory.take<std::uint64_t>(std::size_t{bins} + 1);
    view<K, V> between{memory.take<K>(in.size), nullptr, in.size};
    if constexpr (view<K, V>::has_values) between.values = memory.take<V>(in.size);

    detail::check(cudaMemsetAsync(cursors, 0, all * sizeof(*cursors), on.stream), "cudaMemsetAsync");
    using whole = detail::whole_bin<F>;
    detail::launch(on, made.at("count_bins"), detail::count_bins<K, whole>, in.keys, in.size, whole{f}, cursors);
    detail::launch(on, detail::start::early, made.at("scan_bins"), detail::scan_bins<Offset>, cursors, bins, shift,
                   of_groups, starts, offsets);
    constexpr bool keep = view<K, V>::has_values;  // in large tiles of pairs, any order is no faster
    using shapes = detail::tile_shapes<K, V>;
    using shape = std::conditional_t<keep, typename shapes::stable, typename shapes::any>;
    using digit = detail::digit_of_bin<F>;
    const auto chains = [&](std::string_view of) { return static_cast<std::uint32_t>(made.get(of)); };
    const auto split = [&](std::string_view name, view<const K, const V> from, view<K, V> to, const digit& by,
                           const detail::group_pass& pass) {
      detail::launch(on, detail::start::early, made.at(name), detail::scatter_groups<keep, shape, K, V, digit>, from,
                     to, by, pass);
    };
    split("scatter_groups", in, between, {f, shift, ~0U},
          {1, count, chains("chains of groups"), bins, nullptr, of_groups});
    split("scatter_bins", between, out, {f, 0, bins_a_group - 1},
          {count, bins_a_group, chains("chains"), bins, starts, cursors});
    if (checked) detail::report_dropped(on, starts + bins, in.size, bins);
  }
#endif

  static constexpr std::uint32_t scan_threads = 1024;

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
  static detail::planned_tile tile_of(const multisplit_problem& problem) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes,
                                    problem.value_bytes != 0 ? tuning::stable_tile_bytes : tuning::any_tile_bytes);
  }
};

}  // namespace peneira::multisplit_strategies
