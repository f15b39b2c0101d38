// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by and distinct over ranks, beside one process.
#include "peneira/ranks/group_by.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "tests/ranks/ranks.hpp"

namespace peneira::test {
namespace {

/// Keys of a kind: all equal, few, one that is nearly all of them, or as many as items.
std::vector<std::int64_t> make_keys(unsigned kind, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> keys(n);
  for (auto& key : keys) {
    const auto x = static_cast<std::int64_t>(random());
    key = kind == 0 ? -7 : kind == 1 ? x % 13 : kind == 2 ? (x % 50 == 0 ? x : 5) : x;
  }
  return keys;
}

struct table {
  std::vector<std::int64_t> keys;
  std::vector<std::int32_t> sums;
  std::vector<std::int32_t> least;
  std::vector<std::uint64_t> counts;
  std::vector<double> means;
  std::vector<indexed<std::int32_t>> where;

  explicit table(std::size_t room) : keys(room), sums(room), least(room), counts(room), means(room), where(room) {}
  void cut(std::size_t groups) {
    keys.resize(groups);
    sums.resize(groups);
    least.resize(groups);
    counts.resize(groups);
    means.resize(groups);
    where.resize(groups);
  }
  void append(const table& other) {
    const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    add(keys, other.keys);
    add(sums, other.sums);
    add(least, other.least);
    add(counts, other.counts);
    add(means, other.means);
    add(where, other.where);
  }
};

template <class On>
void fill(On&& on, const std::vector<std::int64_t>& keys, const std::vector<std::int32_t>& values, table& to) {
  to.cut(group_by(on, keys, to.keys,
                  aggregates{aggregate(values, plus{}, to.sums), aggregate(values, min{}, to.least), count(to.counts),
                             mean(values, to.means), aggregate(values, arg_min{}, to.where)}));
}

TEST(rank_group_by, is_that_of_one_process_for_any_keys_and_any_shares) {
  unsigned seed = 0;
  for (const unsigned ranks : {1U, 2U, 3U, 8U, 16U}) {
    for (unsigned kind = 0; kind < 4; ++kind) {
      for (const shares how : all_shares) {
        const std::size_t n = ++seed * 7919 % 9000;
        const auto keys = make_keys(kind, n, seed);
        std::vector<std::int32_t> values(n);
        std::mt19937 random(seed);
        for (auto& value : values) value = static_cast<std::int32_t>(random() % 2000) - 1000;
        table want(n);
        fill(cpu{.threads = 1}, keys, values, want);
        const auto from = share_out(n, ranks, how, seed);
        const auto room = share_out(want.keys.size() + seed % 3, ranks, all_shares[seed % 5], seed + 1);
        std::vector<table> got;
        for (unsigned r = 0; r < ranks; ++r) got.emplace_back(room[r]);
        detail::on_ranks(ranks, [&](detail::loop_transport& between) {
          loop_ranks on(between);
          const unsigned me = between.rank();
          fill(on, part_of(keys, from, me), part_of(values, from, me), got[me]);
        });
        table all(0);
        for (const auto& part : got) all.append(part);
        ASSERT_EQ(all.keys, want.keys) << ranks << " ranks, " << n << " items, kind " << kind;
        EXPECT_EQ(all.sums, want.sums);
        EXPECT_EQ(all.least, want.least);
        EXPECT_EQ(all.counts, want.counts);
        EXPECT_EQ(all.means, want.means);  // sums of integers, exact in doubles
        for (std::size_t g = 0; g < want.keys.size(); ++g) {
          ASSERT_EQ(all.where[g].index, want.where[g].index) << "group " << g << " of " << ranks << " ranks";
          ASSERT_EQ(all.where[g].value, want.where[g].value);
        }
      }
    }
  }
}

TEST(rank_group_by, combines_in_the_order_of_the_whole) {
  // x -> a x + b: the order tells.
  struct affine {
    std::uint32_t a;
    std::uint32_t b;
    bool operator==(const affine&) const = default;
  };
  const auto compose = op{affine{1, 0}, [](const affine& f, const affine& g) {
                            return affine{f.a * g.a, g.a * f.b + g.b};
                          }};
  const auto keys = make_keys(1, 3000, 4);
  std::vector<affine> items(keys.size());
  std::mt19937 random(1);
  for (auto& one : items) one = {static_cast<std::uint32_t>(random()) | 1U, static_cast<std::uint32_t>(random())};
  std::vector<std::int64_t> want_keys(40);
  std::vector<affine> want(40);
  want.resize(group_by(cpu{}, keys, items, want_keys, want, compose));
  const auto from = share_out(keys.size(), 5, shares::random, 2);
  detail::on_ranks(5, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    const std::size_t room = between.rank() == 3 ? 40 : 0;  // all go to rank 3
    std::vector<std::int64_t> got_keys(room);
    std::vector<affine> got(room);
    got.resize(group_by(on, part_of(keys, from, between.rank()), part_of(items, from, between.rank()), got_keys, got,
                        compose));
    EXPECT_EQ(got, between.rank() == 3 ? want : std::vector<affine>{});
  });
}

TEST(rank_group_by, keeps_sums_of_floats_in_twice_their_precision) {
  // 1 and many halves of its last bit, which a sum of doubles would lose one by one, and a sum of ranks' sums too.
  const std::size_t n = 4000;
  std::vector<std::uint8_t> keys(n, 3);
  std::vector<double> values(n, std::numeric_limits<double>::epsilon() / 2);
  values[0] = 1;
  const double want = 1 + std::numeric_limits<double>::epsilon() / 2 * static_cast<double>(n - 1);
  const auto from = share_out(n, 7, shares::even, 1);
  detail::on_ranks(7, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    std::vector<std::uint8_t> got_keys(1);
    std::vector<double> got(1);
    const std::size_t groups =
        group_by(on, part_of(keys, from, between.rank()), part_of(values, from, between.rank()), got_keys, got, plus{});
    EXPECT_EQ(groups, between.rank() == 6 ? 1U : 0U);
    if (groups == 1) {
      EXPECT_EQ(got[0], want);
    }
  });
}

