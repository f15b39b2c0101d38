// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// passes: digit by digit from the lowest up, each a stable multisplit of all items; one launch for all of them.
//
//   in --split by the lowest digit--> between --by the next--> ... --> out
//
// Three kernels. Few items go by rows: each block has one tile. More keys alone of 2 and 4 bytes go by slices, each of
// which is counted before it is split: 12 bytes a pass of a 32-bit key. Others go by tiles with look-back,
// and are read once. Fewer passes where keys agree in a digit. The same work whatever else the keys are;
// stable, and for some bits of a key alone.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/key_order.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/gpu/lsd_rows.cuh"
#include "peneira/sort/gpu/lsd_slices.cuh"
#include "peneira/sort/gpu/lsd_tiles.cuh"
#include "peneira/sort/problem.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::sort_strategies {

struct passes {
  static constexpr std::string_view name = "passes";
  static constexpr std::string_view about = "digit by digit from the lowest up, a stable multisplit each";

  static std::string refuses(const sort_problem& problem, const device& machine) {
    const std::size_t least =
        by_tiles(problem.key_bytes, problem.value_bytes)
            ? lookback_tile_of(problem, false).shared()
            : slice_tile_of(problem).shared(1U << tuning::level_bits, 2) + detail::tile_static_bytes;
    if (least > machine.shared_per_block) return "needs " + std::to_string(least) + " bytes of shared memory a block";
    return "";
  }

  /// Small tiles make more blocks busy where items are few, but take more memory.
  static plan make_plan(const sort_problem& problem, const device& machine, bool small = true) {
    const std::size_t count = digits_of(problem.bits());
    plan p;
    p.set("passes", count, "times that all items are moved, at most");
    if (goes_by_rows(problem, machine)) {
      plan_rows(p, problem, machine);
    } else if (by_tiles(problem.key_bytes, problem.value_bytes)) {
      plan_tiles(p, problem, machine, small);
    } else {
      plan_slices(p, problem, machine);
    }
    p.reserve<std::uint64_t>(header_words + total_words(p, problem.bits(), problem.items));
    p.reserve<std::uint32_t>(count_words(p));
    if (count > 1 || problem.in_place) {
      p.temporary_bytes += detail::workspace::round_up(problem.items * problem.key_bytes) +
                           detail::workspace::round_up(problem.items * problem.value_bytes);
    }
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (in.size == 0) return;
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    const std::size_t words = header_words + total_words(made, part.count, in.size);
    auto* const header = memory.take<unsigned long long>(words);
    auto* const numbers = reinterpret_cast<std::uint32_t*>(header + 1);
    auto* const counts = memory.take<std::uint32_t>(count_words(made));
    detail::check(cudaMemsetAsync(header, 0, words * sizeof(*header), on.stream), "cudaMemsetAsync");
    detail::sort_arrays<U, V> arrays{{reinterpret_cast<const U*>(in.keys), in.values, in.size},
                                     {nullptr, nullptr, in.size},
                                     {reinterpret_cast<U*>(out.keys), out.values, in.size}};
    if (made.get("passes") > 1 || in.keys == out.keys) {
      arrays.between.keys = memory.take<U>(in.size);
      if constexpr (view<K, V>::has_values) arrays.between.values = memory.take<V>(in.size);
    }
    launch(on, detail::start::after_all, made, arrays, by, part,
           {header, header + header_words, counts, numbers, nullptr});
  }

  /// What is launched with.
  struct parts {
    unsigned long long* first;    ///< a word; zero before
    unsigned long long* totals;   ///< total_words(the plan, ...); zero before
    std::uint32_t* counts;        ///< count_words(the plan)
    std::uint32_t* arrived;       ///< for the barrier; zero before
    const std::uint32_t* chosen;  ///< whether to sort at all; nullptr: yes
  };
  /// Launches the passes of a plan over arrays, of which `between` is not needed where there is but one pass, not in
  /// place.
  template <class U, class V>
  static void launch(const gpu& on, detail::start when, const plan& made, const detail::sort_arrays<U, V>& arrays,
                     const detail::key_order<U>& by, const detail::bit_range<U>& part, const parts& with) {
    constexpr std::size_t value_bytes = view<U, V>::has_values ? sizeof(V) : 0;
    if (made.has("sort_by_rows")) {
      using shape = detail::row_shape<sizeof(U), value_bytes>;
      const detail::row_passes pass{reinterpret_cast<std::uint16_t*>(with.counts), with.first, with.arrived,
                                    with.chosen,
                                    static_cast<std::uint32_t>(made.get("tile of passes") / shape::threads)};
      detail::launch(on, when, made.at("sort_by_rows"), detail::sort_by_rows<shape, U, V>, arrays, by, part, pass);
      return;
    }
    if constexpr (by_tiles(sizeof(U), value_bytes)) {
      const detail::tile_passes pass{{with.totals, is_wide(arrays.in.size)},
                                     with.counts,
                                     static_cast<std::uint32_t>(made.get("tiles of passes")),
                                     reinterpret_cast<std::uint32_t*>(with.first),
                                     with.arrived,
                                     with.chosen};
      const auto sort_by = [&]<bool Large>() {
        using shape = detail::pass_shape<sizeof(U), value_bytes, Large>;
        static_assert(sizeof(detail::pass_memory<shape, U, V>) <=
                      detail::pass_tile::of(sizeof(U), value_bytes, Large).shared());
        detail::launch(on, when, made.at("sort_by_tiles"), detail::sort_by_tiles<shape, U, V>, arrays, by, part, pass);
      };
      if (made.get("passes in large tiles") != 0) {
        sort_by.template operator()<true>();
      } else {
        sort_by.template operator()<false>();
      }
    } else {
      const detail::sort_passes pass{with.counts, with.first, with.arrived, with.chosen,
                                     static_cast<std::uint32_t>(made.get("chains of passes"))};
      using shape = detail::tile_shape<sizeof(U), value_bytes, tuning::sort_pass_tile_bytes>;
      static_assert(shape::items <= tuning::row_items(sizeof(U), value_bytes).most, "few items are left to rows");
      using small = detail::tile_shape<sizeof(U), value_bytes, tuning::small_tile_bytes>;
      detail::launch(on, when, made.at("sort_by_passes"), detail::sort_by_passes<shape, small, U, V>, arrays, by, part,
                     pass);
    }
  }
#endif

