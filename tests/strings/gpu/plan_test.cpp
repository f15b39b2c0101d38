// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What sort_strings will do on an H200 and on other devices, without one; and its keys and its reader on the host.
#include "peneira/strings/gpu/rounds.cuh"
#include "peneira/strings/published.hpp"
#include "tests/strings/inputs.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

plan plan_of_strings(std::size_t n, const device& machine = {}) {
  return explain(
      [&](auto& on) {
        sort_strings(on, strings<std::uint64_t>(nullptr, nullptr, n), items(static_cast<std::uint64_t*>(nullptr), n));
      },
      machine);
}

/// A plan that a device can launch; as docs/strings.md says, about 63 bytes a string, whatever the number.
TEST(gpu_strings_plan, is_there_for_every_size) {
  for (const std::size_t n : sizes_to_plan({65536})) {
    if (n >> 32U != 0) {
      expect_parts(message_of([n] { plan_of_strings(n); }), {"rounds", "at most 4294967295 strings"});
      continue;
    }
    const plan made = plan_of_strings(n);
    ASSERT_EQ(made.strategy, "rounds");
    ASSERT_EQ(fault_of(made, device{}), "") << to_string(made);
    ASSERT_TRUE(text_says_it_all(made));
    ASSERT_EQ(n == 0, made.temporary_bytes == 0) << to_string(made);
    ASSERT_TRUE(n < 8 * mi || made.temporary_bytes > 50 * n) << to_string(made);
    ASSERT_LE(made.temporary_bytes, 66 * n + 2 * mi) << to_string(made);
  }
}

/// Every round sorts in the memory that was taken for the sort of all strings.
TEST(gpu_strings_plan, has_room_for_the_sorts_of_all_rounds) {
  random next(seed());
  for (const device& machine : {device{}, device{.arch = 80, .sms = 108}, device{.arch = 90, .sms = 8}}) {
    for (int k = 0; k < 1000; ++k) {
      const std::size_t n = 1 + next.below(std::uint64_t{1} << (1 + next.below(27)));
      const std::size_t room = plan_of_strings(n, machine).get("sort bytes");
      for (const std::size_t items : {n, n - n / 1000, 1 + next.below(n), 1 + next.below(n)}) {
        const plan sorting = explain(
            [&](auto& on) {
              sort(on, pairs(static_cast<std::uint64_t*>(nullptr), static_cast<std::uint32_t*>(nullptr), items));
            },
            machine);
        EXPECT_LE(detail::workspace::round_up(sorting.temporary_bytes), room) << items << " of " << n;
      }
    }
  }
}

TEST(gpu_strings_plan, doubling_merge_has_its_threads) {
  const auto planned = [](std::size_t n, std::size_t threads, std::size_t merge_items = 0) {
    return explain(
        [&](auto& on) {
          published::sort_strings(on, strings<std::uint32_t>(nullptr, nullptr, n),
                                  items(static_cast<std::uint32_t*>(nullptr), n), {.strategy = "doubling_merge"},
                                  {.block_threads = threads, .merge_items = merge_items});
        },
        device{});
  };
  EXPECT_EQ(planned(1000, 32).get("widths"), 10U);
  EXPECT_EQ(planned(1024, 32).get("widths"), 10U);
  EXPECT_EQ(planned(1025, 32).get("widths"), 11U);
  EXPECT_EQ(planned(1, 32).get("widths"), 0U);
  EXPECT_EQ(planned(1000, 64).at("merge_runs").block, 64U);
  EXPECT_EQ(planned(1000, 64).at("merge_runs").grid, 8U);
  expect_parts(message_of([&] { planned(10, 0); }), {"doubling_merge", "block_threads", "0"});
  expect_parts(message_of([&] { planned(10, 1025); }), {"doubling_merge", "block_threads", "1025"});

  EXPECT_EQ(planned(1000, 64).get("split widths"), 0U) << "as published";
  EXPECT_EQ(planned(1000, 64).steps.size(), 3U);
  EXPECT_EQ(planned(1000, 64, 1024).get("split widths"), 0U) << "no merge puts out more";
  EXPECT_EQ(planned(1000, 64, 1023).get("split widths"), 1U);
  EXPECT_EQ(planned(1000, 64, 16).get("split widths"), 6U) << "of 16, 32, ... 512 strings a run";
  EXPECT_EQ(planned(1000, 64, 16).at("merge_parts").grid, 1U) << "32 pairs, two threads each";
  EXPECT_EQ(planned(mi, 64, 16).at("merge_parts").grid, 2 * mi / 32 / 64);
  EXPECT_EQ(planned(mi, 64, 16).at("merge_parts").block, 64U);
  EXPECT_EQ(planned(20, 64, 16).at("merge_parts").block, 2U) << "few threads";
  EXPECT_EQ(planned(1, 64, 2).steps.size(), 3U);
  expect_parts(message_of([&] { planned(10, 32, 1); }), {"doubling_merge", "merge_items", "not 1"});
}

