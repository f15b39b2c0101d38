// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Cached words: seven bytes of a string as a number, so that most comparisons of strings never touch a string.
//
//   word of "flour" at depth 0        f  l  o  u  r  .  .  5      the lowest byte: how many bytes are left, 8 for more
//   word of "flour mill" at depth 0   f  l  o  u  r     m  8      than seven, and then equal words say nothing yet
//
// Words order as their strings do, NUL bytes included, and equal words of ended strings mean equal strings.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "peneira/config.hpp"
#include "peneira/strings/view.hpp"

namespace peneira::detail {

/// A string in a sort: its word at the depth of its group, and which it is.
template <class Index>
struct [[gnu::packed]] alignas(sizeof(Index)) cached_string {
  std::uint64_t word;
  Index index;
};

/// Eight bytes as a number whose order is theirs.
inline std::uint64_t big_endian_word(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

/// Reads the words of strings.
template <class Offset>
class string_words {
 public:
  static constexpr std::size_t bytes = 7;  ///< of a string, in a word

  string_words(const strings<Offset>& all, bool descending)
      : all_(all),
        readable_(static_cast<std::size_t>(all.starts[all.size]) - all.trailing),
        flip_(descending ? ~std::uint64_t{0} : 0) {}

  /// The word of string i, which has at least `depth` bytes, from there on.
  [[nodiscard]] std::uint64_t operator()(std::size_t i, std::size_t depth) const {
    const std::size_t at = static_cast<std::size_t>(all_.starts[i]) + depth;
    const std::size_t left =
        std::min<std::size_t>(static_cast<std::size_t>(all_.starts[i + 1]) - all_.trailing - at, 8);
    const std::uint64_t word = at + 8 <= readable_ ? big_endian_word(all_.chars + at) : last_word(at);
    return ((word & kept[left]) | left) ^ flip_;
  }
  /// Whether the strings of that word end in it.
  [[nodiscard]] bool ended(std::uint64_t word) const { return ((word ^ flip_) & 0xFFU) != 8; }

  [[nodiscard]] std::size_t length(std::size_t i) const { return all_.length_of(i); }

  /// How many bytes strings i and j have in common, looking at those from `depth` on, which are, to before `end`, where
  /// j has not ended.
  [[nodiscard]] std::size_t common(std::size_t i, std::size_t j, std::size_t depth, std::size_t end) const {
    const char* const a = all_.begin_of(i);
    const char* const b = all_.begin_of(j);
    const std::size_t most = std::min(end, all_.length_of(i));
    std::size_t at = depth;
    for (; at + 8 <= most; at += 8) {
      const std::uint64_t different = big_endian_word(a + at) ^ big_endian_word(b + at);
      if (different != 0) return at + static_cast<std::size_t>(std::countl_zero(different)) / 8;
    }
    while (at < most && a[at] == b[at]) ++at;
    return at;
  }

  void prefetch_start(std::size_t i) const { __builtin_prefetch(all_.starts + i); }
  void prefetch_bytes(std::size_t i, std::size_t depth) const { __builtin_prefetch(all_.begin_of(i) + depth); }

 private:
  static constexpr std::array<std::uint64_t, 9> kept{0,
                                                     0xFFULL << 56U,
                                                     0xFFFFULL << 48U,
                                                     0xFFFFFFULL << 40U,
                                                     0xFFFFFFFFULL << 32U,
                                                     0xFFFFFFFFFFULL << 24U,
                                                     0xFFFFFFFFFFFFULL << 16U,
                                                     0xFFFFFFFFFFFFFFULL << 8U,
                                                     0xFFFFFFFFFFFFFFULL << 8U};

  /// The same near the end of all characters, behind which nothing may be read.
  [[nodiscard]] [[gnu::noinline]] std::uint64_t last_word(std::size_t at) const {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      word = word << 8U | (at + k < readable_ ? static_cast<unsigned char>(all_.chars[at + k]) : 0U);
    }
    return word;
  }

  strings<Offset> all_;
  std::size_t readable_;
  std::uint64_t flip_;
};

/// Strings that guess_common looks at.
inline constexpr std::size_t common_looks = 16;

/// The bytes that all of some strings seem to have in common, by the looks of a few of them: no fewer than they have.
template <class Offset, class Index>
std::size_t guess_common(const string_words<Offset>& read, const cached_string<Index>* records, std::size_t n,
                         std::size_t depth) {
  const std::size_t looks = std::min(n, common_looks);
  const std::size_t first = records[0].index;
  std::size_t common = read.length(first);
  for (std::size_t k = 1; k < looks && common > depth; ++k) {
    common = read.common(records[k * n / looks].index, first, depth, common);
  }
  return common;
}

/// Sets the words of some strings at `common`, which string `first` has in common with them from `depth` on, or so it
/// seemed. Returns how many bytes they really do: where fewer, their words are not set.
template <class Offset, class Index>
std::size_t refill_words(const string_words<Offset>& read, cached_string<Index>* records, std::size_t n,
                         std::size_t first, std::size_t depth, std::size_t common) {
  constexpr std::size_t far = 32;
  constexpr std::size_t near = 16;
  for (std::size_t i = 0; i < n; ++i) {
    if (i + far < n) read.prefetch_start(records[i + far].index);
    if (i + near < n) {
      read.prefetch_bytes(records[i + near].index, depth);
      if (common > depth) read.prefetch_bytes(records[i + near].index, common);
    }
    const std::size_t index = records[i].index;
    if (common > depth) {
      const std::size_t really = read.common(index, first, depth, common);
      if (really < common) {
        common = really;
        continue;
      }
    }
    records[i].word = read(index, common);
  }
  return common;
}

}  // namespace peneira::detail
