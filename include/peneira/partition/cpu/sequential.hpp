// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, no memory but buffers on its stack. Wins where starting a team would cost more than the work.
#pragma once

#include <array>

#include "peneira/partition/cpu/direct.hpp"
#include "peneira/partition/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::partition_strategies {

struct sequential : detail::takes_all<partition_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about =
      "one thread, straight to their places, by vectors or by buffers; no temporary memory";

  struct parameters {
    order within = order::stable;
    step move{"move"};

    static constexpr std::tuple fields{detail::members{&parameters::move}};
  };

  static parameters decide(const partition_problem& problem, const host& /*machine*/) {
    return {.within = problem.within_part};
  }

  template <std::size_t Ways, class K, class V, class F, class Count>
  static void run(const cpu& /*on*/, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Count* counts) {
#if defined(PENEIRA_AVX512)
    if constexpr (detail::moves_vectors<K, V>) {
      if (detail::has_avx512()) return run_vectors<Ways>(in, out, f, counts);
    }
#endif
    constexpr bool with_values = view<K, V>::has_values;
    const bool few = in.size <= tuning::cpu_direct_parts;
    if constexpr (Ways == 2) {
      if (with_values || few) {
        const std::size_t first = detail::place_two_parts(in, out, f, p.within);
        counts[0] = static_cast<Count>(first);
        counts[1] = static_cast<Count>(in.size - first);
        return;
      }
    }
    const std::array<std::uint64_t, Ways> sizes = detail::count_parts<Ways>(f, in.keys, 0, in.size);
    for (std::size_t w = 0; w < Ways; ++w) counts[w] = static_cast<Count>(sizes[w]);
    if constexpr (Ways == 3) {
      const std::size_t bytes = in.size * (sizeof(K) + (with_values ? sizeof(V) : 0));
      if (few || (with_values && bytes <= tuning::cpu_direct_bytes)) {
        return detail::place_three_parts(in, out, f, sizes);
      }
    }
    split(in, out, f, sizes);
  }

 private:
  /// The parts of sizes that were counted.
  template <std::size_t Ways, class K, class V, class F>
  static void split(view<const K, const V> in, view<K, V> out, const F& f,
                    const std::array<std::uint64_t, Ways>& sizes) {
    std::array<std::uint64_t, Ways> at{};
    std::array<std::uint64_t, Ways> end{};
    for (std::size_t w = 0; w < Ways; ++w) {
      at[w] = w == 0 ? 0 : end[w - 1];
      end[w] = at[w] + sizes[w];
    }
    detail::split_parts<Ways>(in, f, 0, out, at, end);
  }

#if defined(PENEIRA_AVX512)
  template <std::size_t Ways, class K, class V, class F, class Count>
  static void run_vectors(view<const K, const V> in, view<K, V> out, const F& f, Count* counts) {
    std::array<std::uint64_t, Ways> sizes{};
    if (in.size > detail::few_parts) {
      sizes = detail::count_parts<Ways>(f, in.keys, 0, in.size);
      split(in, out, f, sizes);
    } else if (in.size != 0) {
      sizes = detail::place_vector<Ways>(in, f, out);
    }
    for (std::size_t w = 0; w < Ways; ++w) counts[w] = static_cast<Count>(sizes[w]);
  }
#endif
};

}  // namespace peneira::partition_strategies
