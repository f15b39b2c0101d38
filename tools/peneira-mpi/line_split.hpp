// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines go to the rank whose share of the order they are in.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira-mpi/memory_text.hpp"
#include "tools/peneira/sort/text/merge.hpp"

namespace peneira::tool {

/// A line of some rank, and its place among those that are equal.
struct placed_line {
  keyed_line line;
  std::uint64_t place = 0;
};

/// A line with its key.
class line_keys {
 public:
  explicit line_keys(const sort_text_options& o) : encoder_(o.keys, o.fields()), order_(o) {}

  /// The key lies in this object until the next call.
  keyed_line operator()(std::string_view text) {
    keyed_line line{text, text, 0};
    if (encoder_.has_keys()) {
      key_.reserve(encoder_.prepare(text));
      const char* const end = encoder_.encode(text, key_.data());
      line.key = {key_.data(), static_cast<std::size_t>(end - key_.data())};
    }
    line.first = order_.first_of(line.key);
    return line;
  }

 private:
  key_encoder encoder_;
  line_order order_;
  paged_array<char> key_;
};

/// Where the order of all lines is cut into shares of about the same bytes: at lines of a sample of all ranks. Lines
/// that are equal are cut by their places, but where only one of them is wanted they stay together.
class line_cuts {
 public:
  /// A call of all ranks, of their lines, each with its terminator.
  line_cuts(job_ranks& on, const sort_text_options& o, std::string_view text);

  /// The rank whose share the line is in.
  [[nodiscard]] unsigned rank_of(const placed_line& one) const;
  /// Whether the sample repeats so many lines that ranks had better leave out what repeats before they send it.
  [[nodiscard]] bool repeats() const { return repeats_; }

 private:
  [[nodiscard]] bool before(const placed_line& a, const placed_line& b) const;
  void take_sample(const job_ranks& on, std::string_view text, std::string& lines,
                   std::vector<std::uint64_t>& places) const;

  const sort_text_options& o_;
  line_order order_;
  std::vector<char> text_;         ///< of the sample
  std::vector<std::string> keys_;  ///< of the cuts
  std::vector<placed_line> cuts_;
  bool repeats_ = false;
};

/// Where this rank's lines begin among those of all, for line_cuts and send_lines: ranks come one behind the other.
std::uint64_t first_place(const job_ranks& on);

/// What this rank gets of the lines of all ranks, those of each in their order, and ranks in theirs. A call of all.
std::unique_ptr<memory_text> send_lines(job_ranks& on, const sort_text_options& o, std::string_view text,
                                        const line_cuts& cuts);
/// All of them to the first rank.
std::unique_ptr<memory_text> send_to_first(job_ranks& on, std::string_view text);

}  // namespace peneira::tool
