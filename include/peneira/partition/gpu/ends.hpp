// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// ends: two parts, one pass. Every block puts its tiles in order, and learns from the tiles before how many of their
// items are in the first part, which grows from the beginning of the output while the second grows from its end.
//
//   tile t: items --ranks--> its first part --exchange--> those before --> | part 0 ->         <- part 1 |
//
// Reads each item once and writes it once: 8 bytes for a 32-bit key. The second part of several tiles is in the reverse
// of its order. Where that is to be kept, all items must fit the shared memory of the blocks that run at one time: they
// are staged and counted there, and then both parts have their places. Few tiles are the blocks of one cluster, which
// tell each other through shared memory: one launch.
#pragma once

#include <algorithm>

#include "peneira/gpu/exchange/tile_pipeline.cuh"
#include "peneira/partition/gpu/tile_shape.hpp"
#include "peneira/partition/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/partition/gpu/ends.cuh"
#endif

namespace peneira::partition_strategies {

struct ends {
  static constexpr std::string_view name = "ends";
  static constexpr std::string_view about = "two parts, from both ends of the output; one pass";

  static std::string refuses(const partition_problem& problem, const device& machine) {
    if (problem.ways != 2) return "makes two parts";
    if (tiles_of(problem) > 0x7FFFFFFFU) return "has no more tiles than 2^31 - 1";
    if (in_order(problem) && tiles_of(problem) > 2 * resident(problem, machine)) {
      return "keeps the order of no more items than all blocks together have room for";
    }
    return detail::refuse_shared(shared_bytes(problem) + detail::partition_static_bytes, machine);
  }

  struct parameters {
    std::size_t tile = 0;
    detail::prefix_plan prefixes;
    step partition;

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile", "items that a block puts in order at a time"},
        detail::members{&parameters::prefixes, &parameters::partition},
    };
  };

  static parameters decide(const partition_problem& problem, const device& machine) {
    parameters p;
    p.tile = detail::partition_tile_items(wider_bytes(problem));
    const std::size_t count = tiles_of(problem);
    const std::size_t shared = shared_bytes(problem);
    constexpr std::uint32_t threads = tuning::partition_threads;
    if (detail::fits_cluster(count, machine)) {
      const std::uint32_t cluster = detail::cluster_blocks(count);
      p.prefixes.tiles = static_cast<std::uint32_t>(count);
      p.partition = {"partition_in_cluster", cluster, threads, shared, cluster};
      return p;
    }
    p.prefixes = detail::prefix_plan::of(count, sizeof(std::uint64_t));
    const std::size_t blocks = std::min(count, resident(problem, machine));
    const bool at_once = count > 1 && in_order(problem);
    p.partition = {at_once ? "partition_at_once" : "partition_to_ends", blocks, threads, shared, 1, at_once};
    return p;
  }

  struct arrays {
    detail::prefix_words prefixes;  ///< none of a single tile, and of a cluster
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.prefixes = p.prefixes.take(memory);
    return a;
  }

#if defined(__CUDACC__)
  template <std::uint32_t Ways, class K, class V, class F, class Count>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Count* counts) {
    if constexpr (Ways == 2) {
      const detail::temporary<ends> memory(on, p);
      detail::clear(on, p.prefixes, memory.prefixes);
      if (p.partition.cluster > 1) {
        by_cluster(on, p, in, out, f, counts);
      } else {
        by_blocks(on, p, in, out, f, counts, memory.prefixes);
      }
    }
  }
#endif

 private:
#if defined(__CUDACC__)
  template <class K, class V, class F, class Count>
  static void by_cluster(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                         Count* counts) {
    detail::launch(on, p.partition, detail::partition_in_cluster<K, V, F, Count>, in, out, f, counts, p.prefixes.tiles);
  }
  template <class K, class V, class F, class Count>
  static void by_blocks(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                        Count* counts, const detail::prefix_words& words) {
    const auto kernel =
        p.partition.at_once ? detail::partition_at_once<K, V, F, Count> : detail::partition_to_ends<K, V, F, Count>;
    detail::launch(on, p.prefixes.early(), p.partition, kernel, in, out, f, counts, words, p.prefixes.tiles);
  }
#endif

  static bool in_order(const partition_problem& problem) {
    return problem.within_part == order::stable;
  }
  /// Blocks that run at the same time.
  static std::size_t resident(const partition_problem& problem, const device& machine) {
    return detail::pipeline_blocks(~std::size_t{0}, tuning::partition_blocks,
                                   shared_bytes(problem) + detail::partition_static_bytes, machine);
  }
  static std::size_t wider_bytes(const partition_problem& problem) {
    return std::max(problem.key_bytes, problem.value_bytes);
  }
  /// No items make a tile, too, which writes that both parts are empty.
  static std::size_t tiles_of(const partition_problem& problem) {
    return problem.items == 0 ? 1 : (problem.items - 1) / detail::partition_tile_items(wider_bytes(problem)) + 1;
  }
  /// Two of detail::staged_items.
  static std::size_t shared_bytes(const partition_problem& problem) {
    return 2 * detail::partition_tile_items(wider_bytes(problem)) * (problem.key_bytes + problem.value_bytes);
  }
};

}  // namespace peneira::partition_strategies
