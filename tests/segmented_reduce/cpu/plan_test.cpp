// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What segmented_reduce plans on the CPU, and that it takes the memory it states.
#include "peneira/segmented_reduce.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

/// As items and segments grow, a loop gives way to shares, and no fewer threads have one, up to all of them; one chunk
/// of a cut segment and a cut a thread is what that takes.
TEST(segmented_reduce_plan, shares_out_what_there_is) {
  for (const unsigned threads : {1U, 8U, 64U}) {
    for (const std::size_t part : {1U, 10U, 1000000U}) {
      choices_in_turn choices;
      std::uint64_t before = 1;
      for (const std::size_t n : sizes_to_plan()) {
        const std::size_t segments = n / part + 1;
        const plan made = explain(
            [n, segments](auto& on) {
              segmented_reduce(on, items(static_cast<const float*>(nullptr), n),
                               items(static_cast<const u32*>(nullptr), segments + 1),
                               items(static_cast<float*>(nullptr), segments), plus{});
            },
            host{.threads = threads});
        ASSERT_TRUE(choices.take(made.strategy)) << n << " items\n" << to_string(made);
        ASSERT_TRUE(text_says_it_all(made));
        ASSERT_GE(made.at("reduce").grid, before) << n << " items\n" << to_string(made);
        before = made.at("reduce").grid;
        ASSERT_LE(before, std::min<std::size_t>(threads, n / 1000 + segments / 1000 + 1)) << to_string(made);
        ASSERT_TRUE(before != 1 || made.temporary_bytes == 0) << to_string(made);
        ASSERT_LE(made.temporary_bytes, threads * 64 * 1024) << to_string(made);
      }
      EXPECT_EQ(before, threads) << "all of them, for so many";
    }
  }
}

TEST(segmented_reduce_plan, states_the_bytes_that_the_call_takes) {
  random next(seed());
  const auto offsets = make_segments(segment_shape::mixed_with_empty, 200000, 9, 0, next);
  const std::vector<float> numbers(offsets.back(), 1);
  std::vector<float> out(offsets.size() - 1);
  for (const unsigned threads : host_space::thread_counts) {
    segmented_reduce_cpu_strategies::for_each([&](auto strategy) {
      const auto call = [&](auto&& on) {
        segmented_reduce(on, numbers, offsets, out, plus{}, {.strategy = strategy.name});
      };
      const plan made = explain(call, host::here().with_threads(threads));
      counting_memory memory;
      call(cpu{.threads = threads, .memory = &memory});
      EXPECT_EQ(memory.total, made.temporary_bytes) << to_string(made);
      EXPECT_EQ(memory.outstanding, 0);
      if (memory.calls == 0) return;
      memory.fail_at = memory.calls + 1;
      EXPECT_THROW(call(cpu{.threads = threads, .memory = &memory}), std::bad_alloc);
      EXPECT_EQ(memory.outstanding, 0);
    });
  }
}

/// Calls of few items make no plan, and take what it would have stated all the same.
TEST(segmented_reduce_plan, states_the_bytes_that_calls_of_any_size_take) {
  random next(seed() + 1);
  for (const std::size_t n : {0U, 1U, 20U, 1000U, 16000U, 17000U, 33000U, 200000U}) {
    const auto offsets = make_segments(segment_shape::two_sizes, n, 9, 0, next);
    const std::vector<float> numbers(offsets.back(), 1);
    std::vector<float> out(offsets.size() - 1);
    const auto call = [&](auto&& on) { segmented_reduce(on, numbers, offsets, out, plus{}); };
    counting_memory memory;
    call(cpu{.threads = 4, .memory = &memory});
    EXPECT_EQ(memory.total, explain(call, host::here().with_threads(4)).temporary_bytes) << n << " items";
  }
}

}  // namespace peneira::test
