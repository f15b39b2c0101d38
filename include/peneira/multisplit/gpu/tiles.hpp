// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tiles: large tiles are ordered by bin in shared memory and written out as long runs.
//
//   slice of block k --count_columns--> columns[k][bin] --scan_columns--> where block k begins in each bin
//   slice of block k --scatter_tiles--> tile: rank, scan, reorder in shared memory --> runs of the bins in out
//
// Reads each item twice and writes it once: 12 bytes for a 32-bit key. More bins than one pass takes are split by the
// digits of the bin's number, the lowest first, each further pass keeping the order of the one before, as a radix sort
// of bins does; many large items by tiles that look back (passes.hpp). Where counters for
// the bins of two passes fit, both are counted at once. Unless that gives the offsets of all bins, they are found by
// binary search. A single tile is split by one launch, without counting first, and few items by one launch without a
// tile (few.hpp). What is written at the same time had better lie close together: so in any order tiles are scheduled
// round robin, and allocate their runs from global cursors; and pairs whose order is kept have a histogram a tile, and
// a dynamic schedule.
//
// That tiles are reordered in shared memory before they are written: Ashkiani et al., GPU Multisplit, PPoPP 2016.
#pragma once

#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/gpu/even_ranges.hpp"
#include "peneira/multisplit/gpu/costly_functions.hpp"
#include "peneira/multisplit/gpu/few.hpp"
#include "peneira/multisplit/gpu/passes.hpp"
#include "peneira/multisplit/gpu/sparse.hpp"
#include "peneira/multisplit/gpu/tile_parameters.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/multisplit/gpu/scatter_pass.cuh"
#endif

namespace peneira::multisplit_strategies {

struct tiles : private tile_decisions {
  static constexpr std::string_view name = "tiles";
  static constexpr std::string_view about =
      "large tiles ordered in shared memory, long runs written; several passes "
      "for many bins";

  using tile_decisions::refuses;

  /// One of these.
  struct parameters {
    std::optional<few::parameters> of_few;
    std::optional<sparse::parameters> of_sparse;
    std::optional<step> label;                    ///< if labels are split, with the keys along
    std::optional<tile_parameters> of_tiles;      ///< of the items, or of labels and keys
    std::optional<passes::parameters> of_passes;  ///< likewise

    static constexpr std::tuple fields{detail::members{&parameters::of_few, &parameters::of_sparse, &parameters::label,
                                                       &parameters::of_tiles, &parameters::of_passes}};
  };

  /// Whether labels are split instead of keys, which are moved along.
  static bool labels(const multisplit_problem& problem) {
    return problem.costly && problem.value_bytes == 0 && problem.items >= tuning::labelled_items;
  }

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    parameters p;
    if (sparse::takes(problem, machine, room(machine))) {
      p.of_sparse = sparse::decide(problem, machine);
    } else if (few::takes(problem, room(machine))) {
      p.of_few = few::decide(problem);
    } else if (labels(problem)) {
      multisplit_problem of_labels = problem;
      of_labels.value_bytes = problem.key_bytes;
      of_labels.key_bytes = problem.bins < 0xFFFFU ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
      p.label = {"label_keys", static_cast<std::size_t>(machine.sms) * tuning::label_blocks, tuning::label_threads};
      of_labels.key_alignment = of_labels.key_bytes;
      decide_split(p, of_labels, machine);
    } else {
      decide_split(p, problem, machine);
    }
    return p;
  }

  /// Whether a word on the device can say that there are no items.
  static bool can_be_called_off(const parameters& p) {
    return p.of_tiles.has_value() && !p.label.has_value() && p.of_tiles->passes == 1 && !p.of_tiles->is_single();
  }

