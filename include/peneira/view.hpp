// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a call: a column of keys, and for pairs a column of values beside it. Host containers become views by
// themselves; device memory is a pointer and a size, items(pointer, n) or pairs(keys, values, n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <type_traits>

#include "peneira/config.hpp"
#include "peneira/error.hpp"

namespace peneira {

/// The value type of a column of keys that carries no values.
struct no_value {};

/// Keys, and perhaps a value for each. Does not own them. items() and pairs() make one; a contiguous range of the host
/// becomes one by itself.
template <class Key, class Value = no_value>
struct view {
  using key_type = std::remove_const_t<Key>;                                 ///< of a key that may be written
  using value_type = std::remove_const_t<Value>;                             ///< of a value that may be written
  static constexpr bool has_values = !std::is_same_v<value_type, no_value>;  ///< whether these are pairs

  Key* keys = nullptr;      ///< the first key
  Value* values = nullptr;  ///< the first value; of keys alone, nullptr
  std::size_t size = 0;     ///< how many items there are

  /// The same items, which may not be written. Implicit, as with pointers.
  // NOLINTBEGIN(google-explicit-constructor)
  template <class K = Key>
  requires(!std::is_const_v<K>) PENEIRA_HD operator view<const K, const Value>() const { return {keys, values, size}; }
  // NOLINTEND(google-explicit-constructor)
  /// `count` items from `first` on.
  [[nodiscard]] PENEIRA_HD view part(std::size_t first, std::size_t count) const {
    return {keys + first, has_values ? values + first : values, count};
  }
};

/// `n` keys at `keys`, on the host or on the device.
template <class Key>
view<Key> items(Key* keys, std::size_t n) {
  return {keys, nullptr, n};
}

/// The keys of a contiguous range.
template <std::ranges::contiguous_range Range>
auto items(Range&& range) {
  return items(std::ranges::data(range), static_cast<std::size_t>(std::ranges::size(range)));
}

/// `n` keys and their values, on the host or on the device.
template <class Key, class Value>
view<Key, Value> pairs(Key* keys, Value* values, std::size_t n) {
  return {keys, values, n};
}

/// The keys of one contiguous range with the values of another. Throws std::invalid_argument where their sizes differ.
template <std::ranges::contiguous_range Keys, std::ranges::contiguous_range Values>
auto pairs(Keys&& keys, Values&& values) {
  const auto n = static_cast<std::size_t>(std::ranges::size(keys));
  const auto m = static_cast<std::size_t>(std::ranges::size(values));
  if (n != m) {
    detail::reject("pairs", "values",
                   "has " + std::to_string(m) + " entries, but there are " + std::to_string(n) + " keys");
  }
  return pairs(std::ranges::data(keys), std::ranges::data(values), n);
}

namespace detail {

template <class T>
struct is_view : std::false_type {};
template <class K, class V>
struct is_view<view<K, V>> : std::true_type {};

/// What a call was given, as a view.
template <class T>
auto as_view(T&& given) {
  if constexpr (is_view<std::remove_cvref_t<T>>::value) {
    return given;
  } else {
    return items(static_cast<T&&>(given));
  }
}

/// Whether two byte ranges share a byte. Pointers to nothing, which explain() may be given, share none.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  if (a == nullptr || b == nullptr) return false;
  const auto x = reinterpret_cast<std::uintptr_t>(a);
  const auto y = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes != 0 && b_bytes != 0 && x < y + b_bytes && y < x + a_bytes;
}

}  // namespace detail
}  // namespace peneira
