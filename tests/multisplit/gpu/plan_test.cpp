// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What multisplit will launch on an H200 and on smaller devices, without one: what must hold of every plan, for every
// strategy and a grid of problems.
#include <bit>

#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

plan plan_of_split(const multisplit_problem& problem, std::string_view strategy = {}, const device& machine = {}) {
  return detail::plan_multisplit(problem, machine, strategy);
}

/// Calls check(problem) for items of many sizes, into many numbers of bins, in both orders.
template <class Check>
void for_some_splits(std::size_t n, const Check& check) {
  for (const std::uint32_t bins : {1U, 2U, 8U, 32U, 97U, 512U, 513U, 5000U, 30000U, 1000003U, 0xFFFFFFFFU}) {
    for (const auto& [key, value] : {std::pair{1, 0}, {4, 0}, {8, 0}, {4, 4}, {3, 13}, {16, 64}}) {
      for (const order within_bin : {kept, any}) {
        check(
            multisplit_problem{n, bins, static_cast<std::size_t>(key), static_cast<std::size_t>(value), 8, within_bin});
      }
    }
  }
}

/// Expects that a device can launch every plan of a problem; how many strategies do not refuse it.
int expect_launches(const multisplit_problem& problem, const device& machine) {
  int taken = 0;
  multisplit_gpu_strategies::for_each([&](auto strategy) {
    if (!strategy.refuses(problem, machine).empty()) return;
    ++taken;
    for (const step& s : detail::plan_of<decltype(strategy)>(problem, machine).steps) {
      const std::size_t own = s.block == tuning::tile_threads ? detail::tile_static_bytes : 0;
      EXPECT_EQ(fault_of(s, machine, own), "")
          << strategy.name << ", " << problem.items << " items of " << problem.key_bytes << " + " << problem.value_bytes
          << " bytes, " << problem.bins << " bins";
    }
  });
  return taken;
}

/// Where any strategy takes a problem, the one that is chosen does. An H200 has a plan for everything.
TEST(multisplit_gpu_plan, is_there_for_every_problem) {
  for (const std::size_t n : sizes_to_plan({4096, 16384, 132 * 14336})) {
    for (const device& machine : devices_to_plan_for) {
      for_some_splits(n, [&](const multisplit_problem& problem) {
        const bool taken = expect_launches(problem, machine) != 0;
        const detail::choice chosen = detail::choose_multisplit(problem, machine);
        multisplit_gpu_strategies::with("multisplit", chosen.strategy, [&](auto strategy) {
          ASSERT_EQ(strategy.refuses(problem, machine).empty(), taken) << n << " items, " << problem.bins << " bins";
        });
        ASSERT_TRUE(taken || machine.shared_per_block < device{}.shared_per_block);
      });
    }
  }
}

/// Every size of key and value, whatever alignment it brings.
TEST(multisplit_gpu_plan, fits_items_of_every_size) {
  for (const device& machine : devices_to_plan_for) {
    for (std::size_t key = 1; key <= 64; ++key) {
      for (std::size_t value = 0; value <= 64; value += value < 8 ? 1 : 7) {
        for (const std::uint32_t bins : {2U, 97U, 512U, 5000U}) {
          static_cast<void>(expect_launches({64 * mi, bins, key, value, 8, any}, machine));
        }
      }
    }
  }
}

