// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What scan and segmented_scan will launch on an H200 and on smaller devices, without one.
#include "peneira/scan.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

TEST(gpu_scan_plan, can_be_launched_on_every_device) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t item : {1U, 4U, 12U, 16U}) {
      for (const std::size_t result : {1U, 4U, 8U, 32U}) {
        for (const std::size_t offset : {0U, 4U}) {
          for (const std::size_t n : sizes_to_plan()) {
            const scan_problem problem{n, offset == 0 ? 1 : n / 10, item, result, offset};
            if (!scan_strategies::tiles::refuses(problem, machine).empty()) {
              ASSERT_GT(n, std::size_t{1} << 36U);
              continue;
            }
            const plan made =
                detail::plan_by<scan_gpu_strategies>("scan", problem, machine, detail::choose_scan(problem, machine));
            ASSERT_EQ(fault_of(made, machine), "") << n << "\n" << to_string(made);
            ASSERT_TRUE(text_says_it_all(made));
          }
        }
      }
    }
  }
}

TEST(gpu_scan_plan, marks_segments_only_where_offsets_say_them) {
  float* const none = nullptr;
  std::uint32_t* const offsets = nullptr;
  const auto steps = [&](const auto& call) { return steps_of(explain(call, device{})); };
  EXPECT_EQ(steps([&](auto& on) { scan(on, items(none, 0), items(none, 0), plus{}); }), "");
  EXPECT_EQ(steps([&](auto& on) { scan(on, items(none, 100), items(none, 100), plus{}); }), "scan_items_of_tile ");
  EXPECT_EQ(steps([&](auto& on) { scan(on, items(none, mi), items(none, mi), plus{}); }),
            "clear_prefixes scan_items_of_tile ");
  EXPECT_EQ(steps([&](auto& on) { segmented_scan(on, items(none, mi), every{7}, items(none, mi), plus{}); }),
            "clear_prefixes scan_items_of_tile ");
  EXPECT_EQ(steps([&](auto& on) { segmented_scan(on, items(none, mi), items(offsets, 10), items(none, mi), plus{}); }),
            "clear_heads mark_heads clear_prefixes scan_items_of_tile ");
}

}  // namespace peneira::test
