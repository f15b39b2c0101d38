// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that have no name, so that nothing of them remains however the program ends.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "tools/peneira/cli/ending.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/io/output_file.hpp"

namespace peneira::tool {

/// The folder for temporary files if nobody says another.
inline std::string temporary_folder() {
  const char* const said = std::getenv("TMPDIR");
  return said != nullptr && *said != '\0' ? said : "/tmp";
}

class temporary_file {
 public:
  explicit temporary_file(const std::string& folder) : name_("a temporary file in " + folder) {
    fd_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {  // a file system that knows only names
      std::string path = folder + "/.peneira.XXXXXX";
      const calm now;
      fd_ = ::mkostemp(path.data(), O_CLOEXEC);
      if (fd_ >= 0) ::unlink(path.c_str());
    }
    if (fd_ < 0) fail("create", name_);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  temporary_file(temporary_file&& other) noexcept : name_(std::move(other.name_)), fd_(std::exchange(other.fd_, -1)) {}
  temporary_file& operator=(temporary_file&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(name_, other.name_);
    return *this;
  }
  ~temporary_file() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  void write(const void* data, std::size_t size) { write_all(fd_, data, size, name_); }

  /// Reads up to `size` bytes from `position` on; 0 at the end.
  std::size_t read(char* to, std::size_t size, std::uint64_t position) const {
    for (;;) {
      poll_interrupt();
      const ssize_t got = ::pread(fd_, to, size, static_cast<off_t>(position));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail("read", name_);
    }
  }

 private:
  std::string name_;
  int fd_ = -1;
};

}  // namespace peneira::tool
