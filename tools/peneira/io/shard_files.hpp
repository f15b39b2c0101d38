// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The outputs of a split of text: any number of files, all or none.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "tools/peneira/io/compressed.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/io/shard_names.hpp"

namespace peneira::tool {

/// Where shards go.
class shard_store {
 public:
  shard_store() = default;
  shard_store(const shard_store&) = delete;
  shard_store& operator=(const shard_store&) = delete;
  virtual ~shard_store() = default;

  /// Adds the shard of a key, or of the next number.
  virtual void add(std::string_view key) = 0;
  virtual void add_next() = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Puts bytes behind those of a shard. Different shards may be written at the same time.
  virtual void write(std::size_t shard, std::string_view bytes) = 0;
  /// The header of a new shard.
  virtual void begin(std::size_t shard, std::string_view header) { write(shard, header); }
};

/// All shards, open as far as the system lets us; those beyond are reopened for each write.
class shard_files : public shard_store {
 public:
  /// So many that are named by their numbers; others are added.
  shard_files(const shard_names& names, std::size_t count, bool force)
      : names_(names), force_(force), kept_open_(raise_limit()) {
    for (std::size_t s = 0; s < count; ++s) check_output(names.name(s), force);
    for (std::size_t s = 0; s < count; ++s) open(names.name(s));
  }

  void add(std::string_view key) override { open(names_.name(key)); }
  void add_next() override { open(names_.name(files_.size())); }
  [[nodiscard]] std::size_t size() const override { return files_.size(); }
  /// The hidden file that a shard is, until all are complete.
  [[nodiscard]] const std::string& hidden_path(std::size_t shard) const { return files_[shard].file.hidden_path(); }

  /// What is written at a time is compressed for itself: what gzip and zstd make of several texts, one behind the
  /// other, is read as one.
  void write(std::size_t shard, std::string_view bytes) override {
    if (!bytes.empty()) append(shard, bytes);
  }

  /// Gives all shards their names, after every one of them is known to be complete.
  void commit() {
    std::vector<output_file*> all;
    all.reserve(files_.size());
    for (std::size_t s = 0; s < files_.size(); ++s) {
      if (files_[s].how != compression::none && files_[s].empty) append(s, {});
      all.push_back(&files_[s].file);
    }
    output_file::commit_all(all);
  }

 private:
  struct shard_file {
    output_file file;
    compression how;
    bool empty = true;

    shard_file(const std::string& name, bool force) : file(name, force), how(compression_by_name(name)) {}
  };

  /// Throws for a name that no file system takes, and shows only its beginning.
  static void refuse_long_name(const std::string& name) {
    const std::size_t bytes = name.size() - (name.rfind('/') + 1);
    if (bytes <= NAME_MAX) return;
    throw std::runtime_error(
        fmt::format("cannot create {}: the name has {} bytes, and may have {}", shown(name), bytes, NAME_MAX));
  }
  void open(const std::string& name) {
    poll_interrupt();
    refuse_long_name(name);
    files_.emplace_back(name, force_);
    if (files_.size() > kept_open_) files_.back().file.pause();
  }
  void append(std::size_t shard, std::string_view bytes) {
    shard_file& to = files_[shard];
    to.empty = false;
    const auto push = [&to](const char* data, std::size_t size) { to.file.write(data, size); };
    if (to.how == compression::none) {
      push(bytes.data(), bytes.size());
    } else {
      const std::unique_ptr<encoder> by = make_encoder(to.how, push);
      by->write(bytes.data(), bytes.size());
      by->finish();
    }
    if (shard >= kept_open_) to.file.pause();
  }

  /// The files that may stay open, with some descriptors left for inputs and for each thread's reopened file.
  static std::size_t raise_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("ask for", "the limit of open files");
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));  // what it does not grant, the next line sees
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("ask for", "the limit of open files");
    const std::size_t spare = std::clamp<std::size_t>(limit.rlim_cur / 2, 10, 256);
    return limit.rlim_cur > spare ? limit.rlim_cur - spare : 1;
  }

  const shard_names& names_;
  bool force_;
  std::size_t kept_open_;
  std::deque<shard_file> files_;
};

}  // namespace peneira::tool
