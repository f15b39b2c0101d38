// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The outputs of a split of text: any number of files, all or none.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/io/output_file.hpp"

namespace peneira::tool {

/// A file name with a number in it: part-%04d.csv.
class numbered_name {
 public:
  explicit numbered_name(const std::string& pattern) {
    bool found = false;
    std::string* part = &before_;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '%') {
        *part += pattern[i];
        continue;
      }
      if (pattern.substr(i, 2) == "%%") {
        *part += pattern[i++];
        continue;
      }
      std::size_t at = i + 1;
      zeros_ = pattern[at] == '0';
      while (at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9' && at < i + 4) {
        width_ = width_ * 10 + (pattern[at++] - '0');
      }
      if (found || at >= pattern.size() || pattern[at] != 'd') refuse(pattern);
      found = true;
      part = &after_;
      i = at;
    }
    if (!found) refuse(pattern);
  }

  [[nodiscard]] std::string name(std::size_t number) const {
    return before_ + (zeros_ ? fmt::format("{:0{}}", number, width_) : fmt::format("{:{}}", number, width_)) + after_;
  }

 private:
  [[noreturn]] static void refuse(const std::string& pattern) {
    throw usage_error(fmt::format(
        "--out: \"{}\" must hold exactly one number, such as %d or %04d (and %% for a percent sign)", pattern));
  }

  std::string before_;
  std::string after_;
  bool zeros_ = false;
  int width_ = 0;
};

/// All shards, open as far as the system lets us; those beyond are reopened for each write.
class shard_files {
 public:
  shard_files(const numbered_name& names, std::size_t count, bool force) : kept_open_(raise_limit()) {
    for (std::size_t s = 0; s < count; ++s) check_output(names.name(s), force);
    for (std::size_t s = 0; s < count; ++s) {
      poll_interrupt();
      files_.emplace_back(names.name(s), force);
      if (s >= kept_open_) files_.back().pause();
    }
  }

  /// Different shards may be written at the same time.
  void write(std::size_t shard, std::string_view bytes) {
    if (bytes.empty()) return;
    files_[shard].write(bytes.data(), bytes.size());
    if (shard >= kept_open_) files_[shard].pause();
  }

  /// Gives all shards their names, after every one of them is known to be complete.
  void commit() {
    std::vector<output_file*> all;
    all.reserve(files_.size());
    for (output_file& file : files_) all.push_back(&file);
    output_file::commit_all(all);
  }

 private:
  /// The files that may stay open, with some descriptors left for inputs and for each thread's reopened file.
  static std::size_t raise_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("ask for", "the limit of open files");
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));  // what it does not grant, the next line sees
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("ask for", "the limit of open files");
    const std::size_t spare = std::min<std::size_t>(limit.rlim_cur / 2, 256);
    return limit.rlim_cur - spare;
  }

  std::size_t kept_open_;
  std::deque<output_file> files_;
};

}  // namespace peneira::tool
