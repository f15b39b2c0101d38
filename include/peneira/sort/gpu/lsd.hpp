// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// lsd: digit by digit from the lowest up, each a stable multisplit of all items; one launch for all of them.
//
//   in --split by the lowest digit--> between --by the next--> ... --> out
//
// Three kernels. Few items go by rows: each block has one tile. More keys alone of 2 and 4 bytes go by slices, each of
// which is counted before it is split: 12 bytes a pass of a 32-bit key. Others go by tiles with look-back,
// and are read once. Fewer passes where keys agree in a digit. The same work whatever else the keys are;
// stable, and for some bits of a key alone.
#pragma once

#include <algorithm>

#include "peneira/gpu/scatter/lookback_passes.cuh"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/key_order.hpp"
#include "peneira/sort/gpu/lsd_rows.cuh"
#include "peneira/sort/gpu/lsd_slices.cuh"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::sort_strategies {

struct lsd {
  static constexpr std::string_view name = "lsd";
  static constexpr std::string_view former_name = "passes";
  static constexpr std::string_view about = "digit by digit from the lowest up, a stable multisplit each";

  /// The kernel.
  enum class kernel { rows, slices, tiles };
  friend constexpr std::string_view name_of(kernel by) {
    return by == kernel::rows ? "rows" : by == kernel::slices ? "slices" : "tiles";
  }

  struct parameters {
    sort_problem problem;
    kernel by{};
    std::size_t passes = 0;
    std::size_t tile = 0;
    std::optional<bool> large;
    std::optional<std::size_t> tiles_at_once;
    std::optional<std::uint32_t> counter_sets;
    step sort;

    static constexpr std::tuple fields{
        detail::field{&parameters::passes, "passes", "times that all items are moved, at most"},
        detail::field{&parameters::by, "passes by",
                      "rows: a tile a block; slices: each counted before it is split; tiles: with look-back"},
        detail::field{&parameters::tile, "tile of passes", "items that a block orders at a time"},
        detail::field{&parameters::large, "passes in large tiles", "or in small ones, for few items"},
        detail::field{&parameters::tiles_at_once, "tiles of passes", "whose counts there is room for"},
        detail::field{&parameters::counter_sets, "counter sets of passes", "of a bin, against contention"},
        detail::members{&parameters::sort},
    };
  };

  static std::string refuses(const sort_problem& problem, const device& machine) {
    const std::size_t least =
        by_tiles(problem.key_bytes, problem.value_bytes)
            ? detail::pass_tile::of(problem.key_bytes, problem.value_bytes, false).shared()
            : slice_tile_of(problem).shared(1U << tuning::level_bits, 2) + detail::tile_static_bytes;
    return detail::refuse_shared(least, machine);
  }

  /// Small tiles make more blocks busy where items are few, but take more memory.
  static parameters decide(const sort_problem& problem, const device& machine, bool small = true) {
    parameters p;
    p.problem = problem;
    p.passes = digits_of(problem.bits());
    if (goes_by_rows(problem, machine)) {
      decide_rows(p, machine);
    } else if (by_tiles(problem.key_bytes, problem.value_bytes)) {
      decide_tiles(p, machine, small);
    } else {
      decide_slices(p, machine);
    }
    return p;
  }

