// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Group-by in the two calls that it is made of: multisplit and segmented_reduce.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/peneira/text/decimal.hpp"
#include "tools/peneira/text/fields.hpp"

namespace peneira::tool {

/// How the values of a group become one.
enum class fold { count, sum, min, max };

/// A column of a table of groups: a fold of a column of what was grouped.
struct reduction {
  fold how;
  std::size_t column;

  friend bool operator==(const reduction&, const reduction&) = default;
};

/// Groups, or what is not grouped yet: keys and columns of numbers.
struct group_table {
  std::vector<std::uint64_t> hashes;
  std::vector<std::string_view> keys;
  std::vector<std::vector<decimal>> columns;
  byte_store text;  ///< the bytes of keys that point nowhere else

  [[nodiscard]] std::size_t size() const { return keys.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return text.bytes() +
           size() * (sizeof(std::uint64_t) + sizeof(std::string_view) + columns.size() * sizeof(decimal));
  }
  void resize(std::size_t rows);
  /// Puts the rows of another behind these.
  void append(group_table&& other);
};

/// Finds the rows of equal keys and folds their values. Holds memory that the next call uses again.
class grouper {
 public:
  explicit grouper(unsigned team) : team_(team) {}

  /// The groups of `rows`, one for each key, with a column for each of `reductions`. The same order on every run.
  group_table operator()(const group_table& rows, const std::vector<reduction>& reductions);

 private:
  /// What a member of the team needs to find the groups of a bin.
  struct bin_scratch {
    std::vector<std::uint32_t> slots;   // a hash table of group numbers from 1
    std::vector<std::uint64_t> hashes;  // of each group
    std::vector<std::uint32_t> counts;  // of each group's rows; then where its next row goes
  };

  void split_by_hash(const group_table& rows);
  void find_groups(const group_table& rows);
  std::uint32_t group_bin(const group_table& rows, std::size_t begin, std::size_t end, bin_scratch& s);
  static void grow(bin_scratch& s);
  void copy_keys(const group_table& rows, group_table& to) const;
  void fold_columns(const group_table& rows, const std::vector<reduction>& reductions, group_table& to);

  unsigned team_;
  std::vector<std::uint32_t> numbers_;       // 0, 1, 2, ...
  std::vector<std::uint64_t> split_hashes_;  // by bin
  std::vector<std::uint32_t> split_rows_;    // by bin
  std::vector<std::uint32_t> bins_;          // where each bin begins
  std::vector<std::uint32_t> group_of_;      // of each row by bin, its group's number in the bin, from 1
  std::vector<std::uint32_t> order_;         // rows by group
  std::vector<std::uint32_t> bin_firsts_;    // at a bin's begin, the first row of each of its groups
  std::vector<std::uint32_t> bin_starts_;    // and where the group begins in order_
  std::vector<std::uint32_t> firsts_;        // the same for all groups
  std::vector<std::uint32_t> starts_;
  std::vector<decimal> gathered_;
  std::vector<bin_scratch> scratch_;
};

/// The numbers of keys, which are different and in no order, by the bytes of the keys.
std::vector<std::uint32_t> sorted_rows(const std::vector<std::string_view>& keys, unsigned team);

}  // namespace peneira::tool
