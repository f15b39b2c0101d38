// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// All keys of a line as one string of bytes: the order of these strings, byte by byte, is the order of the lines by
// their keys, whatever the options. So numbers, months and versions are sorted by the same code as text.
//
//   text      its bytes, without those that are ignored; then 0. Bytes 0 and 1 become 1 1 and 1 2
//   number    0x80 is zero; above it, 0x81 + digits before the point, then pairs of digits as 1 to 100, then 0;
//             a negative number is the complement
//   size      0x80 + or - the unit (k: 1, M: 2, ...), then the number
//   month     0 for none, or 1 to 12
//   real      19 bytes: kind, exponent, fraction (complemented if negative)
//   version   see keys_version.cpp
//   random    its digest, 16 bytes
//   text in the order of a locale: the first level of what strxfrm makes of it, up to its first 1, and no key behind
//   it;
//             ties.hpp compares the rest. Further levels would be three quarters of all bytes, and GNU sort compares
//             with strcoll, which orders by them otherwise than strxfrm ("0c" and "0 C" in glibc 2.36)
//
// No encoding begins another, so that keys can stand side by side; a reversed key is the complement of its bytes. The
// very last key needs no such end, and does without where it can: shorter strings are sorted faster.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/sort/text/keys.hpp"

namespace peneira::tool {

/// What becomes of a byte: itself, its capital, or nothing.
struct byte_rule {
  std::array<bool, 256> kept{};
  std::array<char, 256> becomes{};
};
byte_rule make_rule(const sort_key& key);

/// The key with its filter and case folding applied, by the rule of how; in `kept` where that changes it.
std::string_view filtered(std::string_view key, const sort_key& how, const byte_rule& rule, std::string& kept);

/// Whether a locale orders a key's texts.
bool is_collated(const sort_key& how);

/// Encodes the keys of lines. Every thread has its own.
class key_encoder {
 public:
  key_encoder() : finder_(field_rule()) {}
  /// The keys are those that complete_keys() returned.
  key_encoder(std::vector<sort_key> keys, const field_rule& fields);

  /// Without keys lines are compared as they are.
  [[nodiscard]] bool has_keys() const { return !keys_.empty(); }

  /// The most bytes that the keys of a line of this length take.
  [[nodiscard]] std::size_t most_bytes(std::size_t line) const {
    return (most_each_ + (collated_ ? most_collated : 0)) * line + 32 * keys_.size();
  }

  /// Bytes that it holds by itself: the longest key that had to be changed before it could be encoded.
  [[nodiscard]] std::size_t held_bytes() const {
    return kept_.capacity() + number_.capacity() + first_level_.capacity() + finder_.held_bytes();
  }

  /// Gives these back.
  void forget() { kept_ = number_ = first_level_ = std::string(); }

  /// The bytes that encode() may write for this line, which must be the next one.
  std::size_t prepare(std::string_view line);

  /// Writes the keys of a line, and returns their end.
  char* encode(std::string_view line, char* to);

 private:
  static constexpr std::size_t most_collated = 32;  ///< bytes of the first level that a byte may become, with slack

  std::vector<sort_key> keys_;    ///< up to the first one that a locale orders
  std::vector<byte_rule> rules_;  ///< of each
  key_finder finder_;
  std::size_t most_each_ = 0;  ///< bytes that a character of the line may become
  bool collated_ = false;      ///< whether a locale orders the last one
  std::string kept_;
  std::string number_;  ///< that the locale writes otherwise
  std::string first_level_;
};

/// The most bytes that a key of this length takes, and what writes it and returns its end. It is filtered; `number` is
/// room for it. open_end: nothing follows.
std::size_t most_bytes_of(const sort_key& how, std::size_t key);
char* encode_one(std::string_view key, const sort_key& how, char* to, bool open_end, std::string& number);

/// The pieces, each of which writes one key and returns its end. open_end: nothing follows.
char* encode_text(std::string_view key, char* to, bool open_end);
char* encode_number(std::string_view key, char* to, bool open_end);
char* encode_human(std::string_view key, char* to, bool open_end);
char* encode_month(std::string_view key, char* to);
char* encode_real(std::string_view key, const text_locale* locale, char* to);
char* encode_version(std::string_view key, char* to);

}  // namespace peneira::tool
