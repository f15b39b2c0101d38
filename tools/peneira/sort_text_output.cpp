// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of `peneira sort` on text.
#include "tools/peneira/sort_text_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
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
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  const bool folder_is_ours = ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
  if (exists && S_ISREG(found.st_mode) && (found.st_nlink > 1 || !folder_is_ours)) {
    target_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (target_ < 0) fail("open", path_);
    kept_.emplace(temporary_folder);
    return;
  }
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail("open", path_);
  file_.emplace(path_, true);
  if (exists && file_->is_regular()) {
    static_cast<void>(::fchmod(file_->fd(), found.st_mode & 07777U));
    if (::fchown(file_->fd(), found.st_uid, found.st_gid) != 0) {  // only root may give files away
      static_cast<void>(::fchmod(file_->fd(), found.st_mode & 0777U));
    }
  }
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
  if (::ftruncate(target_, 0) != 0) fail("empty", path_);
  std::vector<char> buffer(std::size_t{1} << 18U);
  std::uint64_t position = 0;
  for (std::size_t got = 1; got != 0; position += got) {
    got = kept_->read(buffer.data(), buffer.size(), position);
    write_all(target_, buffer.data(), got, path_);
  }
  if (::close(target_) != 0) fail("close", path_);
  target_ = -1;
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