/// As docs/multisplit.md says: 8 bytes for each bin and block, of which two may be on a processor, and about a fiftieth
/// of the items, a 48th at most; where there are more passes than one, a copy of the items; nothing where one tile
/// holds all. `sampled` and `groups` count in some more words a bin, and have room for a tile of strays.
TEST(multisplit_gpu_plan, takes_no_more_memory_than_documented) {
  const auto check = [](const multisplit_problem& problem, const plan& made) {
    const bool moved_twice = made.strategy == "groups" || (made.strategy == "tiles" && made.steps.size() > 3);
    const std::size_t copy = moved_twice ? problem.bytes() : 0;
    const std::size_t bins = problem.bins <= tuning::tile_bins ? problem.bins : 128 + 128 * 128;  // of two passes
    const std::size_t counters = 2 * h200_sms * sizeof(std::uint64_t) * (bins + 64) + 16 * problem.bins;
    const std::size_t tile = 16384 * problem.item_bytes();
    ASSERT_LE(made.temporary_bytes, copy + problem.bytes() / 48 + counters + tile) << to_string(made);
    ASSERT_GE(made.temporary_bytes, copy) << to_string(made);
    ASSERT_TRUE(made.steps.size() > 1 || made.temporary_bytes == 0) << to_string(made);
  };
  for (const std::size_t n : sizes_to_plan()) {
    for_some_splits(n, [&](const multisplit_problem& problem) {
      if (problem.bins > 1000003) return;
      const plan made = plan_of_split(problem);
      check(problem, made);
      ASSERT_TRUE(n > 64 || made.steps.size() == 1) << to_string(made);
      if (multisplit_strategies::groups::refuses(problem, {}).empty()) check(problem, plan_of_split(problem, "groups"));
    });
  }
}

/// Along the number of items, choices follow one another: few items by ballots or each beside all others, tiles, then
/// what pays for many alone.
/// And the text says what the plan is.
TEST(multisplit_gpu_plan, chooses_by_size_without_return) {
  for (const std::uint32_t bins : {1U, 2U, 8U, 32U, 33U, 512U, 513U, 12288U, 1000003U}) {
    for (const std::size_t value : {0U, 4U}) {
      for (const order within_bin : {kept, any}) {
        choices_in_turn choices;
        for (const std::size_t n : sizes_to_plan({12 * mi})) {
          const plan made = plan_of_split({n, bins, 4, value, 8, within_bin});
          ASSERT_TRUE(choices.take(made.has("scatter_few")    ? "few"
                                   : made.has("split_sparse") ? "sparse"
                                                              : made.strategy))
              << n << "\n"
              << to_string(made);
          ASSERT_TRUE(within_bin == any || made.strategy == "tiles" || made.strategy == "two_way");
          ASSERT_TRUE(text_says_it_all(made));
        }
      }
    }
  }
}

/// What the choice is about, at the sizes of the benchmark.
TEST(multisplit_gpu_plan, follows_its_reasons) {
  const auto choice = [](std::size_t n, std::uint32_t bins, order within_bin, std::size_t value = 0) {
    return plan_of_split({n, bins, 4, value, 8, within_bin}).strategy;
  };
  EXPECT_EQ(choice(64 * mi, 2, kept), "two_way");
  EXPECT_EQ(choice(64 * mi, 2, any), "sampled");
  EXPECT_EQ(choice(64 * mi, 8, kept), "tiles");
  EXPECT_EQ(choice(64 * mi, 8, any), "sampled");
  EXPECT_EQ(choice(64 * mi, 256, any, 4), "tiles");
  EXPECT_EQ(choice(64 * mi, 12288, kept), "tiles");
  EXPECT_EQ(choice(64 * mi, 12288, any), "groups");
  EXPECT_EQ(choice(1000, 12288, any), "tiles");
}

