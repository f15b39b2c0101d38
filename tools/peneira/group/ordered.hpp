// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of output in another order than that of their keys, in bounded memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/peneira/group/output.hpp"
#include "tools/peneira/group/store.hpp"

namespace peneira::tool {

/// Lines by bytes that say their order, all or the first of them.
class ordered_rows {
 public:
  /// `top`: how many lines; 0: all.
  ordered_rows(unsigned team, std::uint64_t top, const std::string& folder, std::uint64_t memory);

  /// False for what will not be among the first.
  [[nodiscard]] bool wants(std::string_view order) const { return !limited_ || order < limit_; }
  /// Adds the line of a group; orders are all different. What cannot be written is an error only where it would be.
  void add(std::string_view order, const row_writer& rows, std::string_view key, std::span<const group_result> results);
  void write(row_sink& to);

 private:
  static group_folds line_folds();
  void keep_top();
  void empty_batch();

  unsigned team_;
  std::uint64_t top_;
  std::uint64_t most_bytes_;
  std::size_t next_cut_;
  group_table batch_;  // orders, and as texts lines, or, without a newline at their end, what is wrong with them
  group_store store_;  // what exceeds a batch
  std::string line_;
  bool limited_ = false;
  std::string limit_;  // that of the last line which may be among the first
};

}  // namespace peneira::tool
