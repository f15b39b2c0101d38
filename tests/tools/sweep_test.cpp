// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The problems of the sweep: the same on every machine, of every kind; and the races between peers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/sweep/problem.hpp"
#include "bench/sweep/race.hpp"
#include "peneira/key_order.hpp"
#include "tests/tools/sweep_keys.hpp"

namespace peneira::bench::sweep {
namespace {

std::uint64_t hash_of(const std::string& text, std::uint64_t hash) {
  for (const char c : text) hash = mix64(hash ^ static_cast<unsigned char>(c)) + 1;
  return hash;
}

TEST(sweep, powers_of_two) {
  for (unsigned k = 0; k < 60; ++k) EXPECT_EQ(power_of_two(std::uint64_t{k} << exponent_bits), std::uint64_t{1} << k);
  for (const double e : {0.5, 1.25, 7.875, 19.99, 27.5}) {
    const auto got = static_cast<double>(power_of_two(static_cast<std::uint64_t>(e * (1U << exponent_bits))));
    EXPECT_NEAR(got, std::exp2(e), 1 + std::exp2(e) * 1e-6);
  }
}

TEST(sweep, every_octave_has_its_share) {
  std::map<int, int> octaves;
  constexpr int count = 28000;
  for (int i = 0; i < count; ++i) {
    draws from(3, static_cast<std::uint64_t>(i));
    const std::uint64_t drawn = log_uniform(from, 0, 28);
    ASSERT_GE(drawn, 1U);
    ASSERT_LT(drawn, std::uint64_t{1} << 28U);
    ++octaves[static_cast<int>(std::bit_width(drawn))];
  }
  EXPECT_EQ(octaves.size(), 28U);
  for (const auto& [octave, found] : octaves) EXPECT_NEAR(found, count / 28, 200) << octave;
}

TEST(sweep, numbers_up_to_one) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    draws from(1, i);
    EXPECT_EQ(log_uniform_to(from, 1), 1U);
    EXPECT_LE(log_uniform_to(from, 3), 3U);
  }
}

/// Result files name problems by seed and number: another problem under the same number would make them lie.
TEST(sweep, the_problems_of_a_seed_are_the_same_everywhere) {
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const problem p = draw_problem(1, i);
    hash = hash_of(describe(p), hash + p.data_seed);
  }
  EXPECT_EQ(hash, 9023623533912445926U);
  EXPECT_NE(describe(draw_problem(2, 0)), describe(draw_problem(1, 0)));
}

TEST(sweep, the_items_of_a_problem_are_the_same_everywhere) {
  std::uint64_t hash = 0;
  const auto add = [&hash]<class T>(const problem& p, T /*item*/) {
    for (const T item : made_by<T>(p.keys, 100, p.data_seed)) hash = mix64(hash ^ peneira::detail::raw_bits(item)) + 1;
  };
  for (std::uint64_t i = 0; i < 300; ++i) {
    const problem p = draw_problem(1, i);
    if (p.type == item_type::f32) add(p, float{});
    if (p.type == item_type::f64) add(p, double{});
    if (p.type == item_type::i32) add(p, std::int32_t{});
    if (p.type == item_type::i64) add(p, std::int64_t{});
    if (p.type == item_type::u32 || p.type == item_type::u32_u32) add(p, std::uint32_t{});
    if (p.type == item_type::u64 || p.type == item_type::u64_u64) add(p, std::uint64_t{});
  }
  EXPECT_EQ(hash, 15356123707590898635U);
}

TEST(sweep, chunks_are_the_whole) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    const problem p = draw_problem(5, i);
    const std::vector<std::uint64_t> whole = made_by<std::uint64_t>(p.keys, 1000, p.data_seed);
    std::vector<std::uint64_t> parts(1000);
    for (std::size_t at = 0; at < 1000; at += 250) {
      fill_keys(parts.data() + at, at, 250, 1000, p.keys, p.data_seed);
    }
    EXPECT_EQ(parts, whole) << describe(p);
  }
}

