// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// multisplit, reduce and segmented_reduce over ranks, beside one process.
#include <gtest/gtest.h>

#include <numeric>

#include "peneira/ranks/multisplit.hpp"
#include "peneira/ranks/reduce.hpp"
#include "tests/ranks/ranks.hpp"

namespace peneira::test {
namespace {

std::vector<std::uint32_t> random_keys(std::size_t n, unsigned seed, std::uint32_t most) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> keys(n);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random()) % most;
  return keys;
}

TEST(rank_multisplit, is_that_of_one_process) {
  unsigned seed = 0;
  for (const unsigned ranks : {1U, 2U, 3U, 8U, 16U}) {
    for (const std::uint32_t bins : {1U, 2U, 7U, 1000U}) {
      for (const shares how : {shares::even, shares::random, shares::first, shares::last}) {
        const std::size_t n = ++seed * 977 % 9000;
        const auto keys = random_keys(n, seed, seed % 2 == 0 ? 50 : 4'000'000'000U);
        const hashed f{bins};
        std::vector<std::uint32_t> want(n);
        std::vector<std::uint64_t> want_offsets(bins + 1);
        multisplit(cpu{.threads = 1}, keys, want, f, want_offsets);
        const auto from = share_out(n, ranks, how, seed);
        const auto to = share_out(n, ranks, shares::random, seed + 1);
        std::vector<std::vector<std::uint32_t>> got(ranks);
        detail::on_ranks(ranks, [&](detail::loop_transport& between) {
          loop_ranks on(between);
          got[between.rank()].resize(to[between.rank()]);
          std::vector<std::uint64_t> offsets(bins + 1);
          multisplit(on, part_of(keys, from, between.rank()), got[between.rank()], f, offsets);
          EXPECT_EQ(offsets, want_offsets);
        });
        std::vector<std::uint32_t> all;
        for (const auto& part : got) all.insert(all.end(), part.begin(), part.end());
        ASSERT_EQ(all, want) << ranks << " ranks, " << bins << " bins, " << n << " items";
      }
    }
  }
}

TEST(rank_reduce, gives_every_rank_the_result_and_positions_of_the_whole) {
  const auto keys = random_keys(5000, 3, 100'000);
  const auto want_sum = reduce<std::uint64_t>(cpu{}, keys, plus{});
  const auto want_least = reduce(cpu{}, keys, arg_min{});
  for (const shares how : {shares::even, shares::random, shares::last, shares::first}) {
    const auto from = share_out(keys.size(), 7, how, 5);
    detail::on_ranks(7, [&](detail::loop_transport& between) {
      loop_ranks on(between);
      const auto mine = part_of(keys, from, between.rank());
      std::uint64_t sum = 0;
      indexed<std::uint32_t> least{};
      reduce(on, mine, &sum, plus{});
      reduce(on, mine, &least, arg_min{});
      EXPECT_EQ(sum, want_sum);
      EXPECT_EQ(least.value, want_least.value);
      EXPECT_EQ(least.index, want_least.index);
    });
  }
}

TEST(rank_reduce, keeps_the_order_of_ranks_for_what_does_not_commute) {
  // Functions x -> a x + b, composed: the order tells.
  struct affine {
    std::uint32_t a;
    std::uint32_t b;
    bool operator==(const affine&) const = default;
  };
  const auto compose = op{affine{1, 0}, [](const affine& f, const affine& g) {
                            return affine{f.a * g.a, g.a * f.b + g.b};
                          }};
  std::vector<affine> items(999);
  std::mt19937 random(1);
  for (auto& one : items) one = {static_cast<std::uint32_t>(random()) | 1U, static_cast<std::uint32_t>(random())};
  const affine want = reduce(cpu{}, items, compose);
  const auto from = share_out(items.size(), 5, shares::random, 2);
  detail::on_ranks(5, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    affine got{};
    reduce(on, part_of(items, from, between.rank()), &got, compose);
    EXPECT_EQ(got, want);
  });
}

/// segmented_reduce over ranks gives what one process gives.
template <class Segments>
void expect_segments(const std::vector<std::uint32_t>& items, const Segments& segments, std::size_t count,
                     unsigned ranks, unsigned seed) {
  std::vector<std::uint64_t> want(count);
  segmented_reduce(cpu{.threads = 1}, items, segments, want, plus{});
  const auto from = share_out(items.size(), ranks, shares::random, seed);
  const auto to = share_out(count, ranks, seed % 2 == 0 ? shares::even : shares::first, seed);
  std::vector<std::vector<std::uint64_t>> got(ranks);
  detail::on_ranks(ranks, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    got[between.rank()].assign(to[between.rank()], 77);
    segmented_reduce(on, part_of(items, from, between.rank()), segments, got[between.rank()], plus{});
  });
  std::vector<std::uint64_t> all;
  for (const auto& part : got) all.insert(all.end(), part.begin(), part.end());
  ASSERT_EQ(all, want) << ranks << " ranks, " << count << " segments, seed " << seed;
}

TEST(rank_segmented_reduce, is_that_of_one_process) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::size_t n = seed * 131 % 3000;
    const auto items = random_keys(n, seed, 1000);
    const std::size_t count = seed * 37 % 200;
    auto offsets = random_keys(count + 1, seed + 1, static_cast<std::uint32_t>(n + 1));
    std::sort(offsets.begin(), offsets.end());
    for (const unsigned ranks : {1U, 2U, 5U, 16U}) {
      expect_segments(items, offsets, count, ranks, seed);
      const std::size_t size = 1 + seed % 90;
      expect_segments(items, every{size}, (n + size - 1) / size, ranks, seed);
    }
  }
}

}  // namespace
}  // namespace peneira::test
