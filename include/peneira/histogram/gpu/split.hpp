// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// split: weights are moved together by their bins, in their order, and then added up as segments.
//
//   keys, weights --multisplit, tiles--> weights of bin 0 | of bin 1 | ... --segmented reduce, merged--> sums
//
// For floating-point sums, which have the same bits on every run so: how weights are grouped does not depend on which
// block comes first. Sums are doubles until the end.
#pragma once

#include <type_traits>

#include "peneira/histogram/problem.hpp"
#include "peneira/memory.hpp"
#include "peneira/multisplit/gpu/tiles.hpp"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/gpu/merged.hpp"
#include "peneira/segments.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira::histogram_strategies {

#if defined(__CUDACC__)

template <class Count>
__global__ void round_sums(const double* sums, std::uint32_t bins, Count* counts) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; b < bins; b += stride) {
    counts[b] = static_cast<Count>(sums[b]);
  }
}

#endif

struct split {
  static constexpr std::string_view name = "split";
  static constexpr std::string_view about = "weights are moved to their bins and added up there, in their order";

  static std::string refuses(const histogram_problem& problem, const device& machine) {
    if (!problem.rounds) return "is for sums of floating-point weights";
    const std::string refusal = tiles::refuses(split_of(problem), machine);
    return refusal.empty() ? segments::refuses(sums_of(problem), machine) : refusal;
  }

  struct parameters {
    histogram_problem problem;
    multisplit_strategies::tiles::parameters split;
    segmented_reduce_strategies::merged::parameters add;
    std::optional<step> round;

    static constexpr std::tuple fields{detail::members{&parameters::split, &parameters::add, &parameters::round}};
  };

  static parameters decide(const histogram_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.split = tiles::decide(split_of(problem), machine);
    p.add = segments::decide(sums_of(problem), machine);
    constexpr std::uint32_t threads = 256;
    if (problem.count_bytes != 8)
      p.round = {"round_sums", (std::uint64_t{problem.bins} + threads - 1) / threads, threads};
    return p;
  }

  struct arrays {
    detail::item_arrays moved;
    std::uint64_t* offsets;
    double* sums;      ///< where counts are no doubles
    void* of_steps;    ///< temporary memory of the split, and then of the sums
    std::size_t size;  ///< of that
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    const std::size_t bins = p.problem.bins;
    a.moved.keys = memory.take_bytes(p.problem.items * p.problem.key_bytes);
    a.moved.values = memory.take_bytes(p.problem.items * p.problem.weight_bytes);
    a.offsets = memory.template take<std::uint64_t>(bins + 1);
    if (p.round.has_value()) a.sums = memory.template take<double>(bins);
    a.size = std::max(detail::temporary_bytes<tiles>(p.split), detail::temporary_bytes<segments>(p.add));
    a.of_steps = memory.take_bytes(a.size);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class W, class F, class Count>
  static void run(const gpu& on, const parameters& p, view<const K, const W> in, const F& f, Count* counts) {
    if constexpr (view<K, W>::has_values && std::is_floating_point_v<Count>) {
      const detail::temporary<split> memory(on, p);
      arena of_steps(memory.of_steps, memory.size);
      const gpu inner{on.stream, &of_steps};
      const view<K, W> moved = memory.moved.template as<K, W>(in.size);
      tiles::run<K, W>(inner, p.split, in, moved, f, memory.offsets, false);
      const detail::offset_segments<std::uint64_t> bins{memory.offsets};
      const auto add = [&](double* sums) {
        segments::run<W, double>(inner, p.add, moved.values, in.size, bins, p.problem.bins, sums, plus{}, false);
      };
      if constexpr (std::is_same_v<Count, double>) {
        add(counts);
      } else {
        add(memory.sums);
        detail::launch(on, *p.round, round_sums<Count>, memory.sums, p.problem.bins, counts);
      }
    }
  }
#endif

 private:
  using tiles = multisplit_strategies::tiles;
  using segments = segmented_reduce_strategies::merged;

  static multisplit_problem split_of(const histogram_problem& problem) {
    return {.items = problem.items,
            .bins = problem.bins,
            .key_bytes = problem.key_bytes,
            .value_bytes = problem.weight_bytes,
            .offset_bytes = 8,
            .key_alignment = problem.key_alignment,
            .may_miss = problem.may_miss};
  }
  static segmented_reduce_problem sums_of(const histogram_problem& problem) {
    return {problem.items, problem.bins, problem.weight_bytes, 8, 8, true, order::stable, false};
  }
};

}  // namespace peneira::histogram_strategies