TEST(sweep, every_kind_comes) {
  std::set<std::string> seen;
  std::uint64_t least = most_items;
  std::uint64_t most = 0;
  std::uint64_t bins = 0;
  bool more_segments_than_items = false;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const problem p = draw_problem(1, i);
    const std::string what = name_in(primitive_names, p.what);
    seen.insert(what + " " + name_in(item_type_names, p.type));
    seen.insert(what + " " + name_in(shape_names, p.keys.first.of));
    seen.insert(bar_of(p, false));
    seen.insert(bar_of(p, true));
    if (p.keys.mixed != 0) seen.insert("mixture");
    if (p.keys.specials != 0) seen.insert("specials");
    if (p.what == primitive::multisplit) seen.insert(name_in(bin_function_names, p.function));
    if (p.what == primitive::segmented_reduce) seen.insert(name_in(sizes_names, p.segments.of));
    more_segments_than_items = more_segments_than_items || p.segments.count > p.n;
    least = std::min(least, p.n);
    most = std::max(most, p.n);
    bins = std::max(bins, p.bins);
    EXPECT_TRUE(p.what != primitive::multisplit || (p.bins >= 2 && p.bins <= std::uint64_t{1} << 20U)) << describe(p);
    EXPECT_TRUE(p.n >= 1 && p.n <= most_items);
    EXPECT_GE(bytes_needed(p), p.n * p.item_bytes());
  }
  EXPECT_EQ(least, 1U);
  EXPECT_GT(most, most_items / 4 * 3);
  EXPECT_EQ(bins, std::uint64_t{1} << 20U);
  EXPECT_TRUE(more_segments_than_items);
  for (const std::string_view type : item_type_names) {
    EXPECT_TRUE(type == "u32+f32" || seen.contains("sort " + std::string(type))) << type;
  }
  for (const std::string_view s : shape_names) EXPECT_TRUE(seen.contains("multisplit " + std::string(s))) << s;
  for (const std::string_view f : bin_function_names) EXPECT_TRUE(seen.contains(std::string(f))) << f;
  for (const std::string_view s : sizes_names) EXPECT_TRUE(seen.contains(std::string(s))) << s;
  for (const char* const word : {"mixture", "specials", "sort, n < 1000", "sort, n >= 1000", "sort", "reduce",
                                 "multisplit, stable", "multisplit, any order", "segmented_reduce"}) {
    EXPECT_TRUE(seen.contains(word)) << word;
  }
}

TEST(sweep, the_problems_of_the_other_calls_are_the_same_everywhere) {
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const problem p = draw_problem(1, first_call + i);
    hash = hash_of(describe(p), hash + p.data_seed);
  }
  EXPECT_EQ(hash, 1905275762100636403U);
}

TEST(sweep, every_kind_of_the_other_calls_comes) {
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const problem p = draw_problem(1, first_call + i);
    const std::string what = name_in(primitive_names, p.what);
    EXPECT_FALSE(is_first_four(p.what)) << describe(p);
    EXPECT_TRUE(what != "top_k" || (p.asked.k >= 1 && p.asked.k <= p.n)) << describe(p);
    EXPECT_TRUE(what != "histogram" || (p.bins >= 2 && p.bins <= std::uint64_t{1} << 20U)) << describe(p);
    EXPECT_TRUE((what == "segmented_sort") == (p.segments.count != 0)) << describe(p);
    EXPECT_GE(bytes_needed(p), p.n * p.item_bytes());
    seen.insert(what);
    seen.insert(what + " " + name_in(item_type_names, p.type));
    if (what == "sort_records") seen.insert("records of " + std::to_string(p.asked.record_bytes));
    if (what == "partition") seen.insert(std::to_string(p.asked.parts) + " parts");
    if (p.equal == order::any) seen.insert(what + ", any order");
  }
  for (std::size_t k = static_cast<std::size_t>(primitive::group_by); k < primitive_names.size(); ++k) {
    EXPECT_TRUE(seen.contains(std::string(primitive_names[k]))) << primitive_names[k];
  }
  for (const char* const kind : {"group_by u32+f32", "group_by u64+u64", "group_by, any order", "partition, any order",
                                 "2 parts", "3 parts", "records of 16", "records of 32", "records of 64", "scan f64",
                                 "top_k f32", "top_k u64+u64", "segmented_sort u64+u64", "histogram u64"}) {
    EXPECT_TRUE(seen.contains(kind)) << kind;
  }
}

/// Threads that look out for work count as busy even between two ticks of the system's clock.
TEST(sweep, a_run_begins_when_all_other_threads_sleep) {
  using clock = std::chrono::steady_clock;
  std::atomic<bool> began{false};
  clock::time_point end;
  std::thread busy([&] {
    const auto begin = clock::now();
    while (clock::now() < begin + std::chrono::milliseconds(20)) began = true;
    end = clock::now();
  });
  while (!began) std::this_thread::yield();
  rest_until_quiet();
  const auto rested = clock::now();
  busy.join();
  EXPECT_GE(rested, end);
}

TEST(sweep, what_is_told_of_two_problems_differs) {
  std::set<std::string> told;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const problem p = draw_problem(1, i);
    EXPECT_TRUE(p.n <= 1000 || told.insert(describe(p)).second) << describe(p);
  }
}

TEST(sweep, segments_cover_all_items_in_order) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    draws from(4, i);
    const std::uint64_t n = log_uniform(from, 0, 16);
    const segments_recipe r = draw_segments(from, n);
    const auto offsets = make_offsets(r, n, i, 2);
    ASSERT_EQ(offsets.size(), r.count + 1) << describe(r);
    EXPECT_EQ(offsets.front(), 0U);
    EXPECT_EQ(offsets.back(), n);
    EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end())) << describe(r);
    EXPECT_EQ(offsets, make_offsets(r, n, i, 1));
  }
}

