// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What reduce and segmented_reduce will launch on an H200, without one.
#include "peneira/reduce.hpp"
#include "peneira/segmented_reduce.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

constexpr device h200{.arch = 90, .sms = 132};

/// A reduce of n promised items.
template <class T, class Result, class Op>
plan plan_of_reduce(std::size_t n, const Op& op, std::string_view strategy = {}) {
  return explain(
      [&](auto& on) {
        reduce(on, items(static_cast<const T*>(nullptr), n), static_cast<Result*>(nullptr), op, {.strategy = strategy});
      },
      h200);
}

/// A segmented reduce of n promised items in so many segments.
template <class T, class Result, class Offset, class Op>
plan plan_of_segments(std::size_t n, std::size_t segments, const Op& op, const segmented_reduce_options& options = {}) {
  return explain(
      [&](auto& on) {
        segmented_reduce(on, items(static_cast<const T*>(nullptr), n),
                         items(static_cast<const Offset*>(nullptr), segments + 1),
                         items(static_cast<Result*>(nullptr), segments), op, options);
      },
      h200);
}

struct expected_launch {
  std::size_t n;
  std::size_t segments;
  std::uint64_t grid;
  std::size_t temporary_bytes;
};

TEST(gpu_reduce_plan, is_pinned) {
  for (const auto& [n, none, grid, temporary_bytes] :
       {expected_launch{0, 0, 1, 0}, expected_launch{1, 0, 1, 0}, expected_launch{4096, 0, 1, 0},
        expected_launch{16384, 0, 1, 0}, expected_launch{16385, 0, 10, 256}, expected_launch{mi, 0, 129, 2048},
        expected_launch{mi + 1, 0, 514, 8448}, expected_launch{64 * mi, 0, 528, 8448},
        expected_launch{512 * mi, 0, 528, 8448}}) {
    const plan made = plan_of_reduce<std::uint32_t, std::uint32_t>(n, max{});
    EXPECT_EQ(made.primitive, "reduce");
    EXPECT_EQ(made.place, "gpu");
    EXPECT_EQ(made.strategy, "persistent");
    EXPECT_FALSE(made.why.empty());
    ASSERT_EQ(made.steps.size(), 1U);
    EXPECT_EQ(made.steps[0].name, grid == 1 ? "reduce_tile" : n <= mi ? "reduce_rows" : "reduce_tiles");
    EXPECT_EQ(made.steps[0].grid, grid) << n << "\n" << to_string(made);
    EXPECT_EQ(made.steps[0].block, n <= 4096 ? 256U : n <= 16384 ? 1024U : n <= mi ? 128U : 512U);
    EXPECT_EQ(made.steps[0].shared, 0U);
    EXPECT_EQ(made.temporary_bytes, temporary_bytes) << n << "\n" << to_string(made);
  }
}

/// Threads have all of their loads under way at once where that is enough, and else as many as leave work for all
/// processors.
TEST(gpu_reduce_plan, shares_out_what_there_is) {
  const auto loads = [](std::size_t n) { return plan_of_reduce<float, float>(n, plus{}).get("loads"); };
  constexpr std::size_t rows = std::size_t{128} * 128 * 4;  // items of one row, of as many blocks as wait for none
  EXPECT_EQ(loads(20000), 4U);
  EXPECT_EQ(loads(4 * rows), 4U);
  EXPECT_EQ(loads(4 * rows + 1), 8U);
  EXPECT_EQ(loads(8 * rows), 8U);
  EXPECT_EQ(loads(8 * rows + 1), 16U);
  EXPECT_EQ(loads(16 * rows), 16U);
  EXPECT_EQ(loads(16 * rows + 1), 1U);
  EXPECT_EQ(loads(512 * mi), 4U);
  EXPECT_EQ((plan_of_reduce<std::uint8_t, std::uint8_t>(2 * mi, max{}).get("loads")), 8U);  // less code for many items
  for (std::size_t n = 16385; n < 4 * mi; n = n * 9 / 8) {
    const plan made = plan_of_reduce<float, float>(n, plus{});
    EXPECT_GE((made.steps[0].grid - 1) * made.get("tile"), n) << to_string(made);
    EXPECT_LT((made.steps[0].grid - 2) * made.get("tile"), n) << to_string(made);
  }
}

/// Nobody asks whether a group of a row is there, but for the last row, wherever the groups begin.
TEST(gpu_reduce_plan, has_full_rows_before_the_last) {
  for (const int sms : {2, 20, 40, 132, 200}) {
    for (const std::size_t item : {1U, 2U, 3U, 4U, 8U, 12U, 16U}) {
      const std::size_t group = 16 % item == 0 ? 16 / item : 1;
      for (std::size_t n = 1; n < 5 * mi; n += n / 16 + 1) {
        const plan made =
            detail::plan_of<reduce_strategies::persistent>(reduce_problem{n, item, 8}, device{.arch = 90, .sms = sms});
        if (made.steps[0].name != "reduce_rows") continue;
        const std::size_t threads = (made.steps[0].grid - 1) * made.steps[0].block;
        ASSERT_LE(made.steps[0].grid, std::size_t{129}) << to_string(made);
        ASSERT_LE(made.steps[0].grid, static_cast<std::size_t>(sms)) << to_string(made);
        ASSERT_LE((made.get("loads") - 1) * threads, (n - 2 * (group - 1)) / group) << n << "\n" << to_string(made);
        ASSERT_GE(made.get("loads") * threads * group, n) << to_string(made);
      }
    }
  }
}

