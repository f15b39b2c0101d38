// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "peneira/cpu/team.hpp"

#include <atomic>
#include <stdexcept>

#include "tests/support.hpp"

namespace peneira::test {

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
