// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a group_by that adds up should give.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/peers_group_cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::bench::sweep {

/// The groups of arrays of n items one behind another, as they must be.
template <class K, class Sum>
class groups_answer {
 public:
  template <class V>
  groups_answer(view<const K, const V> in, std::size_t n, std::size_t copies, unsigned threads) {
    std::vector<K> keys(n);
    std::vector<Sum> sums(n);
    for (std::size_t c = 0; c < copies; ++c) {
      const std::size_t count = hash_group_by_threads<Sum>(copies == 1 ? threads : 1, in.keys + c * n,
                                                           in.values + c * n, n, true, keys.data(), sums.data());
      for (std::size_t g = 0; g < count; ++g) groups_.emplace_back(keys[g], sums[g]);
      begins_.push_back(groups_.size());
    }
  }
  /// Whether these are the groups of array c.
  template <class R>
  [[nodiscard]] bool accepts(std::size_t c, const K* keys, const R* sums, std::size_t count, bool ascending) const {
    const std::pair<K, Sum>* const wanted = groups_.data() + begins_[c];
    if (count != begins_[c + 1] - begins_[c]) return false;
    std::vector<std::pair<K, R>> got(count);
    for (std::size_t g = 0; g < count; ++g) got[g] = {keys[g], sums[g]};
    if (!ascending) std::sort(got.begin(), got.end());
    for (std::size_t g = 0; g < count; ++g) {
      if (got[g].first != wanted[g].first || !same(got[g].second, wanted[g].second)) return false;
    }
    return true;
  }
  [[nodiscard]] std::size_t count() const { return begins_[1]; }

 private:
  template <class R>
  static bool same(R got, Sum wanted) {
    if constexpr (std::is_floating_point_v<R>) {
      return std::abs(static_cast<double>(got) - wanted) <= 1e-6 * wanted;
    } else {
      return got == wanted;
    }
  }
  std::vector<std::pair<K, Sum>> groups_;
  std::vector<std::size_t> begins_{0};
};

}  // namespace peneira::bench::sweep