std::vector<std::uint32_t> sizes_of(const segments_recipe& r, std::uint64_t n) {
  const auto offsets = make_offsets(r, n, 11, 2);
  std::vector<std::uint32_t> found(offsets.size() - 1);
  for (std::size_t s = 0; s < found.size(); ++s) found[s] = offsets[s + 1] - offsets[s];
  return found;
}

TEST(sweep, shapes_of_segments) {
  constexpr std::uint64_t n = 1U << 20U;
  const auto most = [](const std::vector<std::uint32_t>& all) { return *std::max_element(all.begin(), all.end()); };
  const auto equal = sizes_of({.count = 1000}, n);
  EXPECT_LE(most(equal) - *std::min_element(equal.begin(), equal.end()), 1U);
  const auto empties = sizes_of({.count = 1000, .empties = 128}, n);
  EXPECT_NEAR(static_cast<double>(std::count(empties.begin(), empties.end(), 0U)), 500, 60);
  const auto giants = sizes_of({.count = 1000, .giants = 1, .share = 8}, n);
  EXPECT_NEAR(most(giants), n / 2, n / 100);
  const auto mixed = sizes_of({.count = 1000, .of = sizes::mixture, .ratio = 100, .larger = 26}, n);
  EXPECT_GT(most(mixed), 50 * *std::min_element(mixed.begin(), mixed.end()));
  const auto law = sizes_of({.count = 10000, .of = sizes::power_law, .alpha = 8}, n);
  EXPECT_GT(most(law), 100 * n / 10000);
  EXPECT_LT(most(sizes_of({.count = 1000, .of = sizes::uniform}, n)), 3 * n / 1000);
}

/// A race whose runs take as long as their contestants say.
class sweep_race : public testing::Test {
 protected:
  contestant who(const std::string& name, double seconds, bool right = true) {
    return {name, [] {}, [this, name, seconds] { ++calls_[name], clock_ += seconds; }, [right] { return right; }};
  }
  outcome run(std::vector<contestant> peers, contestant ours, bool repeats = false) {
    outcome found;
    const auto once = [this](const auto& prepare, const auto& work) {
      prepare();
      const double start = clock_;
      work();
      return clock_ - start;
    };
    race(once, patience{}, repeats).run(std::move(peers), std::move(ours), found);
    return found;
  }
  std::map<std::string, int> calls_;
  double clock_ = 0;
};

TEST_F(sweep_race, the_best_peer_is_the_one_beside_us) {
  const outcome found = run({who("slow", 4e-3), who("best", 2e-3), who("good", 3e-3)}, who("ours", 1e-3));
  EXPECT_EQ(found.best_peer, "best");
  EXPECT_NEAR(found.ratio(), 2, 1e-6);
  EXPECT_TRUE(found.right);
  EXPECT_EQ(found.ours.runs, 15U);
  EXPECT_EQ(found.all.size(), 4U);
}

TEST_F(sweep_race, a_peer_far_behind_is_not_measured_further) {
  const outcome found = run({who("far", 9e-3), who("best", 2e-3)}, who("ours", 1e-3));
  EXPECT_EQ(calls_["far"], 2);  // both to warm up
  EXPECT_EQ(found.all.size(), 2U);
}

TEST_F(sweep_race, what_starts_slowly_is_still_a_peer) {
  int runs = 0;
  contestant late{"late", [] {}, [&] { clock_ += runs++ == 0 ? 4e-2 : 1e-3; }, [] { return true; }};
  const outcome found = run({late, who("other", 2e-3)}, who("ours", 1e-3));
  EXPECT_EQ(found.best_peer, "late");
}

TEST_F(sweep_race, a_wrong_peer_is_none) {
  const outcome found = run({who("wrong", 1e-3, false), who("right", 2e-3)}, who("ours", 1e-3));
  EXPECT_EQ(found.best_peer, "right");
  EXPECT_EQ(found.wrong, std::vector<std::string>{"wrong"});
  EXPECT_TRUE(found.right);
  EXPECT_EQ(run({who("wrong", 1e-3, false)}, who("ours", 1e-3)).best_peer, "");
}

TEST_F(sweep_race, a_wrong_output_of_ours_is_told) {
  EXPECT_FALSE(run({who("peer", 1e-3)}, who("ours", 1e-3, false)).right);
  int checks = 0;
  contestant at_last{"ours", [] {}, [&] { clock_ += 1e-3; }, [&] { return ++checks == 1; }};
  EXPECT_FALSE(run({who("peer", 1e-3)}, at_last).right);  // the last run was wrong
}

TEST_F(sweep_race, calls_that_are_too_short_are_repeated) {
  const outcome found = run({who("peer", 2e-6)}, who("ours", 1e-6), true);
  EXPECT_NEAR(found.ours.seconds, 1e-6, 1e-9);
  EXPECT_GE(calls_["ours"], 15 * 20);
  EXPECT_NEAR(found.ratio(), 2, 1e-3);
}

}  // namespace
}  // namespace peneira::bench::sweep
