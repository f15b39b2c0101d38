// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What sorts of records and of rows by columns will launch on a GPU, without one.
#include "peneira/sort_columns.hpp"
#include "peneira/sort_records.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

TEST(gpu_rows_plan, records_can_be_launched_on_every_device) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t key : {1U, 2U, 4U, 8U}) {
      for (const std::size_t n : sizes_to_plan({4096})) {
        for (const bool in_place : {false, true}) {
          const record_sort_problem problem{n, 24, key, in_place};
          if (!sort_strategies::by_keys::refuses(problem, machine).empty()) continue;
          const plan made = detail::plan_by<record_sort_gpu_strategies>("sort", problem, machine, {"by_keys", ""});
          ASSERT_EQ(fault_of(made, machine), "") << n << "\n" << to_string(made);
          ASSERT_EQ(made.has("write_keys"), n != 0);
          ASSERT_EQ(made.has("move_items"), n != 0);
          ASSERT_GE(made.temporary_bytes, n * (key + sizeof(std::uint32_t) + (in_place ? 24 : 0)));
          ASSERT_TRUE(text_says_it_all(made));
        }
      }
    }
  }
}

TEST(gpu_rows_plan, each_word_of_a_row_is_written_and_sorted) {
  for (const device& machine : devices_to_plan_for) {
    for (const unsigned bits : {8U, 32U, 33U, 64U, 65U, 200U}) {
      for (const std::size_t n : sizes_to_plan({4096})) {
        const column_sort_problem problem{n, 3, 4, sizeof(std::uint32_t), bits};
        if (!sort_strategies::by_words::refuses(problem, machine).empty()) continue;
        const plan made = detail::plan_by<column_sort_gpu_strategies>("argsort", problem, machine, {"by_words", ""});
        ASSERT_EQ(fault_of(made, machine), "") << n << "\n" << to_string(made);
        const auto writes =
            std::count_if(made.steps.begin(), made.steps.end(), [](const step& s) { return s.name == "write_words"; });
        ASSERT_EQ(static_cast<unsigned>(writes), n == 0 ? 0 : (bits + 63) / 64);
        ASSERT_TRUE(text_says_it_all(made));
      }
    }
  }
}

/// The columns that are moved are in the plan, and their memory.
TEST(gpu_rows_plan, a_sort_by_columns_moves_each_array_once) {
  std::vector<std::uint32_t> a(1000);
  std::vector<double> b(1000);
  std::vector<std::uint8_t> mask(1000);
  const auto set = columns(nulls_last(a, mask), nulls_first(descending(b), mask));
  const plan made = explain([&](auto& on) { sort(on, set); }, device{.arch = 90, .sms = 132});
  EXPECT_EQ(made.strategy, "by_words");
  const auto moves =
      std::count_if(made.steps.begin(), made.steps.end(), [](const step& s) { return s.name == "move_items"; });
  EXPECT_EQ(moves, 3);
  const plan argsorted = explain([&](auto& on) { argsort(on, set, items(static_cast<std::uint32_t*>(nullptr), 1000)); },
                                 device{.arch = 90, .sms = 132});
  EXPECT_GE(made.temporary_bytes, argsorted.temporary_bytes + 1000 * (sizeof(std::uint32_t) + sizeof(double)));
}

}  // namespace peneira::test