TEST(rank_distinct, takes_zeros_and_nans_as_one_process_does) {
  std::mt19937 random(3);
  std::vector<float> keys(5000);
  const float some[] = {0.0F, -0.0F, std::nanf("1"), -std::nanf("2"), std::numeric_limits<float>::infinity(), -3.5F};
  for (float& key : keys) key = random() % 2 == 0 ? some[random() % 6] : static_cast<float>(random() % 100);
  std::vector<float> want(keys.size());
  want.resize(distinct(cpu{}, keys, want));
  const auto from = share_out(keys.size(), 6, shares::random, 1);
  std::vector<std::vector<float>> got(6);
  detail::on_ranks(6, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    auto& mine = got[between.rank()];
    mine.resize(want.size());
    mine.resize(distinct(on, part_of(keys, from, between.rank()), mine));
  });
  std::vector<float> all;
  for (const auto& part : got) {
    EXPECT_LE(part.size(), want.size() / 6 + 1);  // equal rooms, equal shares
    all.insert(all.end(), part.begin(), part.end());
  }
  ASSERT_EQ(all.size(), want.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(detail::raw_bits(all[i]), detail::raw_bits(want[i])) << i;
}

TEST(rank_group_by, exchanges_a_key_once_a_rank_however_often_it_repeats) {
  detail::on_ranks(8, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    std::vector<std::uint64_t> keys(10'000, 1);
    for (std::size_t i = 0; i < 10; ++i) keys[i] = i * between.rank();
    std::vector<std::uint64_t> out(20);
    distinct(on, keys, out);
    EXPECT_LE(between.sent().bytes, 2 * 11 * sizeof(std::uint64_t));
  });
}

TEST(rank_group_by, refuses_on_all_ranks_alike) {
  const auto expect = [](std::string_view says, auto&& call) {
    std::atomic<int> thrown = 0;
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
  const std::vector<std::uint32_t> keys{1, 2, 3, 4, 5};
  expect("output has room for 4 groups on all ranks together, but there are 5", [&](loop_ranks& on, unsigned rank) {
    std::vector<std::uint32_t> out(rank == 1 ? 4 : 0);
    std::vector<std::uint32_t> sums(rank == 1 ? 10 : 0);
    group_by(on, keys, keys, out, sums, plus{});
  });
  expect("rank 2: group_by: values has 4 entries, but there are 5 keys", [&](loop_ranks& on, unsigned rank) {
    const std::vector<std::uint32_t> values(rank == 2 ? 4 : 5);
    std::vector<std::uint32_t> out(5);
    std::vector<std::uint32_t> sums(5);
    group_by(on, keys, values, out, sums, plus{});
  });
  expect("rank 1: distinct: out overlaps", [&](loop_ranks& on, unsigned rank) {
    std::vector<std::uint32_t> own = keys;
    std::vector<std::uint32_t> out(5);
    distinct(on, own, rank == 1 ? items(own) : items(out));
  });
}

}  // namespace
}  // namespace peneira::test
