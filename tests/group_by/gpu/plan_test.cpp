// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What group_by, distinct and group will launch on a GPU, without one.
#include "peneira/group.hpp"
#include "peneira/group_by.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

/// Problems of every kind: values that move, positions, keys alone, items that are kept; of integers and of floats.
std::vector<group_by_problem> kinds_of_groups(std::size_t n, std::size_t key_bytes) {
  std::vector<group_by_problem> all;
  for (const bool keys_vary : {false, true}) {
    group_by_problem values{.items = n, .room = n, .key_bytes = key_bytes, .keys_vary = keys_vary};
    all.push_back(values);
    group_by_problem positions = values;
    positions.by_position = true;
    positions.state_bytes = 72;
    all.push_back(positions);
    group_by_problem keys = values;
    keys.moved_bytes = 0;
    keys.state_bytes = 1;
    all.push_back(keys);
    group_by_problem whole = values;
    whole.keeps_items = true;
    whole.state_bytes = 1;
    all.push_back(whole);
  }
  return all;
}

TEST(gpu_group_by_plan, can_be_launched_on_every_device) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t key : {1U, 2U, 4U, 8U}) {
      for (const std::size_t n : sizes_to_plan({4096})) {
        for (const group_by_problem& problem : kinds_of_groups(n, key)) {
          if (!group_by_strategies::sorted_tiles::refuses(problem, machine).empty()) continue;
          const plan made = detail::plan_by<group_by_gpu_strategies>("group_by", problem, machine,
                                                                     detail::choose_group_by(problem, machine));
          ASSERT_EQ(fault_of(made, machine), "") << n << "\n" << to_string(made);
          ASSERT_EQ(made.has("clear_prefixes"), made.at("fold_groups").grid > 1);
          ASSERT_EQ(made.has("number_items"), problem.by_position && n != 0);
          ASSERT_EQ(made.has("unify_keys"), problem.keys_vary && n != 0);
          ASSERT_TRUE(text_says_it_all(made));
        }
      }
    }
  }
}

/// All sizes that a device can hold are taken on an H200.
TEST(gpu_group_by_plan, takes_what_a_device_can_hold) {
  for (const std::size_t n : sizes_to_plan()) {
    if (n > std::size_t{1} << 36U) continue;
    for (const group_by_problem& problem : kinds_of_groups(n, 4)) {
      EXPECT_EQ(group_by_strategies::sorted_tiles::refuses(problem, device{}), "") << n;
    }
  }
}

/// Items once more as they are sorted, once between two passes of the sort, and once before where these are made; and
/// what the sort and the tiles count.
TEST(gpu_group_by_plan, memory_is_a_small_multiple_of_the_items) {
  for (const std::size_t n : sizes_to_plan()) {
    if (n > std::size_t{1} << 36U) continue;
    for (const std::size_t key : {4U, 8U}) {
      for (const group_by_problem& problem : kinds_of_groups(n, key)) {
        const plan made = detail::plan_of<group_by_strategies::sorted_tiles>(problem, device{});
        EXPECT_LE(made.temporary_bytes, 4 * problem.bytes() + 64 * mi) << n << "\n" << to_string(made);
      }
    }
  }
}

TEST(gpu_group_by_plan, of_calls_says_what_is_done) {
  u32* const none = nullptr;
  float* const floats = nullptr;
  const auto sums = [&](auto& on) {
    group_by(on, items(none, mi), items(floats, mi), items(none, 1000), items(floats, 1000), plus{}, none);
  };
  const plan made = explain(sums, device{});
  EXPECT_EQ(made.strategy, "tables");
  EXPECT_EQ(made.place, "gpu");
  EXPECT_FALSE(made.has("number_items"));
  const auto several = [&](auto& on) {
    group_by(on, items(floats, mi), items(floats, 1000),
             aggregates{count(items(none, 1000)), aggregate(items(floats, mi), max{}, items(floats, 1000))}, none);
  };
  EXPECT_TRUE(explain(several, device{}).has("number_items"));
  EXPECT_TRUE(explain(several, device{}).has("unify_keys"));
  const auto keys = [&](auto& on) { distinct(on, items(none, mi), items(none, 1000), none); };
  EXPECT_LT(explain(keys, device{}).temporary_bytes, made.temporary_bytes);
  const auto whole = [&](auto& on) {
    group(on, pairs(none, floats, mi), items(none, 1000), items(none, 1001), items(floats, mi), none);
  };
  EXPECT_LT(explain(whole, device{}).temporary_bytes, made.temporary_bytes);
}

/// Tables where the sort behind them can be called off on the device; their kernels come before those of the sort.
TEST(gpu_group_by_plan, tables_are_tried_first) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t key : {1U, 2U, 4U, 8U}) {
      for (const std::size_t n : sizes_to_plan({tuning::tables_items})) {
        for (const group_by_problem& problem : kinds_of_groups(n, key)) {
          using tables = group_by_strategies::block_tables;
          if (!tables::refuses(problem, machine).empty()) continue;
          const plan made = detail::plan_of<tables>(problem, machine);
          ASSERT_EQ(fault_of(made, machine), "") << n << "\n" << to_string(made);
          ASSERT_EQ(made.steps[0].name, "clear_tables");
          ASSERT_EQ(made.steps[1].name, "fold_tables");
          ASSERT_EQ(made.steps[2].name, "merge_tables");
          ASSERT_TRUE(made.has("sort_tasks") || made.has("sort_large_tasks"));
          ASSERT_GE(made.at("fold_tables").grid * made.get("share"), n);
          ASSERT_LT((made.at("fold_tables").grid - 1) * made.get("share"), n);
          ASSERT_LE(made.at("fold_tables").grid, static_cast<std::uint64_t>(machine.sms));
          ASSERT_GE(made.get("groups"), 32U);
        }
      }
    }
  }
}

/// From very many items on, parts come between tables and sort, and share their memory with it.
TEST(gpu_group_by_plan, parts_of_very_many_items) {
  using tables = group_by_strategies::block_tables;
  for (const std::size_t n : {tuning::tables_parts_items - 1, tuning::tables_parts_items, 64 * mi, 4096 * mi}) {
    for (const group_by_problem& problem : kinds_of_groups(n, 4)) {
      const plan made = detail::plan_of<tables>(problem, device{});
      ASSERT_EQ(made.has("survey_groups"), n >= tuning::tables_parts_items) << to_string(made);
      ASSERT_EQ(made.has("list_groups"), made.has("survey_groups"));
      ASSERT_EQ(made.has("scatter_tiles"), made.has("survey_groups"));
      const std::size_t sorted = detail::plan_of<group_by_strategies::sorted_tiles>(problem, device{}).temporary_bytes;
      ASSERT_LE(made.temporary_bytes, sorted + sorted / 4 + 512 * mi) << to_string(made);
      if (!made.has("survey_groups")) continue;
      ASSERT_GE(made.get("part groups"), 32 * made.get("parts"));
      ASSERT_LT(made.get("expected groups"), made.get("part groups"));
    }
  }
}

/// The number of groups is counted by what holds all of them.
TEST(gpu_group_by_plan, wants_a_count_that_is_wide_enough) {
  std::uint8_t* const none = nullptr;
  std::int32_t* const narrow = nullptr;
  const auto call = [&](auto& on) { distinct(on, items(none, 3 * 1024 * mi), items(none, 10), narrow); };
  expect_parts(message_of([&] { static_cast<void>(explain(call, device{})); }), {"distinct", "count", "32 bits"});
}

}  // namespace peneira::test
