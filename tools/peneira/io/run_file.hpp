// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Many sorted runs in one temporary file: it takes one descriptor, however many they are.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/peneira/io/temporary_file.hpp"

namespace peneira::tool {

/// Runs behind one another, each written as a whole before the next begins.
class run_file {
 public:
  explicit run_file(const std::string& folder) : file_(folder) {}

  void append(const void* data, std::size_t size) {
    file_.write(data, size);
    end_ += size;
  }
  /// Where the next run begins.
  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// As those of the temporary file, whose position is the end.
  [[nodiscard]] const temporary_file& file() const { return file_; }

  /// Gives all space back.
  void clear() {
    if (::ftruncate(file_.fd(), 0) != 0 || ::lseek(file_.fd(), 0, SEEK_SET) != 0) fail("empty", file_.name());
    end_ = 0;
  }

 private:
  temporary_file file_;
  std::uint64_t end_ = 0;
};

/// Reads a run from its begin to its end, and gives its space back on the way, where the file system can.
class run_bytes {
 public:
  run_bytes(const run_file& from, std::uint64_t first, std::uint64_t last)
      : from_(&from), position_(first), given_back_(first), last_(last) {}

  /// Up to `size` bytes; 0 at the end.
  std::size_t read(char* to, std::size_t size) {
    if (position_ - given_back_ >= unit || position_ == last_) give_back();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, last_ - position_));
    if (wanted == 0) return 0;
    const std::size_t got = from_->file().read(to, wanted, position_);
    if (got == 0) throw std::runtime_error(from_->file().name() + " was truncated");
    position_ += got;
    return got;
  }

 private:
  static constexpr std::uint64_t unit = std::uint64_t{1} << 20U;  ///< worth a call

  void give_back() {
    if (position_ == given_back_) return;
    static_cast<void>(::fallocate(from_->file().fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                  static_cast<off_t>(given_back_), static_cast<off_t>(position_ - given_back_)));
    given_back_ = position_;
  }

  const run_file* from_;
  std::uint64_t position_;
  std::uint64_t given_back_;
  std::uint64_t last_;
};

}  // namespace peneira::tool
