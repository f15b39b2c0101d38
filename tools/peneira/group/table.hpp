// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Group-by in the two calls that it is made of: multisplit and segmented_reduce.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/peneira/group/folds.hpp"
#include "tools/peneira/text/fields.hpp"

namespace peneira::tool {

/// Groups, or what is not grouped yet: keys and columns of numbers and texts.
struct group_table {
  std::vector<std::uint64_t> hashes;
  std::vector<std::string_view> keys;
  std::vector<std::vector<decimal>> columns;
  std::vector<std::vector<std::string_view>> texts;
  byte_store text;  ///< the bytes of keys and texts that point nowhere else

  group_table() = default;
  /// One without rows yet.
  group_table(std::size_t number_columns, std::size_t text_columns) : columns(number_columns), texts(text_columns) {}

  [[nodiscard]] std::size_t size() const { return keys.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return text.bytes() + size() * (sizeof(std::uint64_t) + sizeof(std::string_view) +
                                    columns.size() * sizeof(decimal) + texts.size() * sizeof(std::string_view));
  }
  void resize(std::size_t rows);
  /// Puts the rows of another behind these.
  void append(group_table&& other);
  /// Adds a row that has a key alone; copies it.
  void add_key(std::string_view key);
  /// Adds a group that is elsewhere; copies what it has, but numbers that are long become the table's.
  void add_row(const group_view& group);
  /// Gives back what tells rows by their keys.
  void forget_keys();
};

/// Gives back what an array holds.
template <class T>
void forget(std::vector<T>& array) {
  array = std::vector<T>();
}

/// Finds the rows of equal keys and folds their values. Holds memory that the next call uses again.
class grouper {
 public:
  explicit grouper(unsigned team) : team_(team) {}

  /// The groups of `rows`, one for each key, with a column for each fold. The same order on every run.
  group_table operator()(const group_table& rows, const group_folds& folds) { return group(rows, nullptr, folds); }
  /// The same of many rows, whose arrays it gives back as soon as it can, and its own: not both tables are ever there.
  group_table regroup(group_table&& rows, const group_folds& folds) { return group(rows, &rows, folds); }

 private:
  group_table group(const group_table& rows, group_table* consumed, const group_folds& folds);
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
  /// Gives back what finding the groups took.
  void forget_search();
  void fold_columns(const group_table& rows, group_table* consumed, const group_folds& folds, group_table& to);
  void fold_sketches(const std::vector<std::string_view>& from, bool of_sketches, std::vector<std::string_view>& to,
                     byte_store& store) const;
  void fold_texts(const group_table& rows, const group_folds& folds, group_table& to) const;
  void gather(const std::vector<decimal>& column, decimal (*map)(const decimal&));

  unsigned team_;
  std::vector<std::uint32_t> numbers_;       // 0, 1, 2, ...
  std::vector<std::uint64_t> split_hashes_;  // by bin
  std::vector<std::uint32_t> split_rows_;    // by bin
  std::vector<std::uint32_t> bins_;          // where each bin begins
  std::vector<std::uint32_t> group_of_;      // of each row by bin, its group's number in the bin, from 1
  std::vector<std::uint32_t> order_;         // rows by group, those of a group in their order
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
