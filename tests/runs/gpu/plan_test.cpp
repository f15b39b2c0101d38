// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What unique and run_lengths will launch, without a GPU.
#include "peneira/unique.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

TEST(gpu_runs_plan, can_be_launched_on_every_device) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t key : {1U, 2U, 4U, 8U}) {
      for (const std::size_t length : {0U, 4U, 8U}) {
        for (const std::size_t n : sizes_to_plan({4096})) {
          const runs_problem problem{n, key, length};
          const plan made =
              detail::plan_by<runs_gpu_strategies>("unique", problem, machine, detail::choose_runs(problem, machine));
          ASSERT_EQ(fault_of(made, machine), "") << n << "\n" << to_string(made);
          const bool in_cluster = made.has("find_runs_in_cluster");
          ASSERT_TRUE(!in_cluster || machine.arch >= 90);
          ASSERT_EQ(made.has("clear_prefixes"), !in_cluster && made.at("find_runs").grid > 1);
          ASSERT_LE(made.temporary_bytes, n * key / 64 + 1024) << n << "\n" << to_string(made);
          ASSERT_TRUE(text_says_it_all(made));
        }
      }
    }
  }
}

/// The number of runs is counted by what holds all of them.
TEST(gpu_runs_plan, wants_a_count_that_is_wide_enough) {
  std::uint8_t* const none = nullptr;
  std::int32_t* const narrow = nullptr;
  const auto call = [&](auto& on) { unique(on, items(none, 3 * 1024 * mi), items(none, 10), narrow); };
  expect_parts(message_of([&] { static_cast<void>(explain(call, device{})); }), {"unique", "count", "32 bits"});
}

}  // namespace peneira::test
