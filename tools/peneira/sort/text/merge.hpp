// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorted lines from many sources, merged into one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/io/paged_array.hpp"
#include "tools/peneira/sort/text/keys_encode.hpp"
#include "tools/peneira/sort/text/memory.hpp"
#include "tools/peneira/sort/text/options.hpp"
#include "tools/peneira/sort/text/output.hpp"
#include "tools/peneira/sort/text/runs.hpp"
#include "tools/peneira/sort/text/ties.hpp"
#include "tools/peneira/text/csv.hpp"

namespace peneira::tool {

/// A line with its key, and the key's first bytes as a number that compares alike.
struct keyed_line {
  std::string_view text;  ///< without its terminator, which follows it in memory
  std::string_view key;   ///< the text itself where there are no keys
  std::uint64_t first = 0;
};

/// The order of lines: by their keys, then, if so asked, as a whole.
class line_order {
 public:
  explicit line_order(const sort_text_options& o) : reverse_keys_(o.keys.empty() && o.reverse), ties_(o) {}

  [[nodiscard]] int compare(const keyed_line& a, const keyed_line& b) const {
    if (a.first != b.first) return a.first < b.first ? -1 : 1;
    const int order = a.key.compare(b.key);
    if (order != 0) return reverse_keys_ ? -order : order;
    return ties_.any() ? ties_.compare(a.text, b.text) : 0;
  }
  /// Whether only the first of two lines is wanted of those with equal keys.
  [[nodiscard]] bool same_key(const keyed_line& a, const keyed_line& b) const {
    return a.key == b.key && (!ties_.any() || ties_.compare(a.text, b.text) == 0);
  }
  /// The first bytes of a key as a number.
  [[nodiscard]] std::uint64_t first_of(std::string_view key) const;

 private:
  bool reverse_keys_;
  tie_order ties_;
};

/// Reads a source line by line.
class line_cursor {
 public:
  line_cursor(std::unique_ptr<byte_source> source, const sort_text_options& o, std::size_t buffer);

  /// Goes to the next line; false after the last one.
  bool next();
  [[nodiscard]] const keyed_line& line() const { return line_; }

 private:
  /// Reads more behind what is held of a line; false at the end of the source.
  bool refill();
  /// The terminator in [at, end) that ends a line, or nullptr.
  const char* find_end(const char* at, const char* end);

  std::unique_ptr<byte_source> source_;
  line_order order_;
  key_encoder encoder_;
  char terminator_;
  std::optional<csv_ends> csv_;
  std::size_t buffer_;
  paged_array<char> text_;
  std::size_t at_ = 0;   ///< where the next line begins
  std::size_t end_ = 0;  ///< of what is held
  bool ended_ = false;
  paged_array<char> key_;
  keyed_line line_;
};

/// Merges sources, each with a buffer of this size; of equal lines those of the earlier source come first. With a team
/// another thread writes. The bar counts bytes.
void merge_lines(std::vector<std::unique_ptr<byte_source>> sources, const sort_text_options& o,
                 const text_memory& memory, std::size_t buffer, byte_sink& to, progress& bar);

}  // namespace peneira::tool
