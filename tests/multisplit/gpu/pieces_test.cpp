// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How the GPU's strategies of multisplit share out items among blocks, and what they make of a sample: on the host.
#include <numeric>

#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_histogram.cuh"
#include "peneira/multisplit.hpp"
#include "peneira/multisplit/gpu/sample.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

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

}  // namespace peneira::test
