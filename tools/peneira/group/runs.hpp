// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups that memory does not hold: runs, each sorted by key, merged at the end. Those of a level lie behind one
// another in one temporary file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/group/sketch.hpp"
#include "tools/peneira/group/table.hpp"
#include "tools/peneira/io/run_file.hpp"

namespace peneira::tool {

/// Groups one after the other.
class group_stream {
 public:
  group_stream() = default;
  group_stream(const group_stream&) = delete;
  group_stream& operator=(const group_stream&) = delete;
  virtual ~group_stream() = default;

  /// The next group, or null at the end. What the last one said is then gone.
  virtual const group_view* next() = 0;
};

/// The groups of a table, in the order of `rows`, or, where that is empty, in which they lie.
class table_stream : public group_stream {
 public:
  table_stream(const group_table& table, std::vector<std::uint32_t> rows);
  const group_view* next() override;

 private:
  void prefetch() const;

  const group_table& table_;
  std::vector<std::uint32_t> rows_;
  std::size_t at_ = 0;
  std::vector<decimal> numbers_;
  std::vector<std::string_view> texts_;
  group_view view_;
};

/// Writes a run: of each group the sizes of its key and of what has no fixed size, the key, its numbers, the rest.
class run_writer {
 public:
  run_writer(run_file& file, std::size_t buffer) : file_(file), first_(file.end()), most_(buffer) {}

  void add(const group_view& group);
  [[nodiscard]] std::uint64_t first() const { return first_; }
  void flush();

 private:
  void append(const void* data, std::size_t size) { held_.append(static_cast<const char*>(data), size); }

  run_file& file_;
  std::uint64_t first_;
  std::size_t most_;
  std::string held_;
  std::string rest_;
};

/// Reads a run, group by group. Numbers that are long are the caller's.
class run_reader : public group_stream {
 public:
  run_reader(const run_bytes& bytes, const group_folds& folds, std::size_t buffer);
  const group_view* next() override;
  [[nodiscard]] const group_view& view() const { return view_; }

 private:
  bool hold(std::size_t size);
  void take_rest(const char* at);

  run_bytes bytes_;
  std::vector<decimal> numbers_;
  std::vector<std::string_view> texts_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t taken_ = 0;
  std::size_t held_ = 0;
  group_view view_;
};

/// The groups of many runs by key, each put together from all that have a part of it.
class merge_stream : public group_stream {
 public:
  /// The runs are in the order in which they were written.
  merge_stream(std::vector<std::unique_ptr<run_reader>> runs, const group_folds& folds);
  ~merge_stream() override { release_numbers(); }
  const group_view* next() override;

 private:
  [[nodiscard]] bool later(std::size_t a, std::size_t b) const;
  void begin(const group_view& part);
  void merge_part(const group_view& part);
  void advance();
  void release_numbers();

  std::vector<std::unique_ptr<run_reader>> runs_;
  const group_folds& folds_;
  std::vector<std::size_t> heap_;
  std::string key_;
  std::vector<decimal> numbers_;
  distinct_sketch sketch_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> text_views_;
  group_view view_;
};

/// All runs of a grouping. Those of a level are merged into one of the next as soon as there are `most_runs`, so that
/// few are read at the same time whatever the size of the input, and few files are open.
class group_runs {
 public:
  /// `folds` are those of groups.
  group_runs(std::string folder, group_folds folds, std::uint64_t memory);

  [[nodiscard]] bool empty() const { return levels_.empty(); }
  /// Writes groups, which are sorted, as a run.
  void spill(group_stream& groups);
  /// All groups of all runs by key.
  std::unique_ptr<group_stream> merged();

 private:
  static constexpr std::size_t most_runs = 64;

  /// Where a run lies in its file.
  struct run_place {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  struct level_runs {
    explicit level_runs(const std::string& folder) : file(folder) {}
    run_file file;
    std::vector<run_place> runs;
  };
  using readers = std::vector<std::unique_ptr<run_reader>>;

  void write(group_stream& groups, std::size_t level);
  void open(const level_runs& level, readers& to) const;

  std::string folder_;
  group_folds folds_;
  std::size_t buffer_;
  std::vector<std::unique_ptr<level_runs>> levels_;
};

}  // namespace peneira::tool
