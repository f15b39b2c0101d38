// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a programmer would write to add up values by keys: a flat hash map, alone or one a thread, and a sort.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "bench/peers_sort_cpu.hpp"
#include "peneira/cpu/team.hpp"

namespace peneira::bench {

/// Sums by keys, with open addresses next to each other; it doubles when it is half full.
template <class K, class Sum>
class flat_sums {
 public:
  struct group {
    K key;
    Sum sum;
    friend bool operator<(const group& a, const group& b) { return a.key < b.key; }
  };

  explicit flat_sums(std::size_t items) { resize(std::clamp<std::size_t>(2 * items, 16, 1024)); }

  void add(K key, Sum value) {
    std::size_t at = place_of(key);
    while (used_[at] != 0 && groups_[at].key != key) at = (at + 1) & mask_;
    if (used_[at] != 0) {
      groups_[at].sum += value;
      return;
    }
    used_[at] = 1;
    groups_[at] = {key, value};
    if (++size_ * 2 > used_.size()) grow();
  }
  template <class F>
  void each(F&& f) const {
    for (std::size_t at = 0; at < used_.size(); ++at) {
      if (used_[at] != 0) f(groups_[at]);
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  static std::uint64_t hash(K key) { return static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15U; }

 private:
  [[nodiscard]] std::size_t place_of(K key) const { return static_cast<std::size_t>(hash(key) >> shift_); }
  void resize(std::size_t least) {
    const std::size_t slots = std::bit_ceil(least);
    groups_.resize(slots);
    used_.assign(slots, 0);
    mask_ = slots - 1;
    shift_ = static_cast<unsigned>(64 - std::bit_width(mask_));
    size_ = 0;
  }
  void grow() {
    flat_sums larger(*this, 2 * used_.size());
    each([&](const group& g) { larger.add(g.key, g.sum); });
    *this = std::move(larger);
  }
  flat_sums(const flat_sums& /*smaller*/, std::size_t slots) { resize(slots); }

  std::vector<group> groups_;
  std::vector<unsigned char> used_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
  unsigned shift_ = 0;
};

/// Writes groups to two columns, in the order of their keys where told so.
template <class K, class Sum, class R>
std::size_t write_groups(std::vector<typename flat_sums<K, Sum>::group>& groups, bool ascending, K* keys, R* results) {
  if (ascending) std::sort(groups.begin(), groups.end());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    keys[g] = groups[g].key;
    results[g] = static_cast<R>(groups[g].sum);
  }
  return groups.size();
}

/// A loop over the items with a hash map.
template <class Sum, class K, class V, class R>
std::size_t hash_group_by(const K* keys, const V* values, std::size_t n, bool ascending, K* to, R* results) {
  flat_sums<K, Sum> sums(n);
  for (std::size_t i = 0; i < n; ++i) sums.add(keys[i], static_cast<Sum>(values[i]));
  std::vector<typename flat_sums<K, Sum>::group> groups;
  groups.reserve(sums.size());
  sums.each([&](const auto& g) { groups.push_back(g); });
  return write_groups<K, Sum>(groups, ascending, to, results);
}

/// A hash map a thread; then each thread merges those keys whose hash is its own.
template <class Sum, class K, class V, class R>
std::size_t hash_group_by_threads(unsigned threads, const K* keys, const V* values, std::size_t n, bool ascending,
                                  K* to, R* results) {
  using sums = flat_sums<K, Sum>;
  std::vector<sums> own(threads, sums(1024));
  std::vector<sums> merged(threads, sums(1024));
  const auto owner = [&](K key) { return static_cast<unsigned>((sums::hash(key) >> 8U) % threads); };
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(n, m, threads);
    for (std::size_t i = begin; i < end; ++i) own[m].add(keys[i], static_cast<Sum>(values[i]));
  });
  peneira::detail::on_each(threads, [&](unsigned m) {
    for (const sums& part : own) {
      part.each([&](const auto& g) {
        if (owner(g.key) == m) merged[m].add(g.key, g.sum);
      });
    }
  });
  std::vector<typename sums::group> groups;
  for (const sums& part : merged) part.each([&](const auto& g) { groups.push_back(g); });
  return write_groups<K, Sum>(groups, ascending, to, results);
}

/// Sorts records of a key and a value, then adds up what is next to each other.
template <class Sum, class K, class V, class R>
std::size_t sort_group_by([[maybe_unused]] unsigned threads, const K* keys, const V* values, std::size_t n, K* to,
                          R* results) {
  std::vector<record<K, V>> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = {keys[i], values[i]};
#if defined(PENEIRA_WITH_IPS4O)
  ips4o::parallel::sort(items.data(), items.data() + n, std::less<>{}, static_cast<int>(threads));
#else
  std::sort(items.begin(), items.end());
#endif
  std::size_t groups = 0;
  for (std::size_t i = 0; i < n;) {
    const K key = items[i].key;
    Sum sum{};
    for (; i < n && items[i].key == key; ++i) sum += static_cast<Sum>(items[i].value);
    to[groups] = key;
    results[groups++] = static_cast<R>(sum);
  }
  return groups;
}

}  // namespace peneira::bench
