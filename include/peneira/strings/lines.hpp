// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines of a text as strings: every thread counts the separators of its slice, and then writes where lines start.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "peneira/cpu/team.hpp"
#include "peneira/place.hpp"
#include "peneira/strings/view.hpp"

namespace peneira {

namespace detail {

/// The bytes of `word` that are the pattern's become 1, the others 0; the lowest is the first in memory.
inline std::uint64_t separator_bytes(const char* at, std::uint64_t pattern) {
  constexpr std::uint64_t lows = 0x7F7F7F7F7F7F7F7FU;
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  word ^= pattern;
  return ~(((word & lows) + lows) | word | lows) >> 7U;
}
/// Eight times the separator, as separator_bytes takes it.
constexpr std::uint64_t separator_pattern(char separator) {
  return 0x0101010101010101U * static_cast<unsigned char>(separator);
}

/// Calls found(word, first) for eight bytes at a time, where the bytes of `word` that are 1 (the others are 0) are the
/// separators among the eight from `first` on, in the order of memory from the lowest.
template <class Found>
void scan_separators(const char* text, std::size_t begin, std::size_t end, char separator, Found&& found) {
  const std::uint64_t pattern = separator_pattern(separator);
  std::size_t at = begin;
  for (; at + 8 <= end; at += 8) found(separator_bytes(text + at, pattern), at);
  for (; at < end; ++at) {
    if (text[at] == separator) found(std::uint64_t{1}, at);
  }
}

inline std::size_t count_separators(const char* text, std::size_t begin, std::size_t end, char separator) {
  constexpr std::size_t block = std::size_t{240} * 8;  // a byte counts so many words, and the last few bytes as well
  std::size_t all = 0;
  for (std::size_t at = begin; at < end; at += block) {
    std::uint64_t counts = 0;
    scan_separators(text, at, std::min(end, at + block), separator,
                    [&](std::uint64_t word, std::size_t /*first*/) { counts += word; });
    all += (counts & 0x00FF00FF00FF00FFU) * 0x0001000100010001U >> 48U;
    all += (counts >> 8U & 0x00FF00FF00FF00FFU) * 0x0001000100010001U >> 48U;
  }
  return all;
}

}  // namespace detail

/// The lines of a text, which stays where it is: each ends before a separator, or with the text. A separator at the
/// text's end starts no further line, and no text has no lines. `on` says how many threads look for them.
template <string_number Offset = std::uint64_t>
owned_strings<Offset> lines_of(std::string_view text, char separator = '\n', const cpu& on = {}) {
  detail::check_text_bytes<Offset>("lines_of", text.size() + 1);
  constexpr std::size_t least = std::size_t{1} << 18U;  // bytes that are worth one more thread
  const std::size_t most = host::here().with_threads(on.threads).threads;
  const auto threads = static_cast<unsigned>(std::clamp<std::size_t>(text.size() / least, 1, most));
  std::vector<std::size_t> first(threads + 1);
  detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = detail::slice(text.size(), m, threads);
    first[m + 1] = detail::count_separators(text.data(), begin, end, separator);
  });
  for (unsigned m = 0; m < threads; ++m) first[m + 1] += first[m];
  const bool unended = !text.empty() && text.back() != separator;
  const std::size_t lines = first[threads] + (unended ? 1 : 0);
  auto starts = std::make_unique_for_overwrite<Offset[]>(lines + 1);
  starts[0] = 0;
  detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = detail::slice(text.size(), m, threads);
    Offset* next = starts.get() + first[m] + 1;
    detail::scan_separators(text.data(), begin, end, separator, [&](std::uint64_t word, std::size_t at) {
      for (; word != 0; word &= word - 1) {
        *next++ = static_cast<Offset>(at + static_cast<unsigned>(std::countr_zero(word)) / 8 + 1);
      }
    });
  });
  // Where the last line has no separator, its end is as if it had one.
  if (unended) starts[lines] = static_cast<Offset>(text.size() + 1);
  const strings<Offset> all(text.data(), starts.get(), lines, 1);
  return {nullptr, std::move(starts), all};
}

}  // namespace peneira
