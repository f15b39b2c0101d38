// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "peneira/cpu/team.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <thread>

#include "peneira/cpu/task_team.hpp"
#include "tests/support/common.hpp"
#include "tests/support/threads.hpp"

namespace peneira::test {
namespace {

/// Calls in calls, of random sizes, some of which throw; every member counts itself in a place of its own.
void nest(std::uint64_t from, int depth) {
  random next(from);
  const auto members = static_cast<unsigned>(next.below(6));
  const auto thrower = static_cast<unsigned>(next.below(12));
  std::vector<int> played(members);
  std::vector<std::uint64_t> seeds(members);
  for (auto& s : seeds) s = next();
  bool caught = false;
  try {
    detail::on_each(members, [&](unsigned m) {
      ++played[m];
      if (depth > 0) nest(seeds[m], depth - 1);
      if (m == thrower) throw std::runtime_error("nested");
    });
  } catch (const std::runtime_error&) {
    caught = true;
  }
  EXPECT_EQ(caught, thrower < members);
  EXPECT_EQ(std::count(played.begin(), played.end(), 1), members);
}

}  // namespace

TEST(team, plays_every_member_exactly_once) {
  for (const unsigned members : {0U, 1U, 2U, 3U, 7U, 64U, 300U}) {
    std::vector<std::atomic<int>> played(members + 1);
    detail::on_each(members, [&](unsigned m) { ++played[m]; });
    for (unsigned m = 0; m < members; ++m) EXPECT_EQ(played[m], 1) << "member " << m << " of " << members;
    EXPECT_EQ(played[members], 0);
  }
}

TEST(team, has_at_least_one_thread) {
  EXPECT_GE(detail::team_size(), 1U);
}

TEST(team, throws_the_exception_of_a_member_after_all_have_ended) {
  for (const unsigned members : {1U, 2U, 7U}) {
    std::atomic<unsigned> ended{0};
    const auto work = [&](unsigned m) {
      ++ended;
      if (m == members / 2) throw std::runtime_error("member " + std::to_string(m));
    };
    const std::string said = message_of<std::runtime_error>([&] { detail::on_each(members, work); });
    EXPECT_EQ(said, "member " + std::to_string(members / 2));
    EXPECT_EQ(ended, members);
  }
}

TEST(team, throws_one_exception_when_all_members_do) {
  EXPECT_THROW(detail::on_each(5, [](unsigned) { throw std::runtime_error("all"); }), std::runtime_error);
}

TEST(team, nests) {
  constexpr unsigned outer = 3;
  constexpr unsigned inner = 5;
  std::array<std::atomic<int>, outer * inner> played{};
  detail::on_each(outer, [&](unsigned a) { detail::on_each(inner, [&](unsigned b) { ++played[a * inner + b]; }); });
  for (const auto& count : played) EXPECT_EQ(count, 1);
}

TEST(team, nested_exceptions_reach_the_caller) {
  const auto inner = [](unsigned b) {
    if (b == 1) throw std::domain_error("deep");
  };
  EXPECT_THROW(detail::on_each(3, [&](unsigned) { detail::on_each(2, inner); }), std::domain_error);
}

TEST(team, of_a_million_has_few_threads) {
  std::vector<int> played(1'000'000);
  detail::on_each(1'000'000, [&](unsigned m) { ++played[m]; });
  EXPECT_EQ(std::count(played.begin(), played.end(), 1), 1'000'000);
  EXPECT_LE(threads_now(), 4 * std::ptrdiff_t{detail::usable_cores()} + 2);  // with this one, and a sanitizer's
}

TEST(team, of_any_size_follows_one_of_any_other) {
  std::vector<std::thread> users;
  for (std::uint64_t u = 0; u < 3; ++u) {
    users.emplace_back([u] {
      random next(seed() + u);
      for (int i = 0; i < (sanitized ? 200 : 2000); ++i) {
        const auto members = static_cast<unsigned>(next.below(2) != 0 ? 60 + next.below(10) : 1 + next.below(20));
        std::vector<int> played(members);
        detail::on_each(members, [&](unsigned m) { ++played[m]; });
        ASSERT_EQ(std::count(played.begin(), played.end(), 1), members);
      }
    });
  }
  for (std::thread& user : users) user.join();
}

TEST(team, lets_its_caller_play_the_first_member_before_any_other) {
  const auto self = std::this_thread::get_id();
  for (int i = 0; i < 100; ++i) {
    std::atomic<bool> first_is_callers{false};
    unsigned before = 9;  // members that the caller played before the first
    detail::on_each(4, [&](unsigned m) {
      if (std::this_thread::get_id() == self && before == 9) before = m;
      if (m == 0) first_is_callers = std::this_thread::get_id() == self;
    });
    ASSERT_TRUE(first_is_callers);
    ASSERT_EQ(before, 0U);
  }
}

TEST(team, throws_what_a_worker_threw) {
  const auto self = std::this_thread::get_id();
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> thrown{false};
    const auto work = [&](unsigned m) {
      if (std::this_thread::get_id() == self) {  // leaves it some time to come
        for (int wait = 0; wait < 200 && m != 0 && !thrown; ++wait) std::this_thread::yield();
        return;
      }
      thrown = true;
      throw std::domain_error("worker");
    };
    bool caught = false;
    try {
      detail::on_each(6, work);
    } catch (const std::domain_error&) {
      caught = true;
    }
    ASSERT_EQ(caught, thrown);
  }
}

