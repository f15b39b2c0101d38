// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A look at a few items of a leaf before it is sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "peneira/cpu/simd/packs.hpp"
#include "peneira/hash.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// Ranks of sixteen items of a leaf, and what they tell about all of them.
template <class U>
class leaf_probes {
  using p = pack<U>;
  static constexpr std::size_t probes = 16;
  static constexpr std::size_t packs = probes / p::lanes;
  using row = std::array<U, probes>;

 public:
  template <class K, class Rank>
  leaf_probes(const K* keys, std::size_t n, const Rank& rank) {
    constexpr auto somewhere = [] {  // in a slice of its own each, as parts of 2^16
      std::array<std::uint32_t, probes> part{};
      for (std::uint32_t s = 0; s < probes; ++s) part[s] = s * 4096 + static_cast<std::uint32_t>(mix64(s) % 4096);
      return part;
    }();
    for (std::size_t s = 0; s < probes; ++s) seen_[s] = rank(keys[(n * somewhere[s]) >> 16U]);
    equal_ = equals_of(seen_);
  }

  /// The lowest rank that a good part of the items seems to have; false if there is none.
  bool find_frequent(U& frequent) const {
    constexpr U many = tuning::cpu_sort_probes;
    bool found = false;
    for (std::size_t s = 0; s < probes; ++s) {
      if (equal_[s] < many || (found && frequent < seen_[s])) continue;
      frequent = seen_[s];
      found = true;
    }
    return found;
  }

  /// Whether the items seem to have some ten or twenty values.
  [[nodiscard]] bool few_values() const {
    constexpr U pairs = 12;  // of equal ones, each with each: those of sixteen out of twenty values
    return std::accumulate(equal_.begin(), equal_.end(), U{0}) >= probes + pairs;
  }

  /// The lowest and the highest.
  [[nodiscard]] extent<U> bounds() const {
    const auto [low, high] = std::minmax_element(seen_.begin(), seen_.end());
    return {*low, *high};
  }
  /// Whether many that differ are not told apart by what is above these bits of their distance from a rank.
  [[nodiscard]] bool crowded(U low, unsigned shift) const {
    row above;
    for (std::size_t s = 0; s < probes; ++s) above[s] = static_cast<U>(static_cast<U>(seen_[s] - low) >> shift);
    const row together = equals_of(above);
    std::size_t more = 0;
    for (std::size_t s = 0; s < probes; ++s) more += static_cast<std::size_t>(together[s] - equal_[s]);
    return more >= tuning::cpu_sort_crowded_probes;
  }

 private:
  /// How many of a row equal each of it.
  static row equals_of(const row& numbers) {
    std::array<p, packs> count;
    count.fill(p::all(0));
    for (const U one : numbers) {
      for (std::size_t k = 0; k < packs; ++k) {
        count[k].lane -= p::ones_of(p::all(one).lane == p::load(numbers.data() + k * p::lanes).lane);
      }
    }
    row equal;
    for (std::size_t k = 0; k < packs; ++k) count[k].store(equal.data() + k * p::lanes);
    return equal;
  }

  row seen_;
  row equal_;
};

}  // namespace peneira::detail