/// Passes tell all bins apart, and more bins never take fewer; a single pass has all bins. Only order::any lets a pass
/// give the order up, and only the last pass of one: the later ones rely on it. Nothing is moved that was not counted,
/// unless one tile holds all items.
TEST(multisplit_gpu_plan, has_passes_that_tell_all_bins_apart) {
  const auto check = [](const plan& made, const multisplit_problem& problem) {
    const std::uint64_t passes = made.get("passes");
    const auto bits = static_cast<unsigned>(std::bit_width(problem.bins - 1));
    if (made.has("sort_by_tiles")) {
      ASSERT_GE(passes * made.get("bits"), bits) << to_string(made);
      return;
    }
    ASSERT_TRUE(passes == 1 ? made.get("bins a pass") == problem.bins : passes * made.get("shift") >= bits);
    ASSERT_LE(made.get("bins a pass"), tuning::tile_bins);
    const auto schedule = static_cast<detail::tile_schedule>(made.get("schedule"));
    const bool ordered = made.get("keep order") == 1 && schedule != detail::tile_schedule::round_robin;
    ASSERT_TRUE(ordered || (passes == 1 && problem.within_bin == any)) << to_string(made);
    ASSERT_TRUE(!made.has("scatter_first") || problem.within_bin == any) << to_string(made);
    const bool counted = made.has("count_columns") || made.has("count_rows") || made.has("count_both");
    ASSERT_TRUE(counted || (passes == 1 && problem.items <= made.get("tile"))) << to_string(made);
  };
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t n : {std::size_t{4097}, mi, 64 * mi, 5000 * mi}) {
      for (const auto& [key, value] : {std::pair{4, 0}, {4, 4}, {8, 8}}) {
        for (const order within_bin : {kept, any}) {
          std::uint64_t before = 1;
          for (std::uint64_t bins = 1; bins <= 0xFFFFFFFFU; bins += bins / 3 + 1) {
            const multisplit_problem problem{n,
                                             static_cast<std::uint32_t>(bins),
                                             static_cast<std::size_t>(key),
                                             static_cast<std::size_t>(value),
                                             8,
                                             within_bin};
            if (!multisplit_strategies::tiles::refuses(problem, machine).empty()) continue;
            const plan made = plan_of_split(problem, "tiles", machine);
            if (made.has("scatter_few") || made.has("split_sparse")) continue;
            check(made, problem);
            ASSERT_GE(made.get("passes"), before) << to_string(made);
            before = made.get("passes");
          }
        }
      }
    }
  }
}

/// Few items need no tile and no memory. The first block has the first bins, each further one a bin less, since it also
/// counts what lies below: together all, and at most one a thread.
TEST(multisplit_gpu_plan, shares_out_the_bins_of_few_items) {
  for (const std::size_t items : {0, 1, 1024, 4096}) {
    for (const std::uint32_t bins : {1U, 2U, 3U, 32U, 127U, 128U, 256U, 512U, 513U, 12288U, 65535U}) {
      const plan made = plan_of_split({items, bins, 4, 4, 8});
      const step& split = made.at("scatter_few");
      const std::uint64_t each = made.get("bins a block");
      EXPECT_EQ(made.steps.size(), 1U) << to_string(made);
      EXPECT_EQ(made.temporary_bytes, 0U) << to_string(made);
      EXPECT_LE(each, split.block) << to_string(made);
      EXPECT_LE(split.shared + detail::tile_static_bytes, 48U * 1024) << to_string(made);
      const std::uint64_t room = each + (split.grid - 1) * (each - 1);
      EXPECT_GE(room, bins) << to_string(made);
      EXPECT_TRUE(split.grid == 1 || room - (each - 1) < bins) << to_string(made);
    }
  }
}

/// Few items into very many bins are one launch without memory, too, whatever their bytes: blocks, one a processor at
/// most, have all bins together, each as many as the others but for the last.
TEST(multisplit_gpu_plan, shares_out_very_many_bins_of_few_items) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t items : {0, 1, 1000, 4096, 4097, 8192}) {
      for (const std::uint32_t bins : {65536U, 262144U, 1000003U, 40'000'000U, 0xFFFFFFFFU}) {
        for (const std::size_t value : {0, 4, 64}) {
          const multisplit_problem problem{items, bins, 8, value, 8};
          if (!multisplit_strategies::tiles::refuses(problem, machine).empty()) continue;
          const plan made = plan_of_split(problem, "tiles", machine);
          if (detail::sparse_bytes(items, bins) > machine.shared_per_block - detail::tile_static_bytes) continue;
          const step& split = made.at("split_sparse");
          const std::uint64_t each = made.get("bins a block");
          EXPECT_EQ(made.steps.size(), 1U) << to_string(made);
          EXPECT_EQ(made.temporary_bytes, 0U) << to_string(made);
          EXPECT_LE(split.grid, static_cast<std::size_t>(machine.sms)) << to_string(made);
          EXPECT_TRUE(split.grid * each >= bins && (split.grid - 1) * each < bins) << to_string(made);
        }
      }
    }
  }
  for (const auto& [bins, most] : {std::pair{513U, 8192U}, {262144U, 8192U}, {262145U, 12288U}}) {
    EXPECT_TRUE(plan_of_split({most, bins}).has("split_sparse")) << bins;
    EXPECT_FALSE(plan_of_split({most + 1, bins}).has("split_sparse")) << bins;
  }
  EXPECT_FALSE(plan_of_split({8192, 512}).has("split_sparse"));
}

