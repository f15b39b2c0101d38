// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The team of threads: the only file of the library that knows OpenMP. Without OpenMP (as under ThreadSanitizer, which
// cannot see into libgomp) the team is made of std::thread and behaves the same.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "peneira/config.hpp"

namespace peneira::detail {

/// The number of threads a call uses when it is not told.
inline unsigned team_size() {
#if defined(_OPENMP)
  return static_cast<unsigned>(std::max(1, omp_get_max_threads()));
#else
  return std::max(1U, std::thread::hardware_concurrency());
#endif
}

/// Keeps the first exception of a team and throws it again on the caller's thread.
class first_error {
 public:
  template <class Work>
  void guard(Work&& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// Calls work(member) exactly once for each member in [0, members), at the same time where the machine allows; returns
/// when all are done. An exception of a member is thrown here after the others have ended.
template <class Work>
void on_each(unsigned members, Work&& work) {
  if (members <= 1) {
    if (members == 1) work(0U);
    return;
  }
  first_error error;
#if defined(_OPENMP)
#pragma omp parallel num_threads(static_cast <int>(members))
  {
    // Inside another parallel region the team may be smaller than asked for: each thread then plays several members.
    const auto present = static_cast<unsigned>(omp_get_num_threads());
    for (auto m = static_cast<unsigned>(omp_get_thread_num()); m < members; m += present) {
      error.guard([&] { work(m); });
    }
  }
#else
  std::vector<std::thread> others;
  others.reserve(members - 1);
  unsigned started = 1;
  try {
    for (; started < members; ++started) {
      others.emplace_back([&error, &work, started] { error.guard([&] { work(started); }); });
    }
  } catch (...) {  // no more threads to be had: this one plays the rest
  }
  error.guard([&] { work(0U); });
  for (unsigned m = started; m < members; ++m) error.guard([&] { work(m); });
  for (std::thread& other : others) other.join();
#endif
  error.rethrow();
}

/// Calls work(part, member) exactly once for each part in [0, parts). Members take parts in turn, as they come free,
/// but each its own if there are no more parts than members.
template <class Work>
void on_each_part(unsigned members, unsigned parts, Work&& work) {
  if (parts == members) return on_each(members, [&](unsigned m) { work(m, m); });
  std::atomic<unsigned> next{0};
  on_each(members, [&](unsigned m) {
    for (unsigned part = next++; part < parts; part = next++) work(part, m);
  });
}

/// A team that divides and conquers: work forks into tasks, and members take them as they come free.
class task_team {
 public:
  explicit task_team(unsigned members) : members_(std::max(1U, members)), spare_(static_cast<int>(members_) - 1) {}

  /// Calls root() on one member; returns when all that it forked is done. An exception of a task is thrown here.
  template <class Root>
  void run(Root&& root) {
    first_error error;
#if defined(_OPENMP)
#pragma omp parallel num_threads(static_cast <int>(members_))
#pragma omp single
#endif
    error.guard(root);
    error.rethrow();
  }

  /// Within run: calls both, at the same time where a member is free, and returns when both are done.
  template <class First, class Second>
  void both(First&& first, Second&& second) {
    first_error error;
#if defined(_OPENMP)
#pragma omp task default(shared)
    error.guard(first);
#pragma omp task default(shared)
    error.guard(second);
#pragma omp taskwait
#else
    std::thread other;
    if (spare_.fetch_sub(1) > 0) {
      try {
        other = std::thread([&] { error.guard(first); });
      } catch (...) {  // no thread to be had: this one does both
      }
    }
    if (!other.joinable()) error.guard(first);
    error.guard(second);
    if (other.joinable()) other.join();
    spare_.fetch_add(1);
#endif
    error.rethrow();
  }

 private:
  unsigned members_;
  std::atomic<int> spare_;  ///< without OpenMP: threads that may still be started
};

/// The half-open range of `size` things that a member of a team owns: contiguous, in order, sizes within one of each
/// other.
inline std::pair<std::size_t, std::size_t> slice(std::size_t size, unsigned member, unsigned members) {
  const std::size_t share = size / members;
  const std::size_t rest = size % members;
  const std::size_t begin = share * member + std::min<std::size_t>(member, rest);
  return {begin, begin + share + (member < rest ? 1 : 0)};
}

}  // namespace peneira::detail
