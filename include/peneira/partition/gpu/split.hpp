// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// split: a multisplit into two bins or three, by ballots or by tiles, whose offsets become the counts.
//
// Reads each item twice and writes it once: 12 bytes for a 32-bit key. Where the second part begins is known only when
// all items were counted, so that no partition that keeps the order does with less.
#pragma once

#include <algorithm>

#include "peneira/memory.hpp"
#include "peneira/multisplit/gpu/tiles.hpp"
#include "peneira/multisplit/gpu/two_way.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/partition/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu.hpp"
#include "peneira/view.hpp"

namespace peneira::partition_strategies {

#if defined(__CUDACC__)

/// How many items there are between offsets.
template <class Count>
__global__ void count_parts(const std::uint64_t* offsets, Count* counts) {
  detail::wait_for_kernels_before();
  counts[threadIdx.x] = static_cast<Count>(offsets[threadIdx.x + 1] - offsets[threadIdx.x]);
}

#endif

struct split {
  static constexpr std::string_view name = "split";
  static constexpr std::string_view about = "a multisplit into as many bins as parts, in their order";

  static std::string refuses(const partition_problem& problem, const device& machine) {
    return tiles::refuses(split_of(problem), machine);
  }

  /// Either of the first two.
  struct parameters {
    std::optional<multisplit_strategies::two_way::parameters> by_ballots;
    std::optional<multisplit_strategies::tiles::parameters> by_tiles;
    step count;

    static constexpr std::tuple fields{
        detail::members{&parameters::by_ballots, &parameters::by_tiles, &parameters::count}};
  };

  static parameters decide(const partition_problem& problem, const device& machine) {
    const multisplit_problem of = split_of(problem);
    parameters p;
    p.count = {"count_parts", 1, problem.ways};
    if (problem.key_bytes >= tuning::two_way_key_bytes && of.item_bytes() <= tuning::two_way_item_bytes &&
        problem.items >= tuning::two_way_items(problem.value_bytes != 0) && ballots::refuses(of, machine).empty()) {
      p.by_ballots = ballots::decide(of, machine);
    } else {
      p.by_tiles = tiles::decide(of, machine);
    }
    return p;
  }

  struct arrays {
    std::uint64_t* offsets;
    void* of_split;    ///< its temporary memory
    std::size_t size;  ///< of that
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.offsets = memory.template take<std::uint64_t>(p.count.block + 1);
    a.size = p.by_ballots.has_value() ? detail::temporary_bytes<ballots>(*p.by_ballots)
                                      : detail::temporary_bytes<tiles>(*p.by_tiles);
    a.of_split = memory.take_bytes(a.size);
    return a;
  }

#if defined(__CUDACC__)
  template <std::uint32_t Ways, class K, class V, class F, class Count>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Count* counts) {
    const detail::temporary<split> memory(on, p);
    arena of_split(memory.of_split, memory.size);
    const gpu inner{on.stream, &of_split};
    if (p.by_tiles.has_value()) {
      tiles::run<K, V>(inner, *p.by_tiles, in, out, f, memory.offsets, false);
    } else if constexpr (Ways == 2) {
      ballots::run<K, V>(inner, *p.by_ballots, in, out, f, memory.offsets, false);
    }
    detail::launch(on, detail::start::early, p.count, count_parts<Count>, memory.offsets, counts);
  }
#endif

 private:
  using ballots = multisplit_strategies::two_way;
  using tiles = multisplit_strategies::tiles;

  static multisplit_problem split_of(const partition_problem& problem) {
    return {.items = problem.items,
            .bins = problem.ways,
            .key_bytes = problem.key_bytes,
            .value_bytes = problem.value_bytes,
            .offset_bytes = 8,
            .within_bin = problem.within_part};
  }
};

}  // namespace peneira::partition_strategies
