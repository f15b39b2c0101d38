// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The pool: threads that stay, from the first call that wants them to the end of the process. All calls of the process
// share them. team.hpp is what the library uses.
//
//   a caller                                             a worker, of whom each has a box
//   its job: members, next, left                           box: free | taken | the job that is offered
//
//   offers a member to each free worker ── free ─► taken ─► job    awake: watches its box; later: sleeps until woken
//   plays member 0, then each that `next` gives            accepts ─ job ─► taken, plays the member of the offer,
//                                                          then each that `next` gives
//   takes back what nobody accepted ────── job ─► taken ─► free
//   and plays that, too
//   waits until `left` is 0, and returns    ◄───────────   taken ─► free, counts `left` down, forgets the job
//
// - Nobody has to come: what no worker accepts, the caller plays. So no call waits for another one's work, be it nested
//   or one of several threads', nor for threads that are not to be had; and a wake-up that comes late costs time only.
// - A job lies on its caller's stack. As long as it does, its address is in a box only as an offer of that caller, and
//   whoever takes it out by compare and exchange has that offer. From then to the countdown of `left` a worker may
//   touch the job, and the caller returns when all who accepted have counted. If it sleeps until then, that is on a
//   word of the pool, since a worker wakes it after the countdown.
// - Workers are not joined: the pool has no destructor, is ready before main, and serves the last static destructor.
//   When the process ends they sleep, or do what some thread has asked for.
// - A shared object that holds this code must stay when it is closed, as workers sleep in it: it is linked with
//   -Wl,-z,nodelete, to which peneira's CMake target sees.
// - A child of fork() has none of the workers: it forgets them, and starts others when it needs them. Work may fork,
//   but the child may not return from the work that it was forked in, as the others of its team are not there.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <type_traits>

#include "peneira/cores.hpp"

namespace peneira::detail {

/// Work for several members, which lives as long as its caller waits for it.
struct pool_job {
  using function = void(void* work, unsigned member) noexcept;

  function* play = nullptr;
  void* work = nullptr;
  unsigned members = 0;
  std::atomic<std::uint64_t> next{1};  ///< the first member that nobody has; 0 is the caller's
  std::atomic<int> left{0};            ///< workers who accepted and have not ended, once the caller has added them
};

/// Stands in the box of a worker that is neither free nor offered anything.
inline constinit pool_job no_offer;

class thread_pool {
 public:
  /// Plays all members of a job.
  void run(pool_job& job) {
    grow(job.members - 1);
    unsigned reach = 0;  // only workers before this one have offers of ours
    int accepted = offer(job, reach);
    for (std::uint64_t m = 0; m < job.members; m = job.next.fetch_add(1, std::memory_order_relaxed)) {
      if (m != 0) accepted += offer(job, reach);  // somebody may have become free
      job.play(job.work, static_cast<unsigned>(m));
    }
    for (unsigned w = 0; w < reach; ++w) accepted -= take_back(job, workers_[w]);
    wait(job, accepted);
  }

  /// Has forks watched; false if that cannot be.
  static bool watch_forks();

 private:
  struct alignas(128) worker {
    std::atomic<pool_job*> box{nullptr};   ///< nullptr: free; &no_offer; or an offer
    std::atomic<std::uint32_t> asleep{0};  ///< 1: wants to be woken
    unsigned member = 0;                   ///< of the offer; belongs to whom the box belongs
  };
  static constexpr unsigned most_workers = 1023;

  /// Starts workers until there are so many, as far as that is sensible and possible.
  void grow(unsigned wanted);

  /// Offers a member of the job to each free worker, as long as there are any of both. Returns how many it offered.
  int offer(pool_job& job, unsigned& reach) {
    int offers = 0;
    const unsigned workers = started_.load(std::memory_order_acquire);
    for (unsigned w = 0; w < workers && job.next.load(std::memory_order_relaxed) < job.members; ++w) {
      worker& other = workers_[w];
      pool_job* free = nullptr;
      if (other.box.load(std::memory_order_relaxed) != nullptr) continue;
      if (!other.box.compare_exchange_strong(free, &no_offer, std::memory_order_acquire)) continue;
      const std::uint64_t member = job.next.fetch_add(1, std::memory_order_relaxed);
      if (member >= job.members) {  // the last one has gone meanwhile
        other.box.store(nullptr, std::memory_order_release);
        break;
      }
      other.member = static_cast<unsigned>(member);
      other.box.store(&job, std::memory_order_seq_cst);  // before the look at `asleep`: see accept
      if (other.asleep.load(std::memory_order_seq_cst) != 0) {
        other.asleep.exchange(0, std::memory_order_seq_cst);
        other.asleep.notify_one();
      }
      reach = std::max(reach, w + 1);
      ++offers;
    }
    return offers;
  }

  /// Plays the member that a worker was offered and has not accepted. Returns 1 if that is so.
  int take_back(pool_job& job, worker& other) {
    pool_job* ours = &job;
    if (other.box.load(std::memory_order_relaxed) != ours) return 0;
    if (!other.box.compare_exchange_strong(ours, &no_offer, std::memory_order_acquire)) return 0;
    const unsigned member = other.member;
    other.box.store(nullptr, std::memory_order_release);
    job.play(job.work, member);
    return 1;
  }