  struct arrays {
    unsigned long long* header;   ///< header_words and total_words; zero before
    std::uint32_t* counts;        ///< count_words
    detail::item_arrays between;  ///< where items are between two passes
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.header = memory.template take<unsigned long long>(header_words + total_words(p));
    a.counts = memory.template take<std::uint32_t>(count_words(p));
    if (p.passes > 1 || p.problem.in_place) a.between = detail::item_arrays::take(memory, p.problem, p.problem.items);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    const detail::temporary<lsd> a(on, p);
    run_with(on, p, a, in, out, by, part);
  }
  /// The same in arrays that a caller laid out among its own.
  template <class K, class V, class U = detail::bits_of<K>>
  static void run_with(const gpu& on, const parameters& p, const arrays& a, view<const K, const V> in, view<K, V> out,
                       const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (in.size == 0) return;
    const std::size_t bytes = (header_words + total_words(p)) * sizeof(*a.header);
    detail::check(cudaMemsetAsync(a.header, 0, bytes, on.stream), "cudaMemsetAsync");
    launch(on, detail::start::after_all, p, detail::sort_arrays<U, V>::of(in, a.between, out), by, part,
           {a.header, a.header + header_words, a.counts, reinterpret_cast<std::uint32_t*>(a.header + 1), nullptr});
  }

  /// What is launched with.
  struct parts {
    unsigned long long* first;    ///< a word; zero before
    unsigned long long* totals;   ///< total_words; zero before
    std::uint32_t* counts;        ///< count_words
    std::uint32_t* arrived;       ///< for the barrier; zero before
    const std::uint32_t* chosen;  ///< 1: to sort at all; nullptr: likewise
  };
  /// Launches the passes over arrays, of which `between` is not needed where there is but one pass, not in place.
  template <class U, class V>
  static void launch(const gpu& on, detail::start when, const parameters& p, const detail::sort_arrays<U, V>& arrays,
                     const detail::key_order<U>& by, const detail::bit_range<U>& part, const parts& with) {
    constexpr std::size_t value_bytes = view<U, V>::has_values ? sizeof(V) : 0;
    if (p.by == kernel::rows) {
      using shape = detail::row_shape<sizeof(U), value_bytes>;
      const detail::row_passes pass{reinterpret_cast<std::uint16_t*>(with.counts), with.first, with.arrived,
                                    with.chosen, static_cast<std::uint32_t>(p.tile / shape::threads)};
      detail::launch(on, when, p.sort, detail::sort_by_rows<shape, U, V>, arrays, by, part, pass);
    } else if constexpr (by_tiles(sizeof(U), value_bytes)) {
      if (*p.large) {
        launch_tiles<true>(on, when, p, arrays, by, part, with);
      } else {
        launch_tiles<false>(on, when, p, arrays, by, part, with);
      }
    } else {
      const detail::sort_passes pass{with.counts, with.first, with.arrived, with.chosen, *p.counter_sets};
      using shape = detail::tile_shape<sizeof(U), value_bytes, tuning::sort_pass_tile_bytes>;
      static_assert(shape::items <= tuning::row_items(sizeof(U), value_bytes).most, "few items are left to rows");
      using small = detail::tile_shape<sizeof(U), value_bytes, tuning::small_tile_bytes>;
      detail::launch(on, when, p.sort, detail::sort_by_passes<shape, small, U, V>, arrays, by, part, pass);
    }
  }
#endif

  /// Words of 64 bits in which tiles with look-back count all digits.
  static std::size_t total_words(const parameters& p) {
    return p.by == kernel::tiles ? detail::pass_plan::total_words(p.passes, p.problem.items) : 0;
  }
  /// Words of the counts that blocks, or tiles, publish.
  static std::size_t count_words(const parameters& p) {
    if (p.by == kernel::rows) return p.sort.grid * detail::pass_bins / 2;
    return (p.by == kernel::tiles ? *p.tiles_at_once : p.sort.grid) * detail::pass_bins;
  }
  /// Whether items are so few that each block has one tile.
  static bool goes_by_rows(const sort_problem& problem, const device& machine) {
    return row_tile_of(problem, machine).size != 0;
  }
  /// Whether tiles look back, rather than slices being counted: 16 Mi u64 keys, each the AND of five uniform ones, 966
  /// and 1,143, pairs of u32 557 and 680, of u64 1,701 and 1,962; u32 keys 411 and 401, 256 Mi of them 5,613 and 4,752.
  /// Keys of 2 bytes not measured.
  static constexpr bool by_tiles(std::size_t key_bytes, std::size_t value_bytes) {
    return value_bytes != 0 || (key_bytes != 2 && key_bytes != 4);
  }

