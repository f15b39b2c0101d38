// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A team that divides and conquers, for published strategies that were written with OpenMP's tasks.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "peneira/cpu/team.hpp"

namespace peneira::detail {

/// Work forks into tasks, and members take the oldest, which are the largest, as they come free.
class task_team {
 public:
  explicit task_team(unsigned members) : members_(std::max(1U, members)) {}

  /// Calls root() on the caller's thread; returns when all that it forked is done. An exception of a task is thrown
  /// here.
  template <class Root>
  void run(Root&& root) {
    over_ = false;
    on_each(members_, [&](unsigned m) {
      if (m != 0) return help();
      first_error error;
      error.guard(root);
      end();
      error.rethrow();
    });
  }

  /// Within run: calls both, at the same time where a member is free, and returns when both are done.
  template <class First, class Second>
  void both(First&& first, Second&& second) {
    first_error error;
    auto guarded = [&]() noexcept { error.guard(first); };
    task forked{[](void* it) noexcept { (*static_cast<decltype(guarded)*>(it))(); }, &guarded};
    offer(forked);
    error.guard(second);
    if (take_back(forked)) {
      guarded();
    } else {
      wait(forked);
    }
    error.rethrow();
  }

 private:
  struct task {
    using function = void(void* work) noexcept;
    function* play;
    void* work;
    bool done = false;
  };

  void offer(task& forked) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(&forked);
    changed_.notify_one();
  }

  bool take_back(task& forked) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(tasks_.rbegin(), tasks_.rend(), &forked);  // among the last
    if (found == tasks_.rend()) return false;
    tasks_.erase(std::next(found).base());
    return true;
  }

  void wait(const task& forked) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return forked.done; });
  }

  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

  /// Does tasks until there are no more.
  void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return over_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task& taken = *tasks_.front();
      tasks_.pop_front();
      lock.unlock();
      taken.play(taken.work);
      lock.lock();
      taken.done = true;
      ended_.notify_all();
    }
  }

  unsigned members_;
  std::mutex mutex_;
  std::condition_variable changed_;  ///< a task is offered, or all are done
  std::condition_variable ended_;    ///< a task has ended
  std::deque<task*> tasks_;          ///< that nobody has taken, the oldest first
  bool over_ = false;
};

}  // namespace peneira::detail