  /// Arrays of a call, none of them for few items.
  struct arrays {
    std::uint64_t* starts;        ///< of the bins of two passes, by turns, with their ends
    std::uint64_t* columns;       ///< histograms of blocks or of groups of pieces
    std::uint64_t* totals;        ///< of the bins
    unsigned long long* cursors;  ///< of the bins
    std::uint64_t* pair_starts;   ///< of the bins of two passes together, with the end
    std::uint16_t* rows;          ///< histograms of pieces
    std::uint32_t* taken;         ///< pieces that blocks took
    detail::item_arrays between;  ///< where items are between two passes
    std::uint32_t* labels;        ///< of the keys, and then in their order
    passes::arrays of_passes;
  };
  /// Words of 4 bytes that hold a label of each key, up to a whole 64 bytes, so that what follows is aligned.
  static std::size_t label_words(const multisplit_problem& problem) {
    return (problem.items * problem.key_bytes + 63) / 64 * 16;
  }
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& decided) {
    arrays a{};
    if (decided.of_tiles.has_value()) lay_out_tiles(memory, *decided.of_tiles, a);
    if (decided.of_passes.has_value()) a.of_passes = passes::lay_out(memory, *decided.of_passes);
    if (decided.label.has_value()) a.labels = memory.template take<std::uint32_t>(2 * label_words(split_of(decided)));
    return a;
  }

