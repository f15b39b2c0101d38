// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What segmented_reduce will launch on an H200 and on smaller devices, without one.
#include "peneira/segmented_reduce.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

/// A segmented reduce of n promised items in so many segments.
template <class T, class Result, class Offset, class Op>
plan plan_of_segments(std::size_t n, std::size_t segments, const Op& op, const segmented_reduce_options& options = {}) {
  return explain(
      [&](auto& on) {
        segmented_reduce(on, items(static_cast<const T*>(nullptr), n),
                         items(static_cast<const Offset*>(nullptr), segments + 1),
                         items(static_cast<Result*>(nullptr), segments), op, options);
      },
      device{});
}

template <class Op = plus>
plan plan_of_every(std::size_t size, const Op& op = {}, const segmented_reduce_options& options = {}) {
  return explain(
      [&](auto& on) {
        segmented_reduce(on, items(static_cast<const float*>(nullptr), 32 * mi), every{size},
                         items(static_cast<float*>(nullptr), 32 * mi), op, options);
      },
      device{});
}

/// An operator that does not say that it is commutative.
struct second {
  PENEIRA_HD float operator()(float /*a*/, float b) const { return b; }
  template <class T>
  PENEIRA_HD static T identity() {
    return 0;
  }
};

/// Segments of every size on average, and many empty ones, for every strategy that takes them: launches that a device
/// can make. Where blocks wait for one another, or equal shares should end together, all run at the same time.
TEST(gpu_segmented_reduce_plan, is_there_for_every_problem) {
  for (const std::size_t n : sizes_to_plan({4092})) {
    for (const std::size_t segments : {std::size_t{1}, n / 1000 + 1, n / 16 + 1, n / 2 + 1, n + 1000}) {
      for (const device& machine : devices_to_plan_for) {
        for (const auto& [item, result] : {std::pair{1U, 1U}, {4U, 4U}, {3U, 24U}, {16U, 32U}}) {
          for (const std::size_t offset : {0U, 4U, 8U}) {
            const segmented_reduce_problem problem{n, segments, item, result, offset};
            ASSERT_TRUE(segmented_reduce_strategies::merged::refuses(problem, machine).empty() || n > mi);
            segmented_reduce_gpu_strategies::for_each([&](auto strategy) {
              if (!strategy.refuses(problem, machine).empty()) return;
              const plan made = detail::plan_of<decltype(strategy)>(problem, machine);
              ASSERT_FALSE(made.steps.empty());
              ASSERT_EQ(fault_of(made, machine), "") << n << ", " << segments << "\n" << to_string(made);
              for (const step& launched : made.steps) {
                if (launched.name == "reduce_tiles" || launched.name == "reduce_each") continue;  // which wait for none
                step resident = launched;
                resident.at_once = true;
                ASSERT_EQ(fault_of(resident, machine), "") << to_string(made);
              }
            });
          }
        }
      }
    }
  }
}

/// Every size of items and results.
TEST(gpu_segmented_reduce_plan, fits_items_of_every_size) {
  for (const device& machine : devices_to_plan_for) {
    for (std::size_t item = 1; item <= 16; ++item) {
      for (std::size_t result = 1; result <= 32; ++result) {
        for (const std::size_t offset : {0U, 4U, 8U}) {
          const segmented_reduce_problem problem{32 * mi, mi, item, result, offset};
          ASSERT_EQ(segmented_reduce_strategies::merged::refuses(problem, machine), "");
          const plan made = detail::plan_of<segmented_reduce_strategies::merged>(problem, machine);
          ASSERT_EQ(fault_of(made.steps[0], machine, 4096), "") << item << " -> " << result << " bytes\n"
                                                                << to_string(made);
          ASSERT_GE(made.steps[0].grid, 2U);
        }
      }
    }
  }
}