 private:
  static constexpr std::size_t header_words = 2;  ///< one for the kernel, the barrier

  static void decide_rows(parameters& p, const device& machine) {
    const detail::row_tile tile = row_tile_of(p.problem, machine);
    const std::size_t blocks = std::max<std::size_t>((p.problem.items + tile.size - 1) / tile.size, 1);
    p.by = kernel::rows;
    p.tile = tile.size;
    p.sort = {"sort_by_rows", blocks, tuning::row_threads, tile.shared(), 1, true};
  }
  static void decide_tiles(parameters& p, const device& machine, bool small_tiles) {
    const sort_problem& of = p.problem;
    const auto plan = detail::pass_plan::of(of.items, of.key_bytes, of.value_bytes, machine, small_tiles);
    p.by = kernel::tiles;
    p.tile = plan.tile.size;
    p.large = plan.large;
    p.tiles_at_once = plan.tiles_at_once;
    p.sort = {"sort_by_tiles", plan.blocks, tuning::pass_threads, plan.tile.shared(), 1, true};
  }
  /// For more items than rows take: every processor has a slice of more than a tile.
  static void decide_slices(parameters& p, const device& machine) {
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes;
    const std::uint32_t bins = 1U << std::min(p.problem.bits(), tuning::level_bits);
    const detail::planned_tile tile = slice_tile_of(p.problem);
    const std::size_t blocks = std::clamp<std::size_t>((p.problem.items + tile.size - 1) / tile.size, 1,
                                                       static_cast<std::size_t>(machine.sms));
    p.by = kernel::slices;
    p.tile = tile.size;
    p.counter_sets = tile.counter_sets(bins, true, room);
    p.sort = {"sort_by_passes", blocks, tuning::tile_threads, tile.shared(bins, *p.counter_sets), 1, true};
  }

#if defined(__CUDACC__)
  template <bool Large, class U, class V>
  static void launch_tiles(const gpu& on, detail::start when, const parameters& p,
                           const detail::sort_arrays<U, V>& arrays, const detail::key_order<U>& by,
                           const detail::bit_range<U>& part, const parts& with) {
    constexpr std::size_t value_bytes = view<U, V>::has_values ? sizeof(V) : 0;
    using shape = detail::pass_shape<sizeof(U), value_bytes, Large>;
    using digits = detail::key_digits<U>;
    static_assert(sizeof(detail::pass_memory<shape, U, V, digits::most>) <=
                  detail::pass_tile::of(sizeof(U), value_bytes, Large).shared());
    const detail::tile_passes pass{{with.totals, detail::pass_plan::is_wide(arrays.in.size)},
                                   with.counts,
                                   static_cast<std::uint32_t>(*p.tiles_at_once),
                                   reinterpret_cast<std::uint32_t*>(with.first),
                                   with.arrived,
                                   with.chosen};
    detail::launch(on, when, p.sort, detail::sort_by_tiles<shape, U, V, digits>, arrays, digits{by, part}, pass);
  }
#endif

  static std::size_t digits_of(unsigned bits) {
    return (bits + tuning::level_bits - 1) / tuning::level_bits;
  }
  /// The tile of a block where each has but one; of size 0 where that is too little.
  static detail::row_tile row_tile_of(const sort_problem& problem, const device& machine) {
    const auto tile = detail::row_tile::of(problem.key_bytes, problem.value_bytes, problem.items,
                                           static_cast<std::size_t>(machine.sms));
    if (tile.shared() > machine.shared_per_block) return {problem.key_bytes, problem.value_bytes, 0};
    return tile;
  }
  static detail::planned_tile slice_tile_of(const sort_problem& problem) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes, tuning::sort_pass_tile_bytes);
  }
};

}  // namespace peneira::sort_strategies
