// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort_strings over ranks, beside a stable sort.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <string>

#include "peneira/ranks/sort_strings.hpp"
#include "tests/ranks/ranks.hpp"

namespace peneira::test {
namespace {

/// Strings of a kind: letters, all alike, long beginnings in common, bytes around NUL and 255, of very different sizes.
std::vector<std::string> make_strings(unsigned kind, std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> all(n);
  for (auto& one : all) {
    switch (kind) {
      case 0:
        for (std::size_t c = random() % 12; c != 0; --c) one += static_cast<char>('a' + random() % 4);
        break;
      case 1:
        one = "the same on all ranks, and longer than what one round skips";
        break;
      case 2:
        one.assign(100 + random() % 3 * 7, 'x');
        one += std::to_string(random() % 50);
        break;
      case 3:
        for (std::size_t c = random() % 20; c != 0; --c) one += "\0\1\377\0"[random() % 4];
        break;
      default:
        one.assign(random() % 100 == 0 ? 5000 : random() % 3, static_cast<char>(random() % 256));
        break;
    }
  }
  return all;
}

std::vector<std::uint64_t> wanted(const std::vector<std::string>& all, bool descending) {
  std::vector<std::uint64_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return descending ? all[b] < all[a] : all[a] < all[b]; });
  return order;
}

TEST(rank_sort_strings, is_a_stable_sort_for_any_strings_and_any_shares) {
  unsigned seed = 0;
  for (const unsigned ranks : {1U, 2U, 3U, 8U, 16U}) {
    for (unsigned kind = 0; kind < 5; ++kind) {
      for (const shares how : all_shares) {
        const std::size_t n = ++seed * 7919 % 1500;
        const auto all = make_strings(kind, n, seed);
        const auto from = share_out(n, ranks, how, seed);
        const auto to = share_out(n, ranks, all_shares[seed % 5], seed + 1);
        const bool descending = seed % 3 == 0;
        std::vector<std::vector<std::uint64_t>> got(ranks);
        detail::on_ranks(ranks, [&](detail::loop_transport& between) {
          loop_ranks on(between);
          got[between.rank()].resize(to[between.rank()]);
          sort_strings(on, part_of(all, from, between.rank()), got[between.rank()], {.descending = descending});
        });
        std::vector<std::uint64_t> together;
        for (const auto& part : got) together.insert(together.end(), part.begin(), part.end());
        ASSERT_EQ(together, wanted(all, descending))
            << ranks << " ranks, " << n << " strings, kind " << kind << ", descending " << descending;
      }
    }
  }
}

TEST(rank_sort_strings, takes_lines_and_positions_of_32_bits) {
  const std::string texts[] = {"wheat\nrye\noats\n", "", "barley\nrye"};
  const std::uint32_t want[] = {3, 2, 1, 4, 0};
  detail::on_ranks(3, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    const auto lines = lines_of(texts[between.rank()]);
    std::vector<std::uint32_t> got(between.rank() == 2 ? 3 : 1);
    sort_strings(on, lines, got);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], want[between.rank() + i]);
  });
}

TEST(rank_sort_strings, sends_each_string_once_with_16_bytes_more) {
  const auto all = make_strings(0, 8000, 3);
  const auto even = share_out(all.size(), 8, shares::even, 0);
  detail::on_ranks(8, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    const auto mine = part_of(all, even, between.rank());
    std::size_t bytes = 0;
    for (const auto& one : mine) bytes += one.size() + 16;
    std::vector<std::uint64_t> got(mine.size());
    sort_strings(on, mine, got);
    EXPECT_LE(between.sent().bytes, bytes);
    EXPECT_LE(between.sent().messages, 3U * 7U);
  });
}

TEST(rank_sort_strings, refuses_on_all_ranks_alike) {
  std::atomic<int> thrown = 0;
  const auto expect = [&](std::string_view says, auto&& call) {
    thrown = 0;
    detail::on_ranks(3, [&](detail::loop_transport& between) {
      loop_ranks on(between);
      try {
        call(on, between.rank());
      } catch (const std::invalid_argument& error) {
        ++thrown;
        EXPECT_NE(std::string_view(error.what()).find(says), std::string_view::npos) << error.what();
      }
    });
    EXPECT_EQ(thrown, 3) << says;
  };
  const std::vector<std::string> some{"a", "b"};
  expect("permutation has 7 entries on all ranks together, but there are 6", [&](loop_ranks& on, unsigned rank) {
    std::vector<std::uint32_t> got(rank == 0 ? 3 : 2);
    sort_strings(on, some, got);
  });
  expect("rank 1: sort_strings: starts end string 1 before it starts", [&](loop_ranks& on, unsigned rank) {
    const std::uint32_t starts[] = {0, 5, rank == 1 ? 4U : 6U};
    std::vector<std::uint32_t> got(2);
    sort_strings(on, strings("abcdef", starts), got);
  });
  expect("options or types of ranks 0 and 2 differ", [&](loop_ranks& on, unsigned rank) {
    std::vector<std::uint32_t> got(2);
    sort_strings(on, some, got, {.descending = rank == 2});
  });
  expect("rank 0: sort_strings: permutation overlaps", [&](loop_ranks& on, unsigned) {
    std::uint64_t starts[] = {0, 2, 6};
    sort_strings(on, strings("abcdef", starts), items(starts, 2));
  });
}

}  // namespace
}  // namespace peneira::test
