// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of `peneira sort` on text, which is that of GNU sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/sort/text/keys.hpp"
#include "tools/peneira/sort/text/locale.hpp"

namespace peneira::tool {

struct sort_text_options {
  enum class check_kind : std::uint8_t { none, diagnose, quiet };
  enum class place : std::uint8_t { automatic, cpu, gpu };

  std::vector<std::string> inputs;            ///< at least one; "-" is standard input
  std::vector<sort_key> keys;                 ///< complete; empty: whole lines
  std::vector<sort_key> given_keys;           ///< those of the command line, before they inherited anything
  sort_key global;                            ///< what they inherit
  std::shared_ptr<const text_locale> locale;  ///< nullptr: C
  std::optional<char> separator;
  bool csv = false;                      ///< fields may stand in quotes
  bool header = false;                   ///< every input begins with one
  std::optional<std::string_view> text;  ///< lines that are in memory: inputs are not opened, one name is enough
  char terminator = '\n';
  bool reverse = false;  ///< of the comparison of whole lines
  bool unique = false;
  bool stable = false;
  bool merge = false;
  check_kind check = check_kind::none;
  std::optional<std::uint64_t> top;     ///< lines of the result that are wanted
  std::optional<std::uint64_t> sample;  ///< lines of the input that are drawn
  std::string random_source;
  bool debug = false;
  std::optional<std::string> output;
  std::uint64_t memory = 0;  ///< 0: half of the machine's
  std::vector<std::string> folders;
  unsigned threads = 0;
  place where = place::automatic;
  std::size_t batch = 0;  ///< inputs that are merged at once; 0: as many as the memory allows
  std::string compress;
  bool quiet = false;
  bool version = false;
  bool help = false;

  /// How lines become fields.
  [[nodiscard]] field_rule fields() const { return {separator, csv}; }
  /// Whether lines whose keys are equal are compared as a whole.
  [[nodiscard]] bool compares_lines() const { return !keys.empty() && !stable && !unique; }

  /// The locale that orders texts; nullptr where bytes do.
  [[nodiscard]] const text_locale* collating() const {
    return locale != nullptr && locale->collates() ? locale.get() : nullptr;
  }
  /// Compares as the locale says: lines without keys become keys of their own.
  void use_locale();
};

/// Parses what follows `peneira sort`. Throws usage_error for what cannot be right, and runtime_error where a list of
/// files cannot be read.
sort_text_options parse_sort_text(const std::vector<std::string>& arguments);

/// A decimal number that an option takes; where it is too large, the largest.
std::uint64_t parse_count(const std::string& option, const std::string& text);

/// The bytes that -S names: K where no unit is given, b, K, M, G, ... or % of the machine's memory.
std::uint64_t parse_buffer_size(const std::string& text);

/// The names in a file of --files0-from; "-" is standard input.
std::vector<std::string> read_file_names(const std::string& path);

}  // namespace peneira::tool
