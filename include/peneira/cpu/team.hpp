// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The team of threads: how all of the library does things at the same time. Its threads are those of pool.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

#include "peneira/config.hpp"
#include "peneira/cores.hpp"
#include "peneira/cpu/pool.hpp"
#include "peneira/interruptible.hpp"

namespace peneira::detail {

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
/// when all are done. An exception of a member is thrown here after the others have ended. Members must not wait for
/// each other, as one thread may play many of them, one after the other; the caller plays 0, before any other. Each is
/// a phase, before which an interruptible call may end.
template <class Work>
void on_each(unsigned members, Work&& work) {
  checkpoint();
  if (members <= 1) {
    if (members == 1) work(0U);
    return;
  }
  first_error error;
  auto guarded = [&](unsigned m) noexcept { error.guard([&] { work(m); }); };
  pool_job job([](void* it, unsigned m) noexcept { (*static_cast<decltype(guarded)*>(it))(m); }, &guarded, members);
  the_pool.run(job);
  error.rethrow();
}

/// Parts of some work, which the members of a team take in turn as they come free. Between two of them an interruptible
/// call may end; once a member has failed, the others begin no more.
class shared_parts {
 public:
  explicit shared_parts(unsigned parts) : parts_(parts) {}

  /// Calls work(part) for each part that this member gets.
  template <class Work>
  void take(Work&& work) {
    try {
      for (unsigned part = next_++; part < parts_; part = next_++) {
        checkpoint();
        work(part);
      }
    } catch (...) {
      next_ = parts_;
      throw;
    }
  }

 private:
  unsigned parts_;
  std::atomic<unsigned> next_{0};
};

/// Calls work(part, member) exactly once for each part in [0, parts). Members take parts in turn, as they come free,
/// but each its own if there are no more parts than members.
template <class Work>
void on_each_part(unsigned members, unsigned parts, Work&& work) {
  if (parts == members) return on_each(members, [&](unsigned m) { work(m, m); });
  shared_parts queue(parts);
  on_each(members, [&](unsigned m) { queue.take([&](unsigned part) { work(part, m); }); });
}

/// The half-open range of `size` things that a member of a team owns: contiguous, in order, sizes within one of each
/// other.
inline std::pair<std::size_t, std::size_t> slice(std::size_t size, unsigned member, unsigned members) {
  const std::size_t share = size / members;
  const std::size_t rest = size % members;
  const std::size_t begin = share * member + std::min<std::size_t>(member, rest);
  return {begin, begin + share + (member < rest ? 1 : 0)};
}

}  // namespace peneira::detail
