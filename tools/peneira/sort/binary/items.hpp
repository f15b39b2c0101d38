// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The two kinds of items that `peneira sort` takes from binary files: numbers, and records with a key of bytes. Both
// have a rank, a number of up to 64 bits; a key that is longer has a row of them, one for each window of 8 bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "peneira/hash.hpp"
#include "peneira/key_order.hpp"

namespace peneira::tool {

/// Numbers of one width. While they are sorted, each is the unsigned number that says its place in the order.
template <class U>
struct number_items {
  static constexpr std::uint64_t highest_rank = std::numeric_limits<U>::max();
  pn::detail::key_order<U> by;

  [[nodiscard]] static constexpr std::size_t bytes() { return sizeof(U); }
  /// From what the file holds to what is sorted.
  void admit(char* data, std::size_t count) const {
    if (by.plain()) return;
    auto* const items = reinterpret_cast<U*>(data);
    for (std::size_t i = 0; i < count; ++i) items[i] = by(items[i]);
  }
  /// And back.
  void release(char* data, std::size_t count) const {
    if (by.plain()) return;
    auto* const items = reinterpret_cast<U*>(data);
    for (std::size_t i = 0; i < count; ++i) items[i] = by.back(items[i]);
  }
  /// Copies the items of positions [first, first + count) of `n` to `to`.
  static void gather(char* to, const char* data, const std::uint32_t* positions, std::size_t /*n*/, std::size_t first,
                     std::size_t count) {
    const auto* const items = reinterpret_cast<const U*>(data);
    auto* const out = reinterpret_cast<U*>(to);
    for (std::size_t i = 0; i < count; ++i) out[i] = items[positions[first + i]];
  }
  [[nodiscard]] std::uint64_t rank(const char* item, std::size_t /*window*/) const {
    U value{};
    std::memcpy(&value, item, sizeof(U));
    return value;
  }
  /// Whether items of equal ranks up to this window can differ in a later one.
  [[nodiscard]] static constexpr bool goes_on_after(std::size_t /*window*/) { return false; }
  /// Whether `a` must come before `b`.
  [[nodiscard]] bool less(const char* a, const char* b) const { return rank(a, 0) < rank(b, 0); }
};

/// Records of one size, ordered by some of their bytes as memcmp() orders them.
struct record_items {
  static constexpr std::uint64_t highest_rank = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t window_bytes = 8;
  std::size_t record_bytes = 0;
  std::size_t key_first = 0;
  std::size_t key_bytes = 0;
  bool descending = false;

  [[nodiscard]] std::size_t bytes() const { return record_bytes; }
  void admit(char* /*data*/, std::size_t /*count*/) const {}
  void release(char* /*data*/, std::size_t /*count*/) const {}
  void gather(char* to, const char* data, const std::uint32_t* positions, std::size_t n, std::size_t first,
              std::size_t count) const {
    constexpr std::size_t ahead = 16;
    constexpr std::size_t line = 64;
    constexpr std::size_t most_lines = 8;
    for (std::size_t i = first; i < first + count; ++i, to += record_bytes) {
      if (i + ahead < n) {
        const char* const next = data + positions[i + ahead] * record_bytes;
        for (std::size_t at = 0; at < std::min(record_bytes, most_lines * line); at += line) {
          __builtin_prefetch(next + at);
        }
      }
      std::memcpy(to, data + positions[i] * record_bytes, record_bytes);
    }
  }
  /// The bytes of a window of the key, the first the highest; zeros follow a key's end.
  [[nodiscard]] std::uint64_t rank(const char* item, std::size_t window) const {
    const std::size_t from = window * window_bytes;
    const std::size_t length = std::min(window_bytes, key_bytes - from);
    const char* const at = item + key_first + from;
    std::uint64_t word = 0;
    if (length == window_bytes || record_bytes - key_first - from >= window_bytes) {  // no call for 8 bytes
      std::memcpy(&word, at, window_bytes);
    } else {
      std::memcpy(&word, at, length);
    }
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    word &= ~std::uint64_t{0} << (8 * (window_bytes - length));
    return descending ? ~word : word;
  }
  [[nodiscard]] bool goes_on_after(std::size_t window) const { return (window + 1) * window_bytes < key_bytes; }
  /// Whether `a` must come before `b` by the windows from `window` on.
  [[nodiscard]] bool less(const char* a, const char* b, std::size_t window = 0) const {
    const std::size_t from = window * window_bytes;
    const int found = std::memcmp(a + key_first + from, b + key_first + from, key_bytes - from);
    return descending ? found > 0 : found < 0;
  }
};

/// The sum of the hashes of items as the file holds them: whatever their order, the same.
inline std::uint64_t sum_hashes(const char* data, std::size_t count, std::size_t bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += hash_bytes({data + i * bytes, bytes});
  return sum;
}

}  // namespace peneira::tool
