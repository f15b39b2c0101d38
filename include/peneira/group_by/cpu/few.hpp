// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups of a handful of items, on the stack: each item looks for its key among those before it.
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "peneira/group_keys.hpp"
#include "peneira/key_order.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Groups in ascending order of their keys, of arrays as group_by is given them.
template <class K, class Folding, class Arrays>
class few_groups {
 public:
  using moved = typename Folding::moved;
  static constexpr std::size_t most = tuning::cpu_group_few;

  few_groups(const Arrays& given, const Folding& by) : given_(given), by_(by) {}

  /// Returns how many groups there are.
  std::size_t run() {
    for (std::size_t i = 0; i < given_.items; ++i) add(i);
    given_.check_room(count_);
    sort();
    for (std::size_t g = 0; g < count_; ++g) {
      const std::size_t from = order_[g];
      given_.unique_keys[g] = key_of_bits<K>(bits_[from]);
      by_.write(g, *state(from));
    }
    return count_;
  }

 private:
  using states = typename Folding::state;

  states* state(std::size_t g) { return std::launder(reinterpret_cast<states*>(states_.data()) + g); }
  [[nodiscard]] moved item(std::size_t i) const {
    if constexpr (Folding::by_position) {
      return static_cast<moved>(i);
    } else if constexpr (view<K, moved>::has_values) {
      return given_.values[i];
    } else {
      return moved{};
    }
  }
  void add(std::size_t i) {
    const bits_of<K> bits = group_bits(given_.keys[i]);
    std::size_t g = 0;
    while (g < count_ && bits_[g] != bits) ++g;
    if (g < count_) return by_.add(*state(g), item(i));
    bits_[g] = bits;
    new (reinterpret_cast<states*>(states_.data()) + g) states(by_.first(item(i)));
    ++count_;
  }
  void sort() {
    const auto rank = order_of<K>(false);
    for (std::size_t g = 0; g < count_; ++g) {
      std::size_t at = g;
      for (; at != 0 && rank(bits_[g]) < rank(bits_[order_[at - 1]]); --at) order_[at] = order_[at - 1];
      order_[at] = static_cast<std::uint8_t>(g);
    }
  }

  const Arrays& given_;
  const Folding& by_;
  std::size_t count_ = 0;
  std::array<bits_of<K>, most> bits_;
  std::array<std::uint8_t, most> order_;
  alignas(states) std::array<std::byte, most * sizeof(states)> states_;
};

}  // namespace peneira::detail
