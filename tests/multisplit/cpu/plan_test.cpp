// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What multisplit plans on CPUs that are merely described, and that it takes the memory it states.
#include "peneira/multisplit.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

/// Of every kind of problem, along the number of items: choices follow one another, and none returns; no more threads
/// work than there are; what a plan takes is some buffers a thread, with two levels also a copy of the items.
TEST(multisplit_cpu_plan, is_there_for_every_size) {
  const std::vector<std::size_t> sizes = sizes_to_plan({tuning::cpu_few_items, tuning::cpu_sequential_items});
  for (const unsigned threads : {1U, 2U, 64U}) {
    for (const std::size_t l2 : {mi / 4, mi, 2 * mi}) {
      const host machine{.threads = threads, .l2 = l2};
      for (const std::uint32_t bins : {1U, 2U, 16U, 256U, 4097U, 32768U, 1000003U}) {
        for (const auto& [key_bytes, value_bytes] : {std::pair{1, 0}, {4, 0}, {8, 8}, {1, 32}, {64, 0}}) {
          choices_in_turn choices;
          for (const std::size_t n : sizes) {
            const multisplit_problem problem{n, bins, static_cast<std::size_t>(key_bytes),
                                             static_cast<std::size_t>(value_bytes)};
            const plan made = detail::plan_multisplit(problem, machine, {});
            ASSERT_TRUE(choices.take(made.strategy)) << n << " items\n" << to_string(made);
            ASSERT_FALSE(made.why.empty());
            ASSERT_TRUE(text_says_it_all(made));
            std::size_t buffers = 0;
            for (const step& s : made.steps) {
              ASSERT_GE(s.grid, 1U) << to_string(made);
              ASSERT_LE(s.grid, threads) << to_string(made);
              buffers += s.shared;
            }
            const std::size_t page = problem.bytes() >= tuning::cpu_huge_bytes ? detail::huge_block : mi;
            const std::size_t copy = made.strategy == "two_level" ? problem.bytes() : 0;
            const std::size_t counters = 16 * sizeof(std::uint64_t) * (std::size_t{bins} + 256);  // 16 a bin is plenty
            ASSERT_LE(made.temporary_bytes, copy + threads * (counters + 2 * buffers) + page) << to_string(made);
          }
        }
      }
    }
  }
}

struct expected_choice {
  std::size_t n;
  std::uint32_t bins;
  std::size_t key_bytes;
  std::size_t value_bytes;
  std::size_t l2;
  std::string_view strategy;
};

