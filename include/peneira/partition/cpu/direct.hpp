// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Items that fit a cache go straight to their places, one write each, and no branch depends on a part.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/partition/cpu/blocks.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Copies item `from` to place `to`.
template <class K, class V>
[[gnu::always_inline]] inline void move_item(view<const K, const V> in, std::size_t from, view<K, V> out,
                                             std::size_t to) {
  std::memcpy(static_cast<void*>(out.keys + to), in.keys + from, sizeof(K));
  if constexpr (view<K, V>::has_values) std::memcpy(static_cast<void*>(out.values + to), in.values + from, sizeof(V));
}

/// A number if `one` is 1, or else nothing: compilers make branches of choices, which would be guesses.
[[gnu::always_inline]] inline std::size_t masked(std::size_t number, std::size_t one) {
  return number & (std::size_t{0} - one);
}

/// Turns an array round; items are copied, as types may know nothing else.
template <class T>
void turn_round(T* begin, T* end) {
  for (; end - begin > 1; ++begin) {
    --end;
    std::array<std::byte, sizeof(T)> kept;
    std::memcpy(kept.data(), begin, sizeof(T));
    std::memcpy(static_cast<void*>(begin), end, sizeof(T));
    std::memcpy(static_cast<void*>(end), kept.data(), sizeof(T));
  }
}

/// Calls put(i, parts of some items from i on) for all of them.
template <class K, class F, class Put>
[[gnu::always_inline]] inline void for_parts(const K* keys, std::size_t n, const F& f, const Put& put) {
  std::size_t i = 0;
  for (; i + part_batch <= n; i += part_batch) {
    std::array<std::uint32_t, part_batch> parts;
    classify<part_batch>(f, keys + i, i, parts.data());
    put(i, parts);
  }
  for (; i < n; ++i) {
    std::array<std::uint32_t, 1> part;
    classify<1>(f, keys + i, i, part.data());
    put(i, part);
  }
}

/// Two parts, the first from the front on, the second from the back; there it is turned round where its order counts.
/// Returns the size of the first.
template <class K, class V, class F>
std::size_t place_two_parts(view<const K, const V> in, view<K, V> out, const F& function, order within) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  std::size_t front = 0;
  std::size_t back = in.size;  // behind the free places
  for_parts(
      in.keys, in.size, f, [&](std::size_t i, const auto& parts) __attribute__((always_inline)) {
        PENEIRA_UNROLL(4)
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const std::size_t second = parts[k];
          back -= second;
          move_item(in, i + k, out, front + masked(back - front, second));
          front += 1 - second;
        }
      });
  if (within == order::stable) {
    turn_round(out.keys + back, out.keys + in.size);
    if constexpr (view<K, V>::has_values) turn_round(out.values + back, out.values + in.size);
  }
  return front;
}

/// Three parts, whose sizes were counted before.
template <class K, class V, class F>
void place_three_parts(view<const K, const V> in, view<K, V> out, const F& function,
                       const std::array<std::uint64_t, 3>& sizes) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  const std::size_t first_of_second = sizes[0];
  const std::size_t first_of_third = first_of_second + sizes[1];
  std::size_t ones = 0;  // in part 1 so far
  std::size_t twos = 0;
  for_parts(
      in.keys, in.size, f, [&](std::size_t i, const auto& parts) __attribute__((always_inline)) {
        std::size_t new_ones = 0;
        std::size_t new_twos = 0;
        for (const std::uint32_t part : parts) new_ones += part & 1U;
        for (const std::uint32_t part : parts) new_twos += part >> 1U;
        const std::size_t zeros = i + parts.size() - ones - twos - new_ones - new_twos;
        if (zeros > sizes[0] || ones + new_ones > sizes[1] || twos + new_twos > sizes[2]) [[unlikely]]
          reject_impure("partition");  // the count of the same items excludes it
        PENEIRA_UNROLL(4)
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const std::size_t is_one = parts[k] & 1U;
          const std::size_t is_two = parts[k] >> 1U;
          const std::size_t first = i + k - ones - twos;
          const std::size_t to_second = masked(first_of_second + ones - first, is_one);
          const std::size_t to_third = masked(first_of_third + twos - first, is_two);
          move_item(in, i + k, out, first + to_second + to_third);
          ones += is_one;
          twos += is_two;
        }
      });
}

}  // namespace peneira::detail
