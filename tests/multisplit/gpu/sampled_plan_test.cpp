// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What `halves`, `sampled` and `groups` will launch on an H200 and on smaller devices, without one, and what they make
// of a sample.
#include <numeric>

#include "peneira/multisplit.hpp"
#include "peneira/multisplit/gpu/group_regions.hpp"
#include "peneira/multisplit/gpu/sample.hpp"
#include "peneira/plan.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// How an H200 splits items of 4 bytes, and of as many more as values have.
plan plan_of(std::size_t items, std::uint32_t bins, std::size_t value_bytes = 0, order within_bin = any) {
  return detail::plan_multisplit({items, bins, 4, value_bytes, 8, within_bin}, device{}, "");
}

/// Many bins in any order: moved by groups of bins, counted in passing, and then moved by bins; by way of a copy of the
/// items.
TEST(plan_of_groups, is_pinned) {
  const plan made = plan_of(64 * mi, 12288);
  EXPECT_EQ(made.strategy, "groups");
  EXPECT_EQ(made.get("groups"), 96U);
  EXPECT_EQ(made.get("bins a group"), 128U);
  EXPECT_EQ(made.get("lines"), 21U);
  EXPECT_EQ(steps_of(made), "clear_counts sample_bins scatter_groups scan_bins scatter_groups scatter_bins ");
  EXPECT_EQ(made.at("scatter_bins").grid, h200_sms);
  EXPECT_EQ(plan_of(64 * mi, 513).get("groups"), 17U);
  EXPECT_EQ(plan_of(64 * mi, 513).get("lines"), 32U);
  EXPECT_EQ(plan_of(8 * mi, 4096).get("lines"), 4U);
  EXPECT_EQ(plan_of(64 * mi, 513, 4).get("tile"), 12288U);
  EXPECT_EQ(plan_of(64 * mi, 512).strategy, "tiles");
  EXPECT_EQ(plan_of(64 * mi, 12288, 0, kept).strategy, "tiles");
  EXPECT_EQ(plan_of(64 * mi, 40000).strategy, "tiles");
  EXPECT_EQ(plan_of(4 * mi, 1024).strategy, "tiles");
}

/// One copy of the items and a fiftieth of it, besides what bins and blocks need.
TEST(plan_of_groups, takes_one_copy_and_little_more) {
  for (const std::size_t items : {8 * mi, 64 * mi, 100 * mi + 7, 256 * mi, 5000 * mi}) {
    for (const std::uint32_t bins : {513U, 1024U, 4096U, 12288U, 20000U}) {
      for (const std::size_t value_bytes : {0, 4}) {
        const plan made = detail::plan_multisplit({items, bins, 4, value_bytes, 8, any}, device{}, "groups");
        const std::size_t copy = items * (4 + value_bytes);
        EXPECT_LE(made.temporary_bytes, copy + copy / 50 + bins * h200_sms * sizeof(std::uint64_t)) << to_string(made);
        EXPECT_GE(made.temporary_bytes, copy);
      }
    }
  }
}

/// Groups fit into the copy whatever their sizes in the sample are, and when they are moved again they do not overlap.
TEST(group_regions, hold_all_groups) {
  random next(seed());
  for (int round = 0; round < 200; ++round) {
    const auto groups = static_cast<std::uint32_t>(2 + next.below(300));
    std::vector<std::uint64_t> sampled(groups);
    for (std::uint64_t& count : sampled) count = next.below(next.below(3) == 0 ? 2 : 20000);
    const std::uint64_t sample = std::accumulate(sampled.begin(), sampled.end(), std::uint64_t{0});
    const std::uint64_t items = sample * 32 + next.below(1000);
    const auto regions = detail::group_regions::of(items, sample, groups);
    std::uint64_t room = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    for (std::uint32_t g = 0; g < groups; ++g) {
      const std::uint64_t size = regions.size(sampled[g]);
      EXPECT_EQ(size % detail::group_regions::grain, 0U);
      EXPECT_GE(size, sampled[g] * 32);
      room += size;
      EXPECT_GE(detail::group_regions::begin_again(g, start), end);
      end = detail::group_regions::begin_again(g, start) + sampled[g] * 32;
      start += sampled[g] * 32;
    }
    EXPECT_LE(room, detail::group_regions::all(items, groups));
    EXPECT_LE(end, detail::group_regions::all(items, groups));
  }
}

