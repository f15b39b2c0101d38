// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The problems of the sweep: the same on every machine, of every kind, and made as they are told.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "bench/sweep/problem.hpp"
#include "bench/sweep/race.hpp"
#include "peneira/key_order.hpp"

namespace peneira::bench::sweep {
namespace {

std::uint64_t hash_of(const std::string& text, std::uint64_t hash) {
  for (const char c : text) hash = mix64(hash ^ static_cast<unsigned char>(c)) + 1;
  return hash;
}

template <class T>
std::vector<T> made_by(const keys_recipe& keys, std::size_t n, std::uint64_t seed = 7) {
  std::vector<T> items(n);
  fill_keys(items.data(), 0, n, n, keys, seed);
  return items;
}
template <class T = std::uint32_t>
std::vector<T> made(const spread& s, std::size_t n, std::uint64_t seed = 7) {
  keys_recipe keys;
  keys.first = s;
  return made_by<T>(keys, n, seed);
}

template <class T>
std::size_t distinct(const std::vector<T>& items) {
  return std::set<T>(items.begin(), items.end()).size();
}
/// Places where an item is less than the one before it.
template <class T>
std::size_t descents(const std::vector<T>& items) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < items.size(); ++i) found += static_cast<std::size_t>(items[i] < items[i - 1]);
  return found;
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
  for (const std::string_view type : item_type_names) EXPECT_TRUE(seen.contains("sort " + std::string(type))) << type;
  for (const std::string_view s : shape_names) EXPECT_TRUE(seen.contains("multisplit " + std::string(s))) << s;
  for (const std::string_view f : bin_function_names) EXPECT_TRUE(seen.contains(std::string(f))) << f;
  for (const std::string_view s : sizes_names) EXPECT_TRUE(seen.contains(std::string(s))) << s;
  for (const char* const word : {"mixture", "specials", "sort, n < 1000", "sort, n >= 1000", "sort", "reduce",
                                 "multisplit, stable", "multisplit, any order", "segmented_reduce"}) {
    EXPECT_TRUE(seen.contains(word)) << word;
  }
}

TEST(sweep, what_is_told_of_two_problems_differs) {
  std::set<std::string> told;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const problem p = draw_problem(1, i);
    EXPECT_TRUE(p.n <= 1000 || told.insert(describe(p)).second) << describe(p);
  }
}

TEST(sweep, sorted_shapes) {
  constexpr std::size_t n = 4096;
  EXPECT_EQ(descents(made({shape::sorted}, n)), 0U);
  auto reversed = made({shape::sorted, 0, 1}, n);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(descents(reversed), 0U);
  EXPECT_EQ(descents(made<float>({shape::sorted}, n)), 0U);
  EXPECT_EQ(descents(made<std::int64_t>({shape::sorted}, n)), 0U);
  EXPECT_EQ(descents(made({shape::runs, 64}, n)), n / 64 - 1);
  EXPECT_EQ(descents(made({shape::sawtooth, 16}, n)), 15U);
  const auto nearly = descents(made({shape::nearly_sorted, 64}, n));
  EXPECT_GT(nearly, n / 64 / 4);
  EXPECT_LT(nearly, n / 64 * 2);
}

TEST(sweep, runs_differ_and_teeth_do_not) {
  const auto runs = made({shape::runs, 64}, 128);
  EXPECT_FALSE(std::equal(runs.begin(), runs.begin() + 64, runs.begin() + 64));
  const auto teeth = made({shape::sawtooth, 2}, 128);
  EXPECT_TRUE(std::equal(teeth.begin(), teeth.begin() + 64, teeth.begin() + 64));
}

TEST(sweep, an_organ_pipe_goes_up_and_down_once) {
  const auto pipe = made({shape::organ, 1}, 1001);
  const auto top = std::max_element(pipe.begin(), pipe.end());
  EXPECT_TRUE(std::is_sorted(pipe.begin(), top));
  EXPECT_TRUE(std::is_sorted(std::make_reverse_iterator(pipe.end()), std::make_reverse_iterator(top)));
  EXPECT_NEAR(static_cast<double>(top - pipe.begin()), 500, 2);
}

