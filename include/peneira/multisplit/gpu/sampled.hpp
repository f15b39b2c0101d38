// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sampled: few bins in any order, without a histogram first.
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
#include "peneira/multisplit/gpu/sampled.cuh"
#endif

namespace peneira::multisplit_strategies {

struct sampled {
  static constexpr std::string_view name = "sampled";
  static constexpr std::string_view about = "any order: places guessed from a sample, and what strays moved once more";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    if (problem.within_bin != order::any) return "keeps no order";
    if (problem.bins > tuning::tile_bins) return "splits into " + std::to_string(tuning::tile_bins) + " bins at most";
    return detail::refuse_shared(tile_of(problem).shared(tuning::tile_bins, 2) + detail::tile_static_bytes, machine,
                                 ", for a tile");
  }

  struct parameters {
    multisplit_problem problem;
    std::size_t tile = 0;
    std::uint32_t counter_sets = 0;
    std::uint32_t lines = 0;
    std::size_t spare = 0;
    step clear;
    step sample;
    step scatter;
    step gather;
    step place;

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile", "items that a block orders at a time"},
        detail::field{&parameters::counter_sets, "counter sets", "of a bin, against contention"},
        detail::field{&parameters::lines, "lines", "of the input of which the sample has one"},
        detail::field{&parameters::spare, "spare", "items that may stray before all is split again"},
        detail::members{&parameters::clear, &parameters::sample, &parameters::scatter, &parameters::gather,
                        &parameters::place},
    };
  };

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    const detail::planned_tile tile = tile_of(problem);
    const auto sms = static_cast<std::size_t>(machine.sms);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, sms);
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes;
    const bool ordered = problem.value_bytes != 0;  // in large tiles of pairs, any order is no faster
    parameters p;
    p.problem = problem;
    p.tile = tile.size;
    p.counter_sets = ordered ? tile.counter_sets(problem.bins, true, room) : tile.columns(problem.bins);
    p.lines = static_cast<std::uint32_t>(tuning::sampled_lines(problem.bins, problem.items));
    p.spare = std::max<std::size_t>(problem.items / tuning::spare_share(problem.bins), tile.size);
    const std::size_t shared =
        ordered ? tile.shared(problem.bins, p.counter_sets) : tile.shared_in_any_order(problem.bins);
    p.clear = {"clear_counts", 1, clear_threads};
    p.sample = {"sample_bins", sms, tuning::count_threads, problem.bins * sizeof(std::uint32_t)};
    p.scatter = {"scatter_guessed", blocks, tuning::tile_threads, shared};
    p.gather = {"gather_strays", 2 * sms, tuning::tile_threads};
    p.place = {"place_strays", blocks, tuning::tile_threads, shared};
    return p;
  }

  struct arrays {
    unsigned long long* words;  ///< counters of the bins
    std::uint64_t* starts;      ///< of the bins, and the end
    detail::bin_holes* holes;   ///< of the bins
    detail::item_arrays spare;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.words = memory.template take<unsigned long long>(words(p.problem.bins));
    a.starts = memory.template take<std::uint64_t>(std::size_t{p.problem.bins} + 1);
    a.holes = memory.template take<detail::bin_holes>(p.problem.bins);
    a.spare = detail::item_arrays::take(memory, p.problem, p.spare);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    const detail::temporary<sampled> a(on, p);
    detail::with_fast_form(f, [&](const auto& fast) { launch_all(on, p, a, in, out, fast, offsets); });
    if (checked) detail::report_dropped(on, a.starts + p.problem.bins, in.size, p.problem.bins);
  }
#endif

 private:
#if defined(__CUDACC__)
  static detail::sampled_pass pass_of(const parameters& p, const arrays& a) {
    const std::uint32_t bins = p.problem.bins;
    const auto of_bins = [&](std::size_t k) { return a.words + 2 + k * bins; };
    detail::sampled_pass pass{};
    pass.bins = bins;
    pass.counter_sets = p.counter_sets;
    pass.spare = p.spare;
    pass.sampled = of_bins(0);
    pass.counted = of_bins(1);
    pass.placed = of_bins(2);
    pass.strayed = a.words;
    pass.strays = a.words + 1;
    pass.filled = of_bins(3);
    pass.guessed = reinterpret_cast<std::uint64_t*>(of_bins(4));
    pass.starts = a.starts;
    pass.holes = a.holes;
    return pass;
  }

  template <class K, class V, class F, class Offset>
  static void launch_all(const gpu& on, const parameters& p, const arrays& a, const view<const K, const V>& in,
                         const view<K, V>& out, const F& f, Offset* offsets) {
    const detail::sampled_pass pass = pass_of(p, a);
    const view<K, V> spare = a.spare.as<K, V>(p.spare);

    using bin = detail::whole_bin<F>;
    constexpr bool keep = view<K, V>::has_values;
    using shapes = detail::tile_shapes<K, V>;
    using shape = std::conditional_t<keep, typename shapes::stable, typename shapes::padded>;
    constexpr auto early = detail::start::early;
    detail::launch(on, p.clear, detail::clear_counts, a.words, 2 + 3 * pass.bins);
    detail::launch(on, early, p.sample, detail::sample_bins<K, bin>, in.keys, in.size, p.lines, bin{f}, pass.bins,
                   pass.sampled);
    detail::launch(on, early, p.scatter, detail::scatter_guessed<keep, shape, K, V, bin>, in, out, bin{f}, pass, spare);
    detail::launch(on, early, p.gather, detail::gather_strays<K, V, Offset>, out, pass, spare, in.size,
                   detail::bin_begins<Offset>{a.starts, offsets});
    detail::launch(on, early, p.place, detail::place_strays<keep, shape, K, V, bin>, in, out, bin{f}, pass, spare);
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