/// As docs/reduce.md says: slots of some blocks, 50 KB at most on an H200; for many short segments 2.5 KB and up to
/// 4,096 results more; nothing for `even`.
TEST(gpu_segmented_reduce_plan, takes_no_more_memory_than_documented) {
  for (const std::size_t n : sizes_to_plan()) {
    for (const std::size_t segments : {std::size_t{1}, n / 1000 + 1, n / 16 + 1, n / 2 + 1, n + 1000}) {
      for (const auto& [item, result] : {std::pair{1U, 1U}, {4U, 4U}, {4U, 8U}, {3U, 24U}}) {
        for (const std::size_t offset : {0U, 4U}) {
          const segmented_reduce_problem problem{n, segments, item, result, offset};
          segmented_reduce_gpu_strategies::for_each([&](auto strategy) {
            if (!strategy.refuses(problem, device{}).empty()) return;
            const std::size_t taken = detail::plan_of<decltype(strategy)>(problem, device{}).temporary_bytes;
            const std::size_t more = strategy.name == "tiles" ? 10 * memory_alignment + 4096 * problem.result_bytes : 0;
            ASSERT_LE(taken, strategy.name == "even" ? 0 : 50'000 + more) << n << ", " << segments << strategy.name;
          });
        }
      }
    }
  }
}

/// As segments grow, tiles give way to shares, once and for all, and as items grow the other way round.
TEST(gpu_segmented_reduce_plan, chooses_by_average_size) {
  for (const std::size_t n : {std::size_t{1000}, mi, 32 * mi, 1024 * mi}) {
    choices_in_turn choices;
    for (std::size_t segments = n; segments != 0; segments = segments * 3 / 4) {
      const plan made = plan_of_segments<float, double, std::uint64_t>(n, segments, plus{});
      ASSERT_TRUE(choices.take(made.strategy)) << n << ", " << segments;
      ASSERT_TRUE(text_says_it_all(made));
    }
  }
  choices_in_turn choices;
  for (const std::size_t n : sizes_to_plan()) {
    if (n >> 38U != 0) break;  // of which a block would have more than it can count
    ASSERT_TRUE(choices.take(plan_of_segments<float, float, std::uint32_t>(n, n / 8 + 1, max{}).strategy)) << n;
  }
  EXPECT_EQ((plan_of_segments<float, float, std::uint32_t>(32 * mi, 16 * mi, max{}).strategy), "tiles");
  EXPECT_EQ((plan_of_segments<float, float, std::uint32_t>(32 * mi, 1000, max{}).strategy), "merged");
  EXPECT_EQ((plan_of_segments<bytes3, ends, std::uint64_t>(32 * mi, 16 * mi, both_ends{}).strategy), "merged");
  expect_parts(message_of([] {
                 plan_of_segments<bytes3, ends, std::uint64_t>(32 * mi, 16 * mi, both_ends{}, {.strategy = "tiles"});
               }),
               {"segmented_reduce", "strategy", "tiles", "3 bytes"});
  expect_parts(message_of([] { plan_of_every(3, plus{}, {.strategy = "tiles"}); }),
               {"segmented_reduce", "strategy", "tiles", "offsets"});
}

TEST(gpu_segmented_reduce_plan, of_one_size_needs_no_room_for_offsets) {
  const auto shared_of = [](std::size_t size) { return plan_of_every(size).at("reduce_segments").shared; };
  EXPECT_EQ(shared_of(3), shared_of(mi));
  EXPECT_LT(shared_of(3),
            (plan_of_segments<float, float, std::uint32_t>(32 * mi, 2, plus{}).at("reduce_segments").shared));
}

/// Small powers of two, which lie within one load of a warp; of an operator that is not commutative, smaller ones.
TEST(gpu_segmented_reduce_plan, of_one_small_size_is_even) {
  for (const auto& of_size : {+[](std::size_t size) { return plan_of_every(size); },
                              +[](std::size_t size) { return plan_of_every(size, second{}); }}) {
    choices_in_turn choices;
    for (std::size_t size = 1; size <= mi; size *= 2) {
      const plan made = of_size(size);
      EXPECT_TRUE(choices.take(made.strategy)) << to_string(made);
      EXPECT_TRUE(made.strategy == "merged" || made.temporary_bytes == 0) << to_string(made);
    }
    EXPECT_EQ(of_size(1).strategy, "even");
    EXPECT_EQ(of_size(mi).strategy, "merged");
  }
  for (const std::size_t size : {3U, 7U, 12U, 511U, 513U}) EXPECT_EQ(plan_of_every(size).strategy, "merged") << size;
  expect_parts(message_of([] { plan_of_every(12, plus{}, {.strategy = "even"}); }),
               {"segmented_reduce", "strategy", "even", "power of two"});
  expect_parts(message_of([] { plan_of_every(1024, plus{}, {.strategy = "even"}); }),
               {"segmented_reduce", "strategy", "even", "512"});
  expect_parts(message_of([] { plan_of_segments<float, float, std::uint32_t>(mi, 10, plus{}, {.strategy = "even"}); }),
               {"segmented_reduce", "strategy", "even", "every"});
}

/// Not very many items are one launch, whatever their segments; a lane for few items of a segment, a block for many;
/// and where one may be very long, blocks beside that look for it, all of which run at the same time.
TEST(gpu_segmented_reduce_plan, of_few_items_is_one_plain_launch) {
  using segmented_reduce_strategies::per_segment;
  for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{10'000}, std::size_t{60'000}, mi}) {
    for (const std::size_t segments : {std::size_t{1}, std::size_t{7}, n / 100 + 1, n, 2 * n}) {
      if (segments > tuning::each_segments) continue;
      if (n > tuning::each_few_items && n / segments > tuning::each_segment_items) continue;
      for (const device& machine : devices_to_plan_for) {
        const segmented_reduce_problem problem{n, segments, 4, 4, 4};
        ASSERT_EQ(detail::choose_segmented_reduce(problem, machine).strategy, "per_segment") << n << ", " << segments;
        const plan made = detail::plan_of<per_segment>(problem, machine);
        ASSERT_EQ(made.steps.size(), 1U);
        const std::uint64_t lanes = made.get("lanes");
        const std::uint64_t helpers = made.get("helpers");
        ASSERT_GE((made.steps[0].grid - helpers) * made.steps[0].block, segments * lanes);
        ASSERT_TRUE(lanes <= 32 || lanes == made.steps[0].block);
        ASSERT_EQ(helpers != 0, n > tuning::each_alone_items);
        ASSERT_EQ(made.temporary_bytes != 0, helpers != 0);
        ASSERT_LE(helpers, static_cast<std::uint64_t>(machine.sms));
      }
    }
  }
  const auto lanes_of = [](std::size_t n, std::size_t segments) {
    return detail::plan_of<per_segment>(segmented_reduce_problem{n, segments}, device{}).get("lanes");
  };
  EXPECT_EQ(lanes_of(100, 200), 32U);
  EXPECT_EQ(lanes_of(6400, 200), 32U);
  EXPECT_EQ(lanes_of(6400, 3200), 16U);
  EXPECT_EQ(lanes_of(4 * mi, 2 * mi), 1U);
  EXPECT_EQ(lanes_of(60'000, 60), std::uint64_t{tuning::each_threads});
  EXPECT_EQ(lanes_of(60'000, 3), std::uint64_t{tuning::each_most_threads});
  EXPECT_EQ(lanes_of(mi, 300), std::uint64_t{tuning::each_threads});  // which are more than there are processors
  const auto strategy_of = [](std::size_t n, std::size_t segments) {
    return plan_of_segments<float, float, std::uint32_t>(n, segments, plus{}).strategy;
  };
  EXPECT_EQ(strategy_of(2 * mi, 2 * mi / 32), "per_segment");
  EXPECT_EQ(strategy_of(2 * mi, 2 * mi / 20), "merged");
  EXPECT_EQ(strategy_of(2 * mi, 2 * mi / 8), "tiles");
  EXPECT_EQ(strategy_of(2 * mi + 1, 2 * mi / 32), "merged");
}

TEST(gpu_segmented_reduce_plan, of_no_segments_has_no_steps) {
  segmented_reduce_gpu_strategies::for_each([](auto strategy) {
    const plan made = detail::plan_of<decltype(strategy)>(segmented_reduce_problem{mi, 0}, device{});
    EXPECT_EQ(made.steps.size(), 0U) << to_string(made);
    EXPECT_EQ(made.temporary_bytes, 0U);
  });
}

TEST(gpu_segmented_reduce_plan, checked_takes_one_word_more) {
  for (const std::size_t segments : {std::size_t{1}, mi}) {
    const auto bytes = [&](bool checked) {
      const segmented_reduce_problem problem{4 * segments, segments, 4, 4, 4, true, order::stable, checked};
      return std::pair{detail::plan_of<segmented_reduce_strategies::merged>(problem, device{}).temporary_bytes,
                       detail::plan_of<segmented_reduce_strategies::per_segment>(problem, device{}).temporary_bytes};
    };
    EXPECT_EQ(bytes(true).first, bytes(false).first + memory_alignment);
    EXPECT_EQ(bytes(true).second, bytes(false).second + memory_alignment);
  }
}

}  // namespace peneira::test
