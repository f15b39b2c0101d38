// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Seeded lines of text for benchmarks and `peneira gen --text`: line i is a pure function of the seed and i.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "bench/inputs.hpp"

namespace peneira::bench {

/// 10 to 90 printable characters.
inline void append_random_line(std::string& to, std::uint64_t seed, std::uint64_t index) {
  draws from(seed, index);
  const std::uint64_t length = 10 + from.below(81);
  std::uint64_t drawn = 0;
  for (std::uint64_t k = 0; k < length; ++k) {
    if (k % 8 == 0) drawn = from.next();
    to += static_cast<char>(' ' + ((drawn & 0xFFU) * 95 >> 8U));
    drawn >>= 8U;
  }
}

/// Addresses whose first 40 to 60 characters many lines share.
inline void append_url_line(std::string& to, std::uint64_t seed, std::uint64_t index) {
  constexpr std::array<std::string_view, 8> topics{"agriculture", "architecture", "engineering", "geography",
                                                   "literature",  "mathematics",  "medicine",    "photography"};
  draws from(seed, index);
  const std::uint64_t popular = zipf_rank(seed, index);
  const std::string_view topic = topics[from.below(topics.size())];  // drawn one after the other, on every machine
  const std::uint64_t session = from.next();
  fmt::format_to(std::back_inserter(to),
                 "https://www.example.org/archive/{}/collection-{:03}/item-{:07}?session={:016x}", topic, popular % 100,
                 popular, session);
}

/// id,key,value,word with keys that repeat, the hot ones often.
inline void append_csv_line(std::string& to, std::uint64_t seed, std::uint64_t index) {
  constexpr std::array<std::string_view, 8> words{"bran", "chaff", "flour", "grain", "husk", "meal", "sieve", "wheat"};
  draws from(seed, index);
  const std::uint64_t key = zipf_rank(seed, index) % 100'000;
  const std::uint64_t cents = from.below(10'000'000);
  fmt::format_to(std::back_inserter(to), "{},key{:05},{}.{:02},{}", index, key, cents / 100, cents % 100,
                 words[from.below(words.size())]);
}

/// Decimal numbers of either sign and 1 to 12 digits, every fourth with a fraction.
inline void append_number_line(std::string& to, std::uint64_t seed, std::uint64_t index) {
  draws from(seed, index);
  std::uint64_t bound = 10;
  for (std::uint64_t digits = from.below(12); digits > 0; --digits) bound *= 10;
  const std::uint64_t shape = from.next();
  if (shape % 2 == 1) to += '-';
  fmt::format_to(std::back_inserter(to), "{}", from.below(bound));
  if (shape / 2 % 4 == 0) fmt::format_to(std::back_inserter(to), ".{:02}", from.below(100));
}

struct text_kind {
  std::string_view name;
  void (*append)(std::string& to, std::uint64_t seed, std::uint64_t index);  ///< one line without its newline
};

inline constexpr std::array<text_kind, 4> text_kinds{{{"random", append_random_line},
                                                      {"url", append_url_line},
                                                      {"csv", append_csv_line},
                                                      {"numbers", append_number_line}}};

}  // namespace peneira::bench
