// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// two_way: two bins in the order of the input, each warp for itself. Reads each item twice and writes it once, as tiles
// does, but for two bins a ballot ranks 32 items, and no warp waits for another.
#pragma once

#include <algorithm>

#include "peneira/bins.hpp"
#include "peneira/gpu/even_ranges.hpp"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/multisplit/gpu/two_way.cuh"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::multisplit_strategies {

struct two_way {
  static constexpr std::string_view name = "two_way";
  static constexpr std::string_view former_name = "halves";
  static constexpr std::string_view about = "two bins: a ballot ranks 32 items, and no warp waits for another";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    if (problem.bins != 2) return "splits into two bins";
    return detail::refuse_shared(shared_bytes(problem) + static_bytes, machine);
  }

  struct parameters {
    std::size_t tile = 0;
    step count;
    step scatter;

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile", "items that a warp puts in order at a time"},
        detail::members{&parameters::count, &parameters::scatter},
    };
  };

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    parameters p;
    p.tile = tile_of(problem);
    const std::size_t tiles = (problem.items + p.tile - 1) / p.tile;
    const std::size_t blocks =
        std::clamp<std::size_t>(tiles / detail::two_way_warps, 1, static_cast<std::size_t>(machine.sms));
    p.count = {"count_two_way", blocks, tuning::two_way_threads};
    p.scatter = {"scatter_two_way", blocks, tuning::two_way_threads, shared_bytes(problem)};
    return p;
  }

  struct arrays {
    detail::two_way_counts* of_warps;
    detail::two_way_counts* of_blocks;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.of_warps = memory.template take<detail::two_way_counts>(p.count.grid * detail::two_way_warps);
    a.of_blocks = memory.template take<detail::two_way_counts>(p.count.grid);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    const detail::temporary<two_way> a(on, p);
    detail::with_fast_form(f, [&]<class Fast>(const Fast& fast) {
      using bin = detail::whole_bin<Fast>;
      detail::launch(on, p.count, detail::count_two_way<K, bin>, in.keys, in.size, static_cast<unsigned>(p.tile),
                     bin{fast}, a.of_warps, a.of_blocks);
      detail::launch(on, detail::start::early, p.scatter, detail::scatter_two_way<K, V, bin>, in, out, bin{fast},
                     a.of_warps, a.of_blocks, detail::two_way_offsets{offsets, sizeof(Offset) == 8});
    });
    if (checked) detail::report_dropped(on, offsets + 2, in.size, 2);
  }
#endif

 private:
  static constexpr std::size_t static_bytes = detail::two_way_warps * sizeof(detail::two_way_counts);

  static std::size_t tile_of(const multisplit_problem& problem) {
    return std::size_t{detail::two_way_rows(problem.key_bytes, problem.value_bytes)} * 32;
  }
  static std::size_t shared_bytes(const multisplit_problem& problem) {
    return detail::two_way_warps * tile_of(problem) * problem.item_bytes();
  }
};

}  // namespace peneira::multisplit_strategies
