// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// passes: digit by digit from the lowest up, each a stable multisplit of all items.
//
//   in --count_columns, scan_columns, scatter_tiles by the lowest digit--> between --by the next--> ... --> out
//
// Four passes for a 32-bit key, 12 bytes each. The same work whatever the keys; stable, and for some bits of a key
// alone.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "peneira/device/columns.cuh"
#include "peneira/multisplit/tile_shape.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/key_order.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/device/runtime.cuh"
#include "peneira/device/scatter.cuh"
#endif

namespace peneira::sort_strategies {

/// A digit of the bits of a key that count.
template <class U>
struct digit_of_part {
  static constexpr bool safe = true;
  detail::key_order<U> by;
  detail::bit_range<U> part;
  unsigned shift;
  std::uint32_t mask;

  PENEIRA_HD std::uint32_t operator()(const U& raw) const {
    return static_cast<std::uint32_t>(part(by(raw)) >> shift) & mask;
  }
};

struct passes {
  static constexpr std::string_view name = "passes";
  static constexpr std::string_view about = "digit by digit from the lowest up, a stable multisplit each";

  static std::string refuses(const sort_problem& problem, const device& machine) {
    const std::size_t least = tile_of(problem, false).shared(1U << tuning::level_bits, 2) + detail::tile_static_bytes;
    if (least > machine.shared_per_block) return "needs " + std::to_string(least) + " bytes of shared memory a block";
    return "";
  }

  static plan make_plan(const sort_problem& problem, const device& machine) {
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes;
    unsigned count = (problem.bits() + tuning::level_bits - 1) / tuning::level_bits;
    if (problem.in_place && count % 2 == 1) ++count;  // the first pass must not write where it reads
    const unsigned digit_bits = (problem.bits() + count - 1) / count;
    const std::uint32_t bins = 1U << digit_bits;
    const detail::planned_tile large_tile = tile_of(problem, true);
    const bool large =
        problem.items >= static_cast<std::size_t>(machine.sms) * large_tile.size && large_tile.shared(bins, 2) <= room;
    const detail::planned_tile tile = large ? large_tile : tile_of(problem, false);
    const std::size_t resident = static_cast<std::size_t>(machine.sms) * (large ? 1 : 2);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, resident);
    const std::uint32_t chains = tile.chains(bins, true, room);

    plan p;
    p.set("passes", count);
    p.set("digit bits", digit_bits);
    p.set("tile", tile.size);
    p.set("large", large ? 1 : 0);
    p.set("chains", chains);
    p.steps.push_back({"count_columns", blocks, tuning::count_threads, bins * sizeof(std::uint32_t)});
    p.steps.push_back({"scan_columns", (bins + 7) / 8, 256});
    p.steps.push_back({"scatter_tiles", blocks, tuning::tile_threads, tile.shared(bins, chains)});
    p.reserve<std::uint64_t>(bins * blocks);
    p.reserve<std::uint64_t>(bins);
    p.reserve<std::uint64_t>(std::size_t{bins} + 1);
    if (count > 1) {
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
    constexpr bool with_values = view<K, V>::has_values;
    constexpr std::size_t value_bytes = with_values ? sizeof(V) : 0;
    const step& count = made.at("count_columns");
    const step& scan = made.at("scan_columns");
    const step& scatter = made.at("scatter_tiles");
    const auto all = static_cast<unsigned>(made.get("passes"));
    const auto digit_bits = static_cast<unsigned>(made.get("digit bits"));
    const std::uint32_t bins = 1U << digit_bits;

    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const columns = memory.take<std::uint64_t>(bins * scatter.grid);
    auto* const totals = memory.take<std::uint64_t>(bins);
    auto* const starts = memory.take<std::uint64_t>(std::size_t{bins} + 1);
    const view<U, V> last{reinterpret_cast<U*>(out.keys), out.values, in.size};
    view<U, V> between{nullptr, nullptr, in.size};
    if (all > 1) between.keys = memory.take<U>(in.size);
    if constexpr (with_values) {
      if (all > 1) between.values = memory.take<V>(in.size);
    }

    const detail::scatter_pass pass{bins,  static_cast<std::uint32_t>(made.get("chains")), nullptr, columns, totals,
                                    starts};
    view<const U, const V> from{reinterpret_cast<const U*>(in.keys), in.values, in.size};
    for (unsigned k = 0; k < all; ++k) {
      const view<U, V> to = (all - k) % 2 == 1 ? last : between;
      const digit_of_part<U> digit{by, part, k * digit_bits, bins - 1};
      detail::launch(on, k == 0 ? detail::start::after_all : detail::start::early, count,
                     detail::count_columns<U, digit_of_part<U>>, from.keys, in.size, nullptr, digit, bins, columns);
      detail::launch(on, detail::start::early, scan, detail::scan_columns, columns, bins, scatter.grid, totals);
      const auto split = [&]<class Shape>() {
        detail::launch(on, detail::start::early, scatter,
                       detail::scatter_tiles<true, Shape, U, V, digit_of_part<U>, std::uint64_t>, from, to, digit, pass,
                       nullptr);
      };
      if (made.get("large") != 0) {
        split.template operator()<detail::tile_shape<sizeof(U), value_bytes, tuning::sort_stable_tile_bytes>>();
      } else {
        split.template operator()<detail::tile_shape<sizeof(U), value_bytes, tuning::small_tile_bytes>>();
      }
      from = to;
    }
  }
#endif

 private:
  static detail::planned_tile tile_of(const sort_problem& problem, bool large) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes,
                                    large ? tuning::sort_stable_tile_bytes : tuning::small_tile_bytes);
  }
};

}  // namespace peneira::sort_strategies