/// The reasons that the choice gives, each where it holds and just where it does not.
TEST(multisplit_cpu_plan, follows_its_reasons) {
  const bool x86 = tuning::on_x86;
  const std::string_view few = x86 ? "buffered" : "sequential";
  const std::string_view cached = x86 ? "direct" : "sequential";
  for (const expected_choice& wanted : {expected_choice{0, 16, 4, 0, mi, "sequential"},
                                        {tuning::cpu_few_items - 1, 2, 4, 0, mi, "sequential"},
                                        {16384, 64, 4, 0, mi, few},
                                        {16384, 65, 4, 0, mi, cached},
                                        {16384, 256, 4, 0, mi, cached},
                                        {16384, 257, 4, 0, mi, "sequential"},
                                        {16384, 128, 4, 4, mi, cached},
                                        {16384, 129, 4, 4, mi, "sequential"},
                                        {tuning::cpu_sequential_items - 1, 256, 4, 0, mi, cached},
                                        {tuning::cpu_sequential_items, 256, 4, 0, mi, x86 ? "direct" : "buffered"},
                                        {mi, 127, 4, 0, mi, "buffered"},
                                        {mi, 128, 4, 0, mi, x86 ? "direct" : "buffered"},
                                        {mi / 4 - 1, 8191, 4, 0, mi, x86 ? "direct" : "buffered"},
                                        {mi / 4 - 1, 8193, 4, 0, mi, x86 ? "sequential" : "buffered"},
                                        {2 * mi - 1, 1000, 4, 0, mi, x86 ? "direct" : "buffered"},
                                        {2 * mi, 1000, 4, 0, mi, "buffered"},
                                        {100 * mi, 2, 4, 0, mi, "buffered"},
                                        {100 * mi, 256, 32, 0, mi, "buffered"},
                                        {100 * mi, 256, 33, 0, mi, "direct"},
                                        {100 * mi, 32768, 4, 0, mi, x86 ? "buffered" : "two_level"},
                                        {100 * mi, 49152, 4, 0, mi, x86 ? "buffered" : "two_level"},
                                        {100 * mi, 49153, 4, 0, mi, "two_level"},
                                        {100 * mi, 32768, 4, 0, 2 * mi, "buffered"},
                                        {100 * mi, 1000003, 4, 0, mi, "two_level"},
                                        {100000, 6250, 4, 0, mi, x86 ? "sequential" : "buffered"},
                                        {100000, 6251, 4, 0, mi, "sequential"},
                                        {mi / 4 - 1, 1000003, 4, 0, mi, "sequential"},
                                        {mi / 4, 1000003, 4, 0, mi, "direct"},
                                        {mi / 4 + 1, 1000003, 4, 0, mi, "two_level"},
                                        {2 * mi - 1, 262144, 4, 0, mi, x86 ? "direct" : "two_level"},
                                        {2 * mi - 1, 262145, 4, 0, mi, "two_level"},
                                        {4 * mi, 262144, 4, 0, mi, x86 ? "direct" : "two_level"},
                                        {4 * mi + 1, 262144, 4, 0, mi, "two_level"},
                                        {2 * mi, 131072, 4, 4, mi, x86 ? "direct" : "two_level"},
                                        {2 * mi, 1000003, 4, 0, mi, "two_level"}}) {
    const plan made = detail::plan_multisplit({wanted.n, wanted.bins, wanted.key_bytes, wanted.value_bytes},
                                              host{.threads = 4, .l2 = wanted.l2}, {});
    EXPECT_EQ(made.strategy, wanted.strategy) << wanted.n << " items, " << wanted.bins << " bins\n" << to_string(made);
  }
}

TEST(multisplit_cpu_plan, of_many_threads_collects_what_is_written_together) {
  if (!tuning::on_x86) GTEST_SKIP() << "measured on x86 alone";
  for (const expected_choice& wanted : {expected_choice{16384, 1000, 4, 0, mi, "sequential"},
                                        {100000, 511, 4, 0, mi, "direct"},
                                        {100000, 512, 4, 0, mi, "buffered"},
                                        {100000, 2047, 4, 0, mi, "buffered"},
                                        {100000, 2048, 4, 0, mi, "two_level"},
                                        {100000, 25001, 4, 0, mi, "sequential"},
                                        {400000, 4000, 4, 0, mi, "buffered"},
                                        {400000, 4001, 4, 0, mi, "two_level"},
                                        {100000, 1000003, 4, 0, mi, "sequential"},
                                        {mi, 1000, 4, 4, mi, "buffered"},
                                        {4 * mi - 1, 262144, 4, 0, mi, "two_level"},
                                        {100 * mi, 1000, 4, 0, mi, "buffered"}}) {
    const plan made = detail::plan_multisplit({wanted.n, wanted.bins, wanted.key_bytes, wanted.value_bytes},
                                              host{.threads = 16, .l2 = wanted.l2}, {});
    EXPECT_EQ(made.strategy, wanted.strategy) << wanted.n << " items, " << wanted.bins << " bins\n" << to_string(made);
  }
}

/// What the caches of the threads have no room for goes past them: where these are large, and of much in any case.
TEST(multisplit_cpu_plan, streams_what_the_caches_do_not_hold) {
  const auto streams = [](std::size_t n, std::size_t l2) {
    const plan made = detail::plan_multisplit({.items = n, .bins = 64}, host{.threads = 2, .l2 = l2}, "buffered");
    return to_string(made).find("streaming         yes") != std::string::npos;
  };
  EXPECT_FALSE(streams(mi - 1, mi));
  EXPECT_EQ(streams(mi, mi), tuning::on_x86);
  EXPECT_FALSE(streams(4 * mi - 1, mi / 2));
  EXPECT_TRUE(streams(4 * mi, mi / 2));
  EXPECT_TRUE(streams(4 * mi, 8 * mi));
}

