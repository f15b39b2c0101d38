// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// by_labels: bins that the caller has computed. Labels are split as keys are, with the items as their values.
//
//   labels, keys   --tiles--> labels that nobody reads, out's keys
//   labels, values --tiles--> the same again,           out's values
//
// A pair takes two splits, each of which keeps the order, so that a key and its value get the same place.
#pragma once

#include <algorithm>

#include "peneira/labels.hpp"
#include "peneira/memory.hpp"
#include "peneira/multisplit/gpu/tiles.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira::multisplit_strategies {

struct by_labels {
  static constexpr std::string_view name = "by_labels";
  static constexpr std::string_view about = "labels are split as keys, with the items as their values";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    if (!problem.labelled()) return "is for labels";
    const std::string refusal = tiles::refuses(split_of(problem, problem.key_bytes), machine);
    if (!refusal.empty() || problem.value_bytes == 0) return refusal;
    return tiles::refuses(split_of(problem, problem.value_bytes), machine);
  }

  struct parameters {
    multisplit_problem problem;
    tiles::parameters keys;
    std::optional<tiles::parameters> values;

    static constexpr std::tuple fields{detail::members{&parameters::keys, &parameters::values}};
  };

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    parameters p{problem, tiles::decide(split_of(problem, problem.key_bytes), machine), std::nullopt};
    if (problem.value_bytes != 0) p.values = tiles::decide(split_of(problem, problem.value_bytes), machine);
    return p;
  }

  struct arrays {
    void* moved;       ///< labels, for nobody
    void* of_splits;   ///< temporary memory of the one split, and then of the other
    std::size_t size;  ///< of that
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.moved = memory.take_bytes(p.problem.items * p.problem.label_bytes);
    a.size = detail::temporary_bytes<tiles>(p.keys);
    if (p.values.has_value()) a.size = std::max(a.size, detail::temporary_bytes<tiles>(*p.values));
    a.of_splits = memory.take_bytes(a.size);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    if constexpr (requires { f.labels; }) {
      using label = std::remove_cvref_t<decltype(*f.labels)>;
      const detail::temporary<by_labels> memory(on, p);
      arena of_splits(memory.of_splits, memory.size);
      const gpu inner{on.stream, &of_splits};
      auto* const moved = static_cast<label*>(memory.moved);
      const detail::label_is_bin bins{f.bins()};
      tiles::run<label, K>(inner, p.keys, {f.labels, in.keys, in.size}, {moved, out.keys, in.size}, bins, offsets,
                           checked);
      if constexpr (view<K, V>::has_values) {
        tiles::run<label, V>(inner, *p.values, {f.labels, in.values, in.size}, {moved, out.values, in.size}, bins,
                             offsets, false);
      }
    }
  }
#endif

 private:
  /// The split of a column by the labels.
  static multisplit_problem split_of(const multisplit_problem& problem, std::size_t item_bytes) {
    multisplit_problem split = problem;
    split.key_bytes = problem.label_bytes;
    split.key_alignment = problem.label_bytes;
    split.value_bytes = item_bytes;
    split.label_bytes = 0;
    if (problem.value_bytes != 0) split.within_bin = order::stable;
    return split;
  }
};

}  // namespace peneira::multisplit_strategies
