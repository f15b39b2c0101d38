// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, a stable sort of the standard library by the ordered keys. The yardstick of all others.
#pragma once

#include <algorithm>

#include "peneira/host.hpp"
#include "peneira/key_order.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira::sort_strategies {

struct sequential : detail::takes_all<sort_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, the standard library's stable sort";

  struct parameters {
    sort_problem problem;
    step sort{"sort"};

    static constexpr std::tuple fields{detail::members{&parameters::sort}};
  };

  static parameters decide(const sort_problem& problem, const host& /*machine*/) { return {problem}; }

  struct arrays {
    void* items;  ///< pairs side by side, as the standard library can sort them; aligned at most to 16
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    if (p.problem.value_bytes == 0) return {};
    const std::size_t item = std::max<std::size_t>(p.problem.key_bytes + 8, 2 * p.problem.value_bytes + 16);
    return arrays{memory.take_bytes(p.problem.items * 2 * item)};
  }

  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const cpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    const auto rank = [&](const K& key) { return part(by(detail::raw_bits(key))); };
    if constexpr (view<K, V>::has_values) {
      struct item {
        K key;
        V value;
      };
      const detail::temporary<sequential> memory(on, p);
      auto* const items = static_cast<item*>(memory.items);
      for (std::size_t i = 0; i < in.size; ++i) items[i] = {in.keys[i], in.values[i]};
      std::stable_sort(items, items + in.size, [&](const item& a, const item& b) { return rank(a.key) < rank(b.key); });
      for (std::size_t i = 0; i < in.size; ++i) {
        out.keys[i] = items[i].key;
        out.values[i] = items[i].value;
      }
    } else {
      if (in.keys != out.keys) std::copy(in.keys, in.keys + in.size, out.keys);
      std::stable_sort(out.keys, out.keys + in.size, [&](const K& a, const K& b) { return rank(a) < rank(b); });
    }
  }
};

}  // namespace peneira::sort_strategies
