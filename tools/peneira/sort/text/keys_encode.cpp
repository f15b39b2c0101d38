// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys as strings of bytes: text, numbers, sizes, months and reals.
#include "tools/peneira/sort/text/keys_encode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "tools/peneira/sort/text/locale.hpp"
#include "tools/peneira/text/characters.hpp"

namespace peneira::tool {
namespace {

void complement(char* begin, const char* end) {
  for (char* at = begin; at < end; ++at) *at = static_cast<char>(~*at);
}

std::string_view without_blanks(std::string_view key) {
  std::size_t blanks = 0;
  while (blanks < key.size() && key_finder::is_blank(key[blanks])) ++blanks;
  return key.substr(blanks);
}

/// Writes the lowest `bytes` bytes of a number, the highest first.
char* put_bytes(std::uint64_t value, unsigned bytes, char* to) {
  for (unsigned b = bytes; b-- > 0;) *to++ = static_cast<char>(value >> (8 * b));
  return to;
}

/// A decimal number as it is written: the digits before the point without leading zeros, and those after it.
struct decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  const char* end = nullptr;  ///< what follows it

  explicit decimal(std::string_view key) {
    const char* at = key.data();
    const char* const stop = at + key.size();
    negative = at < stop && *at == '-';
    if (negative) ++at;
    while (at < stop && *at == '0') ++at;
    const char* const first = at;
    while (at < stop && is_digit(*at)) ++at;
    whole = {first, static_cast<std::size_t>(at - first)};
    if (at < stop && *at == '.') {
      const char* const point = ++at;
      while (at < stop && is_digit(*at)) ++at;
      fraction = {point, static_cast<std::size_t>(at - point)};
      while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
    }
    end = at;
  }
  [[nodiscard]] bool zero() const { return whole.empty() && fraction.empty(); }
};

/// Digits two by two as 1 to 100; zeros at the end are left out.
char* put_digits(const decimal& number, char* to) {
  const char* const begin = to;
  bool half = false;
  for (const std::string_view digits : {number.whole, number.fraction}) {
    std::size_t i = 0;
    if (half && !digits.empty()) {
      to[-1] = static_cast<char>(to[-1] + (digits[i++] - '0'));
      half = false;
    }
    for (; i + 2 <= digits.size(); i += 2) {
      *to++ = static_cast<char>((digits[i] - '0') * 10 + (digits[i + 1] - '0') + 1);
    }
    if (i < digits.size()) {
      *to++ = static_cast<char>((digits[i] - '0') * 10 + 1);
      half = true;
    }
  }
  while (to > begin && to[-1] == 1) --to;
  return to;
}

char* put_number(const decimal& number, char* to, bool open_end) {
  char* const begin = to;
  if (number.zero()) {
    *to++ = static_cast<char>(0x80);
    return to;
  }
  constexpr std::size_t most_in_a_byte = 100;
  if (number.whole.size() <= most_in_a_byte) {
    *to++ = static_cast<char>(0x81 + number.whole.size());
  } else {
    *to++ = static_cast<char>(0x82 + most_in_a_byte);
    to = put_bytes(number.whole.size(), 8, to);
  }
  to = put_digits(number, to);
  if (!open_end || number.negative) *to++ = 0;
  if (number.negative) complement(begin, to);
  return to;
}

}  // namespace

byte_rule make_rule(const sort_key& key) {
  const text_locale* const locale = key.locale;
  byte_rule rule;
  for (unsigned b = 0; b < 256; ++b) {
    const auto c = static_cast<char>(b);
    const auto byte = static_cast<unsigned char>(b);
    const bool lower = c >= 'a' && c <= 'z';
    const bool alphanumeric = locale != nullptr ? locale->is_alphanumeric(byte) : is_letter(c) || is_digit(c);
    const bool printing = locale != nullptr ? locale->is_printing(byte) : b >= 0x20 && b < 0x7F;
    const char upper = locale != nullptr ? locale->upper(c) : lower ? static_cast<char>(b - 'a' + 'A') : c;
    rule.kept[b] = key.ignore == sort_key::filter::none ||
                   (key.ignore == sort_key::filter::nonprinting ? printing : alphanumeric || key_finder::is_blank(c));
    rule.becomes[b] = key.fold ? upper : c;
  }
  return rule;
}

char* encode_text(std::string_view key, char* to, bool open_end) {
  if (open_end) {
    if (!key.empty()) std::memcpy(to, key.data(), key.size());
    return to + key.size();
  }
  for (const char c : key) {
    if (static_cast<unsigned char>(c) <= 1) {
      *to++ = 1;
      *to++ = static_cast<char>(c + 1);
    } else {
      *to++ = c;
    }
  }
  *to++ = 0;
  return to;
}

char* encode_number(std::string_view key, char* to, bool open_end) {
  return put_number(decimal(without_blanks(key)), to, open_end);
}

char* encode_human(std::string_view key, char* to, bool open_end) {
  key = without_blanks(key);
  const decimal number(key);
  int unit = 0;
  if (!number.zero() && number.end < key.data() + key.size()) {
    constexpr std::string_view units = "KMGTPEZY";
    const char c = *number.end == 'k' ? 'K' : *number.end;
    if (const std::size_t found = units.find(c); found != std::string_view::npos) unit = static_cast<int>(found) + 1;
  }
  *to++ = static_cast<char>(0x80 + (number.negative ? -unit : unit));
  return put_number(number, to, open_end);
}

char* encode_month(std::string_view key, char* to) {
  constexpr std::string_view months = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
  key = without_blanks(key).substr(0, 3);
  char name[3] = {};
  for (std::size_t i = 0; i < key.size(); ++i) {
    name[i] = key[i] >= 'a' && key[i] <= 'z' ? static_cast<char>(key[i] - 'a' + 'A') : key[i];
  }
  char month = 0;
  for (std::size_t m = 0; key.size() == 3 && m < 12; ++m) {
    if (std::memcmp(name, months.data() + 3 * m, 3) == 0) month = static_cast<char>(m + 1);
  }
  *to++ = month;
  return to;
}

