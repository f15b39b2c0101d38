// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tiles: large tiles are ordered by bin in shared memory and written out as long runs.
//
//   slice of block k --count_columns--> columns[k][bin] --scan_columns--> where block k begins in each bin
//   slice of block k --scatter_tiles--> tile: rank, scan, reorder in shared memory --> runs of the bins in out
//
// Reads each item twice and writes it once: 12 bytes for a 32-bit key. More bins than one pass takes are split by the
// digits of the bin's number, the lowest first, each further pass keeping the order of the one before. Where counters
// for the bins of two passes fit, both are counted at once. Unless that tells where all bins begin, it is found by
// search. A single tile is split by one launch, without counting first, and few items by one launch without a tile,
// even into many bins, of which each block then has some. What is written at the same time had better lie close
// together: so in any order blocks take tiles in turn, and each tile takes room for its runs when it needs it; and
// pairs whose order is kept are counted tile by tile, and taken in turn as well.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_histogram.cuh"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit/gpu/even_ranges.hpp"
#include "peneira/multisplit/gpu/two_digit_histogram.cuh"
#include "peneira/multisplit/problem.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/gpu/scatter/ballot_scatter.cuh"
#include "peneira/multisplit/gpu/scatter_pass.cuh"
#endif

namespace peneira::multisplit_strategies {

#if defined(__CUDACC__)

/// The first position of each bin among keys that are in the order of their bins, from the starts of its highest digit.
template <class K, class F, class Offset>
__global__ void find_offsets(const K* keys, F f, unsigned shift, const std::uint64_t* starts, std::uint32_t digits,
                             Offset* offsets) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; b <= f.bins(); b += stride) {
    std::uint64_t low = starts[b == f.bins() ? digits : b >> shift];
    std::uint64_t high = b == f.bins() ? low : starts[(b >> shift) + 1];
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (detail::bin_of(f, keys[middle]) < b) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    offsets[b] = static_cast<Offset>(low);
  }
}

#endif

