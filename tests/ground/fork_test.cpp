// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the team in a child of fork(). A child that hangs is ended by its alarm.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "peneira/sort.hpp"
#include "peneira/tuning/cpu.hpp"
#include "tests/support/common.hpp"
#include "tests/support/threads.hpp"

namespace peneira::test {
namespace {

// ThreadSanitizer lets no child of a process with threads have threads.
#if defined(__SANITIZE_THREAD__)
#define PENEIRA_TEST_FORKS GTEST_SKIP() << "not under ThreadSanitizer"
#else
#define PENEIRA_TEST_FORKS static_cast<void>(0)
#endif

/// The exit status of a child that does something which returns whether all is well: 0 if so; negative for a signal.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(work() ? 0 : 1);
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Sorts with a team.
bool sorts() {
  random next(seed());
  std::vector<std::uint32_t> keys(2 * tuning::cpu_sort_team_items);
  for (auto& key : keys) key = static_cast<std::uint32_t>(next());
  std::vector<std::uint32_t> out(keys.size());
  sort(cpu{.threads = 3}, keys, out);
  return std::is_sorted(out.begin(), out.end());
}

/// Plays a team that takes a while, so that others join in, if there are any.
bool plays() {
  std::array<int, 64> played{};
  detail::on_each(64, [&](unsigned m) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    ++played[m];
  });
  return std::count(played.begin(), played.end(), 1) == 64;
}

}  // namespace

TEST(fork, children_sort_after_their_parent_did) {
  PENEIRA_TEST_FORKS;
  ASSERT_TRUE(sorts());
  for (int i = 0; i < 20; ++i) ASSERT_EQ(status_of_child(sorts), 0) << "child " << i;
  EXPECT_TRUE(sorts());
}

TEST(fork, children_have_threads_of_their_own) {
  PENEIRA_TEST_FORKS;
  ASSERT_TRUE(plays());
  EXPECT_EQ(status_of_child([] {
              const auto before = threads_now();
              return plays() && threads_now() > before;
            }),
            0);
}

TEST(fork, grandchildren_sort) {
  PENEIRA_TEST_FORKS;
  ASSERT_TRUE(sorts());
  const auto forks = [] { return sorts() && status_of_child(sorts) == 0 && sorts(); };
  EXPECT_EQ(status_of_child([&] { return status_of_child(forks) == 0 && forks(); }), 0);
}

TEST(fork, children_of_a_thread_sort_while_others_are_at_work) {
  PENEIRA_TEST_FORKS;
  std::atomic<bool> over{false};
  std::vector<std::thread> busy;
  for (int t = 0; t < 3; ++t) {
    busy.emplace_back([&over] {
      while (!over) EXPECT_TRUE(plays());
    });
  }
  std::thread([] {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(status_of_child(sorts), 0) << "child " << i;
  }).join();
  over = true;
  for (std::thread& one : busy) one.join();
}

TEST(fork, a_process_without_threads_plays_alone) {
  PENEIRA_TEST_FORKS;
  ASSERT_TRUE(plays());
  EXPECT_EQ(status_of_child([] {
              const rlimit none{0, 0};
              if (::setrlimit(RLIMIT_NPROC, &none) != 0) return false;
              if (::geteuid() == 0 && ::setuid(65534) != 0) return false;  // root is not bound by it
              const auto before = threads_now();
              return plays() && sorts() && threads_now() == before;
            }),
            0);
}

}  // namespace peneira::test
