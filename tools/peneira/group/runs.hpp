// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups that memory does not hold: runs, each sorted by key, merged at the end. Those of a level lie behind one
// another in one temporary file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/group/table.hpp"
#include "tools/peneira/io/run_file.hpp"

namespace peneira::tool {

/// Puts one group's values into another's.
inline void merge_values(const std::vector<reduction>& reductions, const decimal* from, decimal* to) {
  for (std::size_t r = 0; r < reductions.size(); ++r) {
    switch (reductions[r].how) {
      case fold::min:
        to[r] = decimal_min{}(to[r], from[r]);
        break;
      case fold::max:
        to[r] = decimal_max{}(to[r], from[r]);
        break;
      default:
        to[r] = decimal_plus{}(to[r], from[r]);
    }
  }
}

/// Where a run lies in its file.
struct run_place {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// Writes a run: of each group the size of its key, the key, its values.
class run_writer {
 public:
  run_writer(run_file& file, std::size_t buffer) : file_(file), first_(file.end()), most_(buffer) {}

  void add(std::string_view key, std::span<const decimal> values) {
    const std::uint64_t size = key.size();
    append(&size, sizeof size);
    append(key.data(), key.size());
    append(values.data(), values.size_bytes());
    if (held_.size() >= most_) flush();
  }
  run_place finish() {
    flush();
    return {first_, file_.end()};
  }

 private:
  void append(const void* data, std::size_t size) { held_.append(static_cast<const char*>(data), size); }
  void flush() {
    file_.append(held_.data(), held_.size());
    held_.clear();
  }

  run_file& file_;
  std::uint64_t first_;
  std::size_t most_;
  std::string held_;
};

/// Reads a run, group by group.
class run_reader {
 public:
  run_reader(const run_bytes& bytes, std::size_t values, std::size_t buffer)
      : bytes_(bytes), values_(values), buffer_(std::max(buffer, sizeof(std::uint64_t))) {}

  /// The next group; false at the end. What the last one said is then gone.
  bool next() {
    at_ += taken_;
    taken_ = 0;
    if (!hold(sizeof(std::uint64_t))) return false;
    std::uint64_t size = 0;
    std::memcpy(&size, buffer_.data() + at_, sizeof size);
    const std::size_t all = sizeof size + size + values_.size() * sizeof(decimal);
    if (!hold(all)) throw std::runtime_error("a temporary file was truncated");
    key_ = {buffer_.data() + at_ + sizeof size, size};
    std::memcpy(values_.data(), key_.data() + size, values_.size() * sizeof(decimal));
    taken_ = all;
    return true;
  }
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] const decimal* values() const { return values_.data(); }

 private:
  /// Makes `size` bytes from at_ on lie in the buffer; false where the run ends before.
  bool hold(std::size_t size) {
    if (held_ - at_ >= size) return true;
    std::memmove(buffer_.data(), buffer_.data() + at_, held_ - at_);
    held_ -= at_;
    at_ = 0;
    if (buffer_.size() < size) buffer_.resize(size);
    while (held_ < size) {
      const std::size_t got = bytes_.read(buffer_.data() + held_, buffer_.size() - held_);
      if (got == 0) return false;
      held_ += got;
    }
    return true;
  }

  run_bytes bytes_;
  std::vector<decimal> values_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t taken_ = 0;
  std::size_t held_ = 0;
  std::string_view key_;
};

/// All runs of a grouping. Those of a level are merged into one of the next as soon as there are `most_runs`, so that
/// few are read at the same time whatever the size of the input, and few files are open.
class group_runs {
 public:
  group_runs(std::string folder, std::vector<reduction> reductions, std::uint64_t memory)
      : folder_(std::move(folder)),
        reductions_(std::move(reductions)),
        buffer_(std::clamp<std::size_t>(memory / (8 * most_runs), 4096, std::size_t{1} << 20U)) {}

  [[nodiscard]] bool empty() const { return levels_.empty(); }

  /// Writes the rows of a table of groups, in this order, as a run.
  void spill(const group_table& table, const std::vector<std::uint32_t>& rows) {
    run_writer writer = writer_of(0);
    std::vector<decimal> values(reductions_.size());
    for (const std::uint32_t row : rows) {
      for (std::size_t r = 0; r < values.size(); ++r) values[r] = table.columns[r][row];
      writer.add(table.keys[row], values);
    }
    add(writer.finish(), 0);
  }

  /// Calls take(key, values) for all groups of all runs by key.
  template <class Take>
  void merge_all(Take&& take) {
    readers all;
    for (std::size_t level = levels_.size(); level-- > 0;) open(levels_[level], all);  // the older come first
    merge(all, take);
    levels_.clear();
  }

 private:
  static constexpr std::size_t most_runs = 64;

  struct level_runs {
    explicit level_runs(const std::string& folder) : file(folder) {}
    run_file file;
    std::vector<run_place> runs;
  };
  using readers = std::vector<std::unique_ptr<run_reader>>;

  run_writer writer_of(std::size_t level) {
    if (levels_.size() <= level) levels_.push_back(std::make_unique<level_runs>(folder_));
    return {levels_[level]->file, std::clamp<std::size_t>(8 * buffer_, std::size_t{1} << 16U, std::size_t{1} << 20U)};
  }

  void open(const std::unique_ptr<level_runs>& level, readers& to) const {
    for (const run_place& run : level->runs) {
      const run_bytes bytes(level->file, run.first, run.last);
      to.push_back(std::make_unique<run_reader>(bytes, reductions_.size(), buffer_));
    }
  }

  void add(const run_place& run, std::size_t level) {
    levels_[level]->runs.push_back(run);
    if (levels_[level]->runs.size() < most_runs) return;
    run_writer writer = writer_of(level + 1);
    {
      readers all;
      open(levels_[level], all);
      merge(all, [&](std::string_view key, const std::vector<decimal>& values) { writer.add(key, values); });
    }
    levels_[level]->runs.clear();
    levels_[level]->file.clear();
    add(writer.finish(), level + 1);
  }

  template <class Take>
  void merge(readers& runs, Take&& take) {
    std::vector<std::size_t> heap;
    // Of equal keys the oldest first, so that values are always added in the same order.
    const auto later = [&](std::size_t a, std::size_t b) {
      const int order = runs[a]->key().compare(runs[b]->key());
      return order != 0 ? order > 0 : a > b;
    };
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (runs[r]->next()) heap.push_back(r);
    }
    std::make_heap(heap.begin(), heap.end(), later);
    std::string key;
    std::vector<decimal> values(reductions_.size());
    bool open = false;
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      run_reader& run = *runs[heap.back()];
      if (open && key == run.key()) {
        merge_values(reductions_, run.values(), values.data());
      } else {
        if (open) take(std::string_view(key), std::as_const(values));
        key = run.key();
        std::copy_n(run.values(), values.size(), values.begin());
        open = true;
      }
      if (run.next()) {
        std::push_heap(heap.begin(), heap.end(), later);
      } else {
        heap.pop_back();
      }
    }
    if (open) take(std::string_view(key), std::as_const(values));
  }

  std::string folder_;
  std::vector<reduction> reductions_;
  std::size_t buffer_;
  std::vector<std::unique_ptr<level_runs>> levels_;
};

}  // namespace peneira::tool