  /// Returns when all who accepted have ended.
  void wait(pool_job& job, int accepted) {
    if (accepted == 0 || job.left.fetch_add(accepted, std::memory_order_acq_rel) + accepted == 0) return;
    if (soon(job.members, [&] { return job.left.load(std::memory_order_acquire) == 0; })) return;
    sleeping_callers_.fetch_add(1, std::memory_order_seq_cst);  // before the look at `left`: see end
    for (;;) {
      const std::uint32_t seen = ends_.load(std::memory_order_seq_cst);
      if (job.left.load(std::memory_order_seq_cst) == 0) break;
      ends_.wait(seen, std::memory_order_relaxed);
    }
    sleeping_callers_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// What a worker does all its life.
  void work(worker& own) {
    for (;;) {
      pool_job& job = accept(own);
      for (std::uint64_t m = own.member; m < job.members; m = job.next.fetch_add(1, std::memory_order_relaxed)) {
        job.play(job.work, static_cast<unsigned>(m));
      }
      own.box.store(nullptr, std::memory_order_release);
      end(job);
    }
  }

  /// Waits for an offer.
  pool_job& accept(worker& own) {
    const auto threads = static_cast<unsigned>(&own - workers_.data()) + 2;  // of a team that needs this worker
    const auto offered = [&] {
      pool_job* const found = own.box.load(std::memory_order_seq_cst);
      return found != &no_offer ? found : nullptr;
    };
    for (;;) {
      pool_job* job = offered();
      if (job != nullptr) {
        if (own.box.compare_exchange_strong(job, &no_offer, std::memory_order_acquire)) return *job;
      } else if (!soon(threads, [&] { return offered() != nullptr; })) {
        own.asleep.store(1, std::memory_order_seq_cst);
        if (offered() == nullptr) own.asleep.wait(1, std::memory_order_relaxed);
        own.asleep.store(0, std::memory_order_relaxed);
      }
    }
  }

  /// Tells the caller that a worker has ended; from the countdown on, the job may be gone.
  void end(pool_job& job) {
    const bool last = job.left.fetch_sub(1, std::memory_order_seq_cst) == 1;  // and the caller waits
    if (!last || sleeping_callers_.load(std::memory_order_seq_cst) == 0) return;
    ends_.fetch_add(1, std::memory_order_seq_cst);
    ends_.notify_all();
  }

  /// Whether something comes true within the time that it takes to fall asleep and to be woken. If so many threads are
  /// more than there are cores, whoever makes it true may be waiting for this one.
  template <class Ready>
  static bool soon(unsigned threads, Ready&& ready) {
    using clock = std::chrono::steady_clock;
    const auto until = clock::now() + std::chrono::microseconds(threads <= usable_cores() ? 50 : 2);
    do {
      for (int look = 0; look < 4; ++look) {
        if (ready()) return true;
        pause();
      }
    } while (clock::now() < until);
    return false;
  }
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    asm volatile("pause");
#elif defined(__aarch64__)
    asm volatile("isb");  // what "yield" should be: it takes a while
#endif
  }

  std::array<worker, most_workers> workers_{};
  std::atomic<unsigned> started_{0};
  std::atomic<std::uint32_t> ends_{0};  ///< counts the ends of jobs whose callers may sleep, who sleep on it
  std::atomic<std::uint32_t> sleeping_callers_{0};
  pthread_mutex_t growing_ = PTHREAD_MUTEX_INITIALIZER;
};

inline constinit thread_pool the_pool;
static_assert(std::is_trivially_destructible_v<thread_pool>);

/// Set when the program is loaded, as a fork during a later call could find it half done.
inline const bool pool_watches_forks = thread_pool::watch_forks();

inline void thread_pool::grow(unsigned wanted) {
  wanted = std::min({wanted, 4 * usable_cores(), most_workers});
  if (started_.load(std::memory_order_relaxed) >= wanted || !pool_watches_forks) return;
  if (pthread_mutex_trylock(&growing_) != 0) return;  // another thread does it
  const auto live = [](void* own) -> void* {
    the_pool.work(*static_cast<worker*>(own));
    return nullptr;
  };
  pthread_attr_t detached;
  if (pthread_attr_init(&detached) == 0) {
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    unsigned started = started_.load(std::memory_order_relaxed);
    pthread_t thread{};
    while (started < wanted && pthread_create(&thread, &detached, live, &workers_[started]) == 0) {
      started_.store(++started, std::memory_order_release);
    }
    pthread_attr_destroy(&detached);
  }
  pthread_mutex_unlock(&growing_);
}

inline bool thread_pool::watch_forks() {
  // No worker is being started while the process is copied.
  const auto before = [] { pthread_mutex_lock(&the_pool.growing_); };
  const auto after = [] { pthread_mutex_unlock(&the_pool.growing_); };
  const auto after_in_child = [] {
    const unsigned gone = the_pool.started_.exchange(0);
    for (unsigned w = 0; w < gone; ++w) {
      the_pool.workers_[w].box = nullptr;
      the_pool.workers_[w].asleep = 0;
    }
    the_pool.sleeping_callers_ = 0;
    pthread_mutex_unlock(&the_pool.growing_);
  };
  return pthread_atfork(before, after, after_in_child) == 0;
}

}  // namespace peneira::detail
