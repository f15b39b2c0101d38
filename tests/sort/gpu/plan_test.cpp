// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What sort and argsort will do on an H200 and on smaller devices, without one.
#include <algorithm>
#include <bit>

#include "peneira/sort.hpp"
#include "tests/support/common.hpp"

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

/// By the automatic choice.
TEST(gpu_sort_plan, says_what_will_run) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{10000}, mi, 256 * mi, 5000 * mi}) {
    for_some_types([n]<class K, class V>() {
      const plan made = plan_of_sort<K, V>(n);
      EXPECT_EQ(made.primitive, "sort");
      EXPECT_EQ(made.place, "gpu");
      EXPECT_NE(sort_gpu_strategies::names().find(made.strategy), std::string::npos);
      EXPECT_FALSE(made.why.empty());
      ASSERT_FALSE(made.steps.empty());
      for (const step& s : made.steps) {
        EXPECT_GE(s.grid, 1U) << to_string(made);
        EXPECT_GE(s.block, 32U) << to_string(made);
        EXPECT_LE(s.block, 1024U) << to_string(made);
      }
    });
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
  EXPECT_EQ(plan_of_sort<std::uint32_t>(256 * mi, {.strategy = "msd"}).get("expected"), 2U);
  EXPECT_EQ(plan_of_sort<std::uint8_t>(256 * mi, {.strategy = "msd"}).get("levels"), 1U);
  EXPECT_EQ(plan_of_sort<std::uint64_t>(256 * mi, {.strategy = "msd"}).get("levels"), 10U);
}

/// Many items are surveyed first, and may be sorted from the lowest digit up. So may those for which one level is
/// enough, whose counts tell whether to.
TEST(gpu_sort_plan, looks_at_a_sample_of_many_keys) {
  for_some_types([]<class K, class V>() {
    const bool by_tiles = sizeof(K) == 8 || view<K, V>::has_values;
    const std::string_view upwards = by_tiles ? "sort_by_tiles" : "sort_by_passes";
    for (const std::size_t n : {3 * mi, 64 * mi}) {
      if (sizeof(K) == 1) continue;
      const plan many = plan_of_sort<K, V>(n, {.strategy = "msd"});
      EXPECT_EQ(many.steps[0].name, "survey_keys") << to_string(many);
      EXPECT_EQ(many.get("decides"), 0U) << to_string(many);
      EXPECT_TRUE(many.has(upwards)) << to_string(many);
      EXPECT_TRUE((plan_of_sort<K, V>(n, {.strategy = "lsd"}).has(upwards)));
    }
    for (const std::size_t n : {std::size_t{1000}, std::size_t{65537}, mi}) {
      if (sizeof(V) > 8) continue;
      const plan few = plan_of_sort<K, V>(n, {.strategy = "msd"});
      EXPECT_FALSE(few.has("survey_keys")) << to_string(few);
      EXPECT_EQ(few.get("decides"), 1U) << to_string(few);
      EXPECT_EQ(few.get("levels"), 1U) << to_string(few);
      EXPECT_TRUE(few.has("sort_by_rows")) << to_string(few);
    }
  });
}

/// The fewest items of a thread that give each block its tile; more items are left to others.
TEST(gpu_sort_plan, gives_each_block_one_tile_of_few_items) {
  const auto tile_of = []<class K, class V>(std::size_t n) -> std::uint64_t {
    const plan made = plan_of_sort<K, V>(n, {.strategy = "lsd"});
    if (!made.has("sort_by_rows")) return 0;
    EXPECT_LE(made.at("sort_by_rows").grid, 132U) << to_string(made);
    EXPECT_GE(made.at("sort_by_rows").grid * made.get("tile of passes"), n) << to_string(made);
    EXPECT_TRUE(made.at("sort_by_rows").at_once);
    return made.get("tile of passes");
  };
  constexpr std::size_t blocks = 132;
  for (const std::size_t items : {8U, 16U, 24U, 32U}) {
    EXPECT_EQ((tile_of.operator()<std::uint32_t, std::uint32_t>(blocks * 512 * items)), 512 * items);
  }
  EXPECT_EQ((tile_of.operator()<std::uint32_t, no_value>(blocks * 512 * 8 + 1)), 512U * 16);
  EXPECT_EQ((tile_of.operator()<std::uint32_t, no_value>(blocks * 512 * 40)), 512U * 40);
  EXPECT_EQ((tile_of.operator()<std::uint32_t, no_value>(blocks * 512 * 40 + 1)), 0U);
  EXPECT_EQ((tile_of.operator()<std::uint32_t, std::uint32_t>(blocks * 512 * 32 + 1)), 0U);
  for (const std::size_t items : {8U, 12U, 16U}) {
    EXPECT_EQ((tile_of.operator()<std::uint64_t, std::uint64_t>(blocks * 512 * items)), 512 * items);
    EXPECT_EQ((tile_of.operator()<std::uint64_t, no_value>(blocks * 512 * items)), 512 * items);
  }
  EXPECT_EQ((tile_of.operator()<std::uint64_t, no_value>(blocks * 512 * 16 + 1)), 0U);
}

/// Keys of a byte take one pass, and no copy unless in place.
TEST(gpu_sort_plan, sorts_bytes_by_one_pass) {
  const plan made = plan_of_sort<std::uint8_t, std::uint32_t>(mi);
  EXPECT_EQ(made.strategy, "lsd");
  EXPECT_EQ(made.get("passes"), 1U);
  EXPECT_LT(made.temporary_bytes, mi);
}

