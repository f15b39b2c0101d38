// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What partition will launch on an H200 and on smaller devices, without one.
#include "peneira/partition.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

TEST(gpu_partition_plan, can_be_launched_on_every_device) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::uint32_t ways : {2U, 3U}) {
      for (const std::size_t key : {1U, 2U, 3U, 4U, 8U, 12U, 16U, 24U, 64U}) {
        for (const std::size_t value : {0U, 1U, 3U, 6U, 8U, 12U, 16U, 64U}) {
          for (const order within : {kept, any}) {
            for (const std::size_t n : sizes_to_plan({4096})) {
              const partition_problem problem{n, ways, key, value, within};
              if (!partition_strategies::split::refuses(problem, machine).empty()) {  // as the multisplit of them
                ASSERT_LT(machine.shared_per_block, 100U * 1024) << machine.arch;
                continue;
              }
              const plan made = detail::plan_by<partition_gpu_strategies>("partition", problem, machine,
                                                                          detail::choose_partition(problem, machine));
              const std::size_t own = made.strategy == "ends" ? detail::partition_static_bytes : 0;
              ASSERT_EQ(fault_of(made, machine, own), "") << n << "\n" << to_string(made);
              if (key == 4) {
                ASSERT_TRUE(text_says_it_all(made));
              }
            }
          }
        }
      }
    }
  }
}

TEST(gpu_partition_plan, follows_its_reasons) {
  const auto plan_of = [](std::size_t n, order within, std::string_view strategy) {
    std::uint32_t* const none = nullptr;
    const auto odd = [] PENEIRA_HD(std::uint32_t key) { return key % 2 == 1; };
    return explain(
        [&](auto& on) {
          partition(on, items(none, n), items(none, n), odd, items(none, 2),
                    {.within_part = within, .strategy = strategy});
        },
        device{});
  };
  EXPECT_EQ(steps_of(plan_of(64 * mi, kept, "")), "count_two_way scatter_two_way count_parts ");
  EXPECT_EQ(steps_of(plan_of(64 * mi, any, "")), "clear_prefixes partition_to_ends ");
  EXPECT_EQ(steps_of(plan_of(mi, kept, "")), "clear_prefixes partition_at_once ");
  EXPECT_EQ(steps_of(plan_of(4 * mi, kept, "")), "clear_prefixes partition_at_once ");
  EXPECT_EQ(steps_of(plan_of(5 * mi, kept, "")), steps_of(plan_of(5 * mi, kept, "split")));
  EXPECT_EQ(steps_of(plan_of(4097, kept, "")), "partition_in_cluster ");
  EXPECT_EQ(steps_of(plan_of(65536, any, "")), "partition_in_cluster ");
  EXPECT_EQ(steps_of(plan_of(65537, any, "")), "clear_prefixes partition_to_ends ");
  EXPECT_EQ(steps_of(plan_of(100, any, "")), "partition_to_ends ");
  EXPECT_EQ(steps_of(plan_of(100, kept, "")), "partition_to_ends ");  // a single tile is in order
}

}  // namespace peneira::test