struct tiles {
  static constexpr std::string_view name = "tiles";
  static constexpr std::string_view about =
      "large tiles ordered in shared memory, long runs written; several passes "
      "for many bins";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    const detail::planned_tile small = tile_of(problem, tuning::small_tile_bytes);
    const std::size_t least = small.shared(2, 2);
    if (least > room(machine)) {
      return "needs " + std::to_string(least + detail::tile_static_bytes) + " bytes of shared memory a block";
    }
    const unsigned passes = digits_of(problem, machine, small).passes;
    return passes <= most_passes ? "" : "would need " + std::to_string(passes) + " passes with so little shared memory";
  }

  static plan make_plan(const multisplit_problem& problem, const device& machine) {
    if (are_few(problem, machine)) return plan_of_few(problem);
    // In large tiles of pairs, any order is no faster than the order kept.
    const bool with_values = problem.value_bytes != 0;
    const bool any =
        problem.within_bin == order::any && problem.bins >= tuning::any_order_bins && problem.bins <= tuning::tile_bins;
    const detail::planned_tile large =
        tile_of(problem, any && !with_values ? tuning::any_tile_bytes : tuning::stable_tile_bytes);
    const detail::planned_tile small = tile_of(problem, tuning::small_tile_bytes);
    const bool is_large = problem.items >= static_cast<std::size_t>(machine.sms) * large.size &&
                          large.shared(tuning::tile_bins, 2) <= room(machine);
    const detail::planned_tile& tile = is_large ? large : small;

    const auto [passes, shift, bins] = digits_of(problem, machine, tile);
    const bool stable = !any || passes > 1 || (is_large && with_values);
    const std::uint32_t chains = tile.chains(bins, stable, room(machine));

    const std::size_t resident = static_cast<std::size_t>(machine.sms) * (is_large ? 1 : 2);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, resident);
    constexpr std::size_t grain = 64;                                     // at which tiles are aligned
    const std::size_t left = problem.items / blocks % tile.size + grain;  // of a block at most, beside whole tiles
    const bool alone = !is_large && passes == 1 && problem.items <= tile.size;
    const bool by_cursors = is_large && any && passes == 1;
    const bool by_rows = is_large && !by_cursors && with_values && bins >= tuning::tile_row_bins;
    const std::size_t both = std::size_t{bins} * bins;  // bins of two passes
    const std::size_t row = detail::paired_counts::row(bins);
    const bool in_pairs = is_large && !by_rows && passes > 1 && row * sizeof(std::uint32_t) <= room(machine) &&
                          row * blocks * tuning::paired_items_a_counter <=
                              problem.items + (passes == 2 ? tuning::paired_items_for_search : 0);
    // The first of several passes keeps no order, since there is none yet.
    const bool first_in_turn = problem.within_bin == order::any && is_large && passes > 1 && !with_values &&
                               problem.items >= tuning::unordered_pass_items && !(in_pairs && passes % 2 == 0);
    const detail::planned_tile first = tile_of(problem, tuning::any_tile_bytes);
    const std::uint32_t chains_of_first = first.chains(bins, false, room(machine));
    const auto pieces = detail::tile_pieces::of(problem.items, tile.size, blocks, detail::few_items);
    const std::size_t groups = detail::groups_of(pieces.count, detail::row_shift_of(tile.size));
    const std::size_t rows = by_rows ? groups : blocks;
    const step count =
        by_rows
            ? step{"count_rows", std::min<std::size_t>(groups, 2 * static_cast<std::size_t>(machine.sms)),
                   tuning::count_threads / 2, 2 * bins * sizeof(std::uint32_t)}
            : step{"count_columns", blocks, tuning::count_threads / (is_large ? 1 : 2), bins * sizeof(std::uint32_t)};
    const auto scan_of = [](std::string_view name, std::size_t columns) {
      return step{name, (columns + detail::scan_columns_bins - 1) / detail::scan_columns_bins,
                  detail::scan_columns_threads};
    };
    const step scatter{"scatter_tiles", blocks, tuning::tile_threads, tile.shared(bins, chains)};

    plan p;
    p.set("tile", tile.size, "items that a block orders at a time");
    p.set("large", is_large ? 1 : 0, "1: large tiles, a block a processor; 0: small ones, two");
    p.set("in turn", (by_cursors ? 1U : 0U) + (by_rows ? 2U : 0U),
          "blocks take tiles in turn: 1: and room as they go; 2: and each was counted; 0: a slice each");
    p.set("unit", is_large && left > detail::few_items ? tile.size : grain,
          "items that stay together when blocks share them out");
    p.set("passes", passes, "times that all items are moved");
    p.set("bins a pass", bins, "that one pass tells apart");
    p.set("shift", shift, "bits of a bin's number that a pass goes by; 0: the whole of it");
    p.set("chains", chains, "parts that a bin's counters are in, so that warps wait less");
    p.set("keep order", stable && !by_cursors ? 1 : 0, "1: items of a bin stay in their order");
    if (first_in_turn) p.set("chains of the first", chains_of_first, "pass, which is in turn");
    p.set("in pairs", in_pairs ? 1 : 0, "1: every two passes are counted at once, from the last down");
    for (unsigned pass = 0; pass < passes; ++pass) {
      const place_in_pair place = in_pairs ? place_of(pass, passes) : place_in_pair::none;
      if (place == place_in_pair::first) {
        p.steps.push_back({"count_both", blocks, tuning::count_threads, row * sizeof(std::uint32_t)});
        p.steps.push_back(scan_of("scan_both", row));
      } else if (place == place_in_pair::second) {
        p.steps.push_back({"begin_bins", (both + detail::begin_bins_threads - 1) / detail::begin_bins_threads,
                           detail::begin_bins_threads});
      } else if (!alone) {
        p.steps.push_back(count);
        p.steps.push_back(scan_of("scan_columns", bins));
      }
      if (first_in_turn && pass == 0) {
        p.steps.push_back({"scatter_first", blocks, tuning::tile_threads, first.shared(bins, chains_of_first)});
        continue;
      }
      p.steps.push_back(scatter);
    }
    if (passes > 1 && !(in_pairs && passes == 2))
      p.steps.push_back({"find_offsets", std::min<std::uint64_t>(problem.bins / 256 + 1, 1U << 16U), 256});
    p.reserve<std::uint64_t>(alone ? 0 : 2 * (std::size_t{bins} + 1));
    p.reserve<std::uint64_t>(alone ? 0 : (in_pairs ? row : bins) * rows);
    p.reserve<std::uint64_t>(alone ? 0 : in_pairs ? row : bins);
    p.reserve<std::uint64_t>(by_cursors || first_in_turn ? bins : 0);
    p.reserve<std::uint64_t>(in_pairs ? both + 1 : 0);
    p.reserve<std::uint16_t>(by_rows ? std::size_t{bins} * pieces.count : 0);
    p.reserve<std::uint32_t>(by_rows ? 1 : 0);
    if (passes > 1) {
      p.temporary_bytes += detail::workspace::round_up(problem.items * problem.key_bytes) +
                           detail::workspace::round_up(problem.items * problem.value_bytes);
    }
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    detail::with_fast_form(f, [&]<class Fast>(const Fast& fast) {
      if (!made.has("scatter_few")) return run_by(on, made, in, out, fast, offsets);
      using whole = detail::whole_bin<Fast>;
      const auto launch = [&](auto kernel) {
        detail::launch(on, made.at("scatter_few"), kernel, in, out, whole{fast}, f.bins(),
                       static_cast<std::uint32_t>(made.get("bins a block")), offsets);
      };
      constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
      constexpr unsigned most = detail::most_few_items(sizeof(K) + value_bytes) / tuning::tile_threads;
      constexpr unsigned least = detail::few_items / tuning::tile_threads;
      if (made.get("items a thread") <= least) {
        launch(detail::scatter_few<least, K, V, whole, Offset>);
      } else {
        launch(detail::scatter_few<most, K, V, whole, Offset>);
      }
    });
    if (checked) detail::report_dropped(on, offsets + f.bins(), in.size, f.bins());
  }
