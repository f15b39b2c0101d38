// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays that are shared out over ranks, for tests of calls over them.
#pragma once

#include <random>
#include <vector>

#include "peneira/place.hpp"
#include "peneira/ranks/loop_transport.hpp"

namespace peneira::test {

/// A place of ranks in this process.
class loop_ranks {
 public:
  explicit loop_ranks(detail::loop_transport& between, unsigned threads = 1) : between_(between), threads_(threads) {}
  detail::loop_transport& between() { return between_; }
  [[nodiscard]] cpu here() const { return {.threads = threads_}; }

 private:
  detail::loop_transport& between_;
  unsigned threads_;
};

/// How many of n items each rank has.
enum class shares { even, random, first, last, staggered };
inline constexpr shares all_shares[] = {shares::even, shares::random, shares::first, shares::last, shares::staggered};

inline std::vector<std::size_t> share_out(std::size_t n, unsigned ranks, shares how, unsigned seed) {
  std::vector<std::size_t> ends(ranks, n);
  std::mt19937 random(seed);
  for (unsigned r = 0; r + 1 < ranks; ++r) {
    switch (how) {
      case shares::even:
        ends[r] = n * (r + 1) / ranks;
        break;
      case shares::random:
        ends[r] = n == 0 ? 0 : random() % (n + 1);
        break;
      case shares::first:
        ends[r] = n;
        break;
      case shares::last:
        ends[r] = 0;
        break;
      case shares::staggered:
        ends[r] = n * (r + 1) * (r + 1) / (std::size_t{ranks} * ranks);
        break;
    }
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::size_t> sizes(ranks);
  for (unsigned r = 0; r < ranks; ++r) sizes[r] = ends[r] - (r == 0 ? 0 : ends[r - 1]);
  return sizes;
}

/// The part of a whole that a rank has.
template <class T>
std::vector<T> part_of(const std::vector<T>& whole, const std::vector<std::size_t>& sizes, unsigned rank) {
  std::size_t begin = 0;
  for (unsigned r = 0; r < rank; ++r) begin += sizes[r];
  return {whole.begin() + static_cast<std::ptrdiff_t>(begin),
          whole.begin() + static_cast<std::ptrdiff_t>(begin + sizes[rank])};
}

}  // namespace peneira::test
