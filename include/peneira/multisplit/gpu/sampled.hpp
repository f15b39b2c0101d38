// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sampled: few bins in any order, without counting first.
//
//   a sample of in --sample_bins--> about where each bin begins
//   in --scatter_guessed--> runs of the bins there, counted in passing; what does not fit to a spare array
//   out --gather_strays--> what lies outside its bin, to the spare array --place_strays--> where bins have holes
//
// Since the order is any, a bin is moved by a few places by moving as many of its items from one end to the other.
// Reads and writes each item once, and few a second time: 8 bytes for a 32-bit key, where counting takes 12. A sample
// that misleads costs one move more, by the counts that are known by then.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit/gpu/even_ranges.hpp"
#include "peneira/multisplit/gpu/sample.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/multisplit/gpu/sampled.cuh"
#endif

namespace peneira::multisplit_strategies {

struct sampled {
  static constexpr std::string_view name = "sampled";
  static constexpr std::string_view about = "any order: places guessed from a sample, and what strays moved once more";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    if (problem.within_bin != order::any) return "keeps no order";
    if (problem.bins > tuning::tile_bins) return "splits into " + std::to_string(tuning::tile_bins) + " bins at most";
    const std::size_t shared = tile_of(problem).shared(tuning::tile_bins, 2) + detail::tile_static_bytes;
    if (shared > machine.shared_per_block) {
      return "needs " + std::to_string(shared) + " bytes of shared memory a block, for a tile";
    }
    return "";
  }

  static plan make_plan(const multisplit_problem& problem, const device& machine) {
    const detail::planned_tile tile = tile_of(problem);
    const auto sms = static_cast<std::size_t>(machine.sms);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, sms);
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes;
    const bool ordered = problem.value_bytes != 0;  // in large tiles of pairs, any order is no faster
    const std::uint32_t chains = ordered ? tile.chains(problem.bins, true, room) : tile.columns(problem.bins);
    const std::size_t spare = std::max<std::size_t>(problem.items / tuning::spare_share(problem.bins), tile.size);
    const std::size_t shared = ordered ? tile.shared(problem.bins, chains) : tile.shared_in_any_order(problem.bins);
    plan p;
    p.set("tile", tile.size, "items that a block orders at a time");
    p.set("chains", chains, "parts that a bin's counters are in");
    p.set("lines", tuning::sampled_lines(problem.bins, problem.items), "of the input of which the sample has one");
    p.set("spare", spare, "items that may stray before all is split again");
    p.steps.push_back({"clear_counts", 1, clear_threads});
    p.steps.push_back({"sample_bins", sms, tuning::count_threads, problem.bins * sizeof(std::uint32_t)});
    p.steps.push_back({"scatter_guessed", blocks, tuning::tile_threads, shared});
    p.steps.push_back({"gather_strays", 2 * sms, tuning::tile_threads});
    p.steps.push_back({"place_strays", blocks, tuning::tile_threads, shared});
    p.reserve<std::uint64_t>(words(problem.bins));
    p.reserve<std::uint64_t>(std::size_t{problem.bins} + 1);
    p.reserve<detail::bin_holes>(problem.bins);
    p.temporary_bytes += detail::workspace::round_up(spare * problem.key_bytes) +
                         detail::workspace::round_up(spare * problem.value_bytes);
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
    const std::uint32_t bins = f.bins();
    const std::size_t room = made.get("spare");
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const all = reinterpret_cast<unsigned long long*>(memory.take<std::uint64_t>(words(bins)));
    auto* const starts = memory.take<std::uint64_t>(std::size_t{bins} + 1);
    const auto words_at = [&](std::size_t of_bins) { return all + 2 + of_bins * bins; };
    const detail::sampled_pass pass{bins,        static_cast<std::uint32_t>(made.get("chains")),
                                    room,        words_at(0),
                                    words_at(1), words_at(2),
                                    all,         all + 1,
                                    words_at(3), reinterpret_cast<std::uint64_t*>(words_at(4)),
                                    starts,      memory.take<detail::bin_holes>(bins)};
    view<K, V> spare{memory.take<K>(room), nullptr, room};
    if constexpr (view<K, V>::has_values) spare.values = memory.take<V>(room);

    using bin = detail::whole_bin<F>;
    constexpr bool keep = view<K, V>::has_values;
    using shapes = detail::tile_shapes<K, V>;
    using shape = std::conditional_t<keep, typename shapes::stable, typename shapes::padded>;
    constexpr auto early = detail::start::early;
    detail::launch(on, made.at("clear_counts"), detail::clear_counts, all, 2 + 3 * bins);
    detail::launch(on, early, made.at("sample_bins"), detail::sample_bins<K, bin>, in.keys, in.size,
                   static_cast<std::uint32_t>(made.get("lines")), bin{f}, bins, pass.sampled);
    detail::launch(on, early, made.at("scatter_guessed"), detail::scatter_guessed<keep, shape, K, V, bin>, in, out,
                   bin{f}, pass, spare);
    detail::launch(on, early, made.at("gather_strays"), detail::gather_strays<K, V, Offset>, out, pass, spare, in.size,
                   detail::bin_begins<Offset>{starts, offsets});
    detail::launch(on, early, made.at("place_strays"), detail::place_strays<keep, shape, K, V, bin>, in, out, bin{f},
                   pass, spare);
    if (checked) detail::report_dropped(on, starts + bins, in.size, bins);
  }
#endif

  static constexpr std::uint32_t clear_threads = 512;

  /// Words of counters: two and three a bin, which are zero at first, and two a bin and one more.
  static std::size_t words(std::uint32_t bins) {
    return 3 + 5 * std::size_t{bins};
  }
  static detail::planned_tile tile_of(const multisplit_problem& problem) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes,
                                    problem.value_bytes != 0 ? tuning::stable_tile_bytes : tuning::any_tile_bytes);
  }
};

}  // namespace peneira::multisplit_strategies
