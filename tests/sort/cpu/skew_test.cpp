// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sort on the CPU does about skewed keys: octaves around a pivot, and frequent keys that are counted.
#include <algorithm>
#include <limits>
#include <numeric>

#include "peneira/sort.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// Ranks near a place, and near powers of two from it on both sides.
template <class U>
std::vector<U> ranks_around(U place, random& next) {
  std::vector<U> ranks{0, 1, std::numeric_limits<U>::max()};
  for (unsigned bits = 0; bits < std::numeric_limits<U>::digits; ++bits) {
    for (int off = -2; off <= 2; ++off) {
      ranks.push_back(static_cast<U>(place + (U{1} << bits) + static_cast<U>(off)));
      ranks.push_back(static_cast<U>(place - (U{1} << bits) + static_cast<U>(off)));
    }
    ranks.push_back(static_cast<U>(next()));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

template <class U>
void expect_octaves_in_order(U place, unsigned most_bits, random& next) {
  std::vector<U> keys(5000);
  for (U& key : keys) key = static_cast<U>(place + (sparse_bits(next) >> (64 - most_bits)));
  using rank = detail::flipped_rank<U>;
  const auto sample = detail::level_sample<U>::of(keys.data(), keys.size(), rank{});
  detail::octave_table<U> table;
  const auto digit = detail::octaves_of(rank{}, sample, 1024, table);
  EXPECT_LE(digit.bins(), 2048);
  std::vector<U> ranks = ranks_around<U>(digit.low, next);
  ranks.insert(ranks.end(), keys.begin(), keys.end());
  std::sort(ranks.begin(), ranks.end());
  std::uint32_t before = 0;
  for (const U x : ranks) {
    ASSERT_GE(digit(x), before) << x << " around " << digit.low;
    ASSERT_LT(digit(x), digit.bins());
    ASSERT_EQ(digit.is_exact(digit(x)), x == digit.low) << x;
    before = digit(x);
  }
}

TEST(sort_skew, octaves_are_in_order_on_both_sides_of_any_pivot) {
  random next(seed());
  for (int k = 0; k < 20; ++k) {
    expect_octaves_in_order<std::uint16_t>(static_cast<std::uint16_t>(next()), 16, next);
    expect_octaves_in_order<std::uint32_t>(static_cast<std::uint32_t>(next()), 32, next);
    expect_octaves_in_order<std::uint64_t>(next(), 64, next);
    expect_octaves_in_order<std::uint64_t>(next(), 3, next);
  }
  expect_octaves_in_order<std::uint64_t>(0, 64, next);
  expect_octaves_in_order<std::uint64_t>(~std::uint64_t{0}, 1, next);
}

TEST(sort_skew, octaves_tell_apart_what_the_highest_bits_do_not) {
  random next(seed() + 1);
  std::vector<std::uint64_t> keys(100000);
  for (auto& key : keys) key = sparse_bits(next) ^ 0x9E3779B97F4A7C15U;
  using rank = detail::flipped_rank<std::uint64_t>;
  const auto sample = detail::level_sample<std::uint64_t>::of(keys.data(), keys.size(), rank{});
  detail::octave_table<std::uint64_t> table;
  const auto octaves = detail::octaves_of(rank{}, sample, 128, table);
  const auto most = [&](const auto& digit) {
    std::vector<std::size_t> counts(digit.bins());
    for (const auto key : keys) ++counts[digit(key)];
    return *std::max_element(counts.begin(), counts.end());
  };
  EXPECT_LT(most(octaves), keys.size() / 5);  // an eighth is one key
  EXPECT_GT(most(detail::level_digit<rank>{rank{}, 0, 53, 2048}), keys.size() / 2);
}

/// Counts and writes frequent keys of a list as so many members would.
void expect_counted(const std::vector<std::uint32_t>& keys, std::vector<std::uint32_t> sample, unsigned members) {
  using rank = detail::flipped_rank<std::uint32_t>;
  std::vector<std::uint32_t> table(detail::frequent_slots);
  std::vector<std::uint64_t> lists(2 * detail::frequent_slots);
  std::vector<std::vector<std::uint64_t>> counts(members, std::vector<std::uint64_t>(detail::frequent_slots));
  detail::frequent_ranks<std::uint32_t> frequent{table.data(), lists.data(), lists.data() + detail::frequent_slots};
  std::sort(sample.begin(), sample.end());
  ASSERT_NE(frequent.choose(sample.data(), sample.size(), rank{}, counts[0].data()), 0);
  std::vector<std::uint32_t> rest;
  for (unsigned m = 0; m < members; ++m) {
    const auto [begin, end] = detail::slice(keys.size(), m, members);
    std::vector<std::uint32_t> mine(end - begin + 1);
    mine.resize(frequent.filter(keys.data() + begin, end - begin, rank{}, mine.data(), counts[m].data()));
    rest.insert(rest.end(), mine.begin(), mine.end());
  }
  EXPECT_LT(rest.size(), keys.size());
  frequent.count(members, [&](unsigned m) { return counts[m].data(); });
  std::sort(rest.begin(), rest.end());
  std::vector<std::uint32_t> wanted = keys;
  std::sort(wanted.begin(), wanted.end());
  std::vector<std::uint32_t> got(keys.size());
  for (unsigned m = 0; m < members; ++m) {
    const auto [begin, end] = detail::slice(keys.size(), m, members);
    frequent.write(rest.data(), rest.size(), rank{}, begin, end, got.data());
  }
  EXPECT_TRUE(same(wanted, got)) << members << " members";
}

TEST(sort_skew, frequent_keys_are_counted_and_written) {
  random next(seed() + 2);
  for (const unsigned members : {1U, 2U, 7U, 100U}) {
    expect_counted({5, 5, 1, 9, 5, 7, 5, 9}, {5, 5}, members);
    expect_counted({0, 0, ~0U, ~0U, 3, 0}, {0, 0, ~0U, ~0U}, members);
    expect_counted({4, 4, 4}, {4, 4, 8, 8}, members);  // one that does not occur
    const std::vector<std::uint32_t> keys = make_sort_keys<std::uint32_t>(sort_shape::zipf, 20000, next);
    expect_counted(keys, keys, members);  // far more than the table has slots
    expect_counted(keys, {keys.begin(), keys.begin() + 500}, members);
  }
}

/// Keys of so many values, all of which occur, the last at the end alone.
template <class K>
void expect_few_values_sorted(std::size_t n, std::size_t values, random& next) {
  std::vector<K> value(values);
  for (std::size_t v = 0; v < values; ++v) {
    const auto bits = static_cast<detail::bits_of<K>>(v < 3 ? (next() | 0xFFF0000000000000U) : next());  // NaNs, too
    value[v] = detail::key_of_bits<K>(static_cast<detail::bits_of<K>>(bits - bits % 32 + v));
  }
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t others = values - 1;
    keys[i] = value[i + 1 == n || others == 0 ? others : i < others ? i : next.below(others)];
  }
  for (const bool descending : {false, true}) {
    std::vector<K> wanted = keys;
    const auto by = detail::order_of<K>(descending);
    const auto before = [&](const K& a, const K& b) { return by(detail::raw_bits(a)) < by(detail::raw_bits(b)); };
    std::sort(wanted.begin(), wanted.end(), before);
    std::vector<K> got = keys;
    detail::with_rank<K>(by, {0, 8 * sizeof(K)}, [&](const auto& rank) {
      EXPECT_EQ(detail::sort_few_values(keys.data(), n, got.data(), rank), values <= 16);
    });
    if (values <= 16) {
      EXPECT_TRUE(same(wanted, got)) << n << " keys, " << values << " values";
    }
    got = keys;
    sort(cpu{.threads = 1}, got, {.descending = descending});
    EXPECT_TRUE(same(wanted, got)) << n << " keys, " << values << " values, a whole sort";
  }
}

TEST(sort_skew, few_values_are_counted) {
  random next(seed() + 4);
  for (const std::size_t n : {17U, 300U, 1023U, 1024U, 1025U, 5000U}) {
    for (const std::size_t values : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 16U, 17U}) {
      if (values > n) continue;
      expect_few_values_sorted<std::uint32_t>(n, values, next);
      expect_few_values_sorted<std::int64_t>(n, values, next);
      if (n % 25 == 0) expect_few_values_sorted<float>(n, values, next);
    }
  }
}

