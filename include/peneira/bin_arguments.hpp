// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the bin function of a call must be: what the compiler can see of it, and what it holds.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/bins.hpp"
#include "peneira/labels.hpp"

namespace peneira::detail {

/// Whether a bin function takes keys of a type.
template <class F, class Key>
struct takes_keys {
  static constexpr bool answers = requires(const F& f, const Key& key) {
    static_cast<std::uint64_t>(f.bins());
    f(key);
  };
  static_assert(answers, "f must have bins() and take the keys of in; wrap yours in binned{bins, f}");
  static constexpr bool numbers = bin_function<F, Key>;
  static_assert(!answers || numbers, "f must return an integer or an enum");
  static constexpr bool copied = std::is_copy_constructible_v<F>;
  static_assert(copied, "f is copied; one that cannot be is given as std::cref(f), in binned{bins, std::cref(f)}");
  static constexpr bool good = numbers && copied;
};
template <class Bound, class Key>
struct takes_keys<ranges<Bound>, Key> : range_key<Key, Bound> {};
template <class Bound, class Key>
struct takes_keys<splitters<Bound>, Key> : splitter_key<Key, Bound> {};
template <class Label, class Key>
struct takes_keys<labels<Label>, Key> {
  static constexpr bool good = is_integer<Label>;
  static_assert(good, "labels are integers or enums of 8 to 64 bits");
};

/// Splitters must be somewhere, and ascend as far as this place can see; labels must be as many as the items.
template <class Place, class F>
void check_bin_function(std::string_view /*call*/, const F& /*f*/, std::size_t /*items*/) {}
template <class Place, class Bound>
void check_bin_function(std::string_view call, const splitters<Bound>& f, std::size_t /*items*/) {
  const std::size_t count = f.bins() - std::size_t{1};
  check_address<Place>(call, "splitters", f.data(), count);
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {
    const Bound* const fault = std::is_sorted_until(f.data(), f.data() + count);
    if (fault == f.data() + count) return;
    reject(call, "splitters",
           "must ascend, but number " + std::to_string(fault - f.data()) +
               ", counted from 0, is less than the one before it");
  }
}
template <class Place, class Label>
void check_bin_function(std::string_view call, const labels<Label>& f, std::size_t items) {
  if (f.size() != items) {
    reject(call, "labels",
           "has " + std::to_string(f.size()) + " entries, but there are " + std::to_string(items) + " items");
  }
  check_address<Place>(call, "labels", f.data(), f.size());
}

/// An output must not overlap labels, which are read while it is written.
template <class F, class K, class V>
void check_apart_from_labels([[maybe_unused]] std::string_view call, [[maybe_unused]] const F& f,
                             [[maybe_unused]] std::string_view argument, [[maybe_unused]] view<K, V> out,
                             [[maybe_unused]] std::size_t count) {
  if constexpr (is_labels<F>) {
    const auto shares = [&](const void* at, std::size_t bytes) {
      return overlap(f.data(), f.size() * sizeof(*f.data()), at, count * bytes);
    };
    bool shared = shares(out.keys, sizeof(K));
    if constexpr (view<K, V>::has_values) shared = shared || shares(out.values, sizeof(V));
    if (shared) reject(call, argument, "overlaps the labels");
  }
}

}  // namespace peneira::detail
