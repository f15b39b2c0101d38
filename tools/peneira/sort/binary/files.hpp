// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where items of a binary sort come from and go to: parts of a file, read by several threads, and an output that
// several threads fill.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/io/part_size.hpp"
#include "tools/peneira/sort/file.hpp"

namespace peneira::tool {

/// A part of a file.
struct extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Bytes that lie in parts of an open file, one after the other.
class item_source {
 public:
  item_source(int fd, std::string name, std::vector<extent> parts)
      : fd_(fd), name_(std::move(name)), parts_(std::move(parts)) {
    starts_.reserve(parts_.size());
    for (const extent& part : parts_) {
      starts_.push_back(bytes_);
      bytes_ += part.bytes;
    }
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Reads `bytes` bytes from `first` on. Several threads may.
  void read(char* to, std::uint64_t first, std::size_t bytes) const {
    for_each_extent(first, bytes, [&](std::uint64_t offset, std::size_t count) {
      read_part(to, offset, count);
      to += count;
    });
  }

  /// Tells the system that these bytes are next.
  void expect(std::uint64_t first, std::uint64_t bytes) const {
    for_each_extent(first, std::min(bytes, bytes_ - std::min(first, bytes_)),
                    [&](std::uint64_t offset, std::size_t count) {
                      ::posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(count), POSIX_FADV_WILLNEED);
                    });
  }

  /// Gives the space back to the disk, where the file system can; nobody reads it again.
  void discard() const {
    for (const extent& part : parts_) {
      ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(part.offset),
                  static_cast<off_t>(part.bytes));
    }
  }

 private:
  template <class Each>
  void for_each_extent(std::uint64_t first, std::uint64_t bytes, Each&& each) const {
    if (bytes == 0) return;
    auto at = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), first) - starts_.begin()) - 1;
    for (std::uint64_t skipped = first - starts_[at]; bytes > 0; ++at, skipped = 0) {
      const std::uint64_t count = std::min(bytes, parts_[at].bytes - skipped);
      each(parts_[at].offset + skipped, static_cast<std::size_t>(count));
      bytes -= count;
    }
  }

  void read_part(char* to, std::uint64_t offset, std::size_t bytes) const {
    while (bytes > 0) {
      poll_interrupt();
      const ssize_t got = ::pread(fd_, to, bytes, static_cast<off_t>(offset));
      if (got < 0) {
        if (errno == EINTR) continue;
        fail("read", name_);
      }
      if (got == 0) throw std::runtime_error(fmt::format("{} became shorter while it was read", name_));
      to += got;
      offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }

  int fd_;
  std::string name_;
  std::vector<extent> parts_;
  std::vector<std::uint64_t> starts_;
  std::uint64_t bytes_ = 0;
};

/// Calls work(member, first, items) for parts of [0, count) that a cache holds, each by the thread that is free, and
/// moves the bar.
template <class Work>
void for_each_part(std::uint64_t count, std::size_t item_bytes, unsigned team, progress& bar, Work&& work) {
  const std::uint64_t part = part_items(item_bytes);
  const std::uint64_t round = part * team * 32;
  for (std::uint64_t begin = 0; begin < count; begin += round) {
    const std::uint64_t end = std::min(count, begin + round);
    std::atomic<std::uint64_t> next{begin};
    on_each(team, [&](unsigned m) {
      for (std::uint64_t at = next.fetch_add(part); at < end; at = next.fetch_add(part)) {
        work(m, at, static_cast<std::size_t>(std::min(part, end - at)));
      }
    });
    bar.add((end - begin) * item_bytes);
  }
}

/// Writes all of it at a place of a file, or throws with the file's name. Several threads may.
inline void write_at(int fd, const char* data, std::size_t size, std::uint64_t offset, std::string_view name) {
  while (size > 0) {
    poll_interrupt();
    const ssize_t written = ::pwrite(fd, data, size, static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", name);
    }
    data += written;
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

/// Writes items block by block, each block made by one of the threads in a buffer of its own.
class block_writer {
 public:
  block_writer(unsigned team, std::size_t block_bytes, std::size_t item_bytes)
      : item_bytes_(item_bytes),
        block_items_(std::max<std::size_t>(1, block_bytes / item_bytes)),
        blocks_(team, std::vector<char>(block_items_ * item_bytes)) {}

  [[nodiscard]] std::size_t item_bytes() const { return item_bytes_; }

  /// For all of `count` items: fill(member, to, first, count) makes a block, put(data, bytes, offset) writes it.
  /// `in_order`: one after the other on this thread. done(bytes) hears, on this thread, of what is written.
  template <class Fill, class Put, class Done>
  void write(std::uint64_t count, bool in_order, Fill&& fill, Put&& put, Done&& done) {
    const auto team = static_cast<unsigned>(blocks_.size());
    const std::uint64_t round_items = std::uint64_t{block_items_} * team;
    for (std::uint64_t round = 0; round < count; round += round_items) {
      const auto items_of = [&](std::uint64_t first) {
        return static_cast<std::size_t>(std::min<std::uint64_t>(block_items_, count - std::min(count, first)));
      };
      const auto put_block = [&](unsigned m) {
        const std::uint64_t first = round + std::uint64_t{m} * block_items_;
        if (items_of(first) != 0) put(blocks_[m].data(), items_of(first) * item_bytes_, first * item_bytes_);
      };
      on_each(team, [&](unsigned m) {
        const std::uint64_t first = round + std::uint64_t{m} * block_items_;
        if (items_of(first) != 0) fill(m, blocks_[m].data(), first, items_of(first));
        if (!in_order) put_block(m);
      });
      for (unsigned m = 0; in_order && m < team; ++m) put_block(m);
      done(std::min(round_items, count - round) * item_bytes_);
    }
  }

 private:
  std::size_t item_bytes_;
  std::size_t block_items_;
  std::vector<std::vector<char>> blocks_;
};

/// The sorted file, which appears at the end, or standard output, which is "-".
class item_output {
 public:
  item_output(const std::string& path, const std::string& temporary_folder, phase_times& times) : times_(times) {
    if (path != "-") file_.emplace(path, temporary_folder);
  }

  [[nodiscard]] bool is_regular() const { return file_ && file_->is_regular(); }

  /// Appends items that fill(member, to, first, count) makes.
  template <class Fill>
  void append(block_writer& by, std::uint64_t count, progress& bar, Fill&& fill) {
    const auto done = [&](std::uint64_t bytes) { bar.add(bytes); };
    if (is_regular()) {
      const auto put = [&](const char* data, std::size_t bytes, std::uint64_t offset) {
        const phase_times::scope writing(times_, phase::writing, bytes);
        write_at(file_->fd(), data, bytes, bytes_ + offset, file_->path());
      };
      by.write(count, false, fill, put, done);
    } else {
      const auto put = [&](const char* data, std::size_t bytes, std::uint64_t /*offset*/) {
        const phase_times::scope writing(times_, phase::writing, bytes, times_.team());
        file_ ? file_->write(data, bytes) : write_all(STDOUT_FILENO, data, bytes, "standard output");
      };
      by.write(count, true, fill, put, done);
    }
    bytes_ += count * by.item_bytes();
  }

  /// What was written so far, to be read again; only of a plain file.
  [[nodiscard]] item_source written() const { return {file_->fd(), file_->path(), {{0, bytes_}}}; }

  void commit() {
    if (file_) file_->commit();
  }

 private:
  phase_times& times_;
  std::optional<sort_file> file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace peneira::tool
