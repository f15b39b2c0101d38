// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bins of a few keys at once: registers hold them, searches interleave, and one test a batch catches a function that
// misses. Chunks whose neighbours share bins (sorted input, all keys equal) are noticed, so that runs can
// be moved as such.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "peneira/bins.hpp"
#include "peneira/cpu/lines.hpp"
#include "peneira/error.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// How far ahead of the reading position the input is asked for. Hardware prefetchers stop at page boundaries; 2 KiB
/// ahead took counting 12,288 bins from 1.7 to 3.2 G items/s on a Neoverse V1 and added 5 to 15% on an Emerald Rapids.
inline constexpr std::size_t prefetch_bytes = 2048;

template <class T>
inline void prefetch(const T* at, std::size_t ahead = prefetch_bytes) {
  __builtin_prefetch(reinterpret_cast<const char*>(at) + ahead);
}

/// Items whose bins are found before what comes next is decided again.
inline constexpr std::size_t bin_chunk = 4096;

/// How far ahead of a chunk's items others are asked for: not past the last. A page there that nobody has touched yet
/// is looked for in vain at every attempt: 8 items took 110 instead of 60 ns, 300 took 1,840 instead of 750 (V1).
template <class T>
constexpr std::size_t bytes_ahead(std::size_t left) {
  return left > bin_chunk + prefetch_bytes / sizeof(T) ? prefetch_bytes : 0;
}

/// The bins of Count keys, unchecked.
template <std::size_t Count, class F, class Key>
[[gnu::always_inline]] inline void fill_bins(const F& f, const Key* keys, std::uint32_t* bins) {
  if constexpr (requires { f.template many<Count>(keys, bins); }) {
    f.template many<Count>(keys, bins);
  } else if constexpr (Count >= 16) {  // vectors, which GCC 12 at -O3 makes of a loop unless it unrolls it first
    PENEIRA_UNROLL(1)
    for (std::size_t k = 0; k < Count; ++k) bins[k] = bin_of(f, keys[k]);
  } else {
    PENEIRA_UNROLL(8)  // at -O2 too: a sort by counting took 4.0 ns an item without, and 1.4 with (V1, 1 thread)
    for (std::size_t k = 0; k < Count; ++k) bins[k] = bin_of(f, keys[k]);
  }
}

/// Whether a bin function is one level of a split in two. Levels have many bins: what only few bins need is not
/// compiled for them.
template <class F>
inline constexpr bool is_level = false;

/// The call whose bin function it is, for messages.
template <class F>
inline constexpr std::string_view call_of = "multisplit";

/// Throws for the first of `count` keys whose bin is out of range.
template <class F, class Key>
[[noreturn, gnu::noinline]] inline void report_miss(const F& f, const Key* keys, std::size_t first, std::size_t count) {
  if constexpr (requires { f.whole; }) {  // a level of a split: tell what the caller's own function said
    report_miss(f.whole, keys, first, count);
  } else if constexpr (is_level<F>) {  // all keys were within its bins when their range was found
    reject_impure();
  } else {
    for (std::size_t k = 0; k < count; ++k) {
      if (bin_of(f, keys[k]) < f.bins()) continue;
      reject_bin(first + k, std::to_string(as_number(f(keys[k]))), f.bins(), call_of<F>);
    }
    reject_impure(call_of<F>);
  }
}

/// The bins of Count keys, of which the first is item `first`; throws if one is out of range.
template <std::size_t Count, class F, class Key>
[[gnu::always_inline]] inline void classify(const F& f, const Key* keys, std::size_t first, std::uint32_t* bins) {
  fill_bins<Count>(f, keys, bins);
  if constexpr (!never_misses<F>) {
    bool misses = false;  // rather than the largest, which takes two instructions a bin: these are one on ARM
    for (std::size_t k = 0; k < Count; ++k) misses |= bins[k] >= f.bins();
    if (misses) [[unlikely]]
      report_miss(f, keys, first, Count);
  }
}

inline constexpr std::size_t batch = tuning::cpu_batch;
/// Items that make a run if they fall into one bin.
inline constexpr std::size_t run_batch = std::max<std::size_t>(batch, 8);

/// Whether run_batch bins are one.
inline bool is_run(const std::uint32_t* bins) {
  std::uint32_t different = 0;
  for (std::size_t k = 1; k < run_batch; ++k) different |= bins[k] ^ bins[0];
  return different == 0;
}

/// Whether nearly all items have the bin of the one before them, as a few probes tell: those of sorted input, of long
/// runs, or all of them.
template <class F, class Key>
bool come_in_runs(const F& f, const Key* keys, std::size_t n) {
  constexpr std::size_t probes = 16;
  constexpr std::size_t enough = probes * (run_batch - 1) * 7 / 8;
  if (n < bin_chunk) return false;
  std::size_t equal = 0;
  for (std::size_t p = 0; p < probes; ++p) {
    std::uint32_t bins[run_batch];
    fill_bins<run_batch>(f, keys + (n - run_batch) / (probes - 1) * p, bins);
    for (std::size_t k = 1; k < run_batch; ++k) equal += bins[k] == bins[k - 1] ? 1U : 0U;
  }
  return equal >= enough;
}

