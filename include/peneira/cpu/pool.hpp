// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The pool: threads that stay, from the first call that wants them to the end of the process. All calls of the process
// share them. team.hpp is what the library uses.
//
//   a caller                                             a worker, of whom each has a box
//   its job: members that nobody has, sleepers, left       box: free | taken | the job that is offered
//
//   offers the job to free workers ── free ─► job          awake: watches its box; later: sleeps until woken
//   wakes two of those asleep
//   plays member 0, then others that nobody has            accepts ─ job ─► taken, wakes two more of those asleep,
//                                                          plays its member, then others that nobody has
//   takes back what nobody accepted ── job ─► free
//   waits until `left` is 0, and returns    ◄───────────   taken ─► free, counts `left` down, forgets the job
//
// - Nobody has to come: members are for whoever is there first. So no call waits for another one's work, be it nested
//   or one of several threads', nor for threads that are not to be had or still waking up.
// - A worker takes the same member of one job after another where it comes in time, since its cache has what that
//   member works on.
// - To wake a thread takes its waker some microseconds. So those who wake share the work of waking the others.
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
#include <sched.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <type_traits>

#include "peneira/cores.hpp"

namespace peneira::detail {

/// Work for several members, which lives as long as its caller waits for it.
class pool_job {
 public:
  using function = void(void* work, unsigned member) noexcept;

  constexpr pool_job(function* how, void* work, unsigned members)
      : play_(how), work_(work), members_(members), open_(members < marked ? (1ULL << members) - 2 : ~1ULL) {}

  void play(unsigned member) { play_(work_, member); }
  /// Takes a member that nobody has: this one, or else one behind it, or any. None: members().
  unsigned take(unsigned wanted) {
    std::uint64_t open = open_.load(std::memory_order_relaxed);
    while (open != 0) {
      const unsigned turn = wanted % marked;
      const auto behind = static_cast<unsigned>(std::countr_zero(std::rotr(open, static_cast<int>(turn))));
      const unsigned member = (turn + behind) % marked;
      const std::uint64_t mark = 1ULL << member;
      open = open_.fetch_and(~mark, std::memory_order_relaxed);
      if ((open & mark) != 0) return member;
    }
    if (next_.load(std::memory_order_relaxed) >= members_) return members_;
    return static_cast<unsigned>(std::min<std::uint64_t>(next_.fetch_add(1, std::memory_order_relaxed), members_));
  }
  /// Whether there is a member that nobody has.
  [[nodiscard]] bool has_more() const {
    return open_.load(std::memory_order_relaxed) != 0 || next_.load(std::memory_order_relaxed) < members_;
  }
  [[nodiscard]] unsigned members() const { return members_; }

  /// Notes that so many workers sleep whom it was offered.
  void add_sleepers(int some) { sleepers_.fetch_add(some, std::memory_order_relaxed); }
  /// Takes it upon the caller to wake one of them. False: others have taken that on for all.
  bool take_sleeper() {
    int some = sleepers_.load(std::memory_order_relaxed);
    while (some > 0 && !sleepers_.compare_exchange_weak(some, some - 1, std::memory_order_relaxed)) continue;
    return some > 0;
  }

  std::atomic<int> left{0};  ///< workers who accepted and have not ended, once the caller has added them

 private:
  static constexpr unsigned marked = 64;  ///< the first members, of which each has a bit; the others go in turn

  function* play_;
  void* work_;
  unsigned members_;
  std::atomic<std::uint64_t> open_;          ///< of the first, those that nobody has; 0 is the caller's
  std::atomic<std::uint64_t> next_{marked};  ///< the first of the others that nobody has
  std::atomic<int> sleepers_{0};             ///< whom nobody has set out to wake
};

/// Stands in the box of a worker that is neither free nor offered anything.
inline constinit pool_job no_offer{nullptr, nullptr, 0};

/// Set when the program is loaded, as OpenMP's runtimes do.
inline const bool waits_passively = asks_to_wait_passively();

/// Asks the system to let the calling thread run as soon as it wakes, for a short turn, where others' threads are
/// looking out for work on all cores, as those of OpenMP do for 15 ms behind a loop: a reduce of 17 MB there took 0.92
/// ms with 16 threads, of which hardly one came, 0.66 with one and 0.49 so. Linux before 6.12 takes no notice.
inline void take_short_turns() {
#if defined(__linux__) && defined(SYS_sched_setattr) && defined(SYS_sched_getattr)
  struct attributes {  // sched_attr of the system's headers, which cannot be included beside <sched.h>
    std::uint32_t size;
    std::uint32_t policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t turn;  // in ns, of a policy without deadlines
    std::uint64_t deadline;
    std::uint64_t period;
  } own{};
  constexpr std::uint64_t turn = 100'000;
  if (syscall(SYS_sched_getattr, 0, &own, sizeof own, 0) != 0 || own.policy != SCHED_OTHER) return;
  own.turn = turn;
  static_cast<void>(syscall(SYS_sched_setattr, 0, &own, 0));
#endif
}

class thread_pool {
 public:
  /// Plays all members of a job.
  void run(pool_job& job) {
    grow(job.members() - 1);
    offers made;
    offer(job, made);
    job.play(0);
    for (unsigned m = job.take(1); m < job.members(); m = job.take(m + 1)) {
      offer(job, made);  // somebody may have become free
      job.play(m);
    }
    for (unsigned w = 0; w < made.reach; ++w) made.count -= take_back(job, workers_[w]);
    wait(job, made.count);
  }

