// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of `peneira sort -o`.
#include "tools/peneira/sort/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "tools/peneira/cli/ending.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/io/mapped_file.hpp"

namespace peneira::tool {

sort_file::sort_file(const std::string& path, const std::string& temporary_folder) : path_(path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    const output_place place = find_place(path);
    if (place.fd < 0 && ::access(path.c_str(), W_OK) != 0) fail("open", path);
    const std::string folder = std::filesystem::path(place.path).parent_path().string();
    const bool stays = found.st_nlink > 1 || ::access(folder.c_str(), W_OK | X_OK) != 0;
    if (place.fd < 0 && S_ISREG(found.st_mode) && stays) {
      target_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (target_ < 0) fail("open", path);
      kept_.emplace(temporary_folder);
      return;
    }
  }
  file_.emplace(path, true);
}

sort_file::~sort_file() {
  if (target_ >= 0) ::close(target_);
}

void sort_file::write(const void* data, std::size_t size) {
  kept_ ? kept_->write(data, size) : file_->write(data, size);
}

void sort_file::commit() {
  kept_ ? copy_in_place() : file_->commit();
}

void sort_file::copy_in_place() {
  struct stat before {};
  struct stat kept {};
  if (::fstat(target_, &before) != 0) fail("examine", path_);
  if (::fstat(kept_->fd(), &kept) != 0) fail("examine", kept_->name());
  std::vector<char> buffer(std::size_t{1} << 18U);
  try {
    allocate(target_, static_cast<std::size_t>(kept.st_size), path_);
  } catch (...) {
    static_cast<void>(!::ftruncate(target_, before.st_size));
    throw;
  }
  const calm now;  // what was there gets lost: no signal may end the copy
  for (off_t position = 0; position < kept.st_size;) {
    const ssize_t got = ::pread(kept_->fd(), buffer.data(), buffer.size(), position);
    if (got <= 0) fail("read", kept_->name(), got == 0 ? EIO : errno);
    for (ssize_t held = 0; held < got;) {
      const ssize_t written =
          ::pwrite(target_, buffer.data() + held, static_cast<std::size_t>(got - held), position + held);
      if (written < 0) fail("write", path_);
      held += written;
    }
    position += got;
  }
  if (::ftruncate(target_, kept.st_size) != 0) fail("cut", path_);
  if (::close(std::exchange(target_, -1)) != 0) fail("close", path_);
  detail::outputs_are_complete = true;
}

}  // namespace peneira::tool