TEST(sweep, bits_that_stay_the_same) {
  for (const std::uint64_t bits : {1, 5, 13, 31}) {
    std::uint32_t differ = 0;
    const auto low = made({shape::low_bits, bits}, 5000);
    for (const std::uint32_t key : low) differ |= key ^ low[0];
    EXPECT_EQ(static_cast<unsigned>(std::bit_width(differ)), bits);
    differ = 0;
    const auto high = made({shape::high_bits, bits}, 5000);
    for (const std::uint32_t key : high) differ |= key ^ high[0];
    EXPECT_EQ(static_cast<unsigned>(32 - std::countr_zero(differ)), bits);
  }
  EXPECT_EQ(distinct(made({shape::constant}, 1000)), 1U);
}

TEST(sweep, values_and_masks) {
  for (const std::uint64_t count : {2, 17, 300}) EXPECT_EQ(distinct(made({shape::few, count}, 20000)), count);
  EXPECT_LE(distinct(made({shape::clusters, 9, 32}, 20000)), 18U);  // each may lie across a border
  std::uint64_t set = 0;
  for (const std::uint64_t key : made<std::uint64_t>({shape::masks, 3}, 5000)) set |= key;
  EXPECT_GE(std::popcount(set), 1);
  EXPECT_LE(std::popcount(set), 20);
}

TEST(sweep, narrow_shapes_are_narrow) {
  const auto width = [](const std::vector<std::uint32_t>& keys) {
    const auto [least, most] = std::minmax_element(keys.begin(), keys.end());
    return std::uint64_t{*most} - *least;
  };
  EXPECT_LE(width(made({shape::uniform, 12, 5}, 10000)), std::uint64_t{1} << 20U);
  EXPECT_GT(width(made({shape::uniform, 0, 0}, 10000)), std::uint64_t{1} << 31U);
  EXPECT_LE(width(made({shape::normal, 10, 0}, 10000)), std::uint64_t{1} << 22U);
  const auto zipf = made({shape::zipf, 2}, 10000);
  EXPECT_GT(std::count(zipf.begin(), zipf.end(), 0U), 100);
  const auto times = made<std::uint64_t>({shape::timestamps, 100, 50}, 1000);
  EXPECT_LE(times.back() - times.front(), 1001U * 100 + 150);
  EXPECT_GE(times.back() - times.front(), 998U * 100);
}

TEST(sweep, mixtures_have_both) {
  keys_recipe keys;
  keys.first = {shape::constant};
  keys.second = {shape::uniform};
  keys.mixed = 64;
  const auto items = made_by<std::uint32_t>(keys, 10000);
  const auto one = made({shape::constant}, 1)[0];
  EXPECT_NEAR(static_cast<double>(std::count(items.begin(), items.end(), one)), 7500, 300);
}

TEST(sweep, floats_are_never_nan) {
  for (std::uint64_t i = 0; i < 400; ++i) {
    draws from(9, i);
    const keys_recipe keys = draw_keys(from, 2000, 24, true, false);
    for (const float x : made_by<float>(keys, 2000, i)) ASSERT_FALSE(std::isnan(x)) << describe(keys);
    const keys_recipe plain = draw_keys(from, 2000, 53, true, true);
    for (const double x : made_by<double>(plain, 500, i)) ASSERT_TRUE(x >= 0 && std::isfinite(x)) << describe(plain);
  }
}

TEST(sweep, specials_and_forms) {
  keys_recipe keys;
  keys.specials = 1U << 15U;
  const auto items = made_by<float>(keys, 4000);
  const auto has = [&](auto is) { return std::any_of(items.begin(), items.end(), is); };
  EXPECT_TRUE(has([](float x) { return x == std::numeric_limits<float>::infinity(); }));
  EXPECT_TRUE(has([](float x) { return x == 0 && std::signbit(x); }));
  EXPECT_TRUE(has([](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }));
  keys = {};
  keys.form = float_form::centred;
  keys.exponent = 10;
  const auto centred = made_by<double>(keys, 1000);
  EXPECT_LT(*std::min_element(centred.begin(), centred.end()), -900);
  EXPECT_GT(*std::max_element(centred.begin(), centred.end()), 900);
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