  /// Has forks watched; false if that cannot be.
  static bool watch_forks();

 private:
  struct alignas(128) worker {
    std::atomic<pool_job*> box{nullptr};   ///< nullptr: free; &no_offer; or an offer
    std::atomic<std::uint32_t> asleep{0};  ///< 1: wants to be woken
  };
  struct offers {
    int count = 0;
    unsigned reach = 0;  ///< only workers before this one have some of ours
  };
  static constexpr unsigned most_workers = 1023;

  /// Starts workers until there are so many, as far as that is sensible and possible.
  void grow(unsigned wanted);

  /// Offers the job to free workers, as long as it wants more.
  void offer(pool_job& job, offers& made) {
    const int wanted = static_cast<int>(job.members()) - 1;
    const unsigned workers = started_.load(std::memory_order_acquire);
    int sleepers = 0;
    for (unsigned w = 0; w < workers && wanted > made.count && job.has_more(); ++w) {  // so that nvcc sees no template
      worker& other = workers_[w];
      pool_job* free = nullptr;
      if (other.box.load(std::memory_order_relaxed) != nullptr) continue;
      // Before the look at `asleep`: see accept.
      if (!other.box.compare_exchange_strong(free, &job, std::memory_order_seq_cst)) continue;
      sleepers += other.asleep.load(std::memory_order_seq_cst) != 0 ? 1 : 0;
      made.reach = std::max(made.reach, w + 1);
      ++made.count;
    }
    if (sleepers == 0) return;
    job.add_sleepers(sleepers);
    wake_some(job);
  }

  /// Wakes two of those who sleep while the job is offered to them; they wake the others.
  void wake_some(pool_job& job) {
    const unsigned workers = started_.load(std::memory_order_acquire);
    unsigned w = 0;
    for (int woken = 0; woken < 2 && job.has_more() && job.take_sleeper(); ++woken) {
      while (w < workers && !wakes(job, workers_[w])) ++w;
    }
  }
  static bool wakes(const pool_job& job, worker& other) {
    if (other.asleep.load(std::memory_order_relaxed) == 0) return false;
    if (other.box.load(std::memory_order_relaxed) != &job) return false;
    if (other.asleep.exchange(0, std::memory_order_seq_cst) == 0) return false;
    other.asleep.notify_one();
    return true;
  }

  /// Takes an offer back that a worker has not accepted. Returns 1 if that is so.
  static int take_back(pool_job& job, worker& other) {
    pool_job* ours = &job;
    if (other.box.load(std::memory_order_relaxed) != ours) return 0;
    return other.box.compare_exchange_strong(ours, nullptr, std::memory_order_acquire) ? 1 : 0;
  }

  /// Returns when all who accepted have ended.
  void wait(pool_job& job, int accepted) {
    if (accepted == 0 || job.left.fetch_add(accepted, std::memory_order_acq_rel) + accepted == 0) return;
    const unsigned threads = std::min(job.members(), started_.load(std::memory_order_relaxed) + 1);
    if (soon(threads, [&] { return job.left.load(std::memory_order_acquire) == 0; })) return;
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
    const auto member = static_cast<unsigned>(&own - workers_.data()) + 1;
    for (;;) {
      pool_job& job = accept(own);
      wake_some(job);
      for (unsigned m = job.take(member); m < job.members(); m = job.take(m + 1)) job.play(m);
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

  /// Whether something comes true soon: looks for it without a pause as long as it takes to fall asleep and to be
  /// woken, and then, between other threads' turns, as long as a program mostly is between two calls. If so many
  /// threads are more than there are cores, whoever makes it true may be waiting for this one.
  template <class Ready>
  static bool soon(unsigned threads, Ready&& ready) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const bool alone = threads <= usable_cores() && !waits_passively;
    const auto near = begin + std::chrono::microseconds(alone ? 50 : 2);
    do {
      for (int look = 0; look < 4; ++look) {
        if (ready()) return true;
        pause();
      }
    } while (clock::now() < near);
    if (!alone) return false;
    for (const auto far = begin + std::chrono::microseconds(2000); clock::now() < far;) {
      if (ready()) return true;
      sched_yield();
    }
    return ready();
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
    take_short_turns();
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