template <class K>
void expect_sorted(sort_shape s, std::size_t n, unsigned threads, bool descending, random& next) {
  std::vector<K> keys = make_sort_keys<K>(s, n, next);
  std::vector<K> wanted = keys;
  const auto less = [](K a, K b) { return a < b; };
  const auto more = [](K a, K b) { return b < a; };
  descending ? std::sort(wanted.begin(), wanted.end(), more) : std::sort(wanted.begin(), wanted.end(), less);
  std::vector<K> out(n);
  sort(cpu{.threads = threads}, keys, out, {.descending = descending});
  EXPECT_TRUE(same(wanted, out)) << static_cast<int>(s) << ", " << threads << " threads";
  const plan made = explain([&](auto& on) { sort(on, keys); }, host::here().with_threads(threads));
  std::vector<std::byte> room(made.temporary_bytes + memory_alignment);
  arena exact(room.data(), room.size());
  sort(cpu{.threads = threads, .memory = &exact}, keys, {.descending = descending});
  EXPECT_TRUE(same(wanted, keys)) << static_cast<int>(s) << ", in place, " << threads << " threads";
}

TEST(sort_skew, skewed_keys_are_sorted_in_the_memory_that_was_planned) {
  random next(seed() + 3);
  for (const std::size_t n : {std::size_t{66000}, std::size_t{sanitized ? 150000 : 1500000}}) {
    for (const sort_shape s : {sort_shape::sparse, sort_shape::peak, sort_shape::frequent, sort_shape::few_values,
                               sort_shape::zipf, sort_shape::halves}) {
      expect_sorted<std::uint32_t>(s, n, 3, next.below(2) == 0, next);
      expect_sorted<std::int64_t>(s, n, 2, next.below(2) == 0, next);
      expect_sorted<double>(s, n, 1, next.below(2) == 0, next);
    }
  }
}

}  // namespace peneira::test
