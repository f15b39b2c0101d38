// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a call: a column of keys, and for pairs a column of values beside it. Host containers become views by
// themselves; device memory is a pointer and a size, items(pointer, n) or pairs(keys, values, n).
#pragma once

#include <ranges>
#include <string>
#include <type_traits>

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

namespace detail {

/// What a call can take as an array: a view, or a contiguous range of the host.
template <class T>
struct array_of {
  static constexpr bool is_array = false;
  static constexpr bool is_const = false;
  static constexpr bool has_values = false;
  using key = char;
  using value = no_value;
};
template <class K, class V>
struct array_of<view<K, V>> {
  static constexpr bool is_array = true;
  static constexpr bool is_const = std::is_const_v<K> || std::is_const_v<V>;
  static constexpr bool has_values = view<K, V>::has_values;
  using key = typename view<K, V>::key_type;
  using value = typename view<K, V>::value_type;
};
template <class T>
requires std::ranges::contiguous_range<T> && std::ranges::sized_range<T>
struct array_of<T> : array_of<view<std::remove_reference_t<std::ranges::range_reference_t<T>>>> {
};
template <class K, class V>
struct array_of<view<K, V>&> : array_of<view<K, V>> {};
template <class K, class V>
struct array_of<const view<K, V>> : array_of<view<K, V>> {};
template <class K, class V>
struct array_of<const view<K, V>&> : array_of<view<K, V>> {};

template <class T>
inline constexpr bool is_view = false;
template <class K, class V>
inline constexpr bool is_view<view<K, V>> = true;

/// Whether an argument that was deduced as T&& owns its items and goes with the call.
template <class T>
inline constexpr bool is_temporary = !std::is_lvalue_reference_v<T> && !is_view<std::remove_cv_t<T>> &&
                                     !std::ranges::enable_borrowed_range<std::remove_cv_t<T>>;

/// What a call was given, as a view; of a temporary, which may be read while it lives, one that cannot be written.
template <class T>
auto as_view(T&& given) {
  if constexpr (is_view<std::remove_cvref_t<T>>) {
    return given;
  } else {
    static_assert(array_of<T>::is_array, "items and pairs take contiguous ranges: std::vector (but not of bool), ...");
    using reference = std::ranges::range_reference_t<T>;
    using key = std::remove_reference_t<reference>;
    using seen = std::conditional_t<is_temporary<T>, const key, key>;
    return view<seen>{std::ranges::data(given), nullptr, static_cast<std::size_t>(std::ranges::size(given))};
  }
}

}  // namespace detail

/// `n` keys at `keys`, on the host or on the device. Arrays of all calls are aligned as their type is.
template <class Key>
view<Key> items(Key* keys, std::size_t n) {
  return {keys, nullptr, n};
}

/// The keys of a contiguous range. Those of a temporary can be read, while it lives, and not written.
template <class Range>
auto items(Range&& range) {
  return detail::as_view(static_cast<Range&&>(range));
}

/// `n` keys and their values, on the host or on the device.
template <class Key, class Value>
view<Key, Value> pairs(Key* keys, Value* values, std::size_t n) {
  return {keys, values, n};
}

/// The keys of one column with the values of another, each a contiguous range or items(pointer, n). Throws
/// std::invalid_argument where their sizes differ.
template <class Keys, class Values>
auto pairs(Keys&& keys, Values&& values) {
  const auto first = detail::as_view(static_cast<Keys&&>(keys));
  const auto second = detail::as_view(static_cast<Values&&>(values));
  static_assert(!decltype(first)::has_values && !decltype(second)::has_values, "pairs: keys and values are columns");
  if (first.size != second.size) {
    detail::reject(
        "pairs", "values",
        "has " + std::to_string(second.size) + " entries, but there are " + std::to_string(first.size) + " keys");
  }
  return pairs(first.keys, second.keys, first.size);
}

namespace detail {

/// Keys, and values where there are any, of types that are not known yet.
struct item_arrays {
  void* keys = nullptr;
  void* values = nullptr;

  template <class Memory, class Problem>
  static item_arrays take(Memory& memory, const Problem& of, std::size_t items) {
    item_arrays a;
    a.keys = memory.take_bytes(items * of.key_bytes);
    a.values = memory.take_bytes(items * of.value_bytes);
    return a;
  }
  template <class K, class V>
  [[nodiscard]] view<K, V> as(std::size_t items) const {
    view<K, V> all{static_cast<K*>(keys), nullptr, items};
    if constexpr (view<K, V>::has_values) all.values = static_cast<V*>(values);
    return all;
  }
};

/// Whether two byte ranges share a byte. Pointers to nothing, which explain() may be given, share none.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  if (a == nullptr || b == nullptr) return false;
  const auto x = reinterpret_cast<std::uintptr_t>(a);
  const auto y = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes != 0 && b_bytes != 0 && x < y + b_bytes && y < x + a_bytes;
}

/// The memory of an array.
struct byte_range {
  const void* first;
  std::size_t bytes;

  friend bool operator==(const byte_range&, const byte_range&) = default;
};
inline bool overlap(const byte_range& a, const byte_range& b) {
  return overlap(a.first, a.bytes, b.first, b.bytes);
}

}  // namespace detail
}  // namespace peneira
