// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Many ranks in one thread, each with a stack of its own: ten thousand of them take turns where as many threads would
// wake one another for minutes. Not for sanitizers, which do not follow a change of stacks.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "peneira/ranks/loop_transport.hpp"

namespace peneira::test {

/// Takes turns among functions until all have returned.
class fibers {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 20U;

  /// Calls work(0) to work(count - 1); each may call rest(). They must not throw.
  static void run(unsigned count, const std::function<void(unsigned)>& work) {
    fibers all(count, work);
    current() = &all;
    while (all.left_ != 0) {
      for (all.now_ = 0; all.now_ < count; ++all.now_) {
        if (!all.done_[all.now_]) swapcontext(&all.main_, &all.contexts_[all.now_]);
      }
    }
    current() = nullptr;
  }
  /// Lets the others go on.
  static void rest() {
    fibers& all = *current();
    swapcontext(&all.contexts_[all.now_], &all.main_);
  }

 private:
  fibers(unsigned count, const std::function<void(unsigned)>& work)
      : work_(work), contexts_(count), done_(count, false), left_(count) {
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    stacks_ = ::mmap(nullptr, count * stack_bytes, PROT_READ | PROT_WRITE, how, -1, 0);
    if (stacks_ == MAP_FAILED) throw std::bad_alloc();
    for (unsigned f = 0; f < count; ++f) {
      getcontext(&contexts_[f]);
      contexts_[f].uc_stack.ss_sp = static_cast<std::byte*>(stacks_) + f * stack_bytes;
      contexts_[f].uc_stack.ss_size = stack_bytes;
      contexts_[f].uc_link = &main_;
      makecontext(&contexts_[f], &fibers::start, 0);
    }
  }
  ~fibers() { ::munmap(stacks_, contexts_.size() * stack_bytes); }

  static fibers*& current() {
    static fibers* all = nullptr;
    return all;
  }
  static void start() {
    fibers& all = *current();
    const unsigned me = all.now_;
    all.work_(me);
    all.done_[me] = true;
    --all.left_;
  }

  const std::function<void(unsigned)>& work_;
  std::vector<ucontext_t> contexts_;
  std::vector<bool> done_;
  unsigned left_;
  unsigned now_ = 0;
  void* stacks_ = nullptr;
  ucontext_t main_{};
};

/// A hub of fibers.
class fiber_hub : public detail::loop_hub {
 public:
  using loop_hub::loop_hub;

  void wait(const std::function<void()>& last) override {
    const std::uint64_t turn = turn_;
    if (lost_) lost();
    if (++here_ == ranks()) {
      if (last) last();
      here_ = 0;
      ++turn_;
      return;
    }
    while (turn_ == turn && !lost_) fibers::rest();
    if (turn_ == turn) lost();
  }
  void leave() override {
    leave_groups();
    lost_ = true;
  }

 protected:
  std::unique_ptr<loop_hub> make(unsigned ranks) override {
    return std::make_unique<fiber_hub>(ranks, two_levels_from());
  }

 private:
  unsigned here_ = 0;
  std::uint64_t turn_ = 0;
  bool lost_ = false;
};

/// on_ranks() in one thread.
inline void on_fibers(unsigned ranks, const std::function<void(detail::loop_transport&)>& work,
                      unsigned two_levels_from = 64) {
  fiber_hub hub(ranks, two_levels_from);
  std::exception_ptr thrown;
  fibers::run(ranks, [&](unsigned r) {
    detail::loop_transport between(hub, r);
    try {
      work(between);
    } catch (const rank_lost&) {
    } catch (...) {
      if (thrown == nullptr) thrown = std::current_exception();
      hub.leave();
    }
  });
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace peneira::test