  /// Words of 64 bits in which the tiles of a plan, if it has any, count all digits of so many bits.
  static std::size_t total_words(const plan& made, unsigned bits, std::size_t items) {
    if (!made.has("sort_by_tiles")) return 0;
    return detail::level_counts::bytes(digits_of(bits) * detail::pass_bins, is_wide(items)) / sizeof(std::uint64_t);
  }
  /// Words of the counts of the passes of a plan, if it has any: of blocks, or of tiles.
  static std::size_t count_words(const plan& made) {
    if (made.has("sort_by_rows")) return made.at("sort_by_rows").grid * detail::pass_bins / 2;
    if (made.has("sort_by_tiles")) return made.get("tiles of passes") * detail::pass_bins;
    return made.has("sort_by_passes") ? made.at("sort_by_passes").grid * detail::pass_bins : 0;
  }
  /// Whether items are so few that each block has one tile.
  static bool goes_by_rows(const sort_problem& problem, const device& machine) {
    return row_tile_of(problem, machine).size != 0;
  }
  /// Whether tiles look back, rather than slices being counted: 16 Mi u64 keys, each the AND of five uniform
  /// ones, 966 and 1,143, pairs of u32 557 and 680, of u64 1,701 and 1,962; u32 keys 411 and 401, 256 Mi of them 5,613
  /// and 4,752. Keys of 2 bytes not measured.
  static constexpr bool by_tiles(std::size_t key_bytes, std::size_t value_bytes) {
    return value_bytes != 0 || (key_bytes != 2 && key_bytes != 4);
  }

 private:
  static constexpr std::size_t header_words = 2;  ///< set to zero before: one for the kernel, the barrier

  static void plan_rows(plan& p, const sort_problem& problem, const device& machine) {
    const detail::row_tile tile = row_tile_of(problem, machine);
    const std::size_t blocks = std::max<std::size_t>((problem.items + tile.size - 1) / tile.size, 1);
    p.set("tile of passes", tile.size, "items that a block orders at a time");
    p.steps.push_back({"sort_by_rows", blocks, tuning::row_threads, tile.shared(), 1, true});
  }
  static void plan_tiles(plan& p, const sort_problem& problem, const device& machine, bool small_tiles) {
    const std::size_t sms = static_cast<std::size_t>(machine.sms);
    const detail::pass_tile large_tile = lookback_tile_of(problem, true);
    const bool enough = !small_tiles || problem.items >= sms * tuning::pass_blocks * large_tile.size;
    const bool large = enough && large_tile.shared() <= machine.shared_per_block;
    const detail::pass_tile tile = lookback_tile_of(problem, large);
    const std::size_t resident =
        std::clamp<std::size_t>(machine.shared_per_sm / (tile.shared() + 1024), 1, tuning::pass_blocks);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, sms * resident);
    p.set("tile of passes", tile.size, "items that a block orders at a time");
    p.set("passes in large tiles", large ? 1 : 0, "1: large tiles; 0: small ones, for few items");
    p.set("tiles of passes", tile.tiles_at_once(problem.items), "whose counts there is room for");
    p.steps.push_back({"sort_by_tiles", blocks, tuning::pass_threads, tile.shared(), 1, true});
  }
  /// For more items than rows take: every processor has a slice of more than a tile.
  static void plan_slices(plan& p, const sort_problem& problem, const device& machine) {
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes;
    const std::uint32_t bins = 1U << std::min(problem.bits(), tuning::level_bits);
    const detail::planned_tile tile = slice_tile_of(problem);
    const std::size_t blocks =
        std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, static_cast<std::size_t>(machine.sms));
    const std::uint32_t chains = tile.chains(bins, true, room);
    p.set("tile of passes", tile.size, "items that a block orders at a time");
    p.set("chains of passes", chains, "parts that a bin's counters are in, so that warps wait less");
    p.steps.push_back({"sort_by_passes", blocks, tuning::tile_threads, tile.shared(bins, chains), 1, true});
  }

  static std::size_t digits_of(unsigned bits) {
    return (bits + tuning::level_bits - 1) / tuning::level_bits;
  }
  static bool is_wide(std::size_t items) {
    return items > 0xFFFFFFFFU;
  }
  /// The tile of a block where each has but one; of size 0 where that is too little.
  static detail::row_tile row_tile_of(const sort_problem& problem, const device& machine) {
    const auto tile = detail::row_tile::of(problem.key_bytes, problem.value_bytes, problem.items,
                                           static_cast<std::size_t>(machine.sms));
    if (tile.shared() > machine.shared_per_block) return {problem.key_bytes, problem.value_bytes, 0};
    return tile;
  }
  static detail::pass_tile lookback_tile_of(const sort_problem& problem, bool large) {
    return detail::pass_tile::of(problem.key_bytes, problem.value_bytes, large);
  }
  static detail::planned_tile slice_tile_of(const sort_problem& problem) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes, tuning::sort_pass_tile_bytes);
  }
};

}  // namespace peneira::sort_strategies
