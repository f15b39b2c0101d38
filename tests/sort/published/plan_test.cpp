// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The plans of the published sort are pinned for an H200, and so is what it refuses.
#include "bench/mpp_sort.hpp"
#include "peneira/sort/published.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <class K>
plan sort_plan(std::size_t n, std::size_t partitions = 0, const sort_options& options = {.strategy = "mpp_sort"},
               const device& machine = {}) {
  return explain(
      [&](auto& on) {
        published::sort(on, items(static_cast<const K*>(nullptr), n), items(static_cast<K*>(nullptr), n), options,
                        {partitions});
      },
      machine);
}

TEST(published_sort, plans_the_table_of_the_report) {
  const plan made = sort_plan<std::uint32_t>(10'000, 16);
  EXPECT_EQ(made.strategy, "mpp_sort");
  EXPECT_EQ(made.get("partitions"), 16U);
  EXPECT_EQ(made.get("rounds"), 1U) << "no partition of so few items can be too large";
  EXPECT_EQ(made.get("capacity"), 10'000U);
  EXPECT_EQ(made.get("segments"), 0U);
  EXPECT_EQ(made.steps.size(), 6U);
  EXPECT_EQ(made.at("block_and_global_histogram").grid, 5U);
  EXPECT_EQ(made.at("block_and_global_histogram").shared, 64U);
  EXPECT_EQ(made.at("scan_histogram").grid, 1U);
  EXPECT_EQ(made.at("scan_block_histograms").grid, 1U);
  EXPECT_EQ(made.at("partition").shared, 16U * 12);
  EXPECT_EQ(made.at("sort_partitions").grid, 16U);
  EXPECT_EQ(made.at("sort_partitions").shared, 40'000U);
  EXPECT_EQ(made.temporary_bytes, 256U + 256 + 768 + 40'192) << to_string(made);
}

TEST(published_sort, partitions_of_uniform_keys_fit) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{100'000}, mi, 16 * mi, 256 * mi, 5000 * mi}) {
    const plan words = sort_plan<std::uint32_t>(n);
    const plan wide = sort_plan<std::uint64_t>(n);
    for (const plan& made : {words, wide}) {
      const double average = static_cast<double>(n) / static_cast<double>(made.get("partitions"));
      EXPECT_LE(average + 6 * std::sqrt(average) - 1e-6, std::max(8.0, static_cast<double>(made.get("capacity"))))
          << to_string(made);
    }
    EXPECT_LE(words.get("capacity") * 4, 113U * 1024);
    EXPECT_LE(wide.get("capacity") * 8, 113U * 1024);
  }
  EXPECT_EQ(sort_plan<std::uint32_t>(256 * mi).get("capacity"), 28'924U);
  EXPECT_EQ(sort_plan<std::uint32_t>(256 * mi).get("partitions"), 9614U);
  EXPECT_EQ(sort_plan<std::uint32_t>(mi).get("partitions"), 264U) << "one a block that sorts";
  EXPECT_EQ(sort_plan<std::uint8_t>(256 * mi).get("partitions"), 256U) << "no more than there are keys";
}

/// Each round divides the width of what is left; the last leaves widths of 1.
TEST(published_sort, rounds_are_as_many_as_bits_ask_for) {
  EXPECT_EQ(sort_plan<std::uint32_t>(mi, 1).get("rounds"), 1U + 4);
  EXPECT_EQ(sort_plan<std::uint32_t>(mi, 16).get("rounds"), 1U + 4);
  EXPECT_EQ(sort_plan<std::uint32_t>(mi, 255).get("rounds"), 1U + 4);
  EXPECT_EQ(sort_plan<std::uint32_t>(mi, 256).get("rounds"), 1U + 3);
  EXPECT_EQ(sort_plan<std::uint64_t>(mi, 1).get("rounds"), 1U + 8);
  EXPECT_EQ(sort_plan<double>(mi, 4096).get("rounds"), 1U + 7);
  EXPECT_EQ(sort_plan<std::uint8_t>(mi, 16).get("rounds"), 1U + 1);
  EXPECT_EQ(sort_plan<std::uint8_t>(mi, 300).get("rounds"), 1U);
  EXPECT_EQ(sort_plan<std::uint8_t>(mi, 300).get("partitions again"), 0U);
  EXPECT_EQ(sort_plan<std::uint32_t>(28'924, 1).get("rounds"), 1U);
  EXPECT_EQ(sort_plan<std::uint32_t>(28'925, 1).get("rounds"), 1U + 4);
}

TEST(published_sort, any_number_of_partitions_goes_in_groups) {
  const plan made = sort_plan<std::uint32_t>(mi, 100'000);
  EXPECT_EQ(made.get("counted at once"), 227U * 1024 / 4);
  EXPECT_EQ(made.get("placed at once"), 227U * 1024 / 12);
  EXPECT_EQ(made.at("block_and_global_histogram").grid, 41U) << "the matrix stays within 4 Mi entries";
  EXPECT_GT(sort_plan<std::uint32_t>(5000 * mi, 16).at("partition").grid, 2U);
  EXPECT_LE(sort_plan<std::uint32_t>(5000 * mi, 4'000'000'000).get("slice"), std::size_t{1} << 31U)
      << "counters of a slice have 32 bits";
}

TEST(published_sort, plans_nothing_for_nothing) {
  EXPECT_TRUE(sort_plan<std::uint32_t>(0).steps.empty());
  EXPECT_EQ(sort_plan<std::uint32_t>(0, 16).temporary_bytes, 0U);
  EXPECT_EQ(sort_plan<std::uint32_t>(1).get("partitions"), 1U);
}

TEST(published_sort, refuses_what_it_cannot) {
  expect_parts(message_of([] { sort_plan<int>(mi, 0, {}); }), {"sort", "strategy", "must name", "mpp_sort"});
  expect_parts(message_of([] { sort_plan<int>(mi, 0, {.strategy = "levels"}); }), {"sort", "levels", "mpp_sort"});
  expect_parts(message_of([] { sort_plan<int>(mi, 0, {.first_bit = 3, .strategy = "mpp_sort"}); }),
               {"sort", "strategy", "mpp_sort", "whole keys"});
  expect_parts(message_of([] { sort_plan<int>(mi, std::size_t{1} << 32U); }), {"sort", "4294967295", "4294967296"});
  const auto pairs_plan = [](order equal_keys) {
    return explain(
        [&](auto& on) {
          published::sort(on, pairs(static_cast<const int*>(nullptr), static_cast<const int*>(nullptr), mi),
                          pairs(static_cast<int*>(nullptr), static_cast<int*>(nullptr), mi),
                          {.equal_keys = equal_keys, .strategy = "mpp_sort"});
        },
        device{});
  };
  expect_parts(message_of([&] { pairs_plan(order::stable); }), {"sort", "strategy", "mpp_sort", "order::any"});
  EXPECT_EQ(pairs_plan(order::any).get("capacity"), 14'462U);
  expect_parts(message_of([] { sort_plan<int>(mi, 0, {.strategy = "mpp_sort"}, {.shared_per_block = 1000}); }),
               {"sort", "strategy", "1024 bytes of shared memory"});
}

TEST(published_sort, means_have_their_interval) {
  EXPECT_DOUBLE_EQ(bench::mean_of({1, 3}).mean, 2);
  EXPECT_NEAR(bench::mean_of({1, 3}).half_interval, 12.706, 0.001);  // Student's t of one degree of freedom
  EXPECT_DOUBLE_EQ(bench::mean_of({5}).mean, 5);
  EXPECT_DOUBLE_EQ(bench::mean_of({5}).half_interval, 0);
}

}  // namespace peneira::test
