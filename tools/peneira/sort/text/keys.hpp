// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of `peneira sort` on text: what -k and the ordering options say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/peneira/sort/text/random.hpp"

namespace peneira::tool {

class text_locale;

/// One key: where it lies in a line, and how it is compared. Fields and characters count from 0 here.
struct sort_key {
  static constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();

  /// Ways to compare, of which a key may have one; a set, because a command line may ask for several.
  enum type : unsigned { numeric = 1, general = 2, human = 4, month = 8, version = 16, random = 32 };
  /// Characters that are left out.
  enum class filter : std::uint8_t { none, nonprinting, nondictionary };
  /// The ends of a key that an option b belongs to.
  enum class side : std::uint8_t { start, end, both };

  std::size_t start_field = whole;  ///< whole: the key starts with the line
  std::size_t start_char = 0;
  std::size_t end_field = whole;  ///< whole: the key ends with the line
  std::size_t end_char = 0;       ///< characters of the end field that belong to it; 0: all
  bool start_blanks = false;      ///< blanks before the start are skipped before characters are counted
  bool end_blanks = false;
  filter ignore = filter::none;
  bool fold = false;
  bool reverse = false;
  unsigned types = 0;
  random_salt salt{};                   ///< of its random order
  const text_locale* locale = nullptr;  ///< nullptr: C
  bool old_form = false;                ///< written as +POS
  std::string name{};                   ///< of the field, which a header tells; or a number that may be a name

  /// Takes one ordering option, such as 'n'; false where there is no such option.
  bool set(char option, side blanks);
  /// Whether it has none, so that it inherits the global ones.
  [[nodiscard]] bool plain() const;
  /// Whether only a header can tell which field it is.
  [[nodiscard]] bool named() const { return !name.empty() && start_field == whole && end_field == whole; }
  /// The options that decide which ways to compare exclude each other, as letters in alphabetical order.
  [[nodiscard]] std::string letters() const;
};

/// The key that -k describes: F[.C][OPTIONS][,F[.C][OPTIONS]], or NAME[:OPTIONS]. Throws usage_error.
sort_key parse_sort_key(const std::string& text);

/// The key that +POS1 and -POS2, which may be empty, describe; nothing where the first is no such position.
std::optional<sort_key> parse_old_key(const std::string& start, const std::string& end);

/// Throws for a key with a name where there is no header.
[[noreturn]] void refuse_unnamed(const std::string& name);

/// Makes keys by name keys by field: of a header's names.
void find_named_keys(std::vector<sort_key>& keys, const std::vector<std::string>& names, bool skip_blanks,
                     const std::string& path);

/// The keys as they will be compared: those without options inherit the global ones, and these are a key of their own
/// where there is no other. Throws usage_error for options that exclude each other.
std::vector<sort_key> complete_keys(std::vector<sort_key> keys, const sort_key& global);

/// How lines become fields.
struct field_rule {
  // NOLINTNEXTLINE(google-explicit-constructor): lines without quotes are told by their separator alone
  field_rule(std::optional<char> between = std::nullopt, bool quotes = false) : separator(between), csv(quotes) {}

  std::optional<char> separator;
  bool csv = false;  ///< fields may stand in quotes
};

/// Where a key lies in a line.
class key_finder {
 public:
  explicit key_finder(const field_rule& fields) : separator_(fields.separator), csv_(fields.csv) {}
  /// The key, which may lie in this object until the next call.
  [[nodiscard]] std::string_view find(std::string_view line, const sort_key& key) {
    return csv_ ? find_csv(line, key) : find_plain(line, key);
  }
  /// Where a key begins and ends in a line without quotes; it may end before it begins, and is empty then.
  [[nodiscard]] std::pair<const char*, const char*> place(std::string_view line, const sort_key& key) const;
  /// Bytes that it holds by itself.
  [[nodiscard]] std::size_t held_bytes() const { return value_.capacity() + joined_.capacity(); }

  /// Blanks separate fields where no -t does; a newline is one where lines end with NUL.
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

 private:
  [[nodiscard]] std::string_view find_plain(std::string_view line, const sort_key& key) const;
  /// Of a record of CSV: what its fields mean, several joined by the separator.
  [[nodiscard]] std::string_view find_csv(std::string_view record, const sort_key& key);
  [[nodiscard]] const char* start_of(const char* at, const char* end, const sort_key& key) const;
  [[nodiscard]] const char* end_of(const char* at, const char* end, const sort_key& key) const;

  std::optional<char> separator_;
  bool csv_;
  std::string value_;
  std::string joined_;
};

}  // namespace peneira::tool
