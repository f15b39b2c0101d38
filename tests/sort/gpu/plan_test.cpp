// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What sort and argsort will do on an H200 and on smaller devices, without one.
#include <algorithm>
#include <bit>

#include "peneira/sort.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

/// A sort of n promised items.
template <class K, class V = no_value>
plan plan_of_sort(std::size_t n, const sort_options& options = {}, const device& machine = {}) {
  return explain(
      [&](auto& on) {
        sort(on, view<const K, const V>{nullptr, nullptr, n}, view<K, V>{nullptr, nullptr, n}, options);
      },
      machine);
}

/// Calls f.operator()<key, value>() for some types.
template <class F>
void for_some_types(F&& f) {
  f.template operator()<std::uint8_t, no_value>();
  f.template operator()<std::int16_t, no_value>();
  f.template operator()<float, no_value>();
  f.template operator()<std::uint64_t, no_value>();
  f.template operator()<std::uint8_t, std::uint8_t>();
  f.template operator()<std::uint32_t, std::uint32_t>();
  f.template operator()<double, std::uint64_t>();
  f.template operator()<std::uint32_t, bytes16>();
}
template <class K, class V>
constexpr std::size_t item_bytes = sizeof(K) + (view<K, V>::has_values ? sizeof(V) : 0);

/// A plan that a device can launch, or a refusal that says why; an H200 has one for everything. No blocks wait for one
/// another that are not all running.
TEST(gpu_sort_plan, is_there_for_every_problem) {
  for (const device& machine : devices_to_plan_for) {
    const bool h200 = machine.shared_per_block == device{}.shared_per_block;
    for (const std::size_t n : sizes_to_plan({5000, 132 * 512 * 8, 132 * 512 * 40, 3 * mi})) {
      for (const auto& [key, value] :
           {std::pair{1U, 0U}, {2U, 0U}, {4U, 0U}, {8U, 0U}, {1U, 1U}, {4U, 4U}, {8U, 16U}}) {
        for (const order equal_keys : {order::stable, order::any}) {
          const sort_problem problem{n, key, value, 0, 8 * key, equal_keys};
          int taken = 0;
          sort_gpu_strategies::for_each([&](auto strategy) {
            if (!strategy.refuses(problem, machine).empty()) return;
            ++taken;
            const plan made = detail::plan_of<decltype(strategy)>(problem, machine);
            ASSERT_EQ(fault_of(made, machine), "") << strategy.name << ", " << n << "\n" << to_string(made);
            ASSERT_FALSE(made.steps.empty());
          });
          const detail::choice chosen = detail::choose_sort(problem, machine);
          sort_gpu_strategies::with("sort", chosen.strategy, [&](auto strategy) {
            ASSERT_EQ(strategy.refuses(problem, machine).empty(), taken != 0)
                << n << ", " << problem.key_bytes << " + " << problem.value_bytes;
          });
          ASSERT_TRUE(taken != 0 || !h200) << n << ", " << problem.key_bytes << " + " << problem.value_bytes;
        }
      }
    }
  }
}

