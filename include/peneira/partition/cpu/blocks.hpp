// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A slice of a partition by one thread: first how many items each part has, then a block of them at a time to buffers
// of the parts, and from there to the output. Each item goes to all buffers and only that of its part moves on: there
// is nothing to predict, and nothing waits. What vectors move goes straight to the output (vector_parts.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/partition/cpu/vector_parts.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Items whose parts are found together.
inline constexpr std::size_t part_batch = 16;

/// How many of n keys are in each part; the first is item `first`.
template <std::size_t Ways, class F, class Key>
std::array<std::uint64_t, Ways> count_parts(const F& function, const Key* keys, std::size_t first, std::size_t n) {
  static_assert(Ways == 2 || Ways == 3);
#if defined(PENEIRA_AVX512)
  if constexpr (moves_vectors<Key, no_value>) {
    if (has_avx512()) return count_vectors<Ways>(function, keys, first, n);
  }
#endif
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  const auto count = [&]<std::size_t Count>(std::size_t i) __attribute__((always_inline)) {
    std::uint32_t parts[Count];
    classify<Count>(f, keys + i, first + i, parts);
    // Not by way of 32-bit sums: gcc 12 at -O3 makes masks of them, and adds -1 for each item.
    for (std::size_t k = 0; k < Count; ++k) second += parts[k] & 1U;
    for (std::size_t k = 0; Ways == 3 && k < Count; ++k) third += parts[k] >> 1U;
  };
  std::size_t i = 0;
  for (; i + part_batch <= n; i += part_batch) count.template operator()<part_batch>(i);
  for (; i < n; ++i) count.template operator()<1>(i);
  if constexpr (Ways == 2) {
    return {n - second, second};
  } else {
    return {n - second - third, second, third};
  }
}

/// Items of a block, so that the buffers of all parts stay in a first-level cache, and on the stack.
template <class T>
inline constexpr std::size_t part_items =
    std::clamp<std::size_t>(8192 / sizeof(T), part_batch, 1024) / part_batch* part_batch;

/// The buffers of the parts for a column, and one slot behind them, which is written and never read.
template <std::size_t Ways, std::size_t Items, class T>
struct part_buffers {
  struct room {
    alignas(T) unsigned char bytes[(Items + 1) * sizeof(T)];
  };
  std::array<room, Ways> rooms;

  T* of(std::size_t part) { return reinterpret_cast<T*>(rooms[part].bytes); }
};

/// Moves the items of a slice to out: those of part w from `at[w]` on, to before `end[w]`.
template <std::size_t Ways, class K, class V, class F>
void split_parts(view<const K, const V> in, const F& function, std::size_t first, view<K, V> out,
                 std::array<std::uint64_t, Ways> at, const std::array<std::uint64_t, Ways>& end) {
#if defined(PENEIRA_AVX512)
  if constexpr (moves_vectors<K, V>) {
    if (has_avx512()) return split_vectors<Ways>(in, function, first, out, at, end);
  }
#endif
  constexpr bool with_values = view<K, V>::has_values;
  using wider = std::conditional_t<(with_values && sizeof(V) > sizeof(K)), V, K>;
  constexpr std::size_t most = part_items<wider>;
  part_buffers<Ways, most, K> keys;
  [[maybe_unused]] std::conditional_t<with_values, part_buffers<Ways, most, V>, no_value> values;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  for (std::size_t begin = 0; begin < in.size; begin += most) {
    const std::size_t stop = std::min(in.size, begin + most);
    std::size_t ones = 0;  // of the block so far, in part 1
    std::size_t twos = 0;
    const auto put = [&]<std::size_t Count>(std::size_t i) __attribute__((always_inline)) {
      std::uint32_t parts[Count];
      classify<Count>(f, in.keys + i, first + i, parts);
      PENEIRA_UNROLL(4)
      for (std::size_t k = 0; k < Count; ++k) {
        const std::size_t slots[] = {i + k - begin - ones - twos, ones, twos};
        for (std::size_t w = 0; w < Ways; ++w) {
          std::memcpy(keys.of(w) + slots[w], in.keys + i + k, sizeof(K));
          if constexpr (with_values) std::memcpy(values.of(w) + slots[w], in.values + i + k, sizeof(V));
        }
        ones += parts[k] & 1U;
        if constexpr (Ways == 3) twos += parts[k] >> 1U;
      }
    };
    std::size_t i = begin;
    constexpr std::size_t some = Ways == 2 ? batch : part_batch;
    for (; i + some <= stop; i += some) put.template operator()<some>(i);
    for (; i < stop; ++i) put.template operator()<1>(i);
    const std::size_t filled[] = {stop - begin - ones - twos, ones, twos};
    for (std::size_t w = 0; w < Ways; ++w) {
      if (filled[w] > end[w] - at[w]) [[unlikely]]  // which the count of the same items excludes
        reject_impure("partition");
      if (filled[w] == 0) continue;
      std::memcpy(out.keys + at[w], keys.of(w), filled[w] * sizeof(K));
      if constexpr (with_values) std::memcpy(out.values + at[w], values.of(w), filled[w] * sizeof(V));
      at[w] += filled[w];
    }
  }
}

}  // namespace peneira::detail