/// The sample has a line of every so many, and not always the same of them.
TEST(sample, has_a_line_of_each_stratum) {
  for (const std::uint32_t lines : {3U, 4U, 16U, 32U, 64U}) {
    std::vector<int> seen(lines);
    for (std::size_t stratum = 0; stratum < 10000; ++stratum) {
      const std::size_t line = detail::sampled_line(stratum, lines);
      ASSERT_EQ(line / lines, stratum);
      ++seen[line % lines];
    }
    for (const int times : seen) EXPECT_GT(times, 5000 / static_cast<int>(lines));
    EXPECT_EQ(detail::sampled_items(96 * mi + 31, lines, 4), 96 * mi / lines);
    EXPECT_EQ(detail::sampled_items(95, lines, 4), 0U);
  }
}

/// Wherever a bin was guessed to be and however much of it is there: strays lie outside the bin, holes in it, and with
/// the items that did not fit strays fill holes.
TEST(guessed_bin, has_as_many_holes_as_items_that_are_not_there) {
  for (std::uint64_t guessed = 0; guessed < 12; ++guessed) {
    for (std::uint64_t begin = 0; begin < 12; ++begin) {
      for (std::uint64_t count = 0; count < 9; ++count) {
        for (std::uint64_t filled = 0; filled <= count; ++filled) {
          const detail::guessed_bin bin{guessed, filled, begin, count};
          std::vector<int> marks(40);  // 1: an item that stays, 2: a stray, 4: a hole
          const auto mark = [&](detail::item_range range, int as) {
            ASSERT_LE(range.begin, range.end);
            for (std::size_t i = range.begin; i < range.end; ++i) marks[i] += as;
          };
          mark({guessed, guessed + filled}, 1);
          mark(bin.strays_before(), 1);
          mark(bin.strays_behind(), 1);
          mark(bin.holes_before(), 4);
          mark(bin.holes_behind(), 4);
          std::uint64_t strays = 0;
          std::uint64_t holes = 0;
          for (std::size_t i = 0; i < marks.size(); ++i) {
            const bool inside = i >= begin && i < begin + count;
            ASSERT_TRUE(marks[i] == 0 || (inside ? marks[i] == 1 || marks[i] == 4 : marks[i] == 2));
            ASSERT_TRUE(!inside || marks[i] != 0);
            strays += marks[i] == 2 ? 1 : 0;
            holes += marks[i] == 4 ? 1 : 0;
          }
          ASSERT_EQ(holes, strays + (count - filled));
          const auto numbered = detail::bin_holes::of(bin);
          for (std::uint64_t k = 0; k < holes; ++k) {
            ASSERT_EQ(marks[numbered[k]], 4);
            marks[numbered[k]] = 0;  // each once
          }
        }
      }
    }
  }
}