#endif

 private:
#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run_by(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                     Offset* offsets) {
    constexpr bool with_values = view<K, V>::has_values;
    const auto passes = static_cast<unsigned>(made.get("passes"));
    const auto bins = static_cast<std::uint32_t>(made.get("bins a pass"));
    const auto shift = static_cast<unsigned>(made.get("shift"));

    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    const bool alone = made.steps.size() == 1;
    auto* const starts = alone ? nullptr : memory.take<std::uint64_t>(2 * (std::size_t{bins} + 1));
    const step& scatter = made.at("scatter_tiles");
    const bool by_rows = made.get("in turn") == 2;
    const std::size_t tile = made.get("tile");
    detail::piece_rows counted{detail::tile_pieces::of(in.size, tile, scatter.grid, detail::few_items),
                               nullptr,
                               nullptr,
                               nullptr,
                               bins,
                               detail::row_shift_of(tile)};
    const std::size_t rows = by_rows ? counted.groups() : scatter.grid;  // of columns
    const bool in_pairs = made.get("in pairs") != 0;
    const std::size_t row = in_pairs ? detail::paired_counts::row(bins) : bins;
    auto* const columns = alone ? nullptr : memory.take<std::uint64_t>(row * rows);
    auto* const totals = alone ? nullptr : memory.take<std::uint64_t>(row);
    const bool by_cursors = made.get("in turn") == 1;
    const bool first_in_turn = made.has("scatter_first");
    auto* const cursors =
        reinterpret_cast<unsigned long long*>(by_cursors || first_in_turn ? memory.take<std::uint64_t>(bins) : nullptr);
    detail::paired_counts paired{shift, static_cast<std::uint32_t>(scatter.grid), columns, totals, nullptr};
    if (in_pairs) paired.starts = memory.take<std::uint64_t>(std::size_t{bins} * bins + 1);
    counted.columns = columns;
    if (by_rows) {
      counted.rows = memory.take<std::uint16_t>(std::size_t{bins} * counted.pieces.count);
      counted.taken = memory.take<std::uint32_t>(1);
    }
    view<K, V> between{};
    if (passes > 1) {
      between = {memory.take<K>(in.size), nullptr, in.size};
      if constexpr (with_values) between.values = memory.take<V>(in.size);
    }

    view<const K, const V> from = in;
    const auto unit = static_cast<std::uint32_t>(made.get("unit"));
    detail::scatter_pass pass{bins,    static_cast<std::uint32_t>(made.get("chains")),
                              unit,    nullptr,
                              columns, bins,
                              totals,  cursors,
                              counted, {},
                              starts};
    const bool keep = made.get("keep order") != 0;
    const bool large = made.get("large") != 0;
    for (unsigned k = 0; k < passes; ++k) {
      if (k != 0) {
        pass.kept = pass.starts + bins;
        pass.starts = starts + k % 2 * (std::size_t{bins} + 1);
      }
      const place_in_pair place = in_pairs ? place_of(k, passes) : place_in_pair::none;
      pass.row = static_cast<std::uint32_t>(place == place_in_pair::first ? row : bins);
      pass.paired = place == place_in_pair::second ? paired : detail::paired_counts{};
      const view<K, V> to = (passes - k) % 2 == 1 ? out : between;
      const auto launch = [&](auto digit) {
        using digit_function = decltype(digit);
        const auto when = k == 0 ? detail::start::after_all : detail::start::early;
        const auto count = [&](auto kernel) {
          detail::launch(on, when, made.at("count_columns"), kernel, from.keys, in.size, pass.kept, unit, digit, bins,
                         columns, cursors);
        };
        if (place == place_in_pair::first) {
          if constexpr (digit_function::one_of_several) {
            const digit_function of_both{f, digit.shift, paired.bins() - 1};
            detail::launch(on, when, made.at("count_both"),
                           detail::count_both<tuning::count_threads, K, digit_function>, from.keys, in.size, pass.kept,
                           unit, of_both, paired);
            detail::launch(on, detail::start::early, made.at("scan_both"), detail::scan_columns<>, columns, pass.row,
                           rows, totals);
          }
        } else if (place == place_in_pair::second) {
          detail::launch(on, detail::start::early, made.at("begin_bins"), detail::begin_bins<Offset>, paired, f.bins(),
                         passes == 2 ? offsets : nullptr);
        } else if (by_rows) {
          if constexpr (with_values) {
            detail::launch(on, when, made.at("count_rows"),
                           detail::count_rows<tuning::count_threads / 2, K, digit_function>, from.keys, in.size,
                           pass.kept, digit, counted);
          }
        } else if (large) {
          count(detail::count_columns<tuning::count_threads, K, digit_function>);
        } else if (!alone) {
          count(detail::count_columns<tuning::count_threads / 2, K, digit_function>);
        }
        if (place == place_in_pair::none && totals != nullptr) {
          detail::launch(on, detail::start::early, made.at("scan_columns"), detail::scan_columns<>, columns, bins, rows,
                         totals);
        }
        using shapes = detail::tile_shapes<K, V>;
        const auto split_by = [&]<bool Stable, detail::turns Turns, class Shape>() {
          detail::launch(on, alone ? detail::start::after_all : detail::start::early, scatter,
                         detail::scatter_tiles<Stable, Turns, Shape, K, V, digit_function, Offset>, from, to, digit,
                         pass, passes == 1 ? offsets : nullptr);
        };
        if constexpr (std::is_same_v<digit_function, detail::whole_bin<F>>) {  // of one pass
          using any = std::conditional_t<with_values, typename shapes::stable, typename shapes::any>;
          if (by_cursors) return split_by.template operator()<with_values, detail::turns::cursors, any>();
          if (!keep) return split_by.template operator()<false, detail::turns::slices, typename shapes::small>();
        } else if constexpr (!with_values) {
          if (first_in_turn && k == 0) {
            detail::scatter_pass first = pass;
            first.chains = static_cast<std::uint32_t>(made.get("chains of the first"));
            return detail::launch(on, detail::start::early, made.at("scatter_first"),
                                  detail::scatter_tiles<false, detail::turns::cursors, typename shapes::any, K, V,
                                                        digit_function, Offset>,
                                  from, to, digit, first, static_cast<Offset*>(nullptr));
          }
        }
        if (by_rows) {
          if constexpr (with_values) split_by.template operator()<true, detail::turns::rows, typename shapes::stable>();
        } else if (large) {
          split_by.template operator()<true, detail::turns::slices, typename shapes::stable>();
        } else {
          split_by.template operator()<true, detail::turns::slices, typename shapes::small>();
        }
      };
      if (passes == 1) {
        launch(detail::whole_bin<F>{f});
      } else {
        launch(detail::digit_of_bin<F>{f, k * shift, bins - 1});
      }
      from = to;
    }
    if (made.has("find_offsets")) {
      detail::launch(on, made.at("find_offsets"), find_offsets<K, F, Offset>, out.keys, f, (passes - 1) * shift,
                     pass.starts, bins, offsets);
    }
  }
