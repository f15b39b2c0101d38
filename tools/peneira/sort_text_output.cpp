// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of `peneira sort` on text.
#include "tools/peneira/sort_text_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "tools/peneira/errors.hpp"

namespace peneira::tool {

sort_output::sort_output(const std::optional<std::string>& path, const std::string& temporary_folder) {
  if (!path) {
    path_ = "standard output";
    return;
  }
  path_ = *path;
  struct stat found {};
  const bool exists = ::stat(path_.c_str(), &found) == 0;
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail("open", path_);
  if (exists && S_ISREG(found.st_mode)) {
    const output_place place = find_place(path_);
    const std::string folder = std::filesystem::path(place.path).parent_path().string();
    if (place.fd < 0 && (found.st_nlink > 1 || ::access(folder.c_str(), W_OK | X_OK) != 0)) {
      target_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      if (target_ < 0) fail("open", path_);
      kept_.emplace(temporary_folder);
      return;
    }
  }
  file_.emplace(path_, true);
}

sort_output::~sort_output() {
  if (target_ >= 0) ::close(target_);
}

void sort_output::write(const char* data, std::size_t size) {
  if (kept_) return kept_->write(data, size);
  if (file_) return file_->write(data, size);
  write_all(STDOUT_FILENO, data, size, path_);
}

void sort_output::commit() {
  if (kept_) return copy_in_place();
  if (file_) file_->commit();
}

void sort_output::copy_in_place() {
  poll_interrupt();
  struct stat before {};
  struct stat kept {};
  if (::fstat(target_, &before) != 0) fail("examine", path_);
  if (::fstat(kept_->fd(), &kept) != 0) fail("examine", kept_->name());
  // From here on what was there is lost: the space is reserved before that, and no signal ends the copy.
  if (kept.st_size > before.st_size) {
    if (const int error = ::posix_fallocate(target_, 0, kept.st_size); error != 0) {
      static_cast<void>(!::ftruncate(target_, before.st_size));
      fail("reserve space for", path_, error);
    }
  }
  const calm now;
  std::vector<char> buffer(std::size_t{1} << 18U);
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
}

void turns::wait_for(std::size_t block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ != nullptr || next_ == block; });
  if (error_ != nullptr) std::rethrow_exception(error_);
}

void turns::done(std::size_t block) {
  const std::lock_guard lock(mutex_);
  next_ = block + 1;
  changed_.notify_all();
}

void turns::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (error_ == nullptr) error_ = std::move(error);
  changed_.notify_all();
}

}  // namespace peneira::tool
