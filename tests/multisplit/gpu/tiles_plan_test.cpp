// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What `tiles` will launch on an H200 and on smaller devices, without one: each row of the measured tables, pinned.
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_histogram.cuh"
#include "peneira/gpu/scatter/tile_schedule.hpp"
#include "peneira/multisplit.hpp"
#include "peneira/plan.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

struct expected_tiles {
  std::size_t items;
  std::uint32_t bins;
  std::size_t key_bytes;
  std::size_t value_bytes;
  order within_bin;
  std::size_t tile;
  std::size_t passes;
  std::size_t bins_a_pass;
  std::size_t counter_sets;
  std::uint64_t blocks;
};

class plan_of_tiles : public ::testing::TestWithParam<expected_tiles> {};

TEST_P(plan_of_tiles, is_pinned) {
  const expected_tiles& e = GetParam();
  const multisplit_problem problem{e.items, e.bins, e.key_bytes, e.value_bytes, 8, e.within_bin};
  const plan made = detail::plan_multisplit(problem, device{}, "tiles");
  EXPECT_EQ(made.get("tile"), e.tile);
  EXPECT_EQ(made.get("passes"), e.passes);
  EXPECT_EQ(made.get("bins a pass"), e.bins_a_pass);
  EXPECT_EQ(made.get("counter sets"), e.counter_sets);
  const step& scatter = made.at("scatter_tiles");
  EXPECT_EQ(scatter.grid, e.blocks);
  EXPECT_EQ(scatter.block, 512U);
  EXPECT_LE(scatter.shared, device{}.shared_per_block);
}

INSTANTIATE_TEST_SUITE_P(h200, plan_of_tiles,
                         ::testing::Values(expected_tiles{64 * mi, 2, 4, 0, kept, 16384, 1, 2, 16, h200_sms},
                                           expected_tiles{64 * mi, 2, 4, 0, any, 16384, 1, 2, 16, h200_sms},
                                           expected_tiles{64 * mi, 32, 4, 0, kept, 16384, 1, 32, 8, h200_sms},
                                           expected_tiles{64 * mi, 32, 4, 0, any, 14336, 1, 32, 2, h200_sms},
                                           expected_tiles{64 * mi, 33, 4, 0, kept, 16384, 1, 33, 8, h200_sms},
                                           expected_tiles{64 * mi, 64, 4, 0, kept, 16384, 1, 64, 8, h200_sms},
                                           expected_tiles{64 * mi, 65, 4, 0, kept, 16384, 1, 65, 2, h200_sms},
                                           expected_tiles{64 * mi, 64, 8, 0, kept, 8192, 1, 64, 4, h200_sms},
                                           expected_tiles{64 * mi, 256, 4, 0, kept, 16384, 1, 256, 2, h200_sms},
                                           expected_tiles{256 * mi, 256, 4, 0, any, 14336, 1, 256, 2, h200_sms},
                                           expected_tiles{64 * mi, 361, 4, 0, any, 14336, 1, 361, 1, h200_sms},
                                           expected_tiles{64 * mi, 512, 4, 0, kept, 16384, 1, 512, 2, h200_sms},
                                           expected_tiles{64 * mi, 513, 4, 0, kept, 16384, 2, 32, 8, h200_sms},
                                           expected_tiles{64 * mi, 4096, 4, 0, kept, 16384, 2, 64, 8, h200_sms},
                                           expected_tiles{64 * mi, 12288, 4, 0, kept, 16384, 2, 128, 2, h200_sms},
                                           expected_tiles{mi, 12288, 4, 0, any, 4096, 2, 128, 2, 256},
                                           expected_tiles{64 * mi, 1000003, 4, 0, kept, 16384, 3, 128, 2, h200_sms},
                                           expected_tiles{64 * mi, 0xFFFFFFFFU, 4, 0, kept, 16384, 4, 256, 2, h200_sms},
                                           expected_tiles{64 * mi, 256, 8, 0, kept, 8192, 1, 256, 2, h200_sms},
                                           expected_tiles{64 * mi, 256, 4, 4, any, 12288, 1, 256, 2, h200_sms},
                                           expected_tiles{64 * mi, 256, 8, 8, kept, 8192, 1, 256, 2, h200_sms},
                                           expected_tiles{mi, 256, 4, 0, kept, 4096, 1, 256, 2, 256},
                                           expected_tiles{5000, 256, 1, 0, any, 16384, 1, 256, 2, 1}));