/// Threads that share two runs put out the whole merge, each its part of it.
TEST(gpu_strings_plan, parts_of_a_merge_are_the_merge) {
  random next(seed() + 2);
  for (const std::size_t n : {1U, 2U, 3U, 64U, 100U, 257U}) {
    const auto all = strings_of<std::uint64_t>(make_words(generators()[2], n, next));
    for (const bool descending : {false, true}) {
      std::vector<std::uint32_t> wanted(n);
      reference::sort_strings(all.view(), wanted.data(), descending);
      for (const std::size_t share : {2U, 3U, 16U, 50U, 300U}) {
        std::vector<std::uint32_t> from(n);
        std::vector<std::uint32_t> to(n);
        std::iota(from.begin(), from.end(), 0U);
        for (std::size_t width = 1; width < n; width *= 2) {
          for (std::size_t pair = 0; pair * 2 * width < n; ++pair) {
            const detail::pair_of_runs<std::uint64_t, std::uint32_t> runs(all.view(), from.data(), pair, width,
                                                                          descending);
            for (std::size_t first = 0; first < runs.end - runs.begin; first += share) {
              runs.merge(to.data(), first, runs.last_of(first, share), runs.left_among(first));
            }
          }
          std::swap(from, to);
        }
        EXPECT_TRUE(same(wanted, from)) << n << " strings, " << share << " a thread";
      }
    }
  }
}

/// The keys of two strings in one group order as their strings do, and equal ones that do not go on are equal strings.
TEST(gpu_strings_plan, keys_order_as_strings_do) {
  random next(seed() + 1);
  for (const std::size_t groups : {1U, 2U, 16U, 17U, 5000U, 1U << 20U, 1U << 31U}) {
    for (const bool descending : {false, true}) {
      const auto key = detail::string_key::of(groups, descending);
      const auto group = static_cast<std::uint32_t>(next.below(groups));
      for (int k = 0; k < 300; ++k) {
        const auto all =
            strings_of<std::uint64_t>(words{text_of(next, next.below(11), std::string_view("\0\1\xFF", 3)),
                                            text_of(next, next.below(11), std::string_view("\0\1\xFF", 3))});
        const detail::string_reader read(all.view());
        const auto key_of = [&](std::size_t i) {
          const std::size_t left = read.length(i);
          return key(group, read.word(i, 0, std::min<std::size_t>(left, key.bytes)), left);
        };
        const std::uint64_t a = key_of(0);
        const std::uint64_t b = key_of(1);
        EXPECT_EQ(key.group(a), group);
        const std::size_t seen = key.goes_on(a) ? key.bytes : std::string_view::npos;
        if (a == b) {
          EXPECT_EQ(all[0].substr(0, seen), all[1].substr(0, seen));
        } else {
          EXPECT_EQ(a < b, descending ? all[1] < all[0] : all[0] < all[1]);
        }
        EXPECT_EQ(read.before(0, 1), all[0] < all[1]);
      }
    }
  }
}

}  // namespace peneira::test
