// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups on the stack, in ascending order of their keys: of a handful of items, each of which looks for its key among
// those before it; and few groups of more items, by a hash table.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <optional>

#include "peneira/group_by/cpu/table.hpp"
#include "peneira/group_keys.hpp"
#include "peneira/key_order.hpp"
#include "peneira/sort/cpu/partitioned.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// What of an item a group gathers.
template <class Folding, class Arrays>
[[gnu::always_inline]] inline typename Folding::moved moved_of(const Arrays& given, std::size_t i) {
  using moved = typename Folding::moved;
  if constexpr (Folding::by_position) {
    return static_cast<moved>(i);
  } else if constexpr (!std::is_same_v<moved, no_value>) {
    return given.values[i];
  } else {
    return moved{};
  }
}

/// Groups in ascending order of their keys, of arrays as group_by is given them.
template <class K, class Folding, class Arrays>
class few_groups {
 public:
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
  void add(std::size_t i) {
    const bits_of<K> bits = group_bits(given_.keys[i]);
    std::size_t g = 0;
    while (g < count_ && bits_[g] != bits) ++g;
    if (g < count_) return by_.add(*state(g), moved_of<Folding>(given_, i));
    bits_[g] = bits;
    new (reinterpret_cast<states*>(states_.data()) + g) states(by_.first(moved_of<Folding>(given_, i)));
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

/// The same of more items, where they have few groups.
template <class K, class Folding, class Arrays>
class small_table {
  using bits = bits_of<K>;
  using table = group_table<bits, Folding>;
  using entry = typename table::entry;
  static constexpr std::size_t slots = std::bit_floor(tuning::cpu_group_table_bytes / sizeof(entry));

 public:
  /// Whether so many slots can do anything.
  static constexpr bool possible = slots >= table::least_slots;

  small_table(const Arrays& given, const Folding& by) : given_(given), by_(by) {}

  /// Returns how many groups there are; nothing where they are not few, as the first items mostly tell.
  std::optional<std::size_t> run() {
    constexpr std::size_t together = 32;
    table groups(entries(all_), slots, 0, by_);
    groups.clear(given_.items / 8);  // so many slots that keys hardly meet, which would be guessed wrong
    const std::size_t most = table::least_slots + given_.items / tuning::cpu_group_table_share;
    for (std::size_t i = 0; i < given_.items;) {
      for (const std::size_t stop = std::min(given_.items, i + together); i < stop; ++i) {
        if (!groups.add(group_bits(given_.keys[i]), moved_of<Folding>(given_, i))) return std::nullopt;
      }
      if (groups.size() > most) return std::nullopt;
    }
    given_.check_room(groups.size());
    groups.write(entries(found_));
    write(groups.size());
    return groups.size();
  }

 private:
  template <std::size_t Count>
  struct room {
    alignas(entry) std::array<std::byte, Count * sizeof(entry)> bytes;
  };
  template <std::size_t Count>
  static entry* entries(room<Count>& of) {
    return std::launder(reinterpret_cast<entry*>(of.bytes.data()));
  }

  void write(std::size_t count) {
    const auto rank = order_of<K>(false);
    std::array<bits, slots + 1> ranks;
    std::array<std::uint16_t, slots + 1> numbers;
    const entry* const found = entries(found_);
    for (std::size_t g = 0; g < count; ++g) {
      ranks[g] = rank(found[g].key);
      numbers[g] = static_cast<std::uint16_t>(g);
    }
    const view<bits, std::uint16_t> order{ranks.data(), numbers.data(), count};
    sort_strategies::partitioned::run_few<bits, std::uint16_t>(order, order, flipped_rank<bits>{});
    for (std::size_t g = 0; g < count; ++g) {
      given_.unique_keys[g] = key_of_bits<K>(found[numbers[g]].key);
      by_.write(g, found[numbers[g]].state);
    }
  }

  const Arrays& given_;
  const Folding& by_;
  room<table_entries(slots)> all_;
  room<slots + 1> found_;
};

}  // namespace peneira::detail
