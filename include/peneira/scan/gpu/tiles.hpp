// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tiles: every block scans a tile, and learns from the tiles before it what comes before its own; one pass.
//
//   tile t: items --lanes, rows, warps--> its own value --exchange--> all before it --> results
//
// Reads each item once and writes each result once: 8 bytes for 32-bit numbers. Items are combined in their order, and
// grouped the same way on every run (gpu/exchange/tile_prefixes.cuh). Of segments, a bit an item tells where one
// begins: launches before this one mark them, unless all segments are of one size.
#pragma once

#include <algorithm>

#include "peneira/gpu/exchange/tile_prefixes.cuh"
#include "peneira/scan/gpu/heads.cuh"
#include "peneira/scan/gpu/tile_shape.hpp"
#include "peneira/scan/problem.hpp"
#include "peneira/segments.hpp"
#include "peneira/strategy.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/scan/gpu/tile_scan.cuh"
#endif

namespace peneira::scan_strategies {

struct tiles {
  static constexpr std::string_view name = "tiles";
  static constexpr std::string_view about = "a tile a block, which learns from those before it; one pass";

  static std::string refuses(const scan_problem& problem, const device& /*machine*/) {
    return tiles_of(problem) > 0x7FFFFFFFU ? "has no more tiles than 2^31 - 1" : "";
  }

  struct parameters {
    scan_problem problem;
    std::size_t tile = 0;
    std::optional<step> clear_heads;
    std::optional<step> mark;
    detail::prefix_plan prefixes;
    std::optional<step> scan;

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile", "items that a block scans"},
        detail::members{&parameters::clear_heads, &parameters::mark, &parameters::prefixes, &parameters::scan},
    };
  };

  static parameters decide(const scan_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.tile = tile_of(problem);
    const std::size_t count = tiles_of(problem);
    if (count == 0) return p;
    if (problem.offset_bytes != 0) {
      constexpr std::uint32_t threads = 256;
      const auto blocks = [&](std::size_t work) {
        return std::clamp<std::size_t>((work + threads - 1) / threads, 1, 8 * static_cast<std::size_t>(machine.sms));
      };
      p.clear_heads = {"clear_heads", blocks(detail::head_words(problem.items)), threads};
      p.mark = {"mark_heads", blocks(problem.segments + 1), threads};
    }
    p.prefixes = detail::prefix_plan::of(count, value_bytes(problem));
    p.scan = {"scan_items_of_tile", count, tuning::scan_threads};
    return p;
  }

  struct arrays {
    std::uint32_t* heads;           ///< a bit an item
    detail::prefix_words prefixes;  ///< none of a single tile
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.mark.has_value()) a.heads = memory.template take<std::uint32_t>(detail::head_words(p.problem.items));
    a.prefixes = p.prefixes.take(memory);
    return a;
  }

#if defined(__CUDACC__)
  template <class T, class Segments, class Result, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool inclusive) {
    if (!p.scan.has_value()) return;
    const detail::temporary<tiles> memory(on, p);
    const auto scan = [&](const auto& heads, const auto& by) {
      run_by<T>(on, p, memory.prefixes, items, n, heads, results, by, inclusive);
    };
    if constexpr (!Segments::regular) {
      using offset = std::remove_cvref_t<decltype(*segments.offsets)>;
      detail::launch(on, *p.clear_heads, detail::clear_heads<>, memory.heads, detail::head_words(n));
      detail::launch(on, *p.mark, detail::mark_heads<offset>, segments.offsets, count, n, memory.heads);
      scan(detail::marked_heads<offset>{memory.heads, segments.offsets, count}, detail::within_segments<Op>{op});
    } else {
      if (count == 1) return scan(detail::no_heads{}, op);
      scan(detail::even_heads{segments.size}, detail::within_segments<Op>{op});
    }
  }
#endif

 private:
  static bool segmented(const scan_problem& problem) {
    return problem.segments > 1 || problem.offset_bytes != 0;
  }
  static std::size_t tile_of(const scan_problem& problem) {
    return detail::scan_tile_items(problem.wider_bytes(), segmented(problem));
  }
  static std::size_t tiles_of(const scan_problem& problem) {
    return problem.items == 0 || problem.segments == 0 ? 0 : (problem.items - 1) / tile_of(problem) + 1;
  }
  static std::size_t value_bytes(const scan_problem& problem) {
    return segmented(problem) ? detail::begun_bytes(problem.result_bytes) : problem.result_bytes;
  }

#if defined(__CUDACC__)
  template <class T, class Heads, class Result, class By>
  static void run_by(const gpu& on, const parameters& p, const detail::prefix_words& prefixes, const T* items,
                     std::size_t n, const Heads& heads, Result* results, const By& by, bool inclusive) {
    static_assert(!Heads::segmented ||
                  sizeof(typename Heads::template value<Result>) <= detail::begun_bytes(sizeof(Result)));
    detail::clear(on, p.prefixes, prefixes);
    const auto scan = [&](auto kernel) {
      detail::launch(on, p.prefixes.early(), *p.scan, kernel, items, n, heads, results, by, prefixes, p.prefixes.tiles);
    };
    if (inclusive) return scan(detail::scan_items_of_tile<true, Heads, T, Result, By>);
    scan(detail::scan_items_of_tile<false, Heads, T, Result, By>);
  }
#endif
};

}  // namespace peneira::scan_strategies
