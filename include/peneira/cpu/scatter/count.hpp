// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The first two thirds of a sieve: count the bins of a slice, and scan the counts of all slices.
#pragma once

#include <algorithm>
#include <array>

#include "peneira/cpu/scatter/byte_count.hpp"
#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/cpu/scatter/vector_count.hpp"
#include "peneira/cpu/team.hpp"

namespace peneira::detail {

/// Several tables let increments of one bin overlap; they pay while they stay in the first-level cache.
inline constexpr unsigned count_tables = 4;
inline constexpr std::uint32_t most_bins_for_tables = tuning::cpu_count_table_bins;
/// Up to so many bins, pairs of items are counted: half as many increments, which is what counting waits for.
inline constexpr std::uint32_t most_bins_for_pairs = 64;
/// Items for each counter from which pairs pay for emptying their tables.
inline constexpr std::size_t items_a_pair = 8;

/// 32-bit counters that count_slice needs for this many bins, or fewer.
constexpr std::size_t counters_for(std::uint32_t bins) {
  const std::size_t paired = std::min(bins, most_bins_for_pairs);
  const std::size_t tabled = std::min(bins, most_bins_for_tables);
  return std::max({std::size_t{bins}, tabled * count_tables, paired * paired * pair_tables + paired});
}

/// Sixteen items at a time, so that a line is asked for once: 0.84 against 0.91 ns an item by fours (1,024 bins, ER, 1
/// of 2 threads).
template <unsigned Tables, class F, class Key, class Counter>
inline void count_into(const F& f, const Key* keys, std::size_t first, std::size_t n, Counter* counters) {
  const std::size_t bins = f.bins();
  for_batches<true, batch, 4>(f, keys, first, n,
                              [=]<std::size_t Count, bool Run>(std::size_t /*i*/, const std::uint32_t* bin) {
                                if constexpr (Run) {
                                  counters[bin[0]] += Count;
                                } else {
                                  PENEIRA_UNROLL(8)
                                  for (std::size_t k = 0; k < Count; ++k) ++counters[k % Tables * bins + bin[k]];
                                }
                              });
}

/// For many bins: counters of 16 bits, emptied before one can overflow.
template <class F, class Key>
inline void count_in_short(const F& f, const Key* keys, std::size_t first, std::size_t n, std::uint16_t* counters,
                           std::uint64_t* counts) {
  constexpr std::size_t most = 65535;
  const std::size_t bins = f.bins();
  for (std::size_t at = 0; at < n; at += most) {
    std::fill_n(counters, bins, std::uint16_t{0});
    count_into<1>(f, keys + at, first + at, std::min(most, n - at), counters);
    for (std::size_t b = 0; b < bins; ++b) counts[b] += counters[b];
  }
}

/// For up to eight bins: a byte of a register each, emptied before one can overflow, where counters in memory would
/// wait for each other.
template <class F, class Key>
inline void count_in_register(const F& f, const Key* keys, std::size_t first, std::size_t n, std::uint64_t* counts) {
  constexpr std::size_t most = 255 - batch;
  std::uint64_t bytes = 0;
  std::size_t counted = 0;
  const auto empty = [&] {
    for (std::uint32_t b = 0; b < f.bins(); ++b) counts[b] += (bytes >> (8 * b)) & 255U;
    bytes = 0;
    counted = 0;
  };
  for_batches<false>(f, keys, first, n, [&]<std::size_t Count, bool Run>(std::size_t /*i*/, const std::uint32_t* bin) {
    for (std::size_t k = 0; k < Count; ++k) bytes += std::uint64_t{1} << (8 * bin[k]);
    counted += Count;
    if (counted > most) [[unlikely]]
      empty();
  });
  empty();
}

/// Counts pairs of items, and what has none by itself.
template <class F, class Key>
[[gnu::always_inline]] inline void count_pairs(const F& f, const Key* keys, std::size_t first, std::size_t n,
                                               std::uint32_t* single, std::uint32_t* pairs) {
  static_assert(batch % (2 * pair_tables) == 0);
  const std::uint32_t bins = f.bins();
  const auto count = [=]<std::size_t Count, bool Run>(std::size_t /*i*/, const std::uint32_t* bin)
      __attribute__((always_inline)) {
    if constexpr (Run || Count == 1) {
      single[bin[0]] += Count;
    } else {
      constexpr std::size_t half = Count / 2;
      std::uint32_t pair[half];
      for (std::size_t k = 0; k < half; ++k) pair[k] = bin[k] * bins + bin[k + half];
      PENEIRA_UNROLL(16)
      for (std::size_t k = 0; k < half; ++k) ++pairs[k % pair_tables * bins * bins + pair[k]];
    }
  };
  for_batches<true>(f, keys, first, n, count);
}

/// Adds up in counts what the tables of pairs hold.
inline void add_pairs(const std::uint32_t* single, const std::uint32_t* pairs, std::size_t bins,
                      std::uint64_t* counts) {
  for (std::size_t a = 0; a < bins; ++a) {
    counts[a] += single[a];
    for (std::size_t b = 0; b < bins; ++b) {
      std::uint64_t both = 0;
      for (unsigned t = 0; t < pair_tables; ++t) both += pairs[(t * bins + a) * bins + b];
      counts[a] += both;
      counts[b] += both;
    }
  }
}

/// Adds up the bins of n keys, of which the first is item `first`, into counts. `counters` is scratch.
template <class F, class Key>
void count_slice(const F& f, const Key* keys, std::size_t first, std::size_t n, std::uint32_t* counters,
                 std::uint64_t* counts) {
  constexpr std::size_t chunk = std::size_t{1} << 31U;  // 32-bit counters cannot overflow within it
  const std::size_t bins = f.bins();
  const bool by_pairs = bins <= most_bins_for_pairs && n / items_a_pair >= bins * bins * pair_tables && !is_level<F>;
  const unsigned tables = bins <= most_bins_for_tables ? count_tables : 1;
  std::fill_n(counts, bins, 0);
  if constexpr (!is_level<F>) {
#if defined(PENEIRA_AVX512)
    if (bins <= vector_counts && has_avx512()) return count_in_vectors(f, keys, first, n, counts);
#endif
#if defined(PENEIRA_NEON)
    if (bins <= tuning::cpu_byte_count_bins) return count_in_bytes(f, keys, first, n, counts);
#endif
    if (bins <= tuning::cpu_register_bins) return count_in_register(f, keys, first, n, counts);
    if (tuning::cpu_short_counters(bins)) {
      return count_in_short(f, keys, first, n, reinterpret_cast<std::uint16_t*>(counters), counts);
    }
  }
  for (std::size_t at = 0; at < n; at += chunk) {
    const std::size_t size = std::min(chunk, n - at);
    std::fill_n(counters, by_pairs ? bins * bins * pair_tables + bins : bins * tables, 0);
    if (by_pairs) {
      if constexpr (!is_level<F>) {
        std::uint32_t* const pairs = counters + bins;
#if defined(PENEIRA_AVX512)
        if (has_avx512()) {
          count_pairs_in_vectors(f, keys + at, first + at, size, counters, pairs);
        } else {
          count_pairs(f, keys + at, first + at, size, counters, pairs);
        }
#else
        count_pairs(f, keys + at, first + at, size, counters, pairs);
#endif
        add_pairs(counters, pairs, bins, counts);
      }
      continue;
    }
    if (tables == 1) {
      count_into<1>(f, keys + at, first + at, size, counters);
    } else {
      count_into<count_tables>(f, keys + at, first + at, size, counters);
    }
    for (unsigned t = 0; t < tables; ++t) {
      for (std::size_t b = 0; b < bins; ++b) counts[b] += counters[t * bins + b];
    }
  }
}

/// Counts of few bins on the stack: several tables let increments of one bin overlap.
template <class F, class Key, class Count>
[[gnu::noinline]] void count_on_stack(const F& f, const Key* keys, std::size_t n, Count* counts) {
  const std::size_t bins = f.bins();
  std::array<std::uint32_t, count_tables * tuning::cpu_stack_count_bins> counters;
  std::fill_n(counters.data(), count_tables * bins, 0);
  count_into<count_tables>(f, keys, 0, n, counters.data());
  for (std::size_t b = 0; b < bins; ++b) {
    std::uint32_t all = 0;
    for (unsigned t = 0; t < count_tables; ++t) all += counters[t * bins + b];
    counts[b] = static_cast<Count>(all);
  }
}

/// The items of each bin by one thread without other memory: where they are many for their bins, first into tables on
/// the stack.
template <class F, class Key, class Count>
void count_few(const F& f, const Key* keys, std::size_t n, Count* counts) {
  const std::size_t bins = f.bins();
  const std::size_t least = std::max(tuning::cpu_stack_count_least, tuning::cpu_stack_count_items * bins);
  if (bins <= tuning::cpu_stack_count_bins && n >= least && n >> 32U == 0) return count_on_stack(f, keys, n, counts);
  std::fill_n(counts, bins, Count{0});
  for_batches<false>(f, keys, 0, n, [=]<std::size_t Together, bool Run>(std::size_t /*i*/, const std::uint32_t* bin) {
    for (std::size_t k = 0; k < Together; ++k) ++counts[bin[k]];
  });
}

/// Counters from one slice's row of counts to the next: threads that move positions share no cache line. us of 1 Mi u32
/// straight into 4 bins by two threads, so and with rows of 64 bytes: 2,370 and 3,110 (CL).
constexpr std::size_t counts_row(std::size_t bins) {
  constexpr std::size_t pair = 2 * line_bytes / sizeof(std::uint64_t);
  return (bins + pair - 1) / pair * pair;
}

/// Turns counts, a row for each slice, into the position where that slice's items of that bin begin, and
/// writes the offset of each bin, though not the end of the last. Positions start at zero; offsets at `base`.
template <class Offset>
void scan_counts(std::uint64_t* counts, std::size_t bins, unsigned slices, unsigned members, std::size_t base,
                 Offset* offsets) {
  constexpr std::size_t parallel_from = 1U << 16U;
  const std::size_t row = counts_row(bins);
  const auto sum = [&](std::size_t begin, std::size_t end) {
    std::uint64_t total = 0;
    for (unsigned s = 0; s < slices; ++s) {
      for (std::size_t b = begin; b < end; ++b) total += counts[s * row + b];
    }
    return total;
  };
  const auto scan = [&](std::size_t begin, std::size_t end, std::uint64_t position) {
    for (std::size_t b = begin; b < end; ++b) {
      offsets[b] = static_cast<Offset>(base + position);
      for (unsigned s = 0; s < slices; ++s) {
        const std::uint64_t count = counts[s * row + b];
        counts[s * row + b] = position;
        position += count;
      }
    }
  };
  if (members == 1 || bins * slices < parallel_from) {
    scan(0, bins, 0);
    return;
  }
  constexpr unsigned most_parts = 64;
  const unsigned parts = std::min(members, most_parts);
  std::uint64_t totals[most_parts];
  on_each(parts, [&](unsigned p) {
    const auto [begin, end] = slice(bins, p, parts);
    totals[p] = sum(begin, end);
  });
  std::uint64_t position = 0;
  for (unsigned p = 0; p < parts; ++p) {
    const std::uint64_t total = totals[p];
    totals[p] = position;
    position += total;
  }
  on_each(parts, [&](unsigned p) {
    const auto [begin, end] = slice(bins, p, parts);
    scan(begin, end, totals[p]);
  });
}

}  // namespace peneira::detail