char* encode_real(std::string_view key, const text_locale* locale, char* to) {
  // What is no number, then NaN by its bytes, then numbers from minus infinity upwards.
  enum kind : char { error, nan, negative, zero, positive };
  constexpr unsigned size = 19;
  std::memset(to, 0, size);
  constexpr std::size_t most_digits = 18;  // these fit 64 bits, and so does a long double's fraction everywhere
  long double value = 0;
  const std::size_t sign = !key.empty() && key.front() == '-' ? 1 : 0;
  std::size_t digits = sign;
  std::int64_t integer = 0;
  while (digits < key.size() && digits - sign < most_digits && is_digit(key[digits])) {
    integer = integer * 10 + (key[digits++] - '0');
  }
  if (digits == key.size() && digits > sign) {
    value = static_cast<long double>(sign == 1 ? -integer : integer);
  } else {
    const std::string text(key);  // what is read must end with NUL
    char* end = nullptr;
    value = locale != nullptr ? locale->real(text.c_str(), &end) : std::strtold(text.c_str(), &end);
    if (end == text.c_str()) return to + size;
  }
  if (std::isnan(value)) {
    constexpr std::size_t used = std::numeric_limits<long double>::digits == 64 ? 10 : sizeof(value);
    *to = nan;
    std::memcpy(to + 1, &value, used);
    return to + size;
  }
  if (value == 0) {
    *to = zero;
    return to + size;
  }
  *to = value < 0 ? negative : positive;
  char* const magnitude = to + 1;
  constexpr int bias = 0x8000;
  if (std::isinf(value)) {
    put_bytes(0xFFFF, 2, magnitude);
  } else {
    int exponent = 0;
    long double fraction = std::frexp(std::fabs(value), &exponent);
    char* at = put_bytes(static_cast<std::uint64_t>(std::int64_t{exponent} + bias), 2, magnitude);
    for (int part = 0; part < 2; ++part) {
      fraction = std::ldexp(fraction, 64);
      const auto bits = static_cast<std::uint64_t>(fraction);
      fraction -= static_cast<long double>(bits);
      at = put_bytes(bits, 8, at);
    }
  }
  if (value < 0) complement(magnitude, to + size);
  return to + size;
}

bool is_collated(const sort_key& how) {
  return how.types == 0 && how.locale != nullptr && how.locale->collates();
}

std::size_t most_bytes_of(const sort_key& how, std::size_t key) {
  return ((how.types & sort_key::version) != 0 ? 6 : 2) * key + 32;
}

key_encoder::key_encoder(std::vector<sort_key> keys, const field_rule& fields)
    : keys_(std::move(keys)), finder_(fields) {
  const auto collated = std::find_if(keys_.begin(), keys_.end(), is_collated);
  collated_ = collated != keys_.end();
  if (collated_) keys_.erase(collated + 1, keys_.end());
  for (const sort_key& key : keys_) {
    most_each_ += most_bytes_of(key, 1) - most_bytes_of(key, 0);
    rules_.push_back(make_rule(key));
  }
}

std::string_view filtered(std::string_view key, const sort_key& how, const byte_rule& rule, std::string& kept) {
  if (how.ignore == sort_key::filter::none && !how.fold) return key;
  if (kept.size() < key.size()) kept.resize(key.size());
  char* to = kept.data();
  for (const char c : key) {
    const auto b = static_cast<unsigned char>(c);
    *to = rule.becomes[b];
    to += rule.kept[b] ? 1 : 0;
  }
  return {kept.data(), static_cast<std::size_t>(to - kept.data())};
}

char* encode_one(std::string_view key, const sort_key& how, char* to, bool open_end, std::string& number) {
  if ((how.types & sort_key::random) != 0) {
    if (how.locale != nullptr && how.locale->named()) key = how.locale->transformed(key, number);
    const std::array<char, 16> digest = salted_digest(how.salt, key);
    return std::copy(digest.begin(), digest.end(), to);
  }
  const bool human = how.types == sort_key::human;
  if (how.locale != nullptr && (human || how.types == sort_key::numeric)) {
    key = how.locale->plain_number(key, human, number);
  }
  switch (how.types) {
    case sort_key::numeric:
      return encode_number(key, to, open_end);
    case sort_key::general:
      return encode_real(key, how.locale, to);
    case sort_key::human:
      return encode_human(key, to, open_end);
    case sort_key::month:
      if (how.locale == nullptr) return encode_month(key, to);
      *to++ = how.locale->month(key);
      return to;
    case sort_key::version:
      return encode_version(key, to);
    default:
      return encode_text(key, to, open_end);
  }
}

std::size_t key_encoder::prepare(std::string_view line) {
  if (!collated_) return most_bytes(line.size());
  const sort_key& how = keys_.back();
  how.locale->first_level(filtered(finder_.find(line, how), how, rules_.back(), kept_), first_level_);
  return most_each_ * line.size() + 2 * first_level_.size() + 32 * keys_.size();
}

char* key_encoder::encode(std::string_view line, char* to) {
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const sort_key& how = keys_[k];
    const bool open_end = k + 1 == keys_.size() && !how.reverse;
    char* const begin = to;
    if (is_collated(how)) {
      to = encode_text(first_level_, to, open_end);
    } else {
      to = encode_one(filtered(finder_.find(line, how), how, rules_[k], kept_), how, to, open_end, number_);
    }
    if (how.reverse) complement(begin, to);
  }
  return to;
}

}  // namespace peneira::tool