/// Keys alone are split by all levels in one launch, pairs by launches for each expected level. Where the order of
/// equal keys does not count and bins are many, tiles take their room one after the other.
TEST(gpu_sort_plan, splits_keys_in_one_launch) {
  const plan keys = plan_of_sort<std::uint32_t>(256 * mi);
  EXPECT_TRUE(keys.has("split_further")) << to_string(keys);
  EXPECT_FALSE(keys.has("count_segments")) << to_string(keys);
  EXPECT_EQ(keys.get("cursors"), 1U);
  EXPECT_EQ(plan_of_sort<std::uint32_t>(16 * mi).get("cursors"), 0U);
  EXPECT_TRUE(plan_of_sort<std::uint8_t>(mi, {.strategy = "msd"}).has("split_further"));
  const plan pairs = plan_of_sort<std::uint32_t, std::uint32_t>(256 * mi);
  EXPECT_TRUE(pairs.has("count_segments") && pairs.has("split_further")) << to_string(pairs);
  EXPECT_EQ(pairs.get("cursors"), 0U);
  EXPECT_EQ(pairs.get("keep order"), 1U);
  const plan unordered = plan_of_sort<std::uint32_t, std::uint32_t>(256 * mi, {.equal_keys = order::any});
  EXPECT_EQ(unordered.get("cursors"), 1U);
  EXPECT_EQ(unordered.get("ordered tiles"), 1U);
  EXPECT_EQ(unordered.get("keep order"), 0U);
}

/// Few pairs with keys of 8 bytes take levels, which look at but few of their bits; others take the cluster.
TEST(gpu_sort_plan, takes_levels_for_few_pairs_with_keys_of_8_bytes) {
  for (const std::size_t n : {tuning::sort_few_by_levels, std::size_t{65536}}) {
    const plan made = plan_of_sort<std::uint64_t, std::uint32_t>(n);
    EXPECT_EQ(made.strategy, "msd");
    EXPECT_EQ(made.get("decides"), 1U) << to_string(made);
    EXPECT_EQ((plan_of_sort<std::uint32_t, std::uint32_t>(n).strategy), "cluster");
  }
  EXPECT_EQ((plan_of_sort<std::uint64_t, std::uint32_t>(tuning::sort_few_by_levels - 1).strategy), "cluster");
}

/// Devices without room for the survey do without.
TEST(gpu_sort_plan, needs_no_survey) {
  const plan narrow = plan_of_sort<std::uint64_t>(64 * mi, {}, {.shared_per_block = 99 * 1024});
  EXPECT_FALSE(narrow.has("survey_keys")) << to_string(narrow);
  EXPECT_GT(narrow.get("levels"), narrow.get("expected")) << to_string(narrow);
}

/// Few keys alone take one launch, whatever their size.
TEST(gpu_sort_plan, sorts_few_keys_in_a_cluster) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{10000}, std::size_t{65536}}) {
    for (const plan& made : {plan_of_sort<std::uint16_t>(n), plan_of_sort<std::uint32_t>(n),
                             plan_of_sort<std::uint64_t>(n), plan_of_sort<double>(n)}) {
      EXPECT_EQ(made.strategy, "cluster") << to_string(made);
      EXPECT_EQ(made.steps.size(), 1U) << to_string(made);
      EXPECT_EQ(made.temporary_bytes, 0U);
    }
  }
  EXPECT_EQ(plan_of_sort<std::uint64_t>(65537).strategy, "msd");
}

/// Blocks that wait for one another must all be running: no more than have room on the processors.
TEST(gpu_sort_plan, has_no_more_blocks_at_once_than_there_is_room_for) {
  for (const int sms : {1, 7, 132}) {
    for (const std::size_t kib : {99U, 227U}) {
      const device machine{.sms = sms, .shared_per_block = kib * 1024, .shared_per_sm = (kib + 1) * 1024};
      for (const std::size_t n : {std::size_t{70000}, mi, 64 * mi}) {
        for (const std::string_view strategy : {"msd", "lsd"}) {
          const plan made = plan_of_sort<std::uint64_t, std::uint64_t>(n, {.strategy = strategy}, machine);
          bool waits = false;
          for (const step& s : made.steps) {
            const std::uint64_t most = s.name == "sort_by_tiles" ? tuning::pass_blocks : 1;
            const std::uint64_t each = (s.grid + sms - 1) / sms;
            EXPECT_TRUE(!s.at_once || each <= most) << to_string(made);
            EXPECT_TRUE(!s.at_once || each * (s.shared + 1024) <= machine.shared_per_sm) << to_string(made);
            waits = waits || s.at_once;
          }
          EXPECT_TRUE(waits) << to_string(made);
        }
      }
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

/// In no step more shared memory than a block may have, whatever the device; or a clear refusal.
TEST(gpu_sort_plan, fits_the_shared_memory_of_smaller_devices) {
  for (const std::size_t kib : {48U, 163U, 227U}) {
    const device machine{.arch = 80, .sms = 84, .shared_per_block = kib * 1024, .shared_per_sm = (kib + 1) * 1024};
    for (const std::size_t n : {std::size_t{1000}, 64 * mi}) {
      for_some_types([&]<class K, class V>() {
        try {
          const plan made = plan_of_sort<K, V>(n, {}, machine);
          for (const step& s : made.steps) EXPECT_LE(s.shared, machine.shared_per_block) << to_string(made);
        } catch (const std::invalid_argument& refusal) {
          EXPECT_LT(kib, 227U) << refusal.what();
          expect_parts(refusal.what(), {"sort", "strategy", "shared memory"});
        }
      });
    }
  }
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