/// An operator that does not say that it is commutative.
TEST(gpu_reduce_plan, keeps_the_order_for_those_who_need_it) {
  const plan made = plan_of_reduce<affine, affine>(64 * mi, then{});
  EXPECT_EQ(made.strategy, "ordered") << to_string(made);
  EXPECT_EQ(made.at("reduce_segments").block, 320U);
  expect_parts(message_of([&] { plan_of_reduce<affine, affine>(64 * mi, then{}, "persistent"); }),
               {"reduce", "strategy", "persistent", "commutative"});
  expect_parts(message_of([&] { plan_of_reduce<std::uint32_t, std::uint32_t>(mi, plus{}, "ordered"); }),
               {"reduce", "strategy", "ordered", "commutative"});
}

TEST(gpu_segmented_reduce_plan, is_pinned) {
  for (const auto& [n, segments, grid, temporary_bytes] :
       {expected_launch{0, 1, 1, 0}, expected_launch{1000, 10, 1, 0}, expected_launch{4092, 1, 1, 0},
        expected_launch{4093, 1, 3, 256}, expected_launch{mi, 1000, 258, 24832},
        expected_launch{32 * mi, 2, 264, 25344}, expected_launch{32 * mi, mi, 264, 25344}}) {
    const plan made = plan_of_segments<std::uint32_t, std::uint32_t, std::uint32_t>(n, segments, max{});
    EXPECT_EQ(made.primitive, "segmented_reduce");
    EXPECT_EQ(made.place, "gpu");
    EXPECT_EQ(made.strategy, "merged");
    EXPECT_FALSE(made.why.empty());
    ASSERT_EQ(made.steps.size(), 1U);
    const step& launched = made.at("reduce_segments");
    EXPECT_EQ(launched.grid, grid) << n << ", " << segments << "\n" << to_string(made);
    EXPECT_EQ(launched.block, 320U);
    EXPECT_EQ(launched.shared, 67840U) << to_string(made);
    EXPECT_EQ(made.temporary_bytes, temporary_bytes) << n << ", " << segments << "\n" << to_string(made);
  }
}

template <class Op = plus>
plan plan_of_every(std::size_t size, const Op& op = {}, const segmented_reduce_options& options = {}) {
  return explain(
      [&](auto& on) {
        segmented_reduce(on, items(static_cast<const float*>(nullptr), 32 * mi), every{size},
                         items(static_cast<float*>(nullptr), 32 * mi), op, options);
      },
      h200);
}

