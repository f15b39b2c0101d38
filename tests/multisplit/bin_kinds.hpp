// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kinds of bin functions that the conformance suite splits by, each on the host and at a place.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "peneira/bins.hpp"
#include "peneira/hash.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// A bin function that is the same object on the host and at the place.
template <class F>
struct portable {
  F f;
  [[nodiscard]] F on_host() const { return f; }
  [[nodiscard]] F at_place() const { return f; }
};

/// The kinds of bin functions: make<K, Space>(bins, next) has about `bins` bins.
struct by_digit {
  static constexpr const char* name = "digit";
  template <class K, class Space>
  static portable<digit> make(std::uint32_t bins, random& /*next*/) {
    const unsigned bits = std::max(1U, static_cast<unsigned>(std::bit_width(bins - 1)));
    return {digit{std::max<unsigned>(8 * sizeof(K), bits) - bits, bits}};
  }
};

struct by_ranges {
  static constexpr const char* name = "ranges";
  template <class K, class Space>
  static portable<ranges<K>> make(std::uint32_t bins, random& next) {
    const bool all = next.below(2) == 0;  // otherwise some keys lie outside
    return {ranges<K>{bins, make_key<K>(all ? 0 : std::uint64_t{1} << 61U, 0),
                      make_key<K>(~std::uint64_t{0} - (all ? 0 : std::uint64_t{1} << 60U), 0)}};
  }
};

struct by_splitters {
  static constexpr const char* name = "splitters";
  template <class K, class Space>
  struct both {
    std::vector<K> sorted;
    placed<K, Space> there;
    explicit both(const std::vector<K>& keys) : sorted(keys), there(keys) {}
    [[nodiscard]] splitters<K> on_host() const { return splitters<K>{sorted}; }
    [[nodiscard]] splitters<K> at_place() const { return {there.data(), there.size()}; }
  };
  template <class K, class Space>
  static both<K, Space> make(std::uint32_t bins, random& next) {
    std::vector<K> keys = make_keys<K>(shape::uniform, bins - 1, next);
    std::sort(keys.begin(), keys.end());
    return both<K, Space>(keys);
  }
};

struct by_hash {
  static constexpr const char* name = "hashed";
  template <class K, class Space>
  static portable<hashed> make(std::uint32_t bins, random& /*next*/) {
    return {hashed{bins}};
  }
};

/// A caller's own function, with a return type that is not peneira's.
struct remainder_of_key {
  std::int64_t bins;
  template <class K>
  PENEIRA_HD std::int64_t operator()(const K& key) const {
    using word = std::conditional_t<std::is_class_v<K>, std::uint8_t, K>;
    detail::bits_of<word> first{};
    memcpy(&first, &key, sizeof first);
    return static_cast<std::int64_t>(first % static_cast<std::uint64_t>(bins));
  }
};

struct by_function {
  static constexpr const char* name = "binned";
  template <class K, class Space>
  static portable<binned<remainder_of_key>> make(std::uint32_t bins, random& /*next*/) {
    return {binned{bins, remainder_of_key{bins}}};
  }
};

}  // namespace peneira::test