/// Calls put.operator()<Count, Run>(i, bins) for n keys in order, Batch of them at a time; Run: all in one bin. `first`
/// is the number of the first item, for messages. Runs are looked for, if at all, only in chunks where a few probes
/// found some: looking everywhere would cost other inputs a tenth of their speed. Not always_inline: all was 4% slower
/// so (V1). Of Together batches the loop is unrolled.
template <bool LookForRuns, std::size_t Batch = batch, std::size_t Together = 1, class F, class Key, class Put>
inline void for_batches(const F& function, const Key* keys, std::size_t first, std::size_t n, Put&& put) {
  constexpr std::size_t chunk = bin_chunk;
  constexpr std::size_t probes = 4;
  // All within what is on its way already: a probe that waits for memory costs as much as fifty items.
  constexpr std::size_t apart = std::max<std::size_t>(run_batch, prefetch_bytes / sizeof(Key) / probes);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    const std::size_t end = std::min(n, begin + chunk);
    const std::size_t ahead = bytes_ahead<Key>(n - begin);
    std::size_t runs = 0;
    for (std::size_t p = 0; LookForRuns && end - begin == chunk && p < probes; ++p) {
      std::uint32_t bins[run_batch];
      fill_bins<run_batch>(f, keys + begin + p * apart, bins);
      runs += is_run(bins) ? 1U : 0U;
    }
    std::size_t i = begin;
    if (LookForRuns && runs > probes / 2) {
      for (; i + run_batch <= end; i += run_batch) {
        std::uint32_t bins[run_batch];
        prefetch(keys + i, ahead);
        classify<run_batch>(f, keys + i, first + i, bins);
        if (is_run(bins)) {
          put.template operator()<run_batch, true>(i, bins);
        } else {
          for (std::size_t k = 0; k < run_batch; ++k) put.template operator()<1, false>(i + k, bins + k);
        }
      }
    }
    constexpr std::size_t line = std::max<std::size_t>(1, line_bytes / sizeof(Key));
    for (; Together > 1 && i + Together * Batch <= end; i += Together * Batch) {
      for (std::size_t at = i; at < i + Together * Batch; at += line) prefetch(keys + at, ahead);
      PENEIRA_UNROLL(4)
      for (std::size_t at = i; at < i + Together * Batch; at += Batch) {
        std::uint32_t bins[Batch];
        classify<Batch>(f, keys + at, first + at, bins);
        put.template operator()<Batch, false>(at, bins);
      }
    }
    for (; i + Batch <= end; i += Batch) {
      std::uint32_t bins[Batch];  // of its own: one that left the registers elsewhere would be in memory here too
      for (std::size_t at = i; at < i + Batch; at += line) prefetch(keys + at, ahead);
      classify<Batch>(f, keys + i, first + i, bins);
      put.template operator()<Batch, false>(i, bins);
    }
    for (; i < end; ++i) {
      std::uint32_t bins[1];
      classify<1>(f, keys + i, first + i, bins);
      put.template operator()<1, false>(i, bins);
    }
  }
}

/// The upper level of a split in two: 2^shift neighbouring bins are one.
template <class F>
struct coarse_bins {
  F whole;
  unsigned shift;

  [[nodiscard]] std::uint32_t bins() const { return ((whole.bins() - 1) >> shift) + 1; }
  template <std::size_t Count, class Key>
  void many(const Key* keys, std::uint32_t* to) const {
    fill_bins<Count>(whole, keys, to);
    for (std::size_t k = 0; k < Count; ++k) {
      const bool missed = !never_misses<F> && to[k] >= whole.bins();
      to[k] = missed ? 0xFFFFFFFFU : to[k] >> shift;
    }
  }
  template <class Key>
  std::uint32_t operator()(const Key& key) const {
    std::uint32_t bin = 0;
    many<1>(&key, &bin);
    return bin;
  }
};

/// The lower level: the bins of one coarse bin.
template <class F>
struct fine_bins {
  F whole;
  std::uint32_t first;
  std::uint32_t count;

  [[nodiscard]] std::uint32_t bins() const { return count; }
  template <std::size_t Count, class Key>
  void many(const Key* keys, std::uint32_t* to) const {
    fill_bins<Count>(whole, keys, to);
    for (std::size_t k = 0; k < Count; ++k) to[k] -= first;
  }
  template <class Key>
  std::uint32_t operator()(const Key& key) const {
    return bin_of(whole, key) - first;
  }
};

template <class F>
inline constexpr bool is_level<coarse_bins<F>> = true;
template <class F>
inline constexpr bool is_level<fine_bins<F>> = true;

/// Whether it is a level of a sort, which vectors split, too.
template <class F>
inline constexpr bool is_sort_level = false;

template <class F>
inline constexpr bool never_misses<coarse_bins<F>> = never_misses<F>;
template <class F>
inline constexpr bool never_misses<fine_bins<F>> = never_misses<F>;

}  // namespace peneira::detail