TEST(team, serves_several_threads_at_once_and_nested) {
  std::vector<std::thread> users;
  for (std::uint64_t u = 0; u < 4; ++u) {
    users.emplace_back([u] {
      random next(seed() + u);
      for (int i = 0; i < (sanitized ? 30 : 100); ++i) nest(next(), 3);
    });
  }
  for (std::thread& user : users) user.join();
}

TEST(team, does_not_wait_for_the_work_of_others) {
  std::atomic<bool> go{false};
  std::atomic<unsigned> held{0};
  std::thread holder([&] {  // holds all workers that may be there
    detail::on_each(4 * detail::usable_cores() + 1, [&](unsigned) {
      ++held;
      go.wait(false);
    });
  });
  while (held == 0) std::this_thread::yield();
  std::array<int, 5> played{};
  detail::on_each(5, [&](unsigned m) { ++played[m]; });
  EXPECT_EQ(played, (std::array<int, 5>{1, 1, 1, 1, 1}));
  go = true;
  go.notify_all();
  holder.join();
}

TEST(team, wakes_up_what_fell_asleep) {
  for (int i = 0; i < 60; ++i) {
    std::array<int, 3> played{};
    std::this_thread::sleep_for(std::chrono::microseconds(i % 3 * 100));
    detail::on_each(3, [&](unsigned m) {
      if (m == static_cast<unsigned>(i) % 3) std::this_thread::sleep_for(std::chrono::microseconds(i % 4 * 100));
      ++played[m];
    });
    ASSERT_EQ(played, (std::array<int, 3>{1, 1, 1}));
  }
}

TEST(task_team, does_all_tasks_once_and_throws_what_one_does) {
  for (const unsigned members : {1U, 2U, 5U}) {
    for (const bool throws : {false, true}) {
      detail::task_team team(members);
      std::vector<int> done(3000);
      const auto divide = [&](const auto& again, std::size_t begin, std::size_t end) -> void {
        if (end - begin < 10) {
          for (std::size_t i = begin; i < end; ++i) ++done[i];
          if (throws && begin == 0) throw std::domain_error("first");
          return;
        }
        const std::size_t half = (begin + end) / 2;
        team.both([&] { again(again, begin, half); }, [&] { again(again, half, end); });
      };
      const std::string said = message_of<std::domain_error>([&] {
        team.run([&] { divide(divide, 0, done.size()); });
        if (!throws) throw std::domain_error("none");
      });
      EXPECT_EQ(said, throws ? "first" : "none");
      EXPECT_EQ(std::count(done.begin(), done.end(), 1), 3000);
    }
  }
}

TEST(cores, asked_for_by_a_list) {
  for (const char* none : {"", " ", "0", "x", "4x", "-2", "99999999999", ",3"}) {
    EXPECT_EQ(detail::threads_of_list(none), 0U) << none;
  }
  for (const char* three : {"3", "3,2,1", " 3", "3 ", "3 , 2"}) EXPECT_EQ(detail::threads_of_list(three), 3U) << three;
}

TEST(cores, left_to_others_where_that_is_asked_for) {
  for (const char* passive : {"passive", "PASSIVE", "Passive"}) EXPECT_TRUE(detail::is_passive(passive)) << passive;
  for (const char* other : {"", "active", "passiv", "passive "}) EXPECT_FALSE(detail::is_passive(other)) << other;
}

TEST(cores, granted_by_a_control_group) {
  const std::string file = ::testing::TempDir() + "peneira-cpu-max-" + std::to_string(seed());
  const auto granted = [&file](const char* text) {
    std::ofstream(file) << text;
    return detail::granted_cores(file.c_str());
  };
  constexpr unsigned all = std::numeric_limits<unsigned>::max();
  EXPECT_EQ(granted("200000 100000\n"), 2U);
  EXPECT_EQ(granted("250000 100000\n"), 3U);
  EXPECT_EQ(granted("1000 100000\n"), 1U);
  EXPECT_EQ(granted("max 100000\n"), all);
  EXPECT_EQ(granted(""), all);
  std::remove(file.c_str());
  EXPECT_EQ(detail::granted_cores(file.c_str()), all);
}

TEST(slice, covers_everything_once_in_order_and_evenly) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{6}, std::size_t{7}, std::size_t{1000003},
                                 std::size_t{1} << 40U, ~std::size_t{0}}) {
    for (const unsigned members : {1U, 2U, 3U, 7U, 64U, 1000U}) {
      std::size_t at = 0;
      for (unsigned m = 0; m < members; ++m) {
        const auto [begin, end] = detail::slice(size, m, members);
        ASSERT_EQ(begin, at);
        ASSERT_GE(end - begin, size / members);
        ASSERT_LE(end - begin, size / members + (size % members != 0 ? 1 : 0));
        at = end;
      }
      ASSERT_EQ(at, size);
    }
  }
}

}  // namespace peneira::test
