// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tiles: every block ranks the heads of runs in its tiles, and learns from the tiles before where to write them; one
// pass.
//
//   tile t: items --heads, ranks--> runs that begin here, the last head --exchange--> those before --> values, lengths
//
// Reads each item once and writes each run once. A run's length is known to whoever finds the head of the next one. Few
// tiles are the blocks of one cluster, which tell each other through shared memory: one launch.
#pragma once

#include "peneira/gpu/exchange/tile_pipeline.cuh"
#include "peneira/runs/gpu/tile_shape.hpp"
#include "peneira/runs/problem.hpp"
#include "peneira/strategy.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/runs/gpu/tile_runs.cuh"
#endif

namespace peneira::runs_strategies {

struct tiles {
  static constexpr std::string_view name = "tiles";
  static constexpr std::string_view about = "tiles, each of which learns from those before it; one pass";

  static std::string refuses(const runs_problem& problem, const device& machine) {
    if (tiles_of(problem) > 0x7FFFFFFFU) return "has no more tiles than 2^31 - 1";
    return detail::refuse_shared(shared_bytes(problem) + static_bytes, machine);
  }

  struct parameters {
    runs_problem problem;
    std::size_t tile = 0;
    detail::prefix_plan prefixes;
    step find;

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile", "items that a block looks for runs in at a time"},
        detail::members{&parameters::prefixes, &parameters::find},
    };
  };

  static parameters decide(const runs_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.tile = tile_of(problem);
    const std::size_t count = tiles_of(problem);
    const std::size_t shared = shared_bytes(problem);
    if (detail::fits_cluster(count, machine)) {
      const std::uint32_t cluster = detail::cluster_blocks(count);
      p.prefixes.tiles = static_cast<std::uint32_t>(count);
      p.find = {"find_runs_in_cluster", cluster, tuning::runs_threads, shared, cluster};
      return p;
    }
    p.prefixes = detail::prefix_plan::of(count, state_bytes(problem));
    const std::size_t blocks = detail::pipeline_blocks(count, tuning::runs_blocks, shared, machine);
    p.find = {"find_runs", blocks, tuning::runs_threads, shared};
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
  /// Writes the first `room` runs, and to *count how many there are; lengths may be nullptr.
  template <class K, class Length, class Count>
  static void run(const gpu& on, const parameters& p, const K* items, K* values, Length* lengths, Count* count,
                  std::size_t room) {
    const detail::temporary<tiles> memory(on, p);
    detail::clear(on, p.prefixes, memory.prefixes);
    const detail::runs_out<K, Length, Count> out{values, lengths, count, room};
    const auto find = [&](auto state) {
      if (p.find.cluster > 1) {
        return detail::launch(on, p.find, detail::find_runs_in_cluster<decltype(state), K, Length, Count>, items,
                              p.problem.items, out, p.prefixes.tiles);
      }
      detail::launch(on, p.prefixes.early(), p.find, detail::find_runs<decltype(state), K, Length, Count>, items,
                     p.problem.items, out, memory.prefixes, p.prefixes.tiles);
    };
    if (lengths == nullptr) return find(std::uint64_t{});
    if (narrow(p.problem)) return find(detail::runs_so_far<std::uint32_t>{});
    find(detail::runs_so_far<std::uint64_t>{});
  }
#endif

 private:
  static bool with_lengths(const runs_problem& problem) {
    return problem.length_bytes != 0;
  }
  static std::size_t tile_of(const runs_problem& problem) {
    return detail::runs_tile_items(problem.key_bytes);
  }
  static constexpr std::size_t static_bytes = 2048;  ///< that the kernel declares itself, at most

  /// No items make a tile, too, which writes that there are no runs.
  static std::size_t tiles_of(const runs_problem& problem) {
    return problem.items == 0 ? 1 : (problem.items - 1) / tile_of(problem) + 1;
  }
  /// Whether counts and places fit 32 bits.
  static bool narrow(const runs_problem& problem) {
    return problem.items <= 0xFFFFFFFFU;
  }
  static std::size_t state_bytes(const runs_problem& problem) {
    return with_lengths(problem) && !narrow(problem) ? 16 : 8;
  }
  /// Two of detail::tile_heads.
  static std::size_t shared_bytes(const runs_problem& problem) {
    const std::size_t tile = tile_of(problem);
    return 2 * (tile * problem.key_bytes + (with_lengths(problem) ? tile * sizeof(std::uint16_t) : 16));
  }
};

}  // namespace peneira::runs_strategies
