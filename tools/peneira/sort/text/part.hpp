// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A part of a sort's result, found without sorting the rest: the first lines (--top), or those that are drawn
// (--sample).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/sort/text/input.hpp"
#include "tools/peneira/sort/text/merge.hpp"
#include "tools/peneira/sort/text/random.hpp"
#include "tools/peneira/sort/text/rounds.hpp"
#include "tools/peneira/text/byte_store.hpp"

namespace peneira::tool {

/// Lines that may be in the result, of all that were added so far. Lines that come behind as many as are wanted are
/// refused with one comparison; of the others, now and then those that are too many are left out.
class part_of_lines {
 public:
  /// `limit`: bytes that the lines may take.
  part_of_lines(const sort_text_options& o, const random_salt& salt, std::uint64_t limit);

  /// Adds the lines of a chunk; returns false where those that are wanted take more than the limit.
  bool add(const text_chunk& chunk, unsigned team);
  /// Writes the lines in their order, and forgets them.
  void write(byte_sink& to);
  /// The bytes of the longest line that was kept.
  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  struct kept_line {
    keyed_line line;
    std::uint64_t number;  ///< in the input
    std::uint64_t rank;    ///< of a sample: those with the lowest are drawn
  };

  /// Whether the result has one line rather than the other.
  [[nodiscard]] bool before(const kept_line& a, const kept_line& b) const;
  /// Whether one line comes first in the result.
  [[nodiscard]] bool sorted_before(const kept_line& a, const kept_line& b) const;
  [[nodiscard]] bool refused(const kept_line& one) const { return last_ && !before(one, *last_); }
  template <class Offset>
  [[nodiscard]] kept_line line_of(const text_chunk& chunk, const chunk_starts<Offset>& starts, std::size_t i) const;
  void keep(kept_line one);
  /// Leaves out what is too much.
  void cut();
  void remember_last();
  /// Copies the lines that are left into memory of their own, and forgets the rest.
  void move_lines();
  [[nodiscard]] std::size_t bytes() const { return store_.bytes() + lines_.capacity() * sizeof(kept_line); }

  const sort_text_options& o_;
  line_order order_;
  std::uint64_t wanted_;
  random_salt salt_;
  std::uint64_t limit_;
  std::uint64_t seen_ = 0;  ///< lines that were added
  std::size_t longest_ = 0;
  byte_store store_;
  std::vector<kept_line> lines_;
  std::optional<kept_line> last_;  ///< of as many as are wanted: what does not come before it is out
  std::string last_text_;
  std::string last_key_;
};

/// Sorts the lines that a reader still has behind a chunk, merges them with those of some runs and writes the result.
using sort_rest = std::function<void(chunk_reader& reader, text_chunk& chunk, progress& bar, merge_rounds& runs)>;

/// Reads all inputs and writes the part of the result that --top or --sample asks for. Where the memory does not hold
/// as many lines as --top wants, `rest` does what is left.
void sort_part(const sort_text_options& o, const text_memory& memory, const random_salt& salt, input_opener& inputs,
               byte_sink& out, const sort_rest& rest);

}  // namespace peneira::tool
