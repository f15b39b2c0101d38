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
#include <cstring>
#include <utility>

#include "peneira/strings/view.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// A string in a sort: its word at the depth of its group, and which it is.
template <class Index>
struct [[gnu::packed]] alignas(sizeof(Index)) cached_string {
  std::uint64_t word;
  Index index;
};

inline constexpr std::size_t word_bytes = 7;  ///< of a string, in a word

/// Eight bytes as a number whose order is theirs.
inline std::uint64_t big_endian_word(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

/// Where the words of a group are taken from: `head` bytes from `depth` on and, behind a gap, the rest of the seven.
struct string_window {
  std::size_t depth = 0;
  std::size_t head = 0;
  std::size_t gap = 0;
};

/// Masks of the first bytes of a word: as many as the index says, at most seven.
inline constexpr std::array<std::uint64_t, 9> first_bytes{0,
                                                          0xFFULL << 56U,
                                                          0xFFFFULL << 48U,
                                                          0xFFFFFFULL << 40U,
                                                          0xFFFFFFFFULL << 32U,
                                                          0xFFFFFFFFFFULL << 24U,
                                                          0xFFFFFFFFFFFFULL << 16U,
                                                          0xFFFFFFFFFFFFFFULL << 8U,
                                                          0xFFFFFFFFFFFFFFULL << 8U};

/// Reads the words of strings, which are known by their numbers.
template <class Offset>
class string_words {
 public:
  string_words(const strings<Offset>& all, bool descending)
      : all_(all),
        readable_(static_cast<std::size_t>(all.starts[all.size]) - all.trailing),
        flip_(descending ? ~std::uint64_t{0} : 0) {}

  /// The word of string i, which has at least `depth` bytes, from there on.
  [[nodiscard]] std::uint64_t operator()(std::size_t i, std::size_t depth) const {
    const std::size_t at = static_cast<std::size_t>(all_.starts[i]) + depth;
    const std::size_t left = std::min<std::size_t>(end_of(i) - at, 8);
    return ((eight_bytes(at) & first_bytes[left]) | left) ^ flip_;
  }
  /// The same through a window, which leaves out what all strings of a group have in common.
  [[nodiscard]] std::uint64_t operator()(std::size_t i, const string_window& window) const {
    const std::size_t at = static_cast<std::size_t>(all_.starts[i]) + window.depth;
    const std::size_t behind = at + window.head + window.gap;
    const std::size_t left = std::min<std::size_t>(end_of(i) - at - window.gap, 8);
    const std::uint64_t word = (eight_bytes(at) & first_bytes[window.head]) | eight_bytes(behind) >> 8 * window.head;
    return ((word & first_bytes[left]) | left) ^ flip_;
  }
  /// Whether the strings of that word end in it.
  [[nodiscard]] bool ended(std::uint64_t word) const { return ((word ^ flip_) & 0xFFU) != 8; }

  /// How many bytes string i has from `depth` on, at most `most`.
  [[nodiscard]] std::size_t left(std::size_t i, std::size_t depth, std::size_t most) const {
    return std::min(all_.length_of(i) - depth, most);
  }
  [[nodiscard]] unsigned char byte(std::size_t i, std::size_t at) const {
    return static_cast<unsigned char>(all_.begin_of(i)[at]);
  }

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

  /// The same up to the end of either.
  [[nodiscard]] std::size_t common(std::size_t i, std::size_t j, std::size_t depth) const {
    return common(i, j, depth, all_.length_of(j));
  }

  /// How much of what a window leaves out string i has in common with string j.
  [[nodiscard]] std::size_t common_gap(std::size_t i, std::size_t j, const string_window& window) const {
    const std::size_t begin = window.depth + window.head;
    return all_.length_of(i) <= begin ? 0 : common(i, j, begin, begin + window.gap) - begin;
  }

  void prefetch_start(std::size_t i) const { __builtin_prefetch(all_.starts + i); }
  void prefetch_bytes(std::size_t i, std::size_t depth) const { __builtin_prefetch(all_.begin_of(i) + depth); }

 private:
  [[nodiscard]] std::size_t end_of(std::size_t i) const {
    return static_cast<std::size_t>(all_.starts[i + 1]) - all_.trailing;
  }
  [[nodiscard]] std::uint64_t eight_bytes(std::size_t at) const {
    return at + 8 <= readable_ ? big_endian_word(all_.chars + at) : last_bytes(at);
  }
  /// The same near the end of all characters, behind which nothing may be read.
  [[nodiscard]] [[gnu::noinline]] std::uint64_t last_bytes(std::size_t at) const {
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

/// Strings that guess_window looks at, and at how many of many.
inline constexpr std::size_t window_looks = 16;
inline constexpr std::size_t more_looks = 64;
/// Strings from which it looks for a gap, too, and how long one is at least.
inline constexpr std::size_t least_for_gap = 256;
inline constexpr std::size_t least_gap = 4;

/// Where the words of some strings, at least two, seem to be best taken from, by the looks of a few of them: behind all
/// that they have in common, and leaving out more of that a few bytes further on. All must still be seen to have it.
template <class Words, class Index>
string_window guess_window(const Words& read, const cached_string<Index>* records, std::size_t n, std::size_t depth) {
  const std::size_t looks = n < 64 * more_looks ? std::min(n, window_looks) : more_looks;
  const std::size_t first = records[0].index;
  const auto look = [&](std::size_t k) -> std::size_t { return records[k * n / looks].index; };
  std::size_t common = read.common(look(1), first, depth);
  for (std::size_t k = 2; k < looks && common > depth; ++k) common = read.common(look(k), first, depth, common);
  string_window window{common, 0, 0};
  if (n < least_for_gap) return window;

  constexpr std::size_t ahead = 48;
  std::array<unsigned char, ahead> differs{};
  std::size_t seen = ahead;
  for (std::size_t k = 0; k < looks; ++k) seen = read.left(look(k), common, seen);
  for (std::size_t k = 1; k < looks; ++k) {
    for (std::size_t b = 0; b < seen; ++b) {
      const auto bits = read.byte(look(k), common + b) ^ read.byte(first, common + b);
      differs[b] = static_cast<unsigned char>(differs[b] | bits);
    }
  }
  for (std::size_t head = 1; head < word_bytes; ++head) {
    std::size_t end = head;
    while (end < seen && differs[end] == 0) ++end;
    if (end - head >= least_gap) return {common, head, end - head};
  }
  return window;
}

/// Sets the words of some strings, which agree with string `first` up to `depth`, through a window if they have in
/// common what it leaves out; if not, through as much of it as they do. Returns that window and whether the words are
/// set: they are not where it begins earlier than was hoped.
template <class Words, class Index>
std::pair<string_window, bool> refill_words(const Words& read, cached_string<Index>* records, std::size_t n,
                                            std::size_t first, std::size_t depth, string_window window) {
  constexpr std::size_t far = tuning::cpu_string_far;
  constexpr std::size_t near = tuning::cpu_string_near;
  bool early = false;
  bool shrunk = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (i + far < n) read.prefetch_start(records[i + far].index);
    if (i + near < n) {
      read.prefetch_bytes(records[i + near].index, depth);
      if (window.depth > depth) read.prefetch_bytes(records[i + near].index, window.depth);
      if (window.gap != 0) read.prefetch_bytes(records[i + near].index, window.depth + window.gap);
    }
    const std::size_t index = records[i].index;
    if (window.depth > depth) {
      const std::size_t common = read.common(index, first, depth, window.depth);
      if (common < window.depth) {
        window = {common, 0, 0};
        early = true;
      }
      if (early) continue;
    }
    if (window.gap == 0) {
      records[i].word = read(index, window.depth);
    } else if (const std::size_t gap = read.common_gap(index, first, window); gap == window.gap) {
      records[i].word = read(index, window);
    } else {  // once more from the first string, or twice
      window.gap = gap >= least_gap && !shrunk ? gap : 0;
      shrunk = true;
      i = std::size_t{0} - 1;
    }
  }
  return {window, !early};
}

}  // namespace peneira::detail