/// Few bins in any order: a sample instead of counts, and little memory.
TEST(plan_of_sampled, is_pinned) {
  const plan made = plan_of(64 * mi, 8);
  EXPECT_EQ(made.strategy, "sampled");
  EXPECT_EQ(made.get("tile"), 14336U);
  EXPECT_EQ(made.get("counter sets"), 32U);
  EXPECT_EQ(made.get("lines"), 8U);
  EXPECT_EQ(steps_of(made), "clear_counts sample_bins scatter_guessed gather_strays place_strays ");
  EXPECT_EQ(made.at("scatter_guessed").grid, h200_sms);
  EXPECT_LE(made.temporary_bytes, 64 * mi * 4 / 50);
  EXPECT_EQ(plan_of(64 * mi, 2).get("counter sets"), 32U);
  EXPECT_EQ(plan_of(64 * mi, 2).get("lines"), 32U);
  EXPECT_EQ(plan_of(64 * mi, 16).get("lines"), 4U);
  EXPECT_EQ(plan_of(64 * mi, 8, 4).get("tile"), 12288U);
  EXPECT_EQ(plan_of(512 * mi, 33).strategy, "tiles");
  for (const std::uint32_t bins : {17U, 32U}) {
    const plan more = plan_of(64 * mi, bins);
    EXPECT_EQ(more.strategy, "sampled");
    EXPECT_EQ(more.get("counter sets"), 16U);
    EXPECT_EQ(more.get("lines"), 3U);
    EXPECT_LE(more.temporary_bytes, 64 * mi * 4 / 50);
  }
  EXPECT_EQ(plan_of(256 * mi, 32).get("lines"), 6U);
  EXPECT_EQ(plan_of(64 * mi - 1, 32).strategy, "tiles");
  EXPECT_EQ(plan_of(64 * mi, 16).strategy, "sampled");
  EXPECT_EQ(plan_of(64 * mi - 1, 16).strategy, "tiles");
  EXPECT_EQ(plan_of(12 * mi, 2).strategy, "sampled");
  EXPECT_EQ(plan_of(12 * mi - 1, 2).strategy, "halves");
  EXPECT_EQ(plan_of(64 * mi, 8, 0, kept).strategy, "tiles");
  const plan asked = detail::plan_multisplit({64 * mi, 64, 4, 0, 8, any}, device{}, "sampled");
  EXPECT_EQ(asked.get("lines"), 8U);
  EXPECT_LE(asked.temporary_bytes, 64 * mi * 4 / 8 + mi);
}

TEST(plan_of_sampled, refuses_what_it_cannot_do) {
  const auto message = [](const multisplit_problem& problem, const device& machine) {
    return message_of([&] { detail::plan_multisplit(problem, machine, "sampled"); });
  };
  expect_parts(message({mi, 32, 4, 0, 8, kept}, {}), {"multisplit", "strategy", "sampled", "keeps no order"});
  expect_parts(message({mi, 513, 4, 0, 8, any}, {}), {"sampled", "512 bins"});
  const device small{.arch = 80, .sms = 8, .shared_per_block = 48 * 1024, .shared_per_sm = 64 * 1024};
  expect_parts(message({mi, 32, 4, 0, 8, any}, small), {"sampled", "bytes of shared memory", "tile"});
}

/// Two bins in their order, unless there are few items or a row of them is too short.
TEST(plan_of_halves, is_pinned) {
  const auto made = [](std::size_t items, std::size_t key_bytes, std::size_t value_bytes = 0, order within_bin = kept) {
    return detail::plan_multisplit({items, 2, key_bytes, value_bytes, 8, within_bin}, device{}, "");
  };
  const plan words = made(64 * mi, 4);
  EXPECT_EQ(words.strategy, "halves");
  EXPECT_EQ(steps_of(words), "count_halves scatter_halves ");
  EXPECT_EQ(words.get("tile"), 1024U);
  for (const step& s : words.steps) {
    EXPECT_EQ(s.grid, h200_sms);
    EXPECT_EQ(s.block, 512U);
  }
  EXPECT_EQ(words.at("scatter_halves").shared, 64U * 1024);
  EXPECT_LE(words.temporary_bytes, 64U * 1024);
  EXPECT_EQ(made(64 * mi, 8).get("tile"), 512U);
  EXPECT_EQ(made(64 * mi, 4, 4).get("tile"), 512U);
  EXPECT_EQ(made(64 * mi, 8, 8).get("tile"), 256U);
  EXPECT_EQ(made(mi, 4).at("scatter_halves").grid, 64U);
  EXPECT_EQ(made(mi - 1, 4).strategy, "tiles");
  EXPECT_EQ(made(2 * mi, 4, 4).strategy, "halves");
  EXPECT_EQ(made(2 * mi - 1, 4, 4).strategy, "tiles");
  EXPECT_EQ(made(64 * mi, 2).strategy, "tiles");
  EXPECT_EQ(made(64 * mi, 16, 4).strategy, "tiles");
  EXPECT_EQ(made(64 * mi, 4, 0, any).strategy, "sampled");
  EXPECT_EQ(made(8 * mi, 4, 0, any).strategy, "halves");
}

