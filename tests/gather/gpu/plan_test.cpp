// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What gather and scatter will launch, without a GPU.
#include "peneira/gather.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

TEST(gpu_gather_plan, is_one_launch_without_memory) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t n : sizes_to_plan({1024})) {
      const plan made = detail::plan_by<gather_gpu_strategies>(
          "gather", gather_problem{.items = n}, machine, detail::choose_gather(gather_problem{.items = n}, machine));
      ASSERT_EQ(fault_of(made, machine), "") << to_string(made);
      ASSERT_EQ(made.steps.size(), n == 0 ? 0U : 1U);
      ASSERT_EQ(made.temporary_bytes, 0U);
      ASSERT_TRUE(text_says_it_all(made));
    }
  }
}

}  // namespace peneira::test
