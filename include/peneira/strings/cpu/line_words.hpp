// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines that are known by where they begin, and end with their separator: a sort of them needs no starts beside its
// records, and touches nothing but the text.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "peneira/host.hpp"
#include "peneira/place.hpp"
#include "peneira/strings/cpu/prefixes.hpp"
#include "peneira/strings/cpu/words.hpp"

namespace peneira::detail {

/// Reads the words of lines; see string_words. Their number is the position of their first byte.
class line_words {
 public:
  /// Behind the text there may be nothing: a last line without a separator ends with it.
  line_words(std::string_view text, char separator, bool descending)
      : text_(text.data()),
        size_(text.size()),
        separator_(separator),
        pattern_(0x0101010101010101U * static_cast<unsigned char>(separator)),
        flip_(descending ? ~std::uint64_t{0} : 0) {}

  [[nodiscard]] std::uint64_t operator()(std::size_t i, std::size_t depth) const {
    return counted(eight_bytes(i + depth));
  }
  [[nodiscard]] std::uint64_t operator()(std::size_t i, const string_window& window) const {
    const std::uint64_t head = eight_bytes(i + window.depth) & first_bytes[window.head];
    return counted(head | eight_bytes(i + window.depth + window.head + window.gap) >> 8 * window.head);
  }
  [[nodiscard]] bool ended(std::uint64_t word) const { return ((word ^ flip_) & 0xFFU) != 8; }

  [[nodiscard]] std::size_t left(std::size_t i, std::size_t depth, std::size_t most) const {
    const std::size_t there = std::min(most, size_ - i - depth);
    if (there == 0) return 0;
    const char* const from = text_ + i + depth;
    const void* const end = std::memchr(from, separator_, there);
    return end == nullptr ? there : static_cast<std::size_t>(static_cast<const char*>(end) - from);
  }
  [[nodiscard]] unsigned char byte(std::size_t i, std::size_t at) const {
    return static_cast<unsigned char>(text_[i + at]);
  }

  [[nodiscard]] std::size_t common(std::size_t i, std::size_t j, std::size_t depth, std::size_t end) const {
    const std::size_t most = std::min(end, size_ - i);
    std::size_t at = depth;
    for (; at + 8 <= most; at += 8) {
      const std::uint64_t different = big_endian_word(text_ + i + at) ^ big_endian_word(text_ + j + at);
      if (different != 0) return at + static_cast<std::size_t>(std::countl_zero(different)) / 8;
    }
    while (at < most && text_[i + at] == text_[j + at]) ++at;
    return at;
  }
  [[nodiscard]] std::size_t common(std::size_t i, std::size_t j, std::size_t depth) const {
    const std::size_t most = size_ - std::max(i, j);
    std::size_t at = depth;
    for (; at + 8 <= most; at += 8) {
      const std::uint64_t one = big_endian_word(text_ + j + at);
      const std::uint64_t stop = (big_endian_word(text_ + i + at) ^ one) | separators(one);
      if (stop != 0) return at + static_cast<std::size_t>(std::countl_zero(stop)) / 8;
    }
    while (at < most && text_[i + at] == text_[j + at] && text_[j + at] != separator_) ++at;
    return at;
  }
  [[nodiscard]] std::size_t common_gap(std::size_t i, std::size_t j, const string_window& window) const {
    const std::size_t begin = window.depth + window.head;
    if ((separators(eight_bytes(i + window.depth)) & first_bytes[window.head]) != 0) return 0;
    return common(i, j, begin, begin + window.gap) - begin;
  }

  void prefetch_start(std::size_t /*i*/) const {}
  void prefetch_bytes(std::size_t i, std::size_t depth) const { __builtin_prefetch(text_ + i + depth); }

 private:
  /// The highest bit of each byte that is a separator.
  [[nodiscard]] std::uint64_t separators(std::uint64_t word) const {
    constexpr std::uint64_t lows = 0x7F7F7F7F7F7F7F7FU;
    const std::uint64_t off = word ^ pattern_;
    return ~(((off & lows) + lows) | off | lows);
  }
  /// Eight bytes as a word: those before a separator, and how many these are.
  [[nodiscard]] std::uint64_t counted(std::uint64_t bytes) const {
    const auto left = static_cast<std::size_t>(std::countl_zero(separators(bytes))) / 8;
    return ((bytes & first_bytes[left]) | left) ^ flip_;
  }
  [[nodiscard]] std::uint64_t eight_bytes(std::size_t at) const {
    return at + 8 <= size_ ? big_endian_word(text_ + at) : last_bytes(at);
  }
  /// The same near the end of the text, behind which all is as if it were separators.
  [[nodiscard]] [[gnu::noinline]] std::uint64_t last_bytes(std::size_t at) const {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      word = word << 8U | static_cast<unsigned char>(at + k < size_ ? text_[at + k] : separator_);
    }
    return word;
  }

  const char* text_;
  std::size_t size_;
  char separator_;
  std::uint64_t pattern_;
  std::uint64_t flip_;
};

/// Bytes of temporary memory that sort_lines() takes.
template <class Offset>
std::size_t bytes_to_sort_lines(std::size_t lines, unsigned threads) {
  using team = string_team<line_words, Offset>;
  return temporary_bytes<string_team_sizes>(team::decide(lines, host::here().with_threads(threads)));
}

/// Puts the starts of lines of a text in the order of the lines, which keep theirs where they are equal. A line ends
/// before the next separator, or with the text. The starts ascend and are below the text's size.
template <class Offset>
void sort_lines(const cpu& on, std::string_view text, char separator, Offset* starts, std::size_t lines,
                bool descending) {
  if (lines < 2) return;
  using team = string_team<line_words, Offset>;
  const line_words words(text, separator, descending);
  team(on, team::decide(lines, host::here().with_threads(on.threads)), words, starts).sort([starts](std::size_t i) {
    return starts[i];
  });
}

}  // namespace peneira::detail