/// Along the number of items: one launch for few, whose memory is none, then levels, but passes for keys of a byte, and
/// before that for narrow items, of which levels must sort many to be worth a look at them.
TEST(gpu_sort_plan, chooses_by_size_without_return) {
  for_some_types([]<class K, class V>() {
    choices_in_turn choices;
    for (const std::size_t n : sizes_to_plan({65536})) {
      const plan made = plan_of_sort<K, V>(n);
      const bool narrow = sizeof(K) == 4 && item_bytes<K, V> <= 8;
      const bool few = narrow && n <= tuning::sort_few_by_passes(view<K, V>::has_values);
      const bool at_last = narrow && !few && made.strategy == "lsd";  // too many for levels
      ASSERT_TRUE(choices.take(at_last ? "lsd of many" : std::string_view(made.strategy))) << n << to_string(made);
      ASSERT_TRUE(text_says_it_all(made));
      ASSERT_FALSE(made.why.empty());
      ASSERT_EQ(made.strategy == "enumeration" || made.strategy == "cluster", made.temporary_bytes == 0)
          << to_string(made);
      const bool by_levels = n >> detail::sort_task::begin_bits == 0;  // which know where so many items lie
      ASSERT_TRUE(made.strategy != "lsd" || sizeof(K) == 1 || !by_levels || few) << to_string(made);
    }
  });
  EXPECT_EQ(plan_of_sort<std::uint32_t>(1000).strategy, "enumeration");
  EXPECT_EQ(plan_of_sort<std::uint32_t>(65536).strategy, "cluster");
  EXPECT_EQ((plan_of_sort<std::uint32_t>(10000, {}, tuning::device_of_arch(80)).strategy), "lsd") << "no clusters";
  EXPECT_EQ(plan_of_sort<std::uint32_t>(65537).strategy, "lsd");
  EXPECT_EQ(plan_of_sort<std::uint64_t>(65537).strategy, "msd");
  EXPECT_EQ(plan_of_sort<std::uint8_t>(256 * mi).strategy, "lsd");
  EXPECT_EQ(plan_of_sort<float>(8 * mi).strategy, "lsd");
  EXPECT_EQ(plan_of_sort<float>(8 * mi + 1).strategy, "msd");
  EXPECT_EQ((plan_of_sort<float, float>(24 * mi).strategy), "lsd");
  EXPECT_EQ((plan_of_sort<float, float>(24 * mi + 1).strategy), "msd");
  EXPECT_EQ((plan_of_sort<float, double>(3 * mi).strategy), "msd") << "which moves values less often";
  EXPECT_EQ(plan_of_sort<double>(3 * mi).strategy, "msd");
  EXPECT_EQ((plan_of_sort<std::uint64_t, std::uint32_t>(65536).strategy), "msd") << "which looks at few of their bits";
}

/// Every item is placed by one block and by one warp of it, all multiprocessors take part where there are items enough,
/// and no block has more than fits its registers.
TEST(gpu_sort_plan, enumerates_on_all_multiprocessors) {
  using counted = detail::enumeration_shape;
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t n : {1U, 7U, 8U, 9U, 128U, 129U, 1000U, 1057U, 4096U, 5000U, 8192U, 10000U, 12288U}) {
      for (const auto& [key, value] : {std::pair{1U, 0U}, {4U, 0U}, {4U, 4U}, {8U, 0U}, {8U, 16U}}) {
        const sort_problem problem = sort_problem::by_whole_keys(n, key, value);
        if (!sort_strategies::enumeration::refuses(problem, machine).empty()) continue;
        const auto p = sort_strategies::enumeration::decide(problem, machine);
        const std::size_t warps = p.sort.block / 32;
        ASSERT_GE(p.sort.grid * p.of_block, n);
        ASSERT_LT((p.sort.grid - 1) * p.of_block, n) << "a block has nothing to place";
        ASSERT_GE(warps * p.of_warp, p.of_block);
        ASSERT_LE(p.of_warp, counted::more_items);
        ASSERT_LE(warps, counted::most_warps);
        const bool many = n >= static_cast<std::size_t>(machine.sms) * counted::least_items;
        ASSERT_TRUE(!many || 2 * p.sort.grid >= static_cast<std::size_t>(machine.sms)) << n;
      }
    }
  }
}

/// Up to a number of items that grows with the multiprocessors, more of them where other ways have more to move.
TEST(gpu_sort_plan, enumerates_up_to_a_limit) {
  const auto limit_of = []<class K, class V>(const device& machine) {
    const std::size_t most = sort_strategies::enumeration::most_items(
        sort_problem::by_whole_keys(0, sizeof(K), item_bytes<K, V> - sizeof(K)), machine);
    EXPECT_EQ((plan_of_sort<K, V>(most, {}, machine).strategy), "enumeration");
    EXPECT_NE((plan_of_sort<K, V>(most + 1, {}, machine).strategy), "enumeration");
    return most;
  };
  const device fewer = tuning::device_of_arch(80);
  std::size_t before = 0;
  for (const device& machine : {fewer, device{}}) {
    const std::size_t keys = limit_of.operator()<float, no_value>(machine);
    const std::size_t pairs = limit_of.operator()<float, float>(machine);
    EXPECT_LT(before, keys);
    EXPECT_LT(keys, pairs);
    EXPECT_EQ(pairs, (limit_of.operator()<double, std::uint64_t>(machine)));
    EXPECT_GT(keys, (limit_of.operator()<std::uint8_t, no_value>(machine))) << "which are one pass to others";
    before = keys;
  }
  EXPECT_EQ((plan_of_sort<std::uint32_t>(3000, {.first_bit = 4}).strategy), "enumeration") << "some bits alone";
}

