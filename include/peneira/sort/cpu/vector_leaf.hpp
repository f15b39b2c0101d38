// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A leaf whose keys are sorted by vectors (vector_sort.hpp): as numbers that are their ranks.
//
//   few keys     --flipped--> registers --flipped back--> to
//   more         --ranks--> scratch --quicksort--> to
//   many         --ranks, by one digit--> scratch --each bin by a quicksort--> to
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "peneira/sort/cpu/leaf_probes.hpp"
#include "peneira/sort/cpu/leaf_window.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/sort/cpu/vector_sort.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

#if defined(PENEIRA_AVX512)

/// Writes the ranks of keys.
template <class K, class Rank>
void ranks_of(const K* keys, std::size_t n, const Rank by, typename Rank::number* ranks) {
  using p = pack<typename Rank::number>;
  std::size_t i = 0;
  PENEIRA_UNROLL(4)
  for (; i + p::lanes <= n; i += p::lanes) {
    p x;
    std::memcpy(&x.lane, keys + i, pack_bytes);
    by.pack_of(x.lane);
    x.store(ranks + i);
  }
  for (; i < n; ++i) ranks[i] = by(keys[i]);
}

/// Moves the ranks of keys to the bins of a digit; where each bin ends.
template <class K, class Rank, class Digit>
void spread_ranks(const K* from, std::size_t n, const Rank rank, const Digit digit, unsigned bits,
                  typename Rank::number* numbers, leaf_counts& ends) {
  std::uint32_t* const next = ends.data();
  std::fill_n(next, std::size_t{1} << bits, 0);
  PENEIRA_UNROLL(4)
  for (std::size_t i = 0; i < n; ++i) ++next[digit(rank(from[i]))];
  std::exclusive_scan(next, next + (std::size_t{1} << bits), next, std::uint32_t{0});
  PENEIRA_UNROLL(4)
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = rank(from[i]);
    numbers[next[digit(number)]++] = number;
  }
}

/// Moves the ranks of keys to bins by one digit, the highest that tells them apart; the bits of the digit. Where probes
/// crowd in few of the bins, since some keys lie far from the others, the bins are for what lies between the probes,
/// and the first and the last take what lies without.
template <class K, class Rank, class U = typename Rank::number>
unsigned spread_to_bins(const K* from, std::size_t n, const Rank& rank, const extent<U>& found,
                        const leaf_probes<U>& probes, U* numbers, leaf_counts& ends) {
  const auto wanted = static_cast<unsigned>(std::bit_width(n * sizeof(U) / tuning::cpu_sort_vector_bytes));
  const auto bits_of_bins = [wanted](unsigned bits) {
    return std::clamp(wanted, 1U, std::min(bits, most_leaf_digit_bits));
  };
  const unsigned used = bits_of_bins(found.bits());
  const unsigned shift = found.bits() - used;
  const extent<U> dense = probes.bounds();
  if (shift != 0 && dense.bits() > 1 && probes.crowded(found.low, shift)) {
    const unsigned bits = bits_of_bins(dense.bits());
    const auto digit = [dense, dense_shift = dense.bits() - bits](U x) {
      return static_cast<std::size_t>((std::clamp(x, dense.low, dense.high) - dense.low) >> dense_shift);
    };
    spread_ranks(from, n, rank, digit, bits, numbers, ends);
    return bits;
  }
  const auto digit = [low = found.low, shift](U x) {
    return static_cast<std::size_t>(static_cast<U>(x - low) >> shift);
  };
  spread_ranks(from, n, rank, digit, used, numbers, ends);
  return used;
}

/// What vectors would take long for is sorted by by_windows(numbers, other), whose result is where the numbers were.
template <class U, class ByWindows>
auto sort_otherwise(const ByWindows& by_windows) {
  return [&by_windows](U* some, U* other, std::size_t many) {
    by_windows(view<U>{some, nullptr, many}, view<U>{other, nullptr, many});
  };
}
/// Sorts keys by vectors.
template <class K, class Rank, class ByWindows, class U = typename Rank::number>
[[gnu::noinline]] void sort_by_vectors(const K* from, K* scratch, K* to, std::size_t n, const Rank& rank,
                                       const ByWindows& by_windows) {
  auto* const numbers = reinterpret_cast<U*>(scratch);
  auto* const sorted = reinterpret_cast<U*>(to);
  ranks_of(from, n, rank, numbers);
  const auto otherwise = sort_otherwise<U>(by_windows);
  with_quick_sort(order_of_rank(rank), otherwise, [&](const auto& sort) { sort.run(numbers, sorted, n); });
}

/// The same for many numbers, which are divided by a digit first, and written as the keys of an order.
template <class K, class Rank, class ByWindows, class U = typename Rank::number>
void sort_bins(const K* from, U* scratch, U* to, std::size_t n, const Rank& rank, const key_order<U>& written,
               const extent<U>& found, const leaf_probes<U>& probes, const ByWindows& by_windows) {
  leaf_counts ends;
  const unsigned bits = spread_to_bins(from, n, rank, found, probes, scratch, ends);
  const auto otherwise = sort_otherwise<U>(by_windows);
  with_quick_sort(written, otherwise, [&](const auto& sort) {
    for (std::size_t b = 0, begin = 0; b < std::size_t{1} << bits; ++b) {
      sort.run(scratch + begin, to + begin, ends[b] - begin);
      begin = ends[b];
    }
  });
}

/// The same for many keys. Ranks that take longer than a flip are made once, by vectors, in what is written at the end.
template <class K, class Rank, class ByWindows, class U = typename Rank::number>
[[gnu::noinline]] void sort_bins_by_vectors(const K* from, K* scratch, K* to, std::size_t n, const Rank& rank,
                                            const extent<U>& found, const leaf_probes<U>& probes,
                                            const ByWindows& by_windows) {
  auto* const numbers = reinterpret_cast<U*>(scratch);
  auto* const sorted = reinterpret_cast<U*>(to);
  const key_order<U> written = order_of_rank(rank);
  if constexpr (std::is_same_v<Rank, flipped_rank<U>>) {
    sort_bins(from, numbers, sorted, n, rank, written, found, probes, by_windows);
  } else {
    ranks_of(from, n, rank, sorted);
    sort_bins<U>(sorted, numbers, sorted, n, flipped_rank<U>{}, written, found, probes, by_windows);
  }
}

#endif

}  // namespace peneira::detail
