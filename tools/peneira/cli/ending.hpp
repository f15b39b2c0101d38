// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// However the program ends, hidden files go with it, and its exit status says what ended it. What is to be known for
// that lies in lists that a signal handler may walk.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

namespace peneira::tool {

namespace detail {

inline sigset_t all_signals() {
  sigset_t all;
  sigfillset(&all);
  return all;
}

inline std::atomic_flag lists_are_held;

/// Of a handler that ends the program, which gives them back no more: a thread that wants them then waits for the end.
inline void hold_lists() {
  while (lists_are_held.test_and_set(std::memory_order_acquire)) {
    const timespec moment{0, 50'000};
    ::nanosleep(&moment, nullptr);
  }
}

}  // namespace detail

/// As long as one lives, no signal ends the program, unless it cannot be caught; one that comes waits. A thread has
/// one at a time.
class calm {
 public:
  calm() {
    const sigset_t all = detail::all_signals();
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    detail::hold_lists();
  }
  calm(const calm&) = delete;
  calm& operator=(const calm&) = delete;
  calm(calm&&) = delete;
  calm& operator=(calm&&) = delete;
  ~calm() {
    detail::lists_are_held.clear(std::memory_order_release);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
};

/// The list of all objects of a class that are in it.
template <class T>
class listed {
 public:
  listed() = default;
  listed(const listed&) = delete;
  listed& operator=(const listed&) = delete;
  listed(listed&&) = delete;
  listed& operator=(listed&&) = delete;
  ~listed() = default;

  static const T* first() { return static_cast<const T*>(first_); }
  [[nodiscard]] const T* next() const { return static_cast<const T*>(after_); }

 protected:
  void enlist(const calm& /*held*/) {
    after_ = first_;
    if (after_ != nullptr) after_->before_ = this;
    first_ = this;
  }
  void delist(const calm& /*held*/) {
    (before_ != nullptr ? before_->after_ : first_) = after_;
    if (after_ != nullptr) after_->before_ = before_;
    before_ = after_ = nullptr;
  }

 private:
  inline static listed* first_ = nullptr;
  listed* before_ = nullptr;
  listed* after_ = nullptr;
};

/// A file that must not remain under its name: it goes with this object, or with the program.
class hidden_file : public listed<hidden_file> {
 public:
  hidden_file() = default;
  hidden_file(const hidden_file&) = delete;
  hidden_file& operator=(const hidden_file&) = delete;
  hidden_file(hidden_file&&) = delete;
  hidden_file& operator=(hidden_file&&) = delete;
  ~hidden_file() {
    if (!exists()) return;
    const calm now;
    ::unlink(path_.c_str());
    delist(now);
  }

  [[nodiscard]] bool exists() const { return !path_.empty(); }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// A descriptor of the new file, or -1 with errno.
  int create(std::string path, mode_t mode) {
    const calm now;
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return fd;
    path_ = std::move(path);
    enlist(now);
    return fd;
  }

  /// Gives it a name under which it stays; false with errno where that fails. What has the name is not replaced unless
  /// that is wanted, where the file system can promise that.
  [[nodiscard]] bool rename(const std::string& to, bool replace, const calm& now) {
    bool done = false;
    if (!replace) {
      done = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
      if (!done && errno != EINVAL && errno != ENOSYS) return false;
    }
    if (!done && ::rename(path_.c_str(), to.c_str()) != 0) return false;
    delist(now);
    path_.clear();
    return true;
  }

 private:
  std::string path_;
};

/// An input that is mapped: another program may make it shorter, and whoever looks at the rest gets SIGBUS.
class mapped_input : public listed<mapped_input> {
 public:
  mapped_input(const void* data, std::size_t bytes, std::size_t file_bytes, int fd, std::string name)
      : begin_(static_cast<const char*>(data)),
        bytes_(bytes),
        file_bytes_(file_bytes),
        fd_(fd),
        name_(std::move(name)) {
    enlist(calm());
  }
  mapped_input(const mapped_input&) = delete;
  mapped_input& operator=(const mapped_input&) = delete;
  mapped_input(mapped_input&&) = delete;
  mapped_input& operator=(mapped_input&&) = delete;
  ~mapped_input() { delist(calm()); }

  /// Whether it holds an address, as a handler asks.
  [[nodiscard]] bool holds(const void* address) const {
    const auto* const at = static_cast<const char*>(address);
    return at >= begin_ && at < begin_ + bytes_;
  }
  /// Says why it cannot be read, as a handler may.
  void tell_loss() const {
    struct stat found {};
    const bool shorter = ::fstat(fd_, &found) == 0 && static_cast<std::size_t>(found.st_size) < file_bytes_;
    for (const char* const part : {"peneira: ", shorter ? "" : "cannot read ", name_.c_str(),
                                   shorter ? " became shorter while it was read\n" : ": Input/output error\n"}) {
      static_cast<void>(!::write(STDERR_FILENO, part, std::strlen(part)));
    }
  }

 private:
  const char* begin_;
  std::size_t bytes_;
  std::size_t file_bytes_;
  int fd_;
  std::string name_;
};

namespace detail {

/// Removes all hidden files, and lets nobody make new ones.
inline void remove_hidden_files() {
  const sigset_t all = all_signals();  // one more on this thread would wait for the lists forever
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  hold_lists();
  for (const hidden_file* file = hidden_file::first(); file != nullptr; file = file->next()) {
    ::unlink(file->path().c_str());
  }
}

}  // namespace detail

/// Ends the program as a signal does that nobody catches, and nothing remains. A handler may call it.
[[noreturn]] inline void end_by(int signal) {
  detail::remove_hidden_files();
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace peneira::tool
