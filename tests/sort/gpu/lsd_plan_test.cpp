// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of a sort from the lowest digit up, as their driver promises them: as many as the bits ask for, in memory
// that says where items are between two of them. lsd_passes.cpp runs them.
#include "peneira/sort.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

using lsd = sort_strategies::lsd;

/// A digit has 8 bits, the last one what is left.
TEST(lsd_plan, has_a_pass_a_digit) {
  for (const std::size_t key : {1U, 2U, 4U, 8U}) {
    for (unsigned first = 0; first < 8 * key; ++first) {
      for (unsigned last = first + 1; last <= 8 * key; ++last) {
        for (const std::size_t n : {std::size_t{100}, mi, 64 * mi}) {
          const sort_problem problem{n, key, 0, first, last};
          ASSERT_EQ(lsd::decide(problem, device{}).passes, (last - first + 7) / 8)
              << "bits " << first << " to " << last;
        }
      }
    }
  }
}

/// With one pass items go straight to the output; with more, or where the output is the input, by way of a copy.
TEST(lsd_plan, takes_a_copy_for_what_is_between_two_passes) {
  for (const std::size_t n : sizes_to_plan({132 * 512 * 8, 132 * 512 * 40})) {
    if (n == 0) continue;
    for (const auto& [key, value] : {std::pair{1U, 0U}, {4U, 0U}, {8U, 0U}, {4U, 4U}, {8U, 16U}}) {
      for (const unsigned bits : {1U, 5U, 8U, 9U, 8 * key}) {
        if (bits > 8 * key) continue;
        for (const bool in_place : {false, true}) {
          const sort_problem problem{n, key, value, 0, bits, order::stable, in_place};
          const plan made = detail::plan_of<lsd>(problem, device{});
          const std::size_t copy = bits > 8 || in_place ? problem.bytes() : 0;
          ASSERT_EQ(fault_of(made, device{}), "") << to_string(made);
          ASSERT_GE(made.temporary_bytes, copy) << to_string(made);
          const std::size_t tiles = std::min<std::size_t>(n, std::size_t{1} << 28U) / 2048 + 264;
          ASSERT_LE(made.temporary_bytes, copy + 2 * memory_alignment + (tiles + 16) * 256 * 8) << to_string(made);
        }
      }
    }
  }
}

/// Where each block has one tile, it has one, and all of them run at once; the fewest items of a thread that do.
TEST(lsd_plan, gives_each_block_one_tile_of_few_items) {
  for (const int sms : {1, 7, 132}) {
    for (const auto& [key, value] : {std::pair{4U, 0U}, {4U, 4U}, {8U, 0U}, {8U, 8U}}) {
      std::size_t before = 0;
      bool rows = true;
      for (const std::size_t n : sizes_to_plan({132 * 512 * 8, 132 * 512 * 16, 132 * 512 * 40})) {
        if (n == 0) continue;
        const lsd::parameters p = lsd::decide({n, key, value, 0, 8 * key}, device{.sms = sms});
        ASSERT_TRUE(rows || p.by != lsd::kernel::rows) << n << " items, but fewer had more than a tile a block";
        rows = p.by == lsd::kernel::rows;
        if (!rows) continue;
        ASSERT_LE(p.sort.grid, static_cast<std::uint64_t>(sms));
        ASSERT_TRUE(p.sort.grid * p.tile >= n && (p.sort.grid - 1) * p.tile < n) << n;
        ASSERT_GE(p.tile, before) << n;
        before = p.tile;
      }
      ASSERT_TRUE(before != 0 && !rows);
    }
  }
}

}  // namespace peneira::test
