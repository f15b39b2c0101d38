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
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/peneira/cli/ending.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/io/paged_array.hpp"

namespace peneira::tool {

/// An input ends amid an item.
[[noreturn]] inline void fail_with_rest(std::string_view path, std::uint64_t bytes, std::size_t item_bytes,
                                        std::string_view items) {
  throw std::runtime_error(
      fmt::format("{} holds {} bytes, not a multiple of {}: {} left over", path, bytes, items, bytes % item_bytes));
}

/// A range of mapped memory; empty files have none.
class mapping {
 public:
  mapping(int fd, std::size_t bytes, int protection, int flags, const std::string& path, std::size_t first = 0)
      : bytes_(bytes) {
    if (bytes == 0) return;
    data_ = ::mmap(nullptr, bytes, protection, flags, fd, static_cast<off_t>(first));
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

/// A descriptor to read from, or -1 with errno; "-" is standard input.
inline int open_input(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  for (;;) {
    poll_interrupt();
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0 || errno != EINTR) return fd;  // a pipe waits for its writer
  }
}

/// A file open for reading.
class input_file {
 public:
  /// "-" is standard input.
  explicit input_file(const std::string& path) : path_(path == "-" ? "standard input" : path) {
    fd_ = open_input(path);
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
  /// The size of all of it as the system has it, which is 0 for what has none: pipes, devices, files of /proc.
  [[nodiscard]] std::size_t size() const {
    return S_ISREG(status_.st_mode) ? static_cast<std::size_t>(status_.st_size) : 0;
  }
  /// Where the next read begins, in a file that has a size: others may have read from standard input before.
  [[nodiscard]] std::size_t position() const { return static_cast<std::size_t>(::lseek(fd_, 0, SEEK_CUR)); }
  /// Leaves standard input as it would be had all been read: others may read on.
  void skip_to_end() const { static_cast<void>(::lseek(fd_, static_cast<off_t>(size()), SEEK_SET)); }

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

/// All of a file, or of standard input.
inline std::string read_whole(input_file& file) {
  std::string all;
  constexpr std::size_t block = 1U << 16U;
  for (std::size_t got = block; got != 0;) {
    const std::size_t held = all.size();
    all.resize(held + block);
    got = file.read(all.data() + held, block);
    all.resize(held + got);
  }
  return all;
}

/// What an input holds from where it stands, as an array of items: mapped where it has a size, else read into memory.
class input_items {
 public:
  input_items(const std::string& path, std::size_t item_bytes, std::string_view items) : file_(path) {
    if (!map(item_bytes)) read();
    if (bytes_ % item_bytes != 0) fail_with_rest(file_.path(), bytes_, item_bytes, items);
  }
  input_items(const input_items&) = delete;
  input_items& operator=(const input_items&) = delete;
  input_items(input_items&&) = delete;
  input_items& operator=(input_items&&) = delete;
  ~input_items() = default;

  [[nodiscard]] const void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  /// False where there is nothing to map, or where items would not begin at multiples of their size.
  bool map(std::size_t item_bytes) {
    if (file_.size() == 0) return false;
    const std::size_t position = file_.position();
    if (position >= file_.size() || position % item_bytes != 0) return false;
    const std::size_t first = position - position % static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    mapping_.emplace(file_, first);
    data_ = static_cast<const char*>(mapping_->all.data()) + (position - first);
    bytes_ = file_.size() - position;
    file_.skip_to_end();
    return true;
  }
  void read() {
    constexpr std::size_t block = std::size_t{1} << 20U;
    for (std::size_t got = 1; got != 0; bytes_ += got) {
      copy_.reserve(bytes_ + block);
      got = file_.read(copy_.data() + bytes_, block);
    }
    data_ = copy_.data();
  }

  struct watched_mapping {
    watched_mapping(const input_file& file, std::size_t first)
        : all(file.fd(), file.size() - first, PROT_READ, MAP_SHARED, file.path(), first),
          watched(all.data(), all.bytes(), file.size(), file.fd(), file.path()) {}
    mapping all;
    mapped_input watched;
  };

  input_file file_;
  std::optional<watched_mapping> mapping_;
  paged_array<char> copy_;
  const char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Gives a file its size and its blocks, so that a full disk is an error here and not a signal later.
inline void allocate(int fd, std::size_t bytes, std::string_view path) {
  int error = 0;
  do {
    poll_interrupt();
    error = bytes == 0 ? 0 : ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) fail("reserve space for", path, error);
}

}  // namespace peneira::tool
