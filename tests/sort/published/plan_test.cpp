// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The plans of the published sort are pinned for an H200, and so is what it refuses.
#include "bench/mpp_sort.hpp"
#include "peneira/sort/published.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <class K>
plan sort_plan(std::size_t n, const mpp_sort_limits& limits, const sort_options& options = {.strategy = "mpp_sort"},
               const device& machine = {}) {
  return explain(
      [&](auto& on) {
        published::sort(on, items(static_cast<const K*>(nullptr), n), items(static_cast<K*>(nullptr), n), options,
                        limits);
      },
      machine);
}
template <class K>
plan sort_plan(std::size_t n, std::size_t partitions = 0, const sort_options& options = {.strategy = "mpp_sort"},
               const device& machine = {}) {
  return sort_plan<K>(n, mpp_sort_limits{partitions}, options, machine);
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

TEST(published_sort, blocks_and_the_merge_are_knobs) {
  const auto blocks = [](std::size_t n) {
    return sort_plan<std::uint32_t>(10'000, {.partitions = 16, .blocks = n}).at("sort_partitions").grid;
  };
  EXPECT_EQ(blocks(1), 1U);
  EXPECT_EQ(blocks(4), 4U);
  EXPECT_EQ(blocks(1000), 16U) << "no more than there are partitions";
  EXPECT_EQ(sort_plan<std::uint32_t>(mi, {.blocks = 7}).at("partition").grid, 264U) << "the others as they were";

  const plan whole = sort_plan<std::uint32_t>(16 * mi);
  const plan merged = sort_plan<std::uint32_t>(16 * mi, {.run_items = 256});
  EXPECT_EQ(whole.get("run items"), 0U);
  EXPECT_EQ(merged.get("run items"), 256U);
  EXPECT_EQ(merged.get("capacity"), (113U * 512 - 32) / 4) << "half the room";
  EXPECT_LE(merged.at("sort_partitions").shared, 113U * 1024);
  EXPECT_GT(merged.get("partitions"), whole.get("partitions"));
  EXPECT_EQ(sort_plan<std::uint32_t>(10'000, {.run_items = std::size_t{1} << 63U}).get("run items"), 16'384U)
      << "no more than fit";
  for (const std::size_t bytes : {1024U, 1500U, 48U * 1024, 99U * 1024 + 7}) {
    const device machine{.shared_per_block = bytes, .shared_per_sm = 2 * bytes + 2048};
    for (const std::size_t run_items : {0U, 1U, 64U}) {
      const sort_options options{.strategy = "mpp_sort"};
      const mpp_sort_limits limits{.run_items = run_items};
      EXPECT_LE(sort_plan<std::uint16_t>(mi, limits, options, machine).at("sort_partitions").shared, bytes);
      EXPECT_LE(sort_plan<double>(mi, limits, options, machine).at("sort_partitions").shared, bytes);
    }
  }
}

/// Merges by the places of their items, of runs that are not full too, equal keys in their order.
TEST(published_sort, merged_places_are_those_of_a_stable_merge) {
  random next(seed() + 3);
  for (const std::uint32_t size : {1U, 2U, 3U, 31U, 64U, 100U, 1000U}) {
    std::vector<std::uint32_t> keys(size);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(next.below(50));
    for (std::uint32_t run = 1; run < size; run *= 2) {
      std::vector<std::uint32_t> merged(size, ~0U);
      for (std::uint32_t i = 0; i < size; ++i) {
        merged.at(sort_strategies::mpp_merged_place(keys.data(), size, run, i)) = keys[i];
      }
      for (std::size_t begin = 0; begin < size; begin += std::size_t{2} * run) {
        std::sort(
            keys.begin() + static_cast<std::ptrdiff_t>(begin),
            keys.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(begin + std::size_t{2} * run, size)));
      }
      EXPECT_TRUE(same(keys, merged)) << size << " keys, runs of " << run;
    }
  }
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
  expect_parts(message_of([] { sort_plan<int>(mi, {.blocks = std::size_t{1} << 31U}); }),
               {"sort", "mpp_sort", "blocks", "2147483647", "not 2147483648"});
  expect_parts(message_of([] { sort_plan<int>(mi, {.run_items = 100}); }),
               {"sort", "mpp_sort", "run_items", "power of two", "not 100"});
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