/// In place, the items are copied first, unless one block has read all of them before it writes.
TEST(gpu_sort_plan, enumerates_in_place_beside_a_copy) {
  for (const std::size_t n :
       {1UL, 100UL, tuning::enumerated_by_one_block, tuning::enumerated_by_one_block + 1, 5000UL}) {
    sort_problem problem = sort_problem::by_whole_keys(n, 4, 8);
    problem.in_place = true;
    const plan made = detail::plan_of<sort_strategies::enumeration>(problem, device{});
    const bool alone = n <= tuning::enumerated_by_one_block;
    EXPECT_EQ(made.has("copy_unsorted"), !alone) << to_string(made);
    EXPECT_EQ(
        made.temporary_bytes,
        alone ? 0 : detail::workspace::footprint<std::uint32_t>(n) + detail::workspace::footprint<std::uint64_t>(n));
    EXPECT_TRUE(!alone || made.steps[0].grid == 1) << to_string(made);
  }
}

/// Levels split by 8 bits at most, by 9 where there is but one, until what is left is a task's or the key is used up;
/// others are there for keys that agree in their highest bits, unless passes take those.
TEST(gpu_sort_plan, has_the_levels_that_the_keys_need) {
  for (const std::size_t n : {std::size_t{10000}, mi, 16 * mi, 256 * mi, 5000 * mi}) {
    for_some_types([n]<class K, class V>() {
      const plan made = plan_of_sort<K, V>(n, {.strategy = "msd"});
      const std::uint64_t bits = made.get("expected") * made.get("digit bits");
      EXPECT_LE(made.get("digit bits"), made.get("expected") == 1 ? 9U : 8U) << to_string(made);
      EXPECT_TRUE(bits >= 8 * sizeof(K) || n >> bits <= made.get("task")) << to_string(made);
      const std::uint64_t further = made.get("levels") - made.get("expected");
      EXPECT_TRUE(made.get("decides") != 0 || bits + tuning::further_level_bits * further >= 8 * sizeof(K))
          << to_string(made);
    });
  }
}

/// Whoever sorts by levels knows when passes are better: from a sample of many keys, or from what one level counts; but
/// not where the device has no room for either.
TEST(gpu_sort_plan, looks_at_the_keys_first) {
  for_some_types([]<class K, class V>() {
    choices_in_turn surveys;
    for (const std::size_t n : sizes_to_plan({65536, 3 * mi})) {
      if (n <= 1000 || n > 4096 * mi) continue;
      const plan made = plan_of_sort<K, V>(n, {.strategy = "msd"});
      const bool surveyed = made.has("survey_keys");
      ASSERT_TRUE(surveys.take(surveyed ? "survey" : "none")) << n << "\n" << to_string(made);
      ASSERT_TRUE(!surveyed || made.steps[0].name == "survey_keys");
      ASSERT_FALSE(surveyed && made.get("decides") == 1) << to_string(made);
      ASSERT_TRUE(made.get("decides") == 0 || made.get("levels") == 1) << to_string(made);
      const bool passes = made.has("sort_by_rows") || made.has("sort_by_passes") || made.has("sort_by_tiles");
      ASSERT_EQ(passes, surveyed || made.get("decides") == 1) << n << "\n" << to_string(made);
    }
  });
  const plan narrow = plan_of_sort<std::uint64_t>(64 * mi, {}, {.shared_per_block = 99 * 1024});
  EXPECT_FALSE(narrow.has("survey_keys")) << to_string(narrow);
  EXPECT_GT(narrow.get("levels"), narrow.get("expected")) << to_string(narrow);
}

/// A sample of which so many keys crowd, are moved by further levels, or hot, with fifty copies each, or have no copy;
/// and pairs that such a level finds together and leaves so.
detail::survey_counts seen(std::uint32_t crowded, std::uint32_t moved, std::uint32_t hot, std::uint32_t single,
                           std::uint32_t before = 0, std::uint32_t after = 0) {
  detail::survey_counts found{};
  found.crowded = crowded;
  found.moved = moved;
  found.hot = hot;
  found.single = single;
  found.equal = single + 50 * hot;
  found.before = before;
  found.after = after;
  return found;
}

