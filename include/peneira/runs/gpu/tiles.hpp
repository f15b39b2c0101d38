// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tiles: every block ranks the heads of runs in a tile, and learns from the tiles before it where to write them; one
// pass.
//
//   tile t: items --heads, ranks--> runs that begin here, the last head --exchange--> those before --> values, lengths
//
// Reads each item once and writes each run once. A run's length is known to whoever finds the head of the next one.
#pragma once

#include "peneira/gpu/exchange/tile_prefixes.cuh"
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
  static constexpr std::string_view about = "a tile a block, which learns from those before it; one pass";

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
        detail::field{&parameters::tile, "tile", "items that a block looks for runs in"},
        detail::members{&parameters::prefixes, &parameters::find},
    };
  };

  static parameters decide(const runs_problem& problem, const device& /*machine*/) {
    parameters p;
    p.problem = problem;
    p.tile = detail::runs_tile_items(problem.key_bytes);
    const std::size_t count = tiles_of(problem);
    p.prefixes = detail::prefix_plan::of(count, state_bytes(problem));
    p.find = {"find_runs", count, tuning::runs_threads, shared_bytes(problem)};
    return p;
  }

  struct arrays {
    detail::prefix_words prefixes;  ///< none of a single tile
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
    const auto find = [&](auto kernel) {
      detail::launch(on, p.prefixes.early(), p.find, kernel, items, p.problem.items, out, memory.prefixes,
                     p.prefixes.tiles);
    };
    if (lengths == nullptr) return find(detail::find_runs<false, K, Length, Count>);
    find(detail::find_runs<true, K, Length, Count>);
  }
#endif

 private:
  static constexpr std::size_t static_bytes = 1024;  ///< that the kernel declares itself, at most

  /// No items make a tile, too, which writes that there are no runs.
  static std::size_t tiles_of(const runs_problem& problem) {
    return problem.items == 0 ? 1 : (problem.items - 1) / detail::runs_tile_items(problem.key_bytes) + 1;
  }
  static std::size_t state_bytes(const runs_problem& problem) {
    return problem.length_bytes == 0 ? 8 : 16;
  }
  static std::size_t shared_bytes(const runs_problem& problem) {
    const std::size_t tile = detail::runs_tile_items(problem.key_bytes);
    return tile * problem.key_bytes + (problem.length_bytes == 0 ? 16 : tile * sizeof(std::uint16_t));
  }
};

}  // namespace peneira::runs_strategies
