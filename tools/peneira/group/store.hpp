// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A table of groups that grows without a bound: in memory as long as it fits, then in sorted runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/peneira/group/runs.hpp"
#include "tools/peneira/group/table.hpp"

namespace peneira::tool {

class group_store {
 public:
  /// `folds` are those of rows.
  group_store(unsigned team, const group_folds& folds, const std::string& folder, std::uint64_t memory);

  /// Puts groups behind those that are there; parts of one group may be in both.
  void add(group_table&& part) { groups_.append(std::move(part)); }
  /// The same with groups that another store saved, one run in a file.
  void add_run(const run_file& from);
  /// Writes the groups by key, after finish(), as one run.
  void save(run_file& to);
  /// Keeps to the memory: to be called now and then.
  void keep_bounded();

  /// Whether all groups are in table(), each once, after finish().
  [[nodiscard]] bool in_memory() const { return runs_.empty(); }
  [[nodiscard]] group_table& table() { return groups_; }
  void finish();
  /// The groups by key, after finish(); as they lie, where that is in memory and the order does not matter.
  std::unique_ptr<group_stream> stream(bool sorted = true);

 private:
  static constexpr std::size_t most_rows = std::size_t{1} << 31U;
  static constexpr std::size_t first_compaction = std::size_t{1} << 19U;

  void compact() { groups_ = compact_.regroup(std::move(groups_), folds_); }
  void spill();

  unsigned team_;
  group_folds folds_;
  std::uint64_t memory_;
  group_runs runs_;
  grouper compact_;
  group_table groups_;
  std::size_t next_compaction_ = first_compaction;
};

}  // namespace peneira::tool
