// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// passes: digit by digit from the lowest up, each a stable multisplit of all items; one launch for all of them.
//
//   in --count, split by the lowest digit--> between --by the next--> ... --> out
//
// Four passes for a 32-bit key, 12 bytes each; fewer where keys do not differ in all their bits. The same work whatever
// else the keys are; stable, and for some bits of a key alone.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "peneira/device/sort_passes.cuh"
#include "peneira/multisplit/tile_shape.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/key_order.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::sort_strategies {

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
    const unsigned count = (problem.bits() + tuning::level_bits - 1) / tuning::level_bits;
    const std::uint32_t bins = 1U << std::min(problem.bits(), tuning::level_bits);
    const detail::planned_tile large_tile = tile_of(problem, true);
    const bool large =
        problem.items >= static_cast<std::size_t>(machine.sms) * large_tile.size && large_tile.shared(bins, 2) <= room;
    const detail::planned_tile tile = large ? large_tile : tile_of(problem, false);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, machine.sms);
    const std::uint32_t chains = tile.chains(bins, true, room);

    plan p;
    p.set("passes", count, "times that all items are moved, at most");
    p.set("tile", tile.size, "items that a block orders at a time");
    p.set("large", large ? 1 : 0, "1: large tiles; 0: small ones, for few items");
    p.set("chains", chains, "parts that a bin's counters are in, so that warps wait less");
    p.steps.push_back({"sort_by_passes", blocks, tuning::tile_threads, tile.shared(bins, chains), 1, true});
    p.reserve<std::uint32_t>(blocks * detail::pass_bins);
    p.reserve<std::uint64_t>(header_words);
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
    const step& planned = made.at("sort_by_passes");
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const rows = memory.take<std::uint32_t>(planned.grid * detail::pass_bins);
    auto* const header = memory.take<unsigned long long>(header_words);
    detail::check(cudaMemsetAsync(header, 0, header_words * sizeof(*header), on.stream), "cudaMemsetAsync");
    detail::sort_arrays<U, V> arrays{{reinterpret_cast<const U*>(in.keys), in.values, in.size},
                                     {nullptr, nullptr, in.size},
                                     {reinterpret_cast<U*>(out.keys), out.values, in.size}};
    if (made.get("passes") > 1 || in.keys == out.keys) {
      arrays.between.keys = memory.take<U>(in.size);
      if constexpr (view<K, V>::has_values) arrays.between.values = memory.take<V>(in.size);
    }
    launch(on, detail::start::after_all, planned, made.get("large") != 0, arrays, by, part,
           {rows, header, reinterpret_cast<std::uint32_t*>(header + 1), nullptr,
            static_cast<std::uint32_t>(made.get("chains"))});
  }

  /// Launches the passes over arrays, of which `between` is not needed where there is but one pass, not in place.
  template <class U, class V>
  static void launch(const gpu& on, detail::start when, const step& planned, bool large,
                     const detail::sort_arrays<U, V>& arrays, const detail::key_order<U>& by,
                     const detail::bit_range<U>& part, const detail::sort_passes& pass) {
    constexpr std::size_t value_bytes = view<U, V>::has_values ? sizeof(V) : 0;
    const auto sort_by = [&]<std::size_t Bytes>() {
      using shape = detail::tile_shape<sizeof(U), value_bytes, Bytes>;
      detail::launch(on, when, planned, detail::sort_by_passes<shape, U, V>, arrays, by, part, pass);
    };
    if (large) {
      sort_by.template operator()<tuning::sort_pass_tile_bytes(sizeof(U), value_bytes)>();
    } else {
      sort_by.template operator()<tuning::small_tile_bytes>();
    }
  }
#endif

 private:
  static constexpr std::size_t header_words = 2;  ///< set to zero before: the bits that differ, the barrier

  static detail::planned_tile tile_of(const sort_problem& problem, bool large) {
    return detail::planned_tile::of(
        problem.key_bytes, problem.value_bytes,
        large ? tuning::sort_pass_tile_bytes(problem.key_bytes, problem.value_bytes) : tuning::small_tile_bytes);
  }
};

}  // namespace peneira::sort_strategies
