// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Files as arrays.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "tools/peneira/errors.hpp"
#include "tools/peneira/output_file.hpp"

namespace peneira::tool {

/// A range of mapped memory; empty files have none.
class mapping {
 public:
  mapping(int fd, std::size_t bytes, int protection, int flags, const std::string& path) : bytes_(bytes) {
    if (bytes == 0) return;
    data_ = ::mmap(nullptr, bytes, protection, flags, fd, 0);
    if (data_ == MAP_FAILED) fail("map", path);
  }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  mapping(mapping&&) = delete;
  mapping& operator=(mapping&&) = delete;
  ~mapping() {
    if (bytes_ != 0) ::munmap(data_, bytes_);
  }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// A file open for reading.
class input_file {
 public:
  /// "-" is standard input.
  explicit input_file(const std::string& path) : path_(path == "-" ? "standard input" : path) {
    fd_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) fail("open", path_);
    if (::fstat(fd_, &status_) != 0) fail("examine", path_);
    if (S_ISDIR(status_.st_mode)) fail("read", path_, EISDIR);
  }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  input_file(input_file&&) = delete;
  input_file& operator=(input_file&&) = delete;
  ~input_file() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_regular() const { return S_ISREG(status_.st_mode); }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(status_.st_size); }

  /// Reads up to `size` bytes; 0 at the end.
  std::size_t read(char* to, std::size_t size) {
    for (;;) {
      poll_interrupt();
      const ssize_t got = ::read(fd_, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail("read", path_);
    }
  }

 private:
  std::string path_;
  int fd_ = -1;
  struct stat status_ {};
};

/// Gives a new file its size and its blocks, so that a full disk is an error here and not a signal later.
inline void allocate(const output_file& file, std::size_t bytes) {
  int error = 0;
  do {
    poll_interrupt();
    error = bytes == 0 ? 0 : ::posix_fallocate(file.fd(), 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) fail("reserve space for", file.path(), error);
}

}  // namespace peneira::tool