TEST(plan_of_tiles, counts_first_unless_one_tile_holds_all) {
  const auto steps = [](std::size_t items, std::uint32_t bins) {
    return steps_of(detail::plan_multisplit({items, bins, 4, 0, 8}, device{}, ""));
  };
  EXPECT_EQ(steps(1024, 512), "scatter_few ");
  EXPECT_EQ(steps(4096, 512), "scatter_few ");
  EXPECT_EQ(steps(4097, 512), "count_columns scan_columns scatter_tiles ");
  EXPECT_EQ(steps(0, 512), "scatter_few ");
  EXPECT_EQ(steps(1000, 12288), "scatter_few ");
  EXPECT_EQ(steps(5000, 513),
            "count_columns scan_columns scatter_tiles count_columns scan_columns scatter_tiles find_offsets ");
}

/// Many items that take several passes are counted once for every two of them, where counters for the bins of both fit
/// and are few beside the items.
TEST(plan_of_tiles, counts_two_passes_at_once) {
  const auto made = [](std::size_t items, std::uint32_t bins, std::size_t value_bytes = 0, order within_bin = kept) {
    return detail::plan_multisplit({items, bins, 4, value_bytes, 8, within_bin}, device{}, "tiles");
  };
  const plan two = made(64 * mi, 1024);
  EXPECT_EQ(steps_of(two), "count_both scan_both scatter_tiles begin_bins scatter_tiles ");
  EXPECT_EQ(two.at("count_both").grid, h200_sms);
  EXPECT_EQ(two.at("count_both").shared, (32 + 1024) * sizeof(std::uint32_t));
  EXPECT_LE(two.temporary_bytes, 64 * mi * 4 + 2 * 1024 * h200_sms * sizeof(std::uint64_t));
  EXPECT_EQ(made(64 * mi, 12288).at("count_both").shared, (128 + 128 * 128) * sizeof(std::uint32_t));
  EXPECT_EQ(steps_of(made(64 * mi, 1000003)),
            "count_columns scan_columns scatter_tiles count_both scan_both scatter_tiles begin_bins scatter_tiles "
            "find_offsets ");
  EXPECT_EQ(steps_of(made(64 * mi, 1000003, 0, any)),
            "count_columns scan_columns scatter_first count_both scan_both scatter_tiles begin_bins scatter_tiles "
            "find_offsets ");
  const auto in_pairs = [](const plan& of) { return of.has("count_both"); };
  EXPECT_TRUE(in_pairs(made(64 * mi, 16384)));
  EXPECT_FALSE(in_pairs(made(64 * mi, 65536)));  // 256 KiB of counters
  EXPECT_TRUE(in_pairs(made(64 * mi, 1024, 4)));
  EXPECT_FALSE(in_pairs(made(64 * mi, 12288, 4)));  // counted tile by tile
  EXPECT_FALSE(in_pairs(made(mi, 1024)));
  EXPECT_TRUE(in_pairs(made(12 * mi, 12288)));
  EXPECT_FALSE(in_pairs(made(11 * mi, 12288)));  // too many counters for so few items
  EXPECT_TRUE(in_pairs(made(32 * mi, 1000003)));
  EXPECT_FALSE(in_pairs(made(16 * mi, 1000003)));
}

