// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The plans of the published reductions are pinned for an H200 and some other devices, and so is what they refuse.
#include "peneira/reduce/published.hpp"
#include "peneira/segmented_reduce/published.hpp"
#include "tests/support/common.hpp"
#include "tools/peneira-bench/tune.hpp"

namespace peneira::test {

/// An operator that does not say that it is commutative.
struct last {
  template <class T>
  T operator()(const T& /*a*/, const T& b) const {
    return b;
  }
  template <class T>
  static T identity() {
    return T(0);
  }
};

template <class T, class Result, class Op = max>
plan reduce_plan(std::size_t n, std::string_view strategy, order grouping = order::any, const Op& op = {},
                 const device& machine = {}) {
  return explain(
      [&](auto& on) {
        published::reduce(on, items(static_cast<const T*>(nullptr), n), static_cast<Result*>(nullptr), op,
                          {.grouping = grouping, .strategy = strategy});
      },
      machine);
}

template <class T, class Result, class Op = max>
plan segmented_plan(std::size_t n, std::size_t segments, best_reduce_limits limits = {},
                    const segmented_reduce_options& options = {.grouping = order::any, .strategy = "best_reduce"},
                    const Op& op = {}, const device& machine = {}) {
  return explain(
      [&](auto& on) {
        published::segmented_reduce(on, items(static_cast<const T*>(nullptr), n),
                                    items(static_cast<const std::uint32_t*>(nullptr), segments + 1),
                                    items(static_cast<Result*>(nullptr), segments), op, options, limits);
      },
      machine);
}

TEST(published_reduce, plans_pin_their_grids) {
  reduce_published_strategies::for_each([](auto strategy) {
    const bool vectors = strategy.name == "vector4";
    const std::string_view kernel = vectors ? "reduce_vectors" : "reduce_items";
    const std::size_t together = vectors ? 4 : 1;
    const auto made = [&](std::size_t n) { return reduce_plan<std::uint32_t, std::uint32_t>(n, strategy.name); };
    EXPECT_EQ(made(64 * mi).strategy, strategy.name);
    EXPECT_EQ(made(64 * mi).at(kernel).grid, 264U);
    EXPECT_EQ(made(64 * mi).at(kernel).block, 1024U);
    EXPECT_EQ(made(64 * mi).at("set_result").grid, 1U);
    EXPECT_EQ(made(64 * mi).at("set_result").block, 1U);
    EXPECT_EQ(made(64 * mi).get("items a load"), together);
    EXPECT_EQ(made(64 * mi).temporary_bytes, 0U);
    EXPECT_EQ(made(0).at(kernel).grid, 1U);
    EXPECT_EQ(made(1024 * together).at(kernel).grid, 1U);
    EXPECT_EQ(made(1024 * together + 1).at(kernel).grid, 2U);
  });
  EXPECT_EQ((reduce_plan<std::uint8_t, std::uint64_t>(mi, "vector4").get("items a load")), 16U);
  EXPECT_EQ((reduce_plan<double, double>(mi, "vector4").get("items a load")), 2U);
}

TEST(published_reduce, refuse_what_they_cannot) {
  reduce_published_strategies::for_each([](auto strategy) {
    expect_parts(message_of([&] { reduce_plan<std::uint8_t, std::uint16_t>(mi, strategy.name); }),
                 {"reduce", "strategy", strategy.name, "4 or 8 bytes", "has 2"});
    expect_parts(message_of([&] { reduce_plan<int, int>(mi, strategy.name, order::stable); }),
                 {"reduce", "strategy", strategy.name, "order::any"});
    expect_parts(message_of([&] { reduce_plan<int, int>(mi, strategy.name, order::any, last{}); }),
                 {"reduce", "strategy", strategy.name, "commutative"});
  });
  expect_parts(message_of([] { reduce_plan<int, int>(mi, ""); }),
               {"reduce", "strategy", reduce_published_strategies::names()});
  expect_parts(message_of([] { reduce_plan<int, int>(mi, "persistent"); }),
               {"reduce", "persistent", reduce_published_strategies::names()});
}

TEST(published_reduce, best_reduce_plans_by_its_limits) {
  const plan tuned = segmented_plan<std::uint32_t, std::uint32_t>(32 * mi, mi);
  EXPECT_EQ(tuned.strategy, "best_reduce");
  EXPECT_EQ(tuned.get("warp limit"), 8193U);
  EXPECT_EQ(tuned.get("block limit"), 262145U);
  EXPECT_EQ(tuned.get("listed at most"), 127U);
  EXPECT_EQ(tuned.at("reduce_by_length").grid, 264U);
  EXPECT_EQ(tuned.at("reduce_by_length").block, 1024U);
  EXPECT_EQ(tuned.at("reduce_listed").grid, 264U);
  EXPECT_EQ(tuned.temporary_bytes, 1024U + 256) << to_string(tuned);

  const plan given = segmented_plan<std::uint32_t, std::uint32_t>(32 * mi, 100, {.warp_items = 100});
  EXPECT_EQ(given.get("warp limit"), 100U);
  EXPECT_EQ(given.get("block limit"), 262145U);
  EXPECT_EQ(given.at("reduce_by_length").grid, 100U);
  const plan high = segmented_plan<std::uint32_t, std::uint32_t>(32 * mi, 100, {.warp_items = 1'000'000});
  EXPECT_EQ(high.get("block limit"), 1'000'000U) << "no less than the warp's";
  const plan low = segmented_plan<std::uint32_t, std::uint32_t>(32 * mi, 100, {1000, 1000});
  EXPECT_EQ(low.get("listed at most"), 100U);

  const plan few = segmented_plan<std::uint32_t, std::uint32_t>(262'144, 3);
  EXPECT_EQ(few.get("listed at most"), 0U);
  EXPECT_EQ(few.steps.size(), 1U) << "no segment can be so long";
  EXPECT_EQ(few.temporary_bytes, 0U);
  const plan checked = segmented_plan<std::uint32_t, std::uint32_t>(
      262'144, 3, {}, {.grouping = order::any, .strategy = "best_reduce", .checked = true});
  EXPECT_EQ(checked.temporary_bytes, 256U);
  EXPECT_TRUE((segmented_plan<std::uint32_t, std::uint32_t>(mi, 0).steps.empty()));
}

/// Two blocks fit a processor on every device, and the limits are those that were found for it.
TEST(published_reduce, follow_the_device) {
  struct known {
    int arch;
    std::uint32_t threads;
    std::size_t warp_limit;
    std::size_t block_limit;
  };
  for (const auto& [arch, threads, warp_limit, block_limit] :
       {known{75, 512, 33'000, 500'000}, known{80, 1024, 33'000, 500'000}, known{86, 768, 33'000, 500'000},
        known{89, 768, 33'000, 500'000}, known{90, 1024, 8'193, 262'145}, known{100, 1024, 33'000, 500'000},
        known{120, 768, 33'000, 500'000}}) {
    SCOPED_TRACE(arch);
    EXPECT_LE(tuning::published_blocks_a_processor * threads, tuning::threads_a_processor(arch));
    const device machine{.arch = arch, .sms = 56};
    reduce_published_strategies::for_each([&](auto strategy) {
      const std::size_t together = strategy.name == "vector4" ? 4 : 1;
      const auto made = [&](std::size_t n) {
        return reduce_plan<std::uint32_t, std::uint32_t>(n, strategy.name, order::any, max{}, machine).steps.back();
      };
      EXPECT_EQ(made(64 * mi).block, threads) << strategy.name;
      EXPECT_EQ(made(64 * mi).grid, 112U) << strategy.name;
      EXPECT_EQ(made(threads * together + 1).grid, 2U) << strategy.name;
    });
    const plan segments = segmented_plan<std::uint32_t, std::uint32_t>(
        32 * mi, mi, {}, {.grouping = order::any, .strategy = "best_reduce"}, max{}, machine);
    EXPECT_EQ(segments.at("reduce_by_length").block, threads);
    EXPECT_EQ(segments.at("reduce_listed").block, threads);
    EXPECT_EQ(segments.at("reduce_by_length").grid, 112U);
    EXPECT_EQ(segments.get("warp limit"), warp_limit);
    EXPECT_EQ(segments.get("block limit"), block_limit);
  }
  EXPECT_EQ(tuning::best_reduce_paper_limits.warp_items, tuning::best_reduce_limits(86).warp_items);
  EXPECT_EQ(tuning::best_reduce_paper_limits.block_items, tuning::best_reduce_limits(86).block_items);
}

TEST(published_reduce, best_reduce_refuses_what_it_cannot) {
  const segmented_reduce_options unordered{.grouping = order::any, .strategy = "best_reduce"};
  expect_parts(message_of([&] { segmented_plan<std::uint8_t, std::uint8_t>(mi, 5); }),
               {"segmented_reduce", "strategy", "best_reduce", "4 or 8 bytes", "has 1"});
  expect_parts(message_of([&] { segmented_plan<int, int>(mi, 5, {}, {.strategy = "best_reduce"}); }),
               {"segmented_reduce", "strategy", "best_reduce", "order::any"});
  expect_parts(message_of([&] { segmented_plan<int, int>(mi, 5, {}, unordered, last{}); }),
               {"segmented_reduce", "strategy", "best_reduce", "commutative"});
  expect_parts(message_of([&] { segmented_plan<int, int>(mi, 5, {}, {.grouping = order::any}); }),
               {"segmented_reduce", "strategy", "best_reduce"});
  expect_parts(message_of([&] {
                 segmented_plan<int, int>(mi, 5, {1000, 10});
               }),
               {"segmented_reduce", "best_reduce", "block_items", "1000", "not 10"});
}

/// Sizes ascend; a row has the seconds by warp, block and grid, 0 where it was not measured.
TEST(published_reduce, limits_are_where_the_fastest_changes) {
  using tool::granularity_row;
  const std::vector<granularity_row> rows{{2, {1, 5, 0}},  {4, {1, 5, 0}},  {8, {2, 1, 9}},
                                          {16, {1, 2, 9}}, {32, {9, 1, 5}}, {64, {9, 5, 1}}};
  EXPECT_EQ(tool::find_limits(rows).warp_items, 17U);
  EXPECT_EQ(tool::find_limits(rows).block_items, 33U);
  EXPECT_EQ(tool::find_limits({{8, {2, 1, 3}}}).warp_items, 1U) << "nothing but empty ones";
  EXPECT_EQ(tool::find_limits({{8, {2, 1, 3}}}).block_items, 9U);
  EXPECT_EQ(tool::find_limits({{8, {1, 2, 3}}}).block_items, 9U) << "no less than the warp's";
  EXPECT_EQ(tool::find_limits({}).warp_items, 1U);
}

}  // namespace peneira::test
