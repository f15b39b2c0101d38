// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What segmented_reduce plans on the CPU, and that it takes the memory it states.
#include "peneira/segmented_reduce.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

struct expected_segments {
  std::size_t n;
  std::size_t segments;
  unsigned threads;
  std::string_view strategy;
  std::uint64_t used;  ///< threads
};

TEST(segmented_reduce_plan, choices_are_pinned) {
  for (const auto& [n, segments, threads, strategy, used] :
       {expected_segments{0, 1, 8, "sequential", 1}, expected_segments{12, 3, 8, "sequential", 1},
        expected_segments{14, 2, 8, "shares", 1}, expected_segments{32767, 1, 8, "shares", 1},
        expected_segments{32768, 1, 8, "shares", 2}, expected_segments{0, 1000000, 8, "shares", 8},
        expected_segments{100000000, 2, 8, "shares", 8}, expected_segments{100000000, 2, 1, "shares", 1}}) {
    const plan made = explain(
        [n = n, segments = segments](auto& on) {
          segmented_reduce(on, items(static_cast<const float*>(nullptr), n),
                           items(static_cast<const u32*>(nullptr), segments + 1),
                           items(static_cast<float*>(nullptr), segments), plus{});
        },
        host{.threads = threads});
    EXPECT_EQ(made.strategy, strategy) << n << " items\n" << to_string(made);
    EXPECT_EQ(made.primitive, "segmented_reduce");
    EXPECT_FALSE(made.why.empty());
    EXPECT_EQ(made.at("reduce").grid, used) << to_string(made);
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

}  // namespace peneira::test
