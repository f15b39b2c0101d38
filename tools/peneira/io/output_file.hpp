// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Output that appears whole or not at all: it is written under a hidden name in its own folder and renamed at the end.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/peneira/cli/ending.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/write.hpp"

namespace peneira::tool {

/// Throws if an option that names a file of its own has been given standard output.
inline void refuse_stdout(std::string_view option, std::string_view path) {
  if (path != "-") return;
  throw usage_error(
      fmt::format("{}: cannot be standard output (-); write /dev/stdout, or ./- for a file named -", option));
}

/// Throws for an output that is named as if it were compressed.
inline void refuse_compressed_name(std::string_view option, std::string_view path) {
  if (!path.ends_with(".gz") && !path.ends_with(".zst")) return;
  throw usage_error(fmt::format(
      "{}: \"{}\" is not compressed by this command; write to another name, or through a pipe", option, path));
}

/// Whether two names are of one file, which need not exist yet.
inline bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  const auto whole = [](const std::string& path) { return fs::weakly_canonical(fs::absolute(path)); };
  return a == b || (!a.empty() && !b.empty() && whole(a) == whole(b));
}

/// Where the name of an output leads: to a file, which need not exist, or to a descriptor, as /dev/stdout does.
struct output_place {
  std::string path;
  int fd = -1;
};

/// Follows links, so that they stay links.
inline output_place find_place(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path descriptors = fs::canonical("/proc/self/fd", failed);
  constexpr int most_links = 40;  // as the system has it
  fs::path at = path;
  for (int links = 0; links < most_links; ++links) {
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", failed);
    if (failed) fail("create", path, failed.value());
    const std::string name = at.filename().string();
    if (folder == descriptors) {
      int fd = -1;
      std::from_chars(name.data(), name.data() + name.size(), fd);
      return {path, fd};
    }
    if (!fs::is_symlink(fs::symlink_status(at, failed))) return {(folder / name).string()};
    at = folder / fs::read_symlink(at, failed);
    if (failed) fail("follow", path, failed.value());
  }
  fail("follow", path, ELOOP);
}

/// Throws if `path` may not become an output: it exists and nobody said --force, or its folder does not.
inline void check_output(const std::string& path, bool force) {
  namespace fs = std::filesystem;
  if (path.empty()) throw usage_error("the output has an empty name");
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    throw std::runtime_error(fmt::format("cannot write {}: the folder {} does not exist", path, folder.string()));
  }
  if (!fs::exists(fs::symlink_status(path, ignored))) {
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) fail("create", path);
    return;
  }
  if (fs::is_directory(path, ignored)) throw std::runtime_error(fmt::format("cannot write {}: it is a folder", path));
  const bool lasts =
      fs::is_regular_file(path, ignored) || fs::is_block_file(path, ignored);  // unlike what is read once
  const bool replaces = lasts && find_place(path).fd < 0;
  if (!force && replaces) throw std::runtime_error(fmt::format("{} exists; --force replaces it", path));
}

/// One output. Without commit() nothing of it remains.
class output_file {
 public:
  output_file(std::string path, bool force) : path_(std::move(path)), force_(force) {
    check_output(path_, force_);
    detail::outputs_are_complete = false;
    const output_place place = find_place(path_);
    struct stat found {};
    const bool exists = ::stat(path_.c_str(), &found) == 0;
    if (place.fd >= 0) {  // what it stands for goes on where others have left it
      fd_ = ::fcntl(place.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      if (fd_ < 0) fail("open", path_);
    } else if (exists && !S_ISREG(found.st_mode)) {  // a device or a pipe: a rename would put a file in its place
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd_ < 0) fail("open", path_);
    } else {
      target_ = place.path;
      if (exists) replaced_ = found;
      create_temporary();
    }
  }
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  output_file(output_file&&) = delete;
  output_file& operator=(output_file&&) = delete;
  ~output_file() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int fd() const { return fd_; }
  /// Where it lies until it has its name; empty where it is no plain file.
  [[nodiscard]] const std::string& hidden_path() const { return temporary_.path(); }
  /// Whether it is a plain file, which can be mapped; not a device or a pipe.
  [[nodiscard]] bool is_regular() const { return temporary_.exists(); }

  void write(const void* data, std::size_t size) {
    if (fd_ < 0) {
      fd_ = ::open(temporary_.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
      if (fd_ < 0) fail("reopen", path_);
    }
    write_all(fd_, data, size, path_);
  }

  /// Gives the descriptor back until the next write; a device or a pipe keeps it.
  void pause() {
    if (is_regular()) close();
  }

  void close() {
    if (fd_ < 0) return;
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0 && errno != EINTR) fail("close", path_);
  }

  /// Closes it and gives it its name.
  void commit() { commit_all({this}); }

  /// Closes outputs and gives them their names: all, or where one cannot have its own, none but those that were there.
  /// No signal comes between.
  static void commit_all(const std::vector<output_file*>& files) {
    for (output_file* const file : files) file->close();
    refuse_one_file_twice(files);
    const calm now;
    poll_interrupt();  // a signal that came before leaves all as it was
    for (auto at = files.begin(); at != files.end(); ++at) {
      output_file& file = **at;
      if (!file.is_regular() || file.publish(now)) continue;
      const int why = errno;
      std::for_each(files.begin(), at, [](const output_file* done) { done->withdraw(); });
      fail("create", file.path_, why);
    }
    detail::outputs_are_complete = true;
  }

 private:
  /// Links may lead two outputs to one file, in which only the last would remain.
  static void refuse_one_file_twice(std::vector<output_file*> files) {
    const auto before = [](const output_file* a, const output_file* b) { return a->target_ < b->target_; };
    const auto same = [](const output_file* a, const output_file* b) {
      return !a->target_.empty() && a->target_ == b->target_;
    };
    std::sort(files.begin(), files.end(), before);
    const auto found = std::adjacent_find(files.begin(), files.end(), same);
    if (found == files.end()) return;
    throw std::runtime_error(
        fmt::format("{} and {} are one file, {}", found[0]->path_, found[1]->path_, found[0]->target_));
  }

  void create_temporary() {
    static std::atomic<unsigned> counter{0};
    const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
    const mode_t mode = replaced_ ? 0600 : 0666;  // what is private is so from the beginning
    do {
      fd_ = temporary_.create((folder / fmt::format(".peneira.{}.{}.tmp", ::getpid(), counter++)).string(), mode);
    } while (fd_ < 0 && errno == EEXIST);
    if (fd_ < 0) fail("create", path_);
  }

  [[nodiscard]] bool publish(const calm& now) {
    if (replaced_) {
      const char* const name = temporary_.path().c_str();
      const bool same_owner = ::chown(name, replaced_->st_uid, replaced_->st_gid) == 0;  // only root gives files away
      static_cast<void>(::chmod(name, replaced_->st_mode & (same_owner ? 07777U : 0777U)));
    }
    return temporary_.rename(target_, force_, now);
  }
  /// Takes the name back; what it has replaced is gone.
  void withdraw() const {
    if (!target_.empty() && !replaced_) ::unlink(target_.c_str());
  }

  std::string path_;
  std::string target_;
  std::optional<struct stat> replaced_;  ///< as it was
  hidden_file temporary_;
  bool force_;
  int fd_ = -1;
};

}  // namespace peneira::tool
