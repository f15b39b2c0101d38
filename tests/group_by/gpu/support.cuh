// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys and values to group on a GPU, and the comparison with reference::group_by. There are several files of tests,
// since each takes minutes to compile.
#pragma once

#include <cmath>

#include "peneira/group_by.hpp"
#include "peneira/group_by/reference.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// x -> multiply * x + add, one after the other: the order of items shows.
struct steps {
  u32 multiply;
  u32 add;
};
struct then_steps {
  PENEIRA_HD steps operator()(const steps& a, const steps& b) const {
    return {a.multiply * b.multiply, a.add * b.multiply + b.add};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {1, 0};
  }
};

class gpu_group_by : public gpu_test {
 protected:
  random next_{seed()};

  /// The key of a group: neighbours lie far apart, and of signed types on both sides of zero.
  template <class K>
  static K key_of(u64 group) {
    const u64 mixed = mix64(group);
    if constexpr (std::is_floating_point_v<K>) {
      return static_cast<K>(static_cast<std::int32_t>(mixed >> 40U) - (1 << 23)) / K{4};
    } else {
      return static_cast<K>(mixed);
    }
  }
  /// Keys of about so many groups, of which the first have more items the more skewed they are.
  template <class K>
  std::vector<K> keys_of(std::size_t n, std::size_t groups, bool skewed = false) {
    std::vector<K> keys(n);
    for (K& key : keys) {
      u64 group = next_.below(groups);
      if (skewed) group = next_.below(1 + next_.below(1 + group));
      key = key_of<K>(group);
    }
    return keys;
  }
  template <class V>
  std::vector<V> values_of(std::size_t n) {
    std::vector<V> values(n);
    for (V& value : values) {
      if constexpr (std::is_same_v<V, steps>) {
        value = {static_cast<u32>(next_()) | 1U, static_cast<u32>(next_())};
      } else {
        value = static_cast<V>(next_.below(100));
      }
    }
    return values;
  }
  template <class T>
  static std::vector<T> first_of(const std::vector<T>& all, std::size_t count) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  template <class R, class K, class V, class Op>
  void check(const std::vector<K>& keys, const std::vector<V>& values, const Op& op) {
    const std::size_t n = keys.size();
    SCOPED_TRACE(n);
    std::vector<K> wanted_keys;
    std::vector<R> wanted;
    for (const auto& [rank, result] : reference::group_by<R>(keys.data(), values.data(), n, op)) {
      wanted_keys.push_back(detail::key_of_bits<K>(detail::order_of<K>(false).back(rank)));
      wanted.push_back(result);
    }
    const std::size_t groups = wanted.size();
    const placed<K, device_space> there(keys, next_.below(4));
    const placed<V, device_space> there_too(values, next_.below(4));
    for (const std::size_t room : {groups, groups - groups / 3}) {
      const guarded<K, device_space> out(room, next_.below(4));
      const guarded<R, device_space> results(room, next_.below(4));
      const guarded<u64, device_space> count(1);
      group_by(gpu{}, items(there.data(), n), items(there_too.data(), n), items(out.data(), room),
               items(results.data(), room), op, count.data());
      ASSERT_EQ(count.read()[0], groups);
      ASSERT_TRUE(same(first_of(wanted_keys, room), out.read())) << "in the keys";
      const std::vector<R> got = results.read();
      for (std::size_t g = 0; g < room; ++g) ASSERT_TRUE(is_same(wanted[g], got[g])) << "in result " << g;
    }
  }
  template <class R>
  static bool is_same(const R& a, const R& b) {
    if constexpr (std::is_same_v<R, steps>) {
      return a.multiply == b.multiply && a.add == b.add;
    } else {
      return a == b;
    }
  }

  template <class K, class V, class R, class Op>
  void check_sizes(const Op& op) {
    using folding = detail::value_folding<V, R, Op>;
    const std::size_t tile = detail::fold_shape<K, folding>::tile;
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{33}, tile - 1, tile, tile + 1, 5 * tile + 7}) {
      check<R>(std::vector<K>(n, key_of<K>(5)), values_of<V>(n), op);
      check<R>(keys_of<K>(n, 3), values_of<V>(n), op);
      check<R>(keys_of<K>(n, n / 4 + 1, true), values_of<V>(n), op);
      std::vector<K> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = key_of<K>(i);
      check<R>(keys, values_of<V>(n), op);
    }
    const std::size_t large = under_checker() ? 100003 : 1000003;
    for (const std::size_t groups : {std::size_t{64}, large / 4}) {
      check<R>(keys_of<K>(large, groups), values_of<V>(large), op);
    }
    check<R>(keys_of<K>(large, 100000, true), values_of<V>(large), op);
  }
};

}  // namespace peneira::test