/// Few items need no tile and no memory. The first block has the first bins, each further one a bin less, since it also
/// counts what lies below: together all, and at most one a thread.
TEST(plan_of_tiles, shares_out_the_bins_of_few_items) {
  for (const std::size_t items : {0, 1, 1024, 4096}) {
    for (const std::uint32_t bins : {1U, 2U, 3U, 32U, 127U, 128U, 256U, 512U, 513U, 12288U, 65536U, 524288U}) {
      const plan made = detail::plan_multisplit({items, bins, 4, 4, 8}, device{}, "");
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
  const auto are_few = [](std::size_t items, std::uint32_t bins, std::size_t key_bytes = 4) {
    return detail::plan_multisplit({items, bins, key_bytes, 0, 8}, device{}, "").has("scatter_few");
  };
  EXPECT_TRUE(are_few(1024, tuning::few_most_bins));
  EXPECT_FALSE(are_few(1024, tuning::few_most_bins + 1));
  EXPECT_TRUE(are_few(4096, tuning::few_most_bins / 4));
  EXPECT_FALSE(are_few(1025, tuning::few_most_bins / 4 + 1));
  EXPECT_FALSE(are_few(4097, 2));
  EXPECT_TRUE(are_few(4096, 2, 16));
  EXPECT_TRUE(are_few(1024, 2, 64));
  EXPECT_FALSE(are_few(1025, 2, 17));  // too many registers
  const plan tile = detail::plan_multisplit({8192, 512, 1, 0, 8}, device{}, "");
  EXPECT_EQ(tile.steps.size(), 1U) << to_string(tile);
  EXPECT_EQ(tile.temporary_bytes, 0U) << to_string(tile);
}

/// Blocks have whole tiles, unless so little is left beside them that it is split without one.
TEST(plan_of_tiles, shares_out_whole_tiles) {
  const auto unit = [](std::size_t items, std::uint32_t bins, order within_bin) {
    return detail::plan_multisplit({items, bins, 4, 0, 8, within_bin}, device{}, "tiles").get("unit");
  };
  EXPECT_EQ(unit(64 * mi, 2, kept), 64U);  // 31 tiles a block, and 512 items
  EXPECT_EQ(unit(h200_sms * (5 * 16384 + 960), 2, kept), 64U);
  EXPECT_EQ(unit(h200_sms * (5 * 16384 + 961), 2, kept), 16384U);
  EXPECT_EQ(unit(mi, 2, kept), 64U);
}

/// Many items in any order: tiles are scheduled round robin, whether they keep the order or not. Those of pairs into
/// many bins whose order is kept are scheduled dynamically.
TEST(plan_of_tiles, has_no_slices_where_the_order_is_any_or_pairs_have_many_bins) {
  const auto schedule = [](const plan& of) {
    return detail::name_of(static_cast<detail::tile_schedule>(of.get("schedule")));
  };
  const auto made = [](std::size_t items, std::uint32_t bins, std::size_t value_bytes, order within_bin) {
    return detail::plan_multisplit({items, bins, 4, value_bytes, 8, within_bin}, device{}, "tiles");
  };
  EXPECT_EQ(schedule(made(64 * mi, 32, 0, any)), "round robin");
  EXPECT_EQ(schedule(made(64 * mi, 32, 4, any)), "round robin");
  EXPECT_EQ(made(64 * mi, 32, 4, any).get("keep order"), 0U);
  EXPECT_EQ(schedule(made(64 * mi, 32, 0, kept)), "slices");
  EXPECT_EQ(schedule(made(64 * mi, 2, 0, any)), "slices");
  EXPECT_EQ(schedule(made(mi, 32, 0, any)), "slices");
  EXPECT_EQ(schedule(made(64 * mi, 600, 0, any)), "slices");
  EXPECT_EQ(schedule(made(64 * mi, 256, 0, kept)), "slices");
  EXPECT_EQ(schedule(made(64 * mi, 63, 4, kept)), "slices");
  EXPECT_EQ(schedule(made(mi, 256, 4, kept)), "slices");
  EXPECT_EQ(schedule(made(64 * mi, 64, 4, kept)), "dynamic");
  EXPECT_EQ(made(64 * mi, 64, 4, kept).get("keep order"), 1U);
  EXPECT_EQ(made(64 * mi, 64, 4, kept).at("count_rows").grid, 2 * h200_sms);
  EXPECT_EQ(schedule(made(64 * mi, 12288, 4, any)), "dynamic");    // two passes by 128 bins
  EXPECT_TRUE(made(64 * mi, 65536, 0, any).has("scatter_first"));  // of two passes
  EXPECT_FALSE(made(64 * mi, 600, 0, any).has("scatter_first"));   // which are counted at once
  EXPECT_FALSE(made(64 * mi, 65536, 0, kept).has("scatter_first"));
  EXPECT_FALSE(made(64 * mi, 65536, 4, any).has("scatter_first"));
  EXPECT_FALSE(made(8 * mi, 65536, 0, any).has("scatter_first"));
}

/// Pieces are all items, each once: whole tiles, and others that are few.
TEST(tile_pieces, give_every_item_to_one_piece) {
  constexpr std::size_t tile = 512;
  constexpr std::size_t few = 128;
  for (const std::size_t blocks : {1, 3, 132}) {
    for (std::size_t items = 0; items < 300000; items = items * 6 / 5 + 1) {
      const auto pieces = detail::tile_pieces::of(items, tile, blocks, few);
      std::size_t at = 0;
      for (std::uint32_t k = 0; k < pieces.count; ++k) {
        const detail::item_range piece = pieces.at(k, items);
        ASSERT_EQ(piece.begin, at);
        ASSERT_LT(piece.begin, piece.end);
        ASSERT_LE(piece.end - piece.begin, k < pieces.whole ? tile : pieces.small);
        ASSERT_TRUE(k >= pieces.whole || piece.end - piece.begin == tile);
        at = piece.end;
      }
      ASSERT_EQ(at, items);
      ASSERT_TRUE(pieces.small <= few || pieces.count <= pieces.whole + 1)
          << items << " items, " << blocks << " blocks";
    }
  }
}

/// What lies before a piece in its group is counted in 16 bits.
TEST(tile_pieces, are_grouped_as_16_bits_allow) {
  for (const std::size_t tile : {512U, 4096U, 8192U, 12288U, 16384U}) {
    const unsigned shift = detail::row_shift_of(tile);
    EXPECT_LE(((std::size_t{1} << shift) - 1) * tile, 0xFFFFU);
    EXPECT_GT(tile << (shift + 1), 0x10000U);
    EXPECT_EQ(detail::groups_of(0, shift), 0U);
    EXPECT_EQ(detail::groups_of((1U << shift) + 1, shift), 2U);
  }
}

/// Slices are all items, each once, and whole units but for the last; none has more than one unit more than another.
TEST(slice_in_units, gives_every_item_to_one_block) {
  for (const std::size_t unit : {1, 64, 100}) {
    for (const std::size_t blocks : {1, 2, 7, 132}) {
      for (std::size_t items = 0; items < 30000; items = items * 5 / 4 + 1) {
        std::size_t at = 0;
        const std::size_t most = ((items + unit - 1) / unit + blocks - 1) / blocks * unit;
        for (std::size_t k = 0; k < blocks; ++k) {
          const detail::item_range mine = detail::slice_in_units(items, k, blocks, unit);
          ASSERT_EQ(mine.begin, at);
          ASSERT_LE(mine.begin, mine.end);
          ASSERT_LE(mine.end - mine.begin, most);
          ASSERT_TRUE(mine.end == items || mine.end % unit == 0);
          at = mine.end;
        }
        ASSERT_EQ(at, items) << blocks << " blocks, units of " << unit;
      }
    }
  }
}

/// Beyond what bins x blocks need: next to nothing with one pass, one copy of the items with several.
TEST(plan_of_tiles, takes_little_memory) {
  for (const std::uint32_t bins : {2U, 256U, 512U}) {
    const plan made = detail::plan_multisplit({64 * mi, bins, 4, 0, 8}, device{}, "");
    const std::size_t matrix = bins * h200_sms * sizeof(std::uint64_t);
    EXPECT_LE(made.temporary_bytes, matrix + 64 * mi * 4 / 50);
    const plan of_pairs = detail::plan_multisplit({64 * mi, bins, 4, 4, 8}, device{}, "");
    EXPECT_LE(of_pairs.temporary_bytes, matrix + 64 * mi * 8 / 50);
  }
  const plan made = detail::plan_multisplit({64 * mi, 12288, 4, 4, 8}, device{}, "");
  EXPECT_LE(made.temporary_bytes, 64 * mi * 8 * 101 / 100);
}

/// Whatever the sizes of key and value: the launch stays within what the device grants a block, with what the kernel
/// declares itself.
TEST(plan_of_tiles, never_asks_for_more_shared_memory_than_there_is) {
  for (const std::size_t kib : {64, 99, 163, 227}) {
    const device machine{.shared_per_block = kib * 1024, .shared_per_sm = (kib + 1) * 1024};
    for (std::size_t key = 1; key <= 64; ++key) {
      for (std::size_t value = 0; value <= 64; value += value < 8 ? 1 : 7) {
        for (const std::uint32_t bins : {1U, 8U, 97U, 512U, 5000U}) {
          for (const order within_bin : {order::stable, order::any}) {
            const multisplit_problem problem{64 * mi, bins, key, value, 8, within_bin};
            if (!multisplit_strategies::tiles::refuses(problem, machine).empty()) continue;
            const plan made = detail::plan_multisplit(problem, machine, "tiles");
            for (const step& s : made.steps) {
              const std::size_t own = s.block == tuning::tile_threads ? detail::tile_static_bytes : 0;
              ASSERT_LE(s.shared + own, machine.shared_per_block) << key << " + " << value << " bytes\n"
                                                                  << to_string(made);
            }
          }
        }
      }
    }
  }
}

/// Whole tiles and what is left beside them are all items of a slice, each once, wherever it begins and ends: head and
/// tail together may be more than a tile. As the kernel goes through them in any order.
TEST(slice_rest, and_whole_tiles_are_the_slice) {
  constexpr unsigned tile = 24;
  for (std::size_t group : {1, 2, 4}) {
    for (std::size_t begin = 0; begin < 9; ++begin) {
      for (std::size_t size = 0; size < 130; ++size) {
        const detail::item_range slice{begin, begin + size};
        const detail::item_range whole = detail::whole_tiles_of(slice, tile, group);
        std::vector<int> seen(begin + size + 1);
        for (std::size_t i = whole.begin; i < whole.end; ++i) ++seen[i];
        EXPECT_EQ((whole.end - whole.begin) % tile, 0U);
        EXPECT_TRUE(whole.begin == whole.end || whole.begin % group == 0);
        const detail::slice_rest rest{whole.end, slice.end - whole.end, slice.begin, whole.begin - slice.begin};
        for (std::size_t done = 0; done < rest.size(); done += tile) {
          const detail::tile_part part = rest.part(done, tile);
          ASSERT_LE(part.count, tile);
          for (unsigned i = 0; i < part.count; ++i) {
            const std::size_t item = i < part.joint ? part.at + i : part.others + (i - part.joint);
            ASSERT_LT(item, seen.size());
            ++seen[item];
          }
        }
        for (std::size_t i = 0; i < seen.size(); ++i) {
          ASSERT_EQ(seen[i], i >= slice.begin && i < slice.end ? 1 : 0)
              << "item " << i << " of " << slice.begin << " to " << slice.end << ", groups of " << group;
        }
      }
    }
  }
}

/// Several passes keep the order, whatever was asked: the later ones rely on it.
TEST(plan_of_tiles, keeps_the_order_over_several_passes) {
  for (const std::size_t kib : {48, 99, 163, 227}) {
    const device machine{.shared_per_block = kib * 1024, .shared_per_sm = (kib + 1) * 1024};
    for (const std::size_t key : {1, 4, 8, 16}) {
      for (const std::size_t value : {0, 4, 8}) {
        for (const std::uint32_t bins : {8U, 257U, 400U, 512U, 5000U}) {
          for (const std::size_t n : {std::size_t{5000}, mi, 64 * mi}) {
            const multisplit_problem problem{n, bins, key, value, 8, any};
            if (!multisplit_strategies::tiles::refuses(problem, machine).empty()) continue;
            const plan made = detail::plan_multisplit(problem, machine, "tiles");
            EXPECT_TRUE(made.get("passes") == 1 || made.get("keep order") == 1) << to_string(made);
          }
        }
      }
    }
  }
}

TEST(plan_of_tiles, refuses_more_passes_than_a_plan_can_list) {
  const device least{.arch = 80, .sms = 8, .shared_per_block = 48 * 1024, .shared_per_sm = 64 * 1024};
  expect_parts(message_of([&] {
                 detail::plan_multisplit({mi, 0xFFFFFFFFU, 8, 8, 8}, least, "");
               }),
               {"multisplit", "strategy", "tiles", "passes"});
}

/// Devices that grant a block less shared memory get smaller tiles and more passes, down to a clear refusal.
TEST(plan_of_tiles, fits_smaller_devices) {
  const device ada{.arch = 89, .sms = 128, .shared_per_block = 99 * 1024, .shared_per_sm = 100 * 1024};
  const plan small = detail::plan_multisplit({64 * mi, 512, 4, 0, 8}, ada, "");
  EXPECT_EQ(small.get("tile"), 4096U);
  EXPECT_LE(small.at("scatter_tiles").shared, ada.shared_per_block);
  const device least{.arch = 80, .sms = 8, .shared_per_block = 48 * 1024, .shared_per_sm = 64 * 1024};
  EXPECT_LE(detail::plan_multisplit({64 * mi, 512, 4, 0, 8}, least, "").at("scatter_tiles").shared, 48U * 1024);
  expect_parts(message_of([&] {
                 detail::plan_multisplit({mi, 4, 64, 64, 8}, least, "");
               }),
               {"multisplit", "strategy", "tiles", "bytes of shared memory"});
}

}  // namespace peneira::test
