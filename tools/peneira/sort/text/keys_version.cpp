// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Versions as strings of bytes, in the order of `sort -V`: runs of digits by their value, letters before other
// characters, ~ before everything, even the end; file suffixes (.tar.gz) only where all else is the same.
//
//   kind      0 empty, 1 ".", 2 "..", 3 a name that begins with a point, 4 any other
//   twice     without the suffix, and with it:
//     ~         1
//     digits    2, then their number without leading zeros (0 to 250, or 251 and 8 bytes), then pairs as 0 to 99
//     letters   3 to 54
//     others    55 and on
//     end       2 0 2 after a character, 2 after digits: a missing number is zero, and then comes the end
#include <array>
#include <cstdint>

#include "tools/peneira/sort/text/keys_encode.hpp"
#include "tools/peneira/text/characters.hpp"

namespace peneira::tool {
namespace {

constexpr char number_or_end = 2;

/// The code of every byte that is no digit.
constexpr std::array<char, 256> make_codes() {
  std::array<char, 256> codes{};
  unsigned next = number_or_end + 1;
  for (const bool letters : {true, false}) {
    for (unsigned b = 0; b < 256; ++b) {
      const char c = static_cast<char>(b);
      if (is_digit(c) || c == '~' || is_letter(c) != letters) continue;
      codes[b] = static_cast<char>(next++);
    }
  }
  codes['~'] = 1;
  return codes;
}
constexpr std::array<char, 256> codes = make_codes();

char* put_count(std::size_t count, char* to) {
  constexpr std::size_t most_in_a_byte = 250;
  if (count <= most_in_a_byte) {
    *to++ = static_cast<char>(count);
    return to;
  }
  *to++ = static_cast<char>(most_in_a_byte + 1);
  for (unsigned b = 8; b-- > 0;) *to++ = static_cast<char>(std::uint64_t{count} >> (8 * b));
  return to;
}

char* put_version(std::string_view text, char* to) {
  bool after_number = false;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      *to++ = codes[static_cast<unsigned char>(text[i++])];
      after_number = false;
      continue;
    }
    while (i < text.size() && text[i] == '0') ++i;
    std::size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    *to++ = number_or_end;
    to = put_count(end - i, to);
    for (; i < end; i += 2) {
      *to++ = static_cast<char>((text[i] - '0') * 10 + (i + 1 < end ? text[i + 1] - '0' : 0));
    }
    i = end;
    after_number = true;
  }
  if (!after_number) {
    *to++ = number_or_end;
    *to++ = 0;
  }
  *to++ = number_or_end;
  return to;
}

/// The length of a name without what ends it like .tar.gz: points, each with a letter or ~ after it and then these or
/// digits. All of a name may be that.
std::size_t length_without_suffix(std::string_view name) {
  for (std::size_t i = 0;; ++i) {
    const std::size_t length = i;
    while (i + 1 < name.size() && name[i] == '.' && (is_letter(name[i + 1]) || name[i + 1] == '~')) {
      for (i += 2; i < name.size() && (is_letter(name[i]) || is_digit(name[i]) || name[i] == '~');) ++i;
    }
    if (i == name.size()) return length;
  }
}

}  // namespace

char* encode_version(std::string_view key, char* to) {
  enum kind : char { empty, point, two_points, hidden, other };
  if (key.empty() || key == "." || key == "..") {
    *to++ = key.empty() ? empty : key == "." ? point : two_points;
    return to;
  }
  *to++ = key.front() == '.' ? hidden : other;
  to = put_version(key.substr(0, length_without_suffix(key)), to);
  return put_version(key, to);
}

}  // namespace peneira::tool