/// Short ones on average, whatever they are like.
TEST(gpu_segmented_reduce_plan, of_short_segments_is_tiles) {
  struct short_segments {
    std::size_t n, segments, tile, room, shared, chunks;
  };
  for (const short_segments& e :
       {short_segments{32 * mi, 16 * mi, 1024, 2496, 14336, 4096},
        short_segments{32 * mi, 4 * mi, 256, 2880, 12800, 4096},
        short_segments{32 * mi, 2 * mi, 128, 3168, 13440, 4096}, short_segments{0, 16 * mi, 1024, 64, 4608, 0}}) {
    const plan made = plan_of_segments<std::uint32_t, std::uint32_t, std::uint32_t>(e.n, e.segments, max{});
    EXPECT_EQ(made.strategy, "tiles") << to_string(made);
    EXPECT_FALSE(made.why.empty());
    ASSERT_EQ(made.steps.size(), 2U);
    EXPECT_EQ(made.get("segments"), e.tile) << to_string(made);
    EXPECT_EQ(made.get("room"), e.room) << to_string(made);
    EXPECT_EQ(made.at("reduce_tiles").grid, 16384U) << to_string(made);
    EXPECT_EQ(made.at("reduce_tiles").block, 128U);
    EXPECT_EQ(made.at("reduce_tiles").shared, e.shared) << to_string(made);
    EXPECT_EQ(made.at("reduce_leftovers").grid, 264U) << to_string(made);
    EXPECT_EQ(made.get("chunk"), 8192U) << to_string(made);
    EXPECT_EQ(made.temporary_bytes, 25344U + 10 * memory_alignment + e.chunks * 4) << to_string(made);
  }
  const auto chunk_of = [](std::size_t n, const auto& op) {
    return plan_of_segments<std::uint32_t, std::uint32_t, std::uint32_t>(n, n / 8, op).get("chunk");
  };
  EXPECT_EQ(chunk_of(256 * mi, max{}), 65536U);
  EXPECT_EQ(chunk_of(8 * mi, max{}), 0U);  // most blocks would be done before it is known that there are chunks
  const auto strategy_of = [](std::size_t n, std::size_t segments) {
    return plan_of_segments<float, double, std::uint64_t>(n, segments, plus{}).strategy;
  };
  EXPECT_EQ(strategy_of(16 * mi, mi), "tiles");
  EXPECT_EQ(strategy_of(16 * mi + 1, mi), "merged");
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

/// An operator that does not say that it is commutative.
struct second {
  PENEIRA_HD float operator()(float /*a*/, float b) const { return b; }
  template <class T>
  PENEIRA_HD static T identity() {
    return 0;
  }
};

/// Small powers of two, which lie within one load of a warp.
TEST(gpu_segmented_reduce_plan, of_one_small_size_is_even) {
  for (const std::size_t size : {1, 2, 4, 8, 64, 128, 256, 512}) {
    const plan made = plan_of_every(size);
    EXPECT_EQ(made.strategy, "even") << to_string(made);
    EXPECT_EQ(made.at("reduce_even").grid, 3U * 132U) << to_string(made);
    EXPECT_EQ(made.temporary_bytes, 0U);
    EXPECT_EQ(plan_of_every(size, second{}).strategy, size <= 128 ? "even" : "merged") << size;
  }
  for (const std::size_t size : {3U, 7U, 12U, 511U, 513U, 1024U}) {
    EXPECT_EQ(plan_of_every(size).strategy, "merged") << size;
  }
  expect_parts(message_of([] { plan_of_every(12, plus{}, {.strategy = "even"}); }),
               {"segmented_reduce", "strategy", "even", "power of two"});
  expect_parts(message_of([] { plan_of_every(1024, plus{}, {.strategy = "even"}); }),
               {"segmented_reduce", "strategy", "even", "512"});
  expect_parts(message_of([] { plan_of_segments<float, float, std::uint32_t>(mi, 10, plus{}, {.strategy = "even"}); }),
               {"segmented_reduce", "strategy", "even", "every"});
}

TEST(gpu_segmented_reduce_plan, takes_operators_that_do_not_commute) {
  const plan made = plan_of_segments<bytes3, ends, std::uint64_t>(32 * mi, 1000, both_ends{});
  EXPECT_EQ(made.strategy, "merged") << to_string(made);
  EXPECT_LE(made.at("reduce_segments").grid, 2U * 132U);
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
      return detail::plan_of<segmented_reduce_strategies::merged>(problem, device{}).temporary_bytes;
    };
    EXPECT_EQ(bytes(true), bytes(false) + memory_alignment);
  }
}

/// Every size of items, results and offsets, on devices of every kind.
TEST(gpu_segmented_reduce_plan, asks_for_no_more_shared_memory_than_there_is) {
  for (const std::size_t kib : {48, 64, 99, 163, 227}) {
    const device machine{.shared_per_block = kib * 1024, .shared_per_sm = (kib + 1) * 1024};
    for (std::size_t item = 1; item <= 16; ++item) {
      for (std::size_t result = 1; result <= 32; ++result) {
        for (const std::size_t offset : {0, 4, 8}) {
          const segmented_reduce_problem problem{32 * mi, mi, item, result, offset};
          ASSERT_EQ(segmented_reduce_strategies::merged::refuses(problem, machine), "");
          const plan made = detail::plan_of<segmented_reduce_strategies::merged>(problem, machine);
          ASSERT_LE(made.steps[0].shared + 4096, machine.shared_per_block) << item << " -> " << result << " bytes\n"
                                                                           << to_string(made);
          ASSERT_GE(made.get("sharers"), kib == 227 ? 10U : 3U);
          ASSERT_GE(made.steps[0].grid, 2U);
        }
      }
    }
  }
}

/// All blocks are resident at once, so that equal shares end together and none waits for a second round.
TEST(gpu_segmented_reduce_plan, has_no_more_blocks_than_fit_at_once) {
  segmented_reduce_gpu_strategies::for_each([](auto strategy) {
    for (const std::size_t item : {1U, 3U, 4U, 16U}) {
      for (const std::size_t result : {1U, 4U, 24U, 32U}) {
        const plan made =
            detail::plan_of<decltype(strategy)>(segmented_reduce_problem{1024 * mi, mi, item, result, 8}, h200);
        for (const step& launched : made.steps) {
          if (launched.name == "reduce_tiles") continue;  // whose blocks end early and make room
          const std::size_t fit = h200.shared_per_sm / (launched.shared + 1024);
          EXPECT_LE(launched.grid, fit * static_cast<std::size_t>(h200.sms)) << to_string(made);
          EXPECT_LE(launched.grid * launched.block, std::size_t{2048} * static_cast<std::size_t>(h200.sms));
        }
      }
    }
  });
}

}  // namespace peneira::test
