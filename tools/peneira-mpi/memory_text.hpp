// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Text in memory that has a path, too, so that what reads files reads it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/sort/text/output.hpp"

namespace peneira::tool {

class memory_text {
 public:
  explicit memory_text(std::size_t bytes) : fd_(::memfd_create("peneira", MFD_CLOEXEC)) {
    if (fd_ < 0) fail("create", name);
    if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) {
      ::close(fd_);
      fail("make room in", name);
    }
    all_.emplace(fd_, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, name);
  }
  memory_text(const memory_text&) = delete;
  memory_text& operator=(const memory_text&) = delete;
  ~memory_text() { ::close(fd_); }

  [[nodiscard]] char* data() const { return static_cast<char*>(all_->data()); }
  [[nodiscard]] std::size_t size() const { return all_->bytes(); }
  /// A name to open it by, while it lives.
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }
  /// Leaves out what is behind so many bytes.
  void shrink(std::size_t bytes) {
    all_.reset();
    if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) fail("shorten", name);
    all_.emplace(fd_, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, name);
  }

 private:
  static constexpr const char* name = "memory for lines";

  int fd_;
  std::optional<mapping> all_;
};

/// Keeps what it is given.
class memory_sink : public byte_sink {
 public:
  void write(const char* data, std::size_t size) override {
    bytes_.reserve(size_ + size);
    if (size > 0) std::memcpy(bytes_.data() + size_, data, size);
    size_ += size;
  }
  [[nodiscard]] const char* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  paged_array<char> bytes_;
  std::size_t size_ = 0;
};

}  // namespace peneira::tool
