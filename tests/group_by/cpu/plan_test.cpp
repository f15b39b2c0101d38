// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans of group_by for CPUs: what they state is what a call takes, and it is bounded.
#include "peneira/group_by.hpp"
#include "tests/group_by/example.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

TEST(group_by_plan, states_all_memory_of_any_call) {
  random next(seed());
  for (const std::size_t n : {1U, 100U, 8193U, 70000U, 200000U}) {
    for (const std::size_t groups : {std::size_t{1}, std::size_t{5000}, n}) {
      const std::size_t room = next.below(2) == 0 ? n : std::min(n, groups);
      const auto keys = keys_of_groups<u32>(n, groups, next);
      const std::vector<float> values(n, 1);
      std::vector<u32> unique_keys(room);
      std::vector<float> sums(room);
      std::vector<indexed<float>> best(room);
      group_by_cpu_strategies::for_each([&](auto strategy) {
        const auto check = [&](const auto& call) {
          const plan made = explain(call);
          counting_memory from;
          const cpu on{.memory = &from};
          ASSERT_NO_THROW(call(on)) << strategy.name << ", " << n << " items of " << groups;
          EXPECT_EQ(from.total, made.temporary_bytes);
          EXPECT_EQ(from.calls, made.temporary_bytes == 0 ? 0U : 1U);
          EXPECT_EQ(from.outstanding, 0);
          std::vector<std::byte> exact(made.temporary_bytes + memory_alignment);
          arena mine(exact.data(), exact.size());
          const cpu in_arena{.memory = &mine};
          EXPECT_NO_THROW(call(in_arena));
        };
        const group_by_options options{.strategy = strategy.name};
        check([&](auto& on) { group_by(on, keys, values, unique_keys, sums, plus{}, options); });
        check([&](auto& on) { group_by(on, keys, values, unique_keys, best, arg_max{}, options); });
        check([&](auto& on) { distinct(on, keys, unique_keys, options); });
      });
    }
  }
}

TEST(group_by_plan, memory_that_is_refused_is_told) {
  const std::vector<u32> keys(100);
  std::vector<u32> out(1);
  counting_memory from;
  from.fail_at = 1;
  EXPECT_THROW(distinct(cpu{.memory = &from}, keys, out), std::bad_alloc);
  EXPECT_EQ(from.outstanding, 0);
}

TEST(group_by_plan, exists_for_every_size_and_takes_a_bounded_part_of_it) {
  for (const std::size_t n : sizes_to_plan()) {
    for (const unsigned threads : {1U, 2U, 64U}) {
      group_by_problem problem;
      problem.items = n;
      problem.room = n;
      group_by_cpu_strategies::for_each([&](auto strategy) {
        const plan made = detail::plan_of<decltype(strategy)>(problem, host{.threads = threads});
        // Items once more, in partitions, sorted, or as lists of groups; and what each thread has.
        EXPECT_LE(made.temporary_bytes, 4 * problem.bytes() + threads * 8 * mi) << strategy.name << " of " << n;
      });
    }
  }
  const plan made = detail::plan_by<group_by_cpu_strategies>("group_by", group_by_problem{.items = mi, .room = mi},
                                                             host{.threads = 4}, {"tables", "why not"});
  EXPECT_TRUE(text_says_it_all(made));
}

TEST(group_by_plan, has_room_for_a_sort_of_any_fewer_groups) {
  for (const unsigned threads : {1U, 2U, 16U}) {
    for (const std::size_t l2 : {std::size_t{4096}, mi}) {
      const host machine{.threads = threads, .l2 = l2};
      for (const std::size_t key : {1U, 2U, 4U, 8U}) {
        for (const std::size_t value : {0U, 4U, 16U}) {
          std::size_t most = 0;
          for (std::size_t n = 1; n < mi * 1024; n += n / 8 + 1) {
            most = std::max(most, detail::group_sort::bytes(n, key, value, machine));
            EXPECT_GE(detail::group_sort::most_bytes(n, key, value, machine), most)
                << n << " of " << key << ", " << value;
          }
        }
      }
    }
  }
}

}  // namespace peneira::test