/// What a survey makes of its sample: levels where keys are spread, passes where they crowd so deep that each further
/// level moves them, or where hot keys lie among others; levels again where keys are so wide that passes take longer.
TEST(gpu_sort_plan, weighs_what_the_sample_shows) {
  const auto upwards = [](const sort_problem& problem, const detail::survey_counts& found) {
    const detail::sort_survey survey = sort_strategies::msd::survey_of(sort_strategies::msd::decide(problem, device{}));
    const auto sample = static_cast<std::uint32_t>(survey.keys_a_thread * detail::survey_threads);
    const auto digits = static_cast<std::uint32_t>(problem.key_bytes);
    return detail::goes_upwards(found, survey, sample, ~std::uint64_t{0}, digits);
  };
  for (const std::size_t n : {16 * mi, 64 * mi, 256 * mi}) {
    const sort_problem keys = sort_problem::by_whole_keys(n, 4, 0);
    const sort_problem wide = sort_problem::by_whole_keys(n, 8, 0);
    EXPECT_FALSE(upwards(keys, seen(0, 0, 0, 4096)));
    EXPECT_FALSE(upwards(wide, seen(0, 0, 0, 4096)));
    EXPECT_TRUE(upwards(keys, seen(4096, 8192, 0, 4096))) << n;
    EXPECT_FALSE(upwards(wide, seen(4096, 4096, 0, 4096))) << n;
    EXPECT_FALSE(upwards(wide, seen(4096, 8192, 0, 4096, 64000, 1000))) << n;
    EXPECT_TRUE(upwards(keys, seen(0, 0, 2000, 2000))) << n << ": they lie among others";
    EXPECT_FALSE(upwards(keys, seen(0, 0, 4096, 0))) << n << ": there are no others";
  }
  const sort_problem few = sort_problem::by_whole_keys(3 * mi, 8, 0);
  EXPECT_TRUE(upwards(few, seen(2048, 6144, 0, 2048))) << "each level takes a while";
  const sort_problem wide = sort_problem::by_whole_keys(10 * mi, 8, 0);
  const detail::survey_counts even = seen(2048, 2048, 0, 2048, 64000, 1000);
  const detail::survey_counts uneven = seen(2048, 2048, 0, 2048, 64000, 32000);
  EXPECT_FALSE(upwards(wide, even));
  EXPECT_TRUE(upwards(wide, uneven)) << "tasks have few different bits left";
}

/// Keys alone are split by all levels in one launch, pairs by launches for each expected level, of which only
/// order::any gives up the order.
TEST(gpu_sort_plan, splits_keys_in_one_launch) {
  for (const std::size_t n : {mi, 16 * mi, 256 * mi}) {
    const plan keys = plan_of_sort<std::uint32_t>(n, {.strategy = "msd"});
    EXPECT_TRUE(keys.has("split_further") && !keys.has("count_segments")) << to_string(keys);
    for (const order equal_keys : {order::stable, order::any}) {
      const plan pairs = plan_of_sort<std::uint32_t, std::uint32_t>(n, {.equal_keys = equal_keys, .strategy = "msd"});
      EXPECT_TRUE(pairs.has("count_segments")) << to_string(pairs);
      EXPECT_TRUE(equal_keys == order::any || (pairs.get("keep order") == 1 && pairs.get("cursors") == 0));
    }
  }
}

/// A copy of the items, and little beside: lists of segments and their counts, which are of 64 bits where there are
/// more than 2^32 items.
TEST(gpu_sort_plan, takes_little_more_than_a_copy_of_the_items) {
  for (const std::size_t n : {64 * mi, 256 * mi, 1024 * mi, 5000 * mi}) {
    for_some_types([n]<class K, class V>() {
      constexpr std::size_t each = item_bytes<K, V>;
      const double most = n > 0xFFFFFFFFU ? 1.05 : 1.035;
      for (const order equal_keys : {order::stable, order::any}) {
        const plan made = plan_of_sort<K, V>(n, {.equal_keys = equal_keys});
        EXPECT_TRUE(sizeof(K) == 1 || made.temporary_bytes >= n * each) << to_string(made);  // a byte takes one pass
        if (each < 4) continue;  // the lists weigh more beside so little
        EXPECT_LE(static_cast<double>(made.temporary_bytes), most * static_cast<double>(n * each))
            << each << " bytes an item\n"
            << to_string(made);
      }
    });
  }
}