#endif

  /// Whether no tile is needed, since some items a thread are all. Every block looks at all of them.
  static bool are_few(const multisplit_problem& problem, const device& machine) {
    const std::uint32_t most_bins =
        problem.items <= detail::few_items ? tuning::few_most_bins : tuning::few_most_bins / 4;
    return problem.items <= detail::most_few_items(problem.item_bytes()) && problem.bins <= most_bins &&
           detail::few_bytes(few_bins_of_block(problem)) <= room(machine);
  }
  /// Bins of a block; one more than its share, for those below.
  static std::uint32_t few_bins_of_block(const multisplit_problem& problem) {
    return std::min({problem.bins, problem.bins / tuning::few_blocks + 2, tuning::tile_bins});
  }
  static plan plan_of_few(const multisplit_problem& problem) {
    const std::uint32_t each = few_bins_of_block(problem);
    const std::uint32_t blocks = problem.bins <= each ? 1 : 1 + (problem.bins - 2) / (each - 1);
    plan p;
    p.set("passes", 1, "times that all items are moved");
    const std::size_t least = detail::few_items;
    const std::size_t items = problem.items <= least ? least : detail::most_few_items(problem.item_bytes());
    p.set("items a thread", items / tuning::tile_threads, "at most");
    p.set("bins a block", each, "but for the first block, one of these stands for all bins below");
    p.steps.push_back({"scatter_few", blocks, tuning::tile_threads, detail::few_bytes(each)});
    return p;
  }

  /// Of passes of which every two are counted at once, from the last down: which is this?
  enum class place_in_pair { none, first, second };
  static place_in_pair place_of(unsigned pass, unsigned passes) {
    if (pass < passes % 2) return place_in_pair::none;
    return (passes - pass) % 2 == 0 ? place_in_pair::first : place_in_pair::second;
  }

  static constexpr unsigned most_passes = 5;  // whose steps a plan can list

  static std::size_t room(const device& machine) {
    return machine.shared_per_block - std::min(machine.shared_per_block, detail::tile_static_bytes);
  }

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
    const unsigned digit_bits =
        std::min<unsigned>(tuning::tile_digit_bits, static_cast<unsigned>(std::bit_width(most)) - 1);
    const unsigned passes = (bits + digit_bits - 1) / digit_bits;
    const unsigned shift = (bits + passes - 1) / passes;
    return {passes, shift, 1U << shift};
  }
  static detail::planned_tile tile_of(const multisplit_problem& problem, std::size_t tile_bytes) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes, tile_bytes);
  }
};

}  // namespace peneira::multisplit_strategies
