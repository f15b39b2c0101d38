// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What segmented_sort will launch on a GPU, without one.
#include "peneira/segmented_sort.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

/// Segments by offsets, or of one size.
segmented_sort_problem segments_to_plan(std::size_t n, std::size_t size, bool even, std::size_t key,
                                        std::size_t value) {
  segmented_sort_problem problem{n, even ? detail::even_segments{size, n}.count() : n / size + 1, key, value};
  problem.last_bit = static_cast<unsigned>(8 * key);
  problem.offset_bytes = even ? 0 : 4;
  problem.segment_items = even ? size : 0;
  return problem;
}

plan plan_segments(const segmented_sort_problem& problem, const device& machine = {}) {
  return detail::plan_by<segmented_sort_gpu_strategies>("segmented_sort", problem, machine,
                                                        detail::choose_segmented_sort(problem, machine));
}

/// Whether the strategy that is chosen takes the problem: of wide pairs one with little shared memory does not.
bool can_sort_segments(const segmented_sort_problem& problem, const device& machine) {
  bool can = false;
  segmented_sort_gpu_strategies::with("segmented_sort", detail::choose_segmented_sort(problem, machine).strategy,
                                      [&](auto chosen) { can = chosen.refuses(problem, machine).empty(); });
  return can;
}

TEST(gpu_segmented_sort_plan, can_be_launched_on_every_device) {
  std::size_t planned = 0;
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t key : {1U, 2U, 4U, 8U}) {
      for (const std::size_t value : {0U, 4U, 16U}) {
        for (const std::size_t n : sizes_to_plan({4096, 12288, 4 * mi})) {
          for (const std::size_t size : {1U, 30U, 4096U, 4097U, 12289U, 1000000U}) {
            for (const bool even : {false, true}) {
              for (const bool whole : {false, true}) {
                segmented_sort_problem problem = segments_to_plan(n, size, even, key, value);
                if (!whole) problem.first_bit = 3;
                if (!can_sort_segments(problem, machine)) {
                  const bool too_many = n >= std::size_t{1} << 38U;  // for the numbers of msd's tasks, and any GPU
                  const bool too_wide = machine.shared_per_block < 99 * 1024 && (value != 0 || !whole);
                  ASSERT_TRUE(too_many || too_wide) << machine.arch << " " << n << " " << key << " " << value;
                  continue;
                }
                const plan made = plan_segments(problem, machine);
                ASSERT_EQ(fault_of(made, machine), "") << n << " " << size << "\n" << to_string(made);
                ASSERT_EQ(made.steps.empty(), n == 0) << to_string(made);
                ASSERT_TRUE(text_says_it_all(made));
                ++planned;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(planned, 0U);
}

TEST(gpu_segmented_sort_plan, takes_all_types_on_an_h200) {
  for (const std::size_t key : {1U, 2U, 4U, 8U}) {
    for (const std::size_t value : {0U, 1U, 2U, 4U, 8U, 16U}) {
      EXPECT_TRUE(can_sort_segments(segments_to_plan(64 * mi, 1000, false, key, value), device{}))
          << key << " " << value;
    }
  }
}

/// Segments that fit a packed task or a large one take lists alone; others a copy of the items.
TEST(gpu_segmented_sort_plan, of_short_segments_takes_no_copy_of_the_items) {
  for (const std::size_t value : {0U, 4U, 16U}) {
    for (const std::size_t size : {1U, 30U, 1000U, 4096U}) {
      const segmented_sort_problem problem = segments_to_plan(64 * mi, size, true, 4, value);
      const plan made = plan_segments(problem);
      EXPECT_LE(made.temporary_bytes, problem.items * 4 / 100 + 16 * problem.segments / 1000 + mi) << to_string(made);
      EXPECT_FALSE(made.has("split_further"));
      EXPECT_FALSE(made.has("sort_by_digits"));
    }
    const plan large = plan_segments(segments_to_plan(64 * mi, 5000, true, 4, value));
    EXPECT_FALSE(large.has("split_further"));
    EXPECT_TRUE(large.has("sort_by_digits"));
    const segmented_sort_problem ragged = segments_to_plan(64 * mi, 30, false, 4, value);
    EXPECT_TRUE(plan_segments(ragged).has("split_further"));
    EXPECT_GE(plan_segments(ragged).temporary_bytes, ragged.bytes());
    EXPECT_LE(plan_segments(ragged).temporary_bytes, ragged.bytes() + ragged.bytes() / 4);
  }
}

/// Few items are shared out over the processors; of many a task has as many as one has room for.
TEST(gpu_segmented_sort_plan, of_few_items_has_smaller_tasks) {
  const auto decided = [](std::size_t n) {
    return segmented_sort_strategies::tasks::decide(segments_to_plan(n, 30, false, 4, 0), device{});
  };
  const segmented_sort_strategies::tasks::parameters few = decided(100000);
  const segmented_sort_strategies::tasks::parameters many = decided(64 * mi);
  EXPECT_EQ(few.window, tuning::short_least);
  EXPECT_EQ(many.window, detail::packed_size - detail::short_segment);
  EXPECT_GE(few.tasks, 100000 / few.window + few.pack.grid);
  EXPECT_GE(many.tasks, 64 * mi / many.window + many.pack.grid);
  EXPECT_LE(few.window + detail::short_segment, detail::packed_size);
  EXPECT_TRUE(plan_segments(segments_to_plan(mi, 30, true, 4, 0)).has("sort_short"));
}

TEST(gpu_segmented_sort_plan, chooses_by_the_bits_that_count) {
  segmented_sort_problem problem = segments_to_plan(mi, 30, false, 4, 0);
  EXPECT_EQ(plan_segments(problem).strategy, "tasks");
  problem.last_bit = 20;
  EXPECT_EQ(plan_segments(problem).strategy, "by_positions");
}

TEST(gpu_segmented_sort_plan, of_few_items_is_one_launch) {
  for (const std::size_t n : {1U, 300U, 4096U}) {
    EXPECT_EQ(steps_of(plan_segments(segments_to_plan(n, 30, false, 4, 0))), "sort_segments_by_counting ");
  }
  EXPECT_EQ(plan_segments(segments_to_plan(4097, 30, false, 4, 0)).strategy, "tasks");
  segmented_sort_problem problem = segments_to_plan(4096, 30, false, 4, 0);
  problem.in_place = true;
  EXPECT_EQ(steps_of(plan_segments(problem)), "copy_unsorted sort_segments_by_counting ");
  problem.items = 100;
  EXPECT_EQ(steps_of(plan_segments(problem)), "sort_segments_by_counting ");
  problem.last_bit = 7;
  EXPECT_EQ(steps_of(plan_segments(problem)), "sort_segments_by_counting ");
}

TEST(gpu_segmented_sort_plan, of_argsort_has_a_step_more) {
  std::uint32_t* const none = nullptr;
  const auto sort = [&](auto& on) { segmented_sort(on, pairs(none, none, mi), every{100}, pairs(none, none, mi)); };
  const auto argsort = [&](auto& on) { segmented_argsort(on, items(none, mi), every{100}, items(none, mi)); };
  const plan of_pairs = explain(sort, device{});
  const plan of_positions = explain(argsort, device{});
  EXPECT_EQ(of_positions.steps.size(), of_pairs.steps.size() + 1);
  EXPECT_TRUE(of_positions.has("number_items"));
  EXPECT_EQ(of_positions.temporary_bytes, of_pairs.temporary_bytes + 8 * mi);
}

TEST(gpu_segmented_sort_plan, refuses_what_cannot_be_right) {
  std::uint32_t* const none = nullptr;
  const auto said = [&](std::size_t room, const sort_options& options) {
    const auto call = [&](auto& on) { segmented_sort(on, items(none, 100), every{10}, items(none, room), options); };
    return message_of([&] { static_cast<void>(explain(call, device{})); });
  };
  expect_parts(said(99, {}), {"segmented_sort", "out", "99", "100"});
  expect_parts(said(100, {.last_bit = 33}), {"segmented_sort", "last_bit", "33"});
  expect_parts(said(100, {.strategy = "shares"}), {"segmented_sort", "shares", "tasks"});
  expect_parts(said(100, {.last_bit = 7, .strategy = "tasks"}), {"segmented_sort", "tasks", "whole keys"});
}

}  // namespace peneira::test