TEST(plan_of_halves, takes_any_two_bins_and_no_more) {
  const auto made = [](std::size_t items, std::uint32_t bins, std::size_t key_bytes, std::size_t value_bytes,
                       const device& machine) {
    return detail::plan_multisplit({items, bins, key_bytes, value_bytes, 8, kept}, machine, "halves");
  };
  for (const std::uint32_t bins : {1U, 3U, 361U}) {
    expect_parts(message_of([&] { made(mi, bins, 4, 0, {}); }), {"multisplit", "strategy", "halves", "two bins"});
  }
  const device small{.arch = 80, .sms = 8, .shared_per_block = 48 * 1024, .shared_per_sm = 64 * 1024};
  expect_parts(message_of([&] { made(mi, 2, 4, 0, small); }), {"halves", "bytes of shared memory"});
  for (const std::size_t items : {std::size_t{0}, std::size_t{1}, std::size_t{1025}, mi, 4096 * mi + 1}) {
    for (std::size_t key_bytes = 1; key_bytes <= 16; ++key_bytes) {
      for (std::size_t value_bytes = 0; value_bytes <= 16; ++value_bytes) {
        const plan p = made(items, 2, key_bytes, value_bytes, {});
        EXPECT_GE(p.at("scatter_halves").grid, 1U) << to_string(p);
        EXPECT_LE(p.at("scatter_halves").grid, h200_sms) << to_string(p);
        EXPECT_LE(p.at("scatter_halves").shared, 68U * 1024) << to_string(p);
      }
    }
  }
}

/// Whatever the sizes of key and value: no launch asks for more than the device grants a block.
TEST(plans_of_sampled_and_groups, never_ask_for_more_shared_memory_than_there_is) {
  const auto never = [](auto strategy, const multisplit_problem& problem, const device& machine) {
    if (!strategy.refuses(problem, machine).empty()) return;
    const plan made = detail::plan_of<decltype(strategy)>(problem, machine);
    for (const step& s : made.steps) {
      const std::size_t own = s.block == tuning::tile_threads ? detail::tile_static_bytes : 0;
      ASSERT_LE(s.shared + own, machine.shared_per_block) << to_string(made);
    }
  };
  for (const std::size_t kib : {64, 99, 163, 227}) {
    const device machine{.shared_per_block = kib * 1024, .shared_per_sm = (kib + 1) * 1024};
    for (std::size_t key = 1; key <= 64; ++key) {
      for (std::size_t value = 0; value <= 64; value += value < 8 ? 1 : 7) {
        for (const std::uint32_t bins : {1U, 8U, 97U, 512U, 5000U, 30000U}) {
          const multisplit_problem problem{64 * mi, bins, key, value, 8, any};
          never(multisplit_strategies::sampled{}, problem, machine);
          never(multisplit_strategies::groups{}, problem, machine);
        }
      }
    }
  }
}

TEST(plan_of_groups, refuses_what_it_cannot_do) {
  const auto message = [](const multisplit_problem& problem, const device& machine) {
    return message_of([&] { detail::plan_multisplit(problem, machine, "groups"); });
  };
  expect_parts(message({mi, 1024, 4, 0, 8, kept}, {}), {"multisplit", "strategy", "groups", "keeps no order"});
  expect_parts(message({mi, 3, 4, 0, 8, any}, {}), {"groups", "at least 4 bins"});
  expect_parts(message({mi, 100'000, 4, 0, 8, any}, {}), {"groups", "bytes of shared memory", "counters"});
  const device small{.arch = 80, .sms = 8, .shared_per_block = 48 * 1024, .shared_per_sm = 64 * 1024};
  expect_parts(message({mi, 1024, 4, 0, 8, any}, small), {"groups", "bytes of shared memory", "tile"});
}

}  // namespace peneira::test
