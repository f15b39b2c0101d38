// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What histogram will launch on an H200 and on smaller devices, without one.
#include "peneira/histogram.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

TEST(gpu_histogram_plan, can_be_launched_on_every_device) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::uint32_t bins : {1U, 2U, 100U, 4096U, 50000U, 1000003U}) {
      for (const std::size_t weight : {0U, 4U, 8U}) {
        for (const bool rounds : {false, true}) {
          if (rounds && weight == 0) continue;
          for (const std::size_t n : sizes_to_plan({8192})) {
            const histogram_problem problem{
                .items = n, .bins = bins, .weight_bytes = weight, .count_bytes = 4, .rounds = rounds};
            if (rounds && !histogram_strategies::split::refuses(problem, machine).empty()) {
              ASSERT_TRUE(machine.shared_per_block < 100U * 1024 || n > (std::size_t{1} << 36U)) << n;
              continue;
            }
            const plan made = detail::plan_by<histogram_gpu_strategies>("histogram", problem, machine,
                                                                        detail::choose_histogram(problem, machine));
            ASSERT_EQ(fault_of(made, machine), "") << n << "\n" << to_string(made);
            ASSERT_TRUE(text_says_it_all(made));
            ASSERT_TRUE(made.strategy == "split" || made.temporary_bytes == 0) << to_string(made);
          }
        }
      }
    }
  }
}

/// Tables while they fit, copies of them while there is room and use for them.
TEST(gpu_histogram_plan, follows_its_reasons) {
  const auto plan_of = [](std::size_t n, std::uint32_t bins) {
    return explain(
        [&](auto& on) {
          histogram(on, items(static_cast<const std::uint32_t*>(nullptr), n), hashed{bins},
                    items(static_cast<std::uint32_t*>(nullptr), bins));
        },
        device{});
  };
  EXPECT_EQ(plan_of(64 * mi, 2).get("copies"), 32U);
  EXPECT_EQ(plan_of(64 * mi, 1024).get("copies"), 32U);
  EXPECT_EQ(plan_of(64 * mi, 4096).get("copies"), 8U);
  EXPECT_EQ(plan_of(64 * mi, 58112).get("copies"), 1U);
  EXPECT_EQ(plan_of(64 * mi, 58113).get("bins"), 29057U);
  EXPECT_EQ(plan_of(64 * mi, 8 * 58112).get("bins"), 58112U);
  EXPECT_EQ(plan_of(64 * mi, 8 * 58112 + 1).strategy, "atomics");
  EXPECT_EQ(plan_of(1000, 1024).get("copies"), 1U);
  EXPECT_EQ(steps_of(plan_of(0, 10)), "clear_bins ");
  EXPECT_EQ(plan_of(64 * mi, 256).at("count_bins").grid, h200_sms);
}

TEST(gpu_histogram_plan, sums_floats_as_they_come_only_where_any_will_do) {
  const auto plan_of = [](order grouping, std::string_view strategy) {
    return explain(
        [&](auto& on) {
          histogram(on, pairs(static_cast<const std::uint32_t*>(nullptr), static_cast<const float*>(nullptr), mi),
                    hashed{10}, items(static_cast<float*>(nullptr), 10), {.grouping = grouping, .strategy = strategy});
        },
        device{});
  };
  EXPECT_EQ(plan_of(kept, "").strategy, "split");
  EXPECT_EQ(plan_of(any, "").strategy, "tables");
  for (const char* strategy : {"tables", "atomics"}) {
    expect_parts(message_of([&] { static_cast<void>(plan_of(kept, strategy)); }),
                 {"histogram", "strategy", strategy, "order::any"});
  }
}

}  // namespace peneira::test