/// Temporary bytes of cub::DeviceRadixSort on an H200, called with sizes of 64 bits: a copy, the counts of all digits,
/// a row of counts a tile, and 511 bytes to align them. CUB 3.0 of CUDA 13.0, whose tiles these are.
template <class K, class V>
std::size_t bytes_of_cub(std::size_t n) {
  constexpr std::size_t tile = !view<K, V>::has_values ? (sizeof(K) == 4 ? 7296 : 5760)
                               : sizeof(K) == 4        ? (sizeof(V) == 4 ? 6528 : 5376)
                                                       : (sizeof(V) == 4 ? 5760 : 4608);
  constexpr std::size_t bins = 256;
  const std::size_t portions = n / (((std::size_t{1} << 28U) - 1) / tile * tile) + 1;
  const std::size_t tiles = (std::min(n, ((std::size_t{1} << 28U) - 1) / tile * tile) + tile - 1) / tile;
  return detail::workspace::round_up(n * sizeof(K)) +
         detail::workspace::round_up(n * item_bytes<K, V> - n * sizeof(K)) +
         portions * sizeof(K) * bins * sizeof(std::uint64_t) + tiles * bins * sizeof(std::uint32_t) + 511;
}

/// Whatever the size, types and order: CUB's bytes are as the result files of the benchmark have them.
TEST(gpu_sort_plan, takes_no_more_memory_than_cub) {
  EXPECT_EQ((bytes_of_cub<std::uint32_t, no_value>(mi)), 4350463U);
  EXPECT_EQ((bytes_of_cub<std::uint64_t, no_value>(16 * mi)), 137217535U);
  EXPECT_EQ((bytes_of_cub<std::uint32_t, std::uint32_t>(256 * mi)), 2189607423U);
  EXPECT_EQ((bytes_of_cub<std::uint64_t, std::uint64_t>(mi)), 17027583U);
  const auto compare = []<class K, class V>() {
    for (std::size_t n = 5000; n < 300 * mi; n += n / 7) {
      for (const std::size_t near : {n, std::bit_floor(n)}) {
        for (const order equal_keys : {order::stable, order::any}) {
          const plan made = plan_of_sort<K, V>(near, {.equal_keys = equal_keys});
          EXPECT_LE(made.temporary_bytes, (bytes_of_cub<K, V>(near))) << near << " items\n" << to_string(made);
        }
      }
    }
  };
  compare.operator()<float, no_value>();
  compare.operator()<std::uint64_t, no_value>();
  compare.operator()<std::uint32_t, std::uint32_t>();
  compare.operator()<std::uint32_t, std::uint64_t>();
  compare.operator()<std::uint64_t, std::uint32_t>();
  compare.operator()<double, std::uint64_t>();
}

TEST(gpu_sort_plan, says_no) {
  const auto error_of = [](const sort_options& options) {
    return message_of([&] { plan_of_sort<std::uint32_t>(1000, options); });
  };
  expect_parts(error_of({.strategy = "by_hand"}), {"sort", "strategy", "by_hand", sort_gpu_strategies::names()});
  expect_parts(error_of({.strategy = "sequential"}), {"sort", "strategy", "sequential"});
  expect_parts(error_of({.last_bit = 33}), {"sort", "last_bit", "33", "32"});
  expect_parts(error_of({.first_bit = 32}), {"sort", "first_bit", "32"});
  expect_parts(error_of({.first_bit = 9, .last_bit = 9}), {"sort", "first_bit", "9", "last_bit"});
  expect_parts(error_of({.first_bit = 1, .strategy = "msd"}), {"sort", "msd", "whole keys"});
}

/// The positions first, then the sort of pairs; its memory, and a copy of keys and positions.
TEST(gpu_sort_plan, argsort_is_a_sort_of_pairs) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, 64 * mi}) {
    const plan made = explain(
        [&](auto& on) {
          argsort(on, items(static_cast<const float*>(nullptr), n), items(static_cast<std::uint64_t*>(nullptr), n));
        },
        device{});
    const plan pairs = plan_of_sort<float, std::uint64_t>(n);
    EXPECT_EQ(made.strategy, pairs.strategy);
    ASSERT_EQ(made.steps.size(), pairs.steps.size() + 1);
    EXPECT_EQ(made.steps[0].name, "number_items");
    EXPECT_EQ(made.steps[1].name, pairs.steps[0].name);
    EXPECT_EQ(made.temporary_bytes, pairs.temporary_bytes + detail::workspace::footprint<float>(n) +
                                        detail::workspace::footprint<std::uint64_t>(n));
  }
}

}  // namespace peneira::test
