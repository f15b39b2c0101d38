// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What top_k will launch on a GPU, without one.
#include "peneira/top_k.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

/// k from one item to all of them.
std::vector<std::size_t> top_k_counts(std::size_t n) {
  std::vector<std::size_t> all;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, n / 100, n / 4, n / 4 + 1, n}) {
    if (k <= n) all.push_back(k);
  }
  return all;
}

/// Whether a device has a sort of all items: one with little shared memory has none of wide pairs.
bool has_sort_of(const top_k_problem& problem, const device& machine) {
  const sort_problem all{problem.items, problem.key_bytes, problem.value_bytes, 0,
                         static_cast<unsigned>(8 * problem.key_bytes)};
  return detail::refuse_sort("top_k", all, machine).empty();
}

plan plan_top_k(const top_k_problem& problem, const device& machine) {
  return detail::plan_by<top_k_gpu_strategies>("top_k", problem, machine, detail::choose_top_k(problem, machine));
}

TEST(gpu_top_k_plan, can_be_launched_on_every_device) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t key : {1U, 2U, 4U, 8U}) {
      for (const std::size_t value : {0U, 4U, 16U}) {
        for (const std::size_t n : sizes_to_plan({4096, 32 * 1024, 4 * mi})) {
          for (const std::size_t k : top_k_counts(n)) {
            for (const bool sorted : {false, true}) {
              const top_k_problem problem{n, k, key, value, sorted};
              if (sorted && !has_sort_of(problem, machine)) continue;
              const plan made = plan_top_k(problem, machine);
              ASSERT_EQ(fault_of(made, machine), "") << n << " " << k << "\n" << to_string(made);
              ASSERT_EQ(made.steps.empty(), k == 0) << to_string(made);
              ASSERT_TRUE(text_says_it_all(made));
            }
          }
        }
      }
    }
  }
}

/// Of few wanted items the candidates are a small part of all.
TEST(gpu_top_k_plan, takes_little_memory) {
  for (const std::size_t k : {std::size_t{1}, std::size_t{1000}, std::size_t{100000}}) {
    for (const std::size_t value : {0U, 8U}) {
      const top_k_problem problem{64 * mi, k, 4, value, false};
      const plan made = plan_top_k(problem, device{});
      EXPECT_LE(made.temporary_bytes, problem.items * problem.item_bytes() / 50 + 2 * mi) << to_string(made);
      EXPECT_GE(made.get("capacity"), k);
    }
  }
}

TEST(gpu_top_k_plan, samples_large_inputs_and_few_wanted_items) {
  const device machine;
  EXPECT_TRUE(plan_top_k({64 * mi, 1000, 4}, machine).has("collect_candidates"));
  EXPECT_TRUE(plan_top_k({64 * mi, 16 * mi, 4, 0, false}, machine).has("collect_candidates"));
  EXPECT_FALSE(plan_top_k({64 * mi, 17 * mi, 4, 0, false}, machine).has("collect_candidates"));
  EXPECT_FALSE(plan_top_k({mi, 10, 4}, machine).has("collect_candidates"));
  EXPECT_TRUE(plan_top_k({mi, 10, 4}, machine).has("find_threshold"));
  EXPECT_EQ(plan_top_k({64 * mi, 17 * mi, 4}, machine).strategy, "sort_all");
  EXPECT_EQ(plan_top_k({1000, 10, 4}, machine).strategy, "sort_all");
  EXPECT_EQ(steps_of(plan_top_k({1000, 10, 4, 0, false}, machine)), "select_in_block ");
  EXPECT_EQ(steps_of(plan_top_k({8192, 10, 4, 0, false}, machine)), "select_in_block ");
  EXPECT_FALSE(plan_top_k({8193, 10, 4, 0, false}, machine).has("select_in_block"));
}

/// The rank that bounds the candidates is above what is expected, and within the sample; they have room for k.
TEST(gpu_top_k_plan, bounds_candidates_with_room_to_spare) {
  for (const std::size_t n : {4 * mi, 64 * mi, std::size_t{1} << 40U}) {
    for (std::size_t k = 1; k <= n / 4; k *= 3) {
      const auto sample = detail::select_sample::of(n, k);
      const double expected = static_cast<double>(k) * detail::select_sampled / static_cast<double>(n);
      EXPECT_GE(sample.rank, expected + 4);
      EXPECT_LE(sample.rank + sample.slack, detail::select_sampled);
      EXPECT_GE(sample.capacity, k);
      EXPECT_LE(sample.capacity, n);
    }
  }
}

TEST(gpu_top_k_plan, refuses_what_cannot_be_right) {
  std::uint32_t* const none = nullptr;
  const auto said = [&](std::size_t k, std::size_t room, const top_k_options& options) {
    const auto call = [&](auto& on) { top_k(on, items(none, 100), k, items(none, room), options); };
    return message_of([&] { static_cast<void>(explain(call, device{})); });
  };
  expect_parts(said(101, 200, {}), {"top_k", "k", "101", "100"});
  expect_parts(said(11, 10, {}), {"top_k", "out", "10", "11"});
  expect_parts(said(5, 10, {.strategy = "threshold"}), {"top_k", "threshold", "radix_select"});
  expect_parts(said(5, 10, {.sorted = false, .strategy = "sort_all"}), {"top_k", "sort_all", "order of the input"});
}

}  // namespace peneira::test