#if defined(__CUDACC__)
  /// Of one pass by tiles, *kept may say on the device how many items there are; nullptr: all.
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked, const std::uint64_t* kept = nullptr) {
    detail::with_fast_form(f, [&](const auto& fast) {
      if (p.of_few.has_value()) return few::run<K, V>(on, *p.of_few, in, out, fast, offsets);
      if (p.of_sparse.has_value()) return sparse::run<K, V>(on, *p.of_sparse, in, out, fast, offsets);
      const detail::temporary<tiles> memory(on, p);
      if constexpr (!view<K, V>::has_values && detail::may_take_long<K, F>) {
        if (p.label.has_value() && split_of(p).key_bytes == sizeof(std::uint16_t)) {
          return run_labels<std::uint16_t, K>(on, p, memory, in, out, fast, offsets);
        }
        if (p.label.has_value()) return run_labels<std::uint32_t, K>(on, p, memory, in, out, fast, offsets);
      }
      run_split<K, V>(on, p, memory, in, out, fast, offsets, kept);
    });
    if (checked) detail::report_dropped(on, offsets + f.bins(), in.size, f.bins());
  }

 private:
  template <class Label, class K, class F, class Offset>
  static void run_labels(const gpu& on, const parameters& p, const arrays& a, const view<const K, const no_value>& in,
                         const view<K, no_value>& out, const F& f, Offset* offsets) {
    auto* const labels = reinterpret_cast<Label*>(a.labels);
    auto* const sorted = reinterpret_cast<Label*>(a.labels + label_words(split_of(p)));
    using bin = detail::whole_bin<F>;
    detail::launch(on, *p.label, detail::label_keys<Label, K, bin>, in.keys, in.size, bin{f}, f.bins(), labels);
    run_split<Label, K>(on, p, a, {labels, in.keys, in.size}, {sorted, out.keys, out.size},
                        detail::label_is_bin{f.bins()}, offsets);
  }

  template <class K, class V, class F, class Offset>
  static void run_split(const gpu& on, const parameters& p, const arrays& a, const view<const K, const V>& in,
                        const view<K, V>& out, const F& f, Offset* offsets, const std::uint64_t* kept = nullptr) {
    if constexpr (passes::moves(sizeof(K), view<K, V>::has_values ? sizeof(V) : 0, alignof(K))) {
      if (p.of_passes.has_value()) return passes::run<K, V>(on, *p.of_passes, a.of_passes, in, out, f, offsets);
    }
    run_passes<K, V>(on, *p.of_tiles, a, in, out, f, offsets, kept);
  }

  template <class K, class V, class F, class Offset>
  static void run_passes(const gpu& on, const tile_parameters& p, const arrays& a, const view<const K, const V>& in,
                         const view<K, V>& out, const F& f, Offset* offsets, const std::uint64_t* kept = nullptr) {
    const view<K, V> between = a.between.as<K, V>(in.size);
    view<const K, const V> from = in;
    for (unsigned k = 0; k < p.passes; ++k) {
      const view<K, V> to = (p.passes - k) % 2 == 1 ? out : between;
      if (p.passes == 1) {
        run_pass<K, V>(on, p, a, k, from, to, detail::whole_bin<F>{f}, offsets, kept);
      } else {
        run_pass<K, V>(on, p, a, k, from, to, detail::digit_of_bin<F>{f, k * p.shift, p.bins - 1}, offsets, nullptr);
      }
      from = to;
    }
    if (!p.begin.has_value()) return;
    detail::launch_offsets<K, F, Offset>(on, *p.begin, out.keys, in.size, f, (p.passes - 1) * p.shift,
                                         starts_of(p, a, p.passes - 1), p.bins, offsets);
  }

  template <class K, class V, class Digit, class Offset>
  static void run_pass(const gpu& on, const tile_parameters& p, const arrays& a, unsigned k,
                       const view<const K, const V>& from, const view<K, V>& to, const Digit& digit, Offset* offsets,
                       const std::uint64_t* kept) {
    detail::scatter_pass pass = pass_of(p, a, k);
    if (kept != nullptr) pass.kept = kept;
    const place_in_pair place = p.place_of(k);
    if (place == place_in_pair::first) {
      if constexpr (Digit::one_of_several) count_both(on, p, a, k, from.keys, digit, pass);
    } else if (place == place_in_pair::second) {
      detail::launch(on, detail::start::early, *p.begin_bins, detail::begin_bins<Offset>, pass.paired, p.problem.bins,
                     p.passes == 2 ? offsets : nullptr);
    } else if (!p.is_single()) {
      count<view<K, V>::has_values>(on, p, a, k, from.keys, digit, pass);
    }
    scatter<K, V>(on, p, k, from, to, digit, pass, offsets);
  }

  /// Where the bins of pass k begin.
  static std::uint64_t* starts_of(const tile_parameters& p, const arrays& a, unsigned k) {
    return a.starts + k % 2 * (std::size_t{p.bins} + 1);
  }
  static detail::paired_counts pair_of(const tile_parameters& p, const arrays& a) {
    return {p.shift, static_cast<std::uint32_t>(p.scatter.grid), a.columns, a.totals, a.pair_starts};
  }
  static detail::scatter_pass pass_of(const tile_parameters& p, const arrays& a, unsigned k) {
    const place_in_pair place = p.place_of(k);
    detail::scatter_pass pass{};
    pass.bins = p.bins;
    pass.counter_sets = p.counter_sets;
    pass.unit = p.unit;
    pass.kept = k == 0 ? nullptr : starts_of(p, a, k - 1) + p.bins;
    pass.columns = a.columns;
    pass.row = static_cast<std::uint32_t>(place == place_in_pair::first ? p.row() : p.bins);
    pass.totals = a.totals;
    pass.cursors = a.cursors;
    pass.counted = {p.pieces(), a.rows, a.columns, a.taken, p.bins, p.row_shift()};
    if (place == place_in_pair::second) pass.paired = pair_of(p, a);
    pass.starts = starts_of(p, a, k);
    return pass;
  }

  static detail::start start_of_pass(unsigned k) {
    return k == 0 ? detail::start::after_all : detail::start::early;
  }

  /// Counts a pass by itself.
  template <bool WithValues, class K, class Digit>
  static void count(const gpu& on, const tile_parameters& p, const arrays& a, unsigned k, const K* keys,
                    const Digit& digit, const detail::scatter_pass& pass) {
    const auto columns = [&](auto kernel) {
      detail::launch(on, start_of_pass(k), *p.count, kernel, keys, p.problem.items, pass.kept, p.unit, digit, p.bins,
                     a.columns, a.cursors);
    };
    if (p.is_dynamic()) {
      if constexpr (WithValues) {
        detail::launch(on, start_of_pass(k), *p.count, detail::count_rows<tuning::count_threads / 2, K, Digit>, keys,
                       p.problem.items, pass.kept, digit, pass.counted);
      }
    } else if (p.large) {
      columns(detail::count_columns<tuning::count_threads, K, Digit>);
    } else {
      columns(detail::count_columns<tuning::count_threads / 2, K, Digit>);
    }
    detail::launch(on, detail::start::early, *p.scan, detail::scan_columns<>, a.columns, p.bins, p.rows(), a.totals);
  }

  /// Counts a pass and the one after it.
  template <class K, class Digit>
  static void count_both(const gpu& on, const tile_parameters& p, const arrays& a, unsigned k, const K* keys,
                         const Digit& digit, const detail::scatter_pass& pass) {
    const detail::paired_counts both = pair_of(p, a);
    const Digit of_both{digit.f, digit.shift, both.bins() - 1};
    detail::launch(on, start_of_pass(k), *p.count_both, detail::count_both<tuning::count_threads, K, Digit>, keys,
                   p.problem.items, pass.kept, p.unit, of_both, both);
    detail::launch(on, detail::start::early, *p.scan_both, detail::scan_columns<>, a.columns, pass.row, p.rows(),
                   a.totals);
  }

  /// Moves the items of a pass, by the kernel of its schedule and tile.
  template <class K, class V, class Digit, class Offset>
  static void scatter(const gpu& on, const tile_parameters& p, unsigned k, const view<const K, const V>& from,
                      const view<K, V>& to, const Digit& digit, const detail::scatter_pass& pass, Offset* offsets) {
    using detail::tile_schedule;
    using shapes = detail::tile_shapes<K, V>;
    constexpr bool with_values = view<K, V>::has_values;
    const auto by = [&]<bool Stable, tile_schedule Schedule, class Shape>() {
      detail::launch(on, p.is_single() ? detail::start::after_all : detail::start::early, p.scatter,
                     detail::scatter_tiles<Stable, Schedule, Shape, K, V, Digit, Offset>, from, to, digit, pass,
                     p.passes == 1 ? offsets : nullptr);
    };
    if constexpr (!Digit::one_of_several) {
      using any = std::conditional_t<with_values, typename shapes::stable, typename shapes::any>;
      if (p.schedule == tile_schedule::round_robin) {
        return by.template operator()<with_values, tile_schedule::round_robin, any>();
      }
      if (!p.keep_order) return by.template operator()<false, tile_schedule::slices, typename shapes::small>();
    } else if constexpr (!with_values) {
      if (k == 0 && p.scatter_first.has_value()) return scatter_first(on, p, from, to, digit, pass, offsets);
    }
    if (p.is_dynamic()) {
      if constexpr (with_values) by.template operator()<true, tile_schedule::dynamic, typename shapes::stable>();
    } else if (p.large) {
      by.template operator()<true, tile_schedule::slices, typename shapes::stable>();
    } else {
      by.template operator()<true, tile_schedule::slices, typename shapes::small>();
    }
  }

  /// The first of several passes where it keeps no order. Its offsets are not those of bins.
  template <class K, class V, class Digit, class Offset>
  static void scatter_first(const gpu& on, const tile_parameters& p, const view<const K, const V>& from,
                            const view<K, V>& to, const Digit& digit, detail::scatter_pass pass, Offset* /*offsets*/) {
    using shape = typename detail::tile_shapes<K, V>::any;
    pass.counter_sets = *p.counter_sets_of_first;
    detail::launch(on, detail::start::early, *p.scatter_first,
                   detail::scatter_tiles<false, detail::tile_schedule::round_robin, shape, K, V, Digit, Offset>, from,
                   to, digit, pass, static_cast<Offset*>(nullptr));
  }