/// A caller's function may take long: threads are worth it earlier, and it is not asked twice as often.
TEST(multisplit_cpu_plan, of_a_callers_function) {
  const bool x86 = tuning::on_x86;
  const auto plan_of = [](std::size_t n, std::uint32_t bins, std::size_t label_bytes = 0) {
    multisplit_problem problem{.items = n, .bins = bins, .label_bytes = label_bytes};
    problem.may_miss = true;
    return detail::plan_multisplit(problem, host{.threads = 4, .l2 = mi}, {});
  };
  EXPECT_EQ(plan_of(tuning::cpu_few_items / tuning::cpu_callers_cost - 1, 2).strategy, "sequential");
  EXPECT_EQ(plan_of(tuning::cpu_few_items / tuning::cpu_callers_cost, 2).strategy, "buffered");
  EXPECT_EQ(plan_of(20000, 10000).strategy, x86 ? "direct" : "sequential");
  EXPECT_EQ(plan_of(20000, 10001).strategy, "sequential");
  EXPECT_EQ(plan_of(20000, 10000, 4).strategy, "sequential");
  EXPECT_EQ(plan_of(8 * mi - 1, mi).strategy, x86 ? "direct" : "two_level");
  EXPECT_EQ(plan_of(8 * mi, mi).strategy, "two_level");
  const std::string text = to_string(plan_of(20000, 1000));
  EXPECT_NE(text.find(x86 ? "threads           4" : "sequential"), std::string::npos) << text;
}

TEST(multisplit_cpu_plan, tells_the_same_refusals_as_the_call) {
  expect_parts(message_of([] { detail::plan_multisplit({.items = 10, .bins = 3}, host{}, "two_level"); }),
               {"multisplit", "strategy", "two_level", "4 bins"});
  expect_parts(message_of([] { detail::plan_multisplit({.bins = 0xFFFFFFFFU}, host{}, "buffered"); }),
               {"multisplit", "strategy", "buffered", "4294967295"});
}

TEST(multisplit_cpu_plan, states_the_bytes_that_the_call_takes) {
  std::vector<std::uint32_t> keys(70000);
  std::vector<std::uint32_t> out(keys.size());
  random next(seed());
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(next());
  for (const std::uint32_t bins : {1U, 5U, 257U, 5000U}) {
    std::vector<std::uint32_t> offsets(bins + 1);
    for (const unsigned threads : host_space::thread_counts) {
      multisplit_cpu_strategies::for_each([&](auto strategy) {
        const multisplit_problem problem{keys.size(), bins};
        const host machine = host::here().with_threads(threads);
        if (!strategy.refuses(problem, machine).empty()) return;
        const auto call = [&](auto&& on) {
          multisplit(on, keys, out, hashed{bins}, offsets, {.strategy = strategy.name});
        };
        const plan made = explain(call, machine);
        counting_memory memory;
        call(cpu{.threads = threads, .memory = &memory});
        EXPECT_EQ(memory.total, made.temporary_bytes) << to_string(made);
        EXPECT_EQ(memory.outstanding, 0);

        std::vector<std::byte> buffer(made.temporary_bytes + memory_alignment);
        void* at = buffer.data();
        std::size_t room = buffer.size();
        std::align(memory_alignment, made.temporary_bytes, at, room);
        arena exact(at, made.temporary_bytes);
        EXPECT_NO_THROW(call(cpu{.threads = threads, .memory = &exact})) << to_string(made);
        EXPECT_EQ(exact.high_water(), made.temporary_bytes);
        if (made.temporary_bytes == 0) return;
        arena short_of_one(at, made.temporary_bytes - 1);
        EXPECT_THROW(call(cpu{.threads = threads, .memory = &short_of_one}), std::bad_alloc) << to_string(made);
      });
    }
  }
}

}  // namespace peneira::test