/// Any order is no slower than the order kept: where blocks would have few tiles, or some one more than others, they
/// have slices instead.
TEST(multisplit_gpu_plan, keeps_the_order_where_blocks_have_few_tiles) {
  const auto schedule_of = [](std::size_t n) {
    return static_cast<detail::tile_schedule>(plan_of_split({n, 64, 4, 0, 8, any}, "tiles").get("schedule"));
  };
  constexpr std::size_t round = h200_sms * 14336;
  for (const std::size_t n : {round, 2 * round + 1, 4 * round, 9 * round / 2 - 1}) {
    EXPECT_EQ(schedule_of(n), detail::tile_schedule::slices) << n;
    EXPECT_EQ(plan_of_split({n, 64, 4, 0, 8, any}, "tiles").get("keep order"), 1U) << n;
  }
  for (const std::size_t n : {9 * round / 2, 5 * round + 1, 64 * mi}) {
    EXPECT_EQ(schedule_of(n), detail::tile_schedule::round_robin) << n;
  }
  EXPECT_EQ(plan_of_split({100'000, 64, 4, 0, 8, any}, "tiles").get("keep order"), 0U);
}

/// As few passes as the bins of one allow.
TEST(multisplit_gpu_plan, takes_digits_of_nine_bits_where_they_save_a_pass) {
  for (const auto& [bins, passes] :
       {std::pair{65536U, 2U}, {65537U, 2U}, {262144U, 2U}, {262145U, 3U}, {1U << 24U, 3U}}) {
    EXPECT_EQ(plan_of_split({64 * mi, bins}, "tiles").get("passes"), passes) << bins;
  }
}

/// Large items go to many bins by passes that look back: as few as digits of 8 bits allow, unless digits of 9 save one,
/// and digits as even as they can be. What a caller's function gives no bin needs a number of its own.
TEST(multisplit_gpu_plan, takes_even_digits_where_passes_look_back) {
  for (const auto& [bins, passes, bits] :
       {std::tuple{513U, 2U, 5U}, {15939U, 2U, 7U}, {65536U, 2U, 8U}, {262145U, 3U, 7U}, {1U << 24U, 3U, 8U}}) {
    for (const auto& [key, value] : {std::pair<std::size_t, std::size_t>{8, 8}, {4, 16}, {8, 12}}) {
      const plan made = plan_of_split({64 * mi, bins, key, value}, "tiles");
      EXPECT_TRUE(made.has("sort_by_tiles")) << to_string(made);
      EXPECT_TRUE(made.has("find_offsets")) << to_string(made);  // four items a bin, or more
      EXPECT_EQ(made.get("passes"), passes) << to_string(made);
      EXPECT_EQ(made.get("bits"), bits) << to_string(made);
      EXPECT_EQ(plan_of_split({mi, bins, key, value}, "tiles").has("sort_by_tiles"), bins > 4096);
    }
  }
  multisplit_problem of_caller{64 * mi, 65536, 8, 8};
  of_caller.may_miss = true;
  EXPECT_FALSE(plan_of_split(of_caller, "tiles").has("sort_by_tiles"));
  of_caller.bins = 65535;
  EXPECT_TRUE(plan_of_split(of_caller, "tiles").has("sort_by_tiles"));
  multisplit_problem unaligned{64 * mi, 1000, 8, 8};
  unaligned.key_alignment = 4;
  EXPECT_FALSE(plan_of_split(unaligned, "tiles").has("sort_by_tiles"));
  for (const multisplit_problem& other : {multisplit_problem{64 * mi, 1000, 8},
                                          {64 * mi, 1000, 4, 4},
                                          {64 * mi, 1000, 16, 8},
                                          {64 * mi, 1000, 4, 20},
                                          {64 * mi, 512, 8, 8},
                                          {64 * mi, 200000, 8, 8}}) {
    EXPECT_FALSE(plan_of_split(other, "tiles").has("sort_by_tiles")) << to_string(plan_of_split(other, "tiles"));
  }
}

/// Pairs are counted by all processors as soon as there is a tile for each.
TEST(multisplit_gpu_plan, counts_tiles_of_pairs_by_all_processors) {
  for (const std::size_t n : {2 * mi, 3 * mi, 16 * mi, 64 * mi, 1000 * mi}) {
    const plan made = plan_of_split({n, 256, 8, 8}, "tiles");
    const std::size_t tiles = n / made.get("tile");
    EXPECT_GE(made.at("count_rows").grid, std::min<std::size_t>(tiles, 2 * h200_sms) / 2) << to_string(made);
  }
}

/// A function that takes long is asked once about a key: then labels are split, of as few bytes as tell bins apart, and
/// one more for keys that have none.
TEST(multisplit_gpu_plan, splits_labels_where_bins_take_long_to_find) {
  const auto plan_for = [](std::size_t n, std::uint32_t bins, bool costly, std::size_t value = 0, order within = kept) {
    multisplit_problem problem{n, bins, 8, value, 8, within};
    problem.costly = costly;
    return plan_of_split(problem);
  };
  for (const order within : {kept, any}) {
    for (const std::uint32_t bins : {2U, 100U, 1000U, 65534U, 65535U, 300000U}) {
      const plan made = plan_for(mi, bins, true, 0, within);
      EXPECT_TRUE(made.has("label_keys")) << to_string(made);
      const std::size_t label = bins < 65535 ? 2 : 4;
      const std::size_t items = bins > 512 ? label + 8 : 0;  // between passes
      EXPECT_GE(made.temporary_bytes, mi * (2 * label + items)) << to_string(made);
      EXPECT_FALSE(plan_for(mi, bins, false, 0, within).has("label_keys"));
    }
  }
  EXPECT_FALSE(plan_for(mi, 100, true, 8).has("label_keys"));
  EXPECT_FALSE(plan_for(1000, 100, true).has("label_keys"));
}

TEST(multisplit_gpu_plan, refuses_what_it_cannot_do) {
  const device small{.arch = 75, .sms = 8, .shared_per_block = 48 * 1024, .shared_per_sm = 64 * 1024};
  const auto refusal = [](std::string_view strategy, const multisplit_problem& problem, const device& machine = {}) {
    return message_of([&] { plan_of_split(problem, strategy, machine); });
  };
  expect_parts(refusal("", {mi, 0xFFFFFFFFU, 8, 8}, small), {"multisplit", "strategy", "tiles", "passes"});
  expect_parts(refusal("", {mi, 4, 64, 64}, small), {"multisplit", "strategy", "tiles", "bytes of shared memory"});
  expect_parts(refusal("two_way", {mi, 3}), {"multisplit", "strategy", "two_way", "two bins"});
  expect_parts(refusal("two_way", {mi, 2}, small), {"two_way", "bytes of shared memory"});
  expect_parts(refusal("sampled", {mi, 32}), {"multisplit", "strategy", "sampled", "keeps no order"});
  expect_parts(refusal("sampled", {mi, 513, 4, 0, 8, any}), {"sampled", "512 bins"});
  expect_parts(refusal("sampled", {mi, 32, 4, 0, 8, any}, small), {"sampled", "bytes of shared memory", "tile"});
  expect_parts(refusal("groups", {mi, 1024}), {"multisplit", "strategy", "groups", "keeps no order"});
  expect_parts(refusal("groups", {mi, 3, 4, 0, 8, any}), {"groups", "at least 4 bins"});
  expect_parts(refusal("groups", {mi, 100'000, 4, 0, 8, any}), {"groups", "bytes of shared memory", "counters"});
  expect_parts(refusal("groups", {mi, 1024, 4, 0, 8, any}, small), {"groups", "bytes of shared memory", "tile"});
}

}  // namespace peneira::test