#endif

 private:
  /// Decides how items are split, which may be labels and keys.
  static void decide_split(parameters& p, const multisplit_problem& problem, const device& machine) {
    p.of_tiles = tile_decisions::decide(problem, machine);
    if (passes::takes(problem, machine) && passes::count_of(problem) <= p.of_tiles->passes) {
      p.of_tiles.reset();
      p.of_passes = passes::decide(problem, machine);
    }
  }
  static const multisplit_problem& split_of(const parameters& p) {
    return p.of_passes.has_value() ? p.of_passes->problem : p.of_tiles->problem;
  }
  template <class Memory>
  static void lay_out_tiles(Memory& memory, const tile_parameters& p, arrays& a) {
    if (!p.is_single()) {
      a.starts = memory.template take<std::uint64_t>(2 * (std::size_t{p.bins} + 1));
      a.columns = memory.template take<std::uint64_t>(p.row() * p.rows());
      a.totals = memory.template take<std::uint64_t>(p.row());
    }
    if (p.has_cursors()) a.cursors = memory.template take<unsigned long long>(p.bins);
    if (p.in_pairs) a.pair_starts = memory.template take<std::uint64_t>(std::size_t{p.bins} * p.bins + 1);
    if (p.is_dynamic()) {
      a.rows = memory.template take<std::uint16_t>(std::size_t{p.bins} * p.pieces().count);
      a.taken = memory.template take<std::uint32_t>(1);
    }
    if (p.passes > 1) a.between = detail::item_arrays::take(memory, p.problem, p.problem.items);
  }
};

}  // namespace peneira::multisplit_strategies
