// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Merges of more sources than memory, descriptors or --batch-size take at once: in rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/sort/text/memory.hpp"
#include "tools/peneira/sort/text/options.hpp"
#include "tools/peneira/sort/text/output.hpp"
#include "tools/peneira/sort/text/runs.hpp"

namespace peneira::tool {

/// Something sorted that is opened when its turn comes.
struct merge_source {
  std::function<std::unique_ptr<byte_source>()> open;
  std::size_t longest = 0;  ///< bytes of its longest line; 0: who knows
  bool takes_file = false;  ///< whether a descriptor is needed while it is open
  std::uint64_t bytes = 0;  ///< of a run: how many
};

/// A run as a source.
merge_source source_of(const std::shared_ptr<sorted_run>& run, std::size_t longest, const sort_text_options& o);

/// Merges sources, whose order decides about equal lines.
class merge_rounds {
 public:
  merge_rounds(const sort_text_options& o, const text_memory& memory) : o_(o), memory_(memory) {}

  void add(merge_source source) { sources_.push_back(std::move(source)); }
  [[nodiscard]] bool empty() const { return sources_.empty(); }
  /// Of all runs.
  [[nodiscard]] std::uint64_t bytes() const;

  /// Merges the smallest where hardly any descriptors are left: runs that a program compresses keep one each.
  void keep_few_open();
  /// Merges all; the bar counts bytes.
  void finish(byte_sink& to, progress& bar);

 private:
  /// The end of the sources from `first` on that can be merged at once, where there are two mostly two at least.
  /// `others`: descriptors that are needed beside theirs.
  [[nodiscard]] std::size_t end_of_some(std::size_t first, std::size_t others) const;
  /// Merges them into a run of the store.
  merge_source merge(std::size_t first, std::size_t last, run_store& to, progress& bar);
  void merge_to(std::size_t first, std::size_t last, byte_sink& to, progress& bar);
  [[nodiscard]] std::size_t most_at_once() const;
  /// Descriptors that a merge into a run needs beside those of its sources: its file; with a program the pipe to it,
  /// and the other end of one while a program is started.
  [[nodiscard]] std::size_t files_of_a_run() const { return o_.compress.empty() ? 1 : 3; }
  /// Puts one source in the place of some.
  void replace(std::size_t first, std::size_t last, merge_source by);
  /// The first of so many neighbours that are the smallest together.
  [[nodiscard]] std::size_t smallest(std::size_t count) const;

  const sort_text_options& o_;
  const text_memory& memory_;
  std::vector<merge_source> sources_;
};

}  // namespace peneira::tool
