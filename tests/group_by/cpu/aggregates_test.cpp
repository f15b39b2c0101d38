// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Several results of several columns at once, and the keys alone: the same as one by one.
#include "peneira/group_by.hpp"
#include "peneira/group_by/reference.hpp"
#include "tests/group_by/example.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

/// All kinds of aggregates of some keys, by every strategy, order and number of threads.
void check_aggregates(const std::vector<std::int32_t>& keys, random& next) {
  const std::size_t n = keys.size();
  std::vector<u32> amounts(n);
  std::vector<float> prices(n);
  for (std::size_t i = 0; i < n; ++i) {
    amounts[i] = static_cast<u32>(next.below(1000));
    prices[i] = static_cast<float>(next.below(64)) / 4;  // sums are exact
  }
  const auto sums = reference::group_by<std::uint64_t>(keys.data(), amounts.data(), n, plus{});
  const auto totals = reference::group_by<double>(keys.data(), prices.data(), n, plus{});
  const auto best = reference::group_by<indexed<float>>(keys.data(), prices.data(), n, arg_max{});
  const std::vector<u32> ones(n, 1);
  const auto counts = reference::group_by<u32>(keys.data(), ones.data(), n, plus{});
  const auto by = detail::order_of<std::int32_t>(false);
  group_by_cpu_strategies::for_each([&](auto strategy) {
    for (const unsigned threads : {1U, 3U}) {
      for (const order groups : {order::stable, order::any}) {
        const std::size_t room = counts.size();
        std::vector<std::int32_t> unique_keys(room);
        std::vector<std::uint64_t> got_sums(room);
        std::vector<u32> got_counts(room);
        std::vector<double> means(room);
        std::vector<indexed<float>> got_best(room);
        const aggregates all{aggregate(amounts, std::plus<>{}, got_sums), count(got_counts), mean(prices, means),
                             aggregate(prices, arg_max{}, got_best)};
        ASSERT_EQ(group_by(cpu{.threads = threads}, keys, unique_keys, all, {groups, strategy.name}), room);
        for (std::size_t g = 0; g < room; ++g) {
          const u32 rank = by(detail::raw_bits(unique_keys[g]));
          ASSERT_TRUE(counts.contains(rank));
          EXPECT_EQ(got_sums[g], sums.at(rank));
          EXPECT_EQ(got_counts[g], counts.at(rank));
          EXPECT_EQ(means[g], totals.at(rank) / counts.at(rank));
          EXPECT_EQ(got_best[g], best.at(rank));
        }
        EXPECT_TRUE(groups == order::any || std::is_sorted(unique_keys.begin(), unique_keys.end()));
        std::vector<std::int32_t> alone(room);
        ASSERT_EQ(distinct(cpu{.threads = threads}, keys, alone, {order::stable, strategy.name}), room);
        std::sort(unique_keys.begin(), unique_keys.end());
        EXPECT_EQ(alone, unique_keys);
      }
    }
  });
}

TEST(aggregates, are_those_of_the_reference) {
  random next(seed());
  for (const std::size_t n : {1U, 2U, 100U, 5000U, sanitized ? 20000U : 200000U}) {
    for (const std::size_t groups : {1U, 7U, 1000U, 50000U}) {
      check_aggregates(keys_of_groups<std::int32_t>(n, groups, next), next);
    }
    check_aggregates(make_keys<std::int32_t>(shape::zipf, n, next), next);
  }
}

TEST(aggregates, of_no_items_are_none) {
  const std::vector<u32> none;
  std::vector<u32> unique_keys;
  std::vector<u32> counts;
  EXPECT_EQ(group_by(cpu{}, none, unique_keys, pn::aggregates{count(counts)}), 0U);
  EXPECT_EQ(distinct(cpu{}, none, unique_keys), 0U);
}

TEST(aggregates, name_the_part_that_is_wrong) {
  const std::vector<u32> keys{1, 2, 3};
  const std::vector<u32> two{1, 2};
  std::vector<u32> unique_keys(3);
  std::vector<u32> sums(3);
  std::vector<u32> counts(2);
  const auto said = [&](const auto& parts) { return message_of([&] { group_by(cpu{}, keys, unique_keys, parts); }); };
  expect_parts(said(pn::aggregates{count(sums), aggregate(two, plus{}, counts)}),
               {"group_by", "aggregate 2's values", "2 entries", "3 keys"});
  expect_parts(said(pn::aggregates{aggregate(keys, plus{}, sums), count(counts)}),
               {"group_by", "aggregate 2's results", "room for 2 groups", "there are 3"});
  expect_parts(said(pn::aggregates{count(sums), aggregate(keys, plus{}, sums)}), {"group_by", "overlaps"});
}

}  // namespace peneira::test
