// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort and argsort on the CPU: what they refuse, what they plan, the order of floats, memory, and large inputs.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "peneira/sort.hpp"
#include "peneira/sort/reference.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

TEST(sort, puts_floats_into_a_total_order) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> keys{nan, 1, -0.0F, -infinity, 0.0F, infinity, -nan, -1};
  sort(cpu{}, keys);
  EXPECT_EQ(keys[0], -infinity);
  EXPECT_EQ(keys[1], -1);
  EXPECT_TRUE(keys[2] == 0 && std::signbit(keys[2]));
  EXPECT_TRUE(keys[3] == 0 && !std::signbit(keys[3]));
  EXPECT_EQ(keys[4], 1);
  EXPECT_EQ(keys[5], infinity);
  EXPECT_TRUE(std::isnan(keys[6]) && std::isnan(keys[7]));
  sort(cpu{}, keys, {.descending = true});
  EXPECT_TRUE(std::isnan(keys[0]) && std::isnan(keys[1]));
  EXPECT_EQ(keys[7], -infinity);
}

TEST(sort, rejects_what_cannot_be_right) {
  std::vector<std::uint32_t> keys(100);
  std::vector<std::uint32_t> out(99);
  std::vector<std::uint32_t> values(100);
  const auto in = pn::items(keys.data(), 50);
  expect_parts(message_of([&] { sort(cpu{}, keys, out); }), {"sort", "out", "99", "100"});
  expect_parts(message_of([&] { sort(cpu{}, in, pn::items(keys.data() + 10, 50)); }), {"sort", "out", "overlaps"});
  EXPECT_NO_THROW(sort(cpu{}, in, pn::items(keys.data() + 50, 50)));
  expect_parts(message_of([&] { sort(cpu{}, keys, {.last_bit = 33}); }), {"sort", "last_bit", "33", "32"});
  expect_parts(message_of([&] { sort(cpu{}, keys, {.first_bit = 8, .last_bit = 8}); }), {"sort", "first_bit", "8"});
  expect_parts(message_of([&] { sort(cpu{}, keys, {.first_bit = 32}); }), {"sort", "first_bit", "32"});
  expect_parts(message_of([&] { sort(cpu{}, keys, {.strategy = "by_hand"}); }),
               {"sort", "strategy", "by_hand", sort_cpu_strategies::names()});
  std::vector<std::uint32_t> other(100);
  expect_parts(message_of([&] { sort(cpu{}, pairs(keys, values), pairs(keys, other)); }), {"sort", "out", "both"});
  expect_parts(message_of([&] { sort(cpu{}, pairs(keys, values), pairs(values.data(), other.data(), 100)); }),
               {"sort", "out"});
}

/// Few items have a way of their own, which looks at little.
TEST(sort, rejects_the_same_of_few_items) {
  std::vector<std::uint32_t> keys{3, 1, 2, 7, 5, 6, 4, 8};
  const std::vector<std::uint32_t> before = keys;
  const auto few = [&](std::size_t n) { return pn::items(keys.data(), n); };
  for (const std::size_t n : {0U, 1U, 2U, 5U, 8U}) {
    expect_parts(message_of([&] { sort(cpu{}, few(n), {.last_bit = 33}); }), {"sort", "last_bit", "33", "32"});
    expect_parts(message_of([&] { sort(cpu{}, few(n), {.first_bit = 32}); }), {"sort", "first_bit", "32"});
    expect_parts(message_of([&] { sort(cpu{}, few(n), {.strategy = "by_hand"}); }), {"sort", "strategy", "by_hand"});
    if (n == 0) continue;
    std::uint32_t* const nowhere = nullptr;
    expect_parts(message_of([&] { sort(cpu{}, pn::items(nowhere, n)); }), {"sort", "null"});
    auto* const odd = reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(keys.data()) + 1);
    if (n > 1) expect_parts(message_of([&] { sort(cpu{}, pn::items(odd, n - 1)); }), {"sort", "align"});
    const auto overlapping = pairs(keys.data(), keys.data() + n - 1, n);
    expect_parts(message_of([&] { sort(cpu{}, overlapping, overlapping); }), {"sort", "out", "overlap"});
  }
  EXPECT_EQ(keys, before);
}

/// All orders of up to seven items with copies among them, and some of more.
TEST(sort, sorts_few_items_in_every_order) {
  for (std::size_t n = 0; n <= 18; ++n) {
    std::vector<int> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<int>(i * 2 / 3) - 2;
    int rounds = 0;
    do {
      std::vector<float> floats(order.begin(), order.end());
      std::vector<std::int64_t> descending(order.begin(), order.end());
      std::vector<std::int16_t> keys(order.begin(), order.end());
      std::vector<std::uint8_t> values(n);
      std::iota(values.begin(), values.end(), std::uint8_t{0});
      sort(cpu{}, floats);
      sort(cpu{}, descending, {.descending = true});
      sort(cpu{}, pairs(keys, values), pairs(keys, values));
      ASSERT_TRUE(std::is_sorted(floats.begin(), floats.end()));
      ASSERT_TRUE(std::is_sorted(descending.rbegin(), descending.rend()));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(keys[i], order[values[i]]);
        ASSERT_TRUE(i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i]));
      }
      ASSERT_TRUE(std::is_permutation(floats.begin(), floats.end(), order.begin()));
    } while (std::next_permutation(order.begin(), order.end()) && ++rounds < 5'000);
  }
}

/// Few keys far from all others: bins are for what lies between some probes.
TEST(sort, sorts_keys_of_which_few_lie_far_away) {
  const auto sorts = [](auto key, std::size_t n, unsigned far) {
    using K = decltype(key);
    std::vector<K> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t drawn = mix64(i * 31 + far);
      keys[i] = static_cast<K>(drawn % 1000 < far ? drawn : (std::uint64_t{1} << (8 * sizeof(K) - 2)) + i % 5000 * 37);
    }
    keys[n / 2] = std::numeric_limits<K>::min();
    keys[n / 3] = std::numeric_limits<K>::max();
    std::vector<K> wanted = keys;
    std::sort(wanted.begin(), wanted.end());
    sort(cpu{.threads = 1}, keys);
    return keys == wanted;
  };
  for (const std::size_t n : {150U, 1'000U, 4'097U, 60'000U}) {
    for (const unsigned far : {0U, 1U, 20U, 200U}) {
      EXPECT_TRUE(sorts(std::uint32_t{}, n, far)) << n << " u32, " << far;
      EXPECT_TRUE(sorts(std::int32_t{}, n, far)) << n << " i32, " << far;
      EXPECT_TRUE(sorts(std::uint64_t{}, n, far)) << n << " u64, " << far;
      EXPECT_TRUE(sorts(std::int64_t{}, n, far)) << n << " i64, " << far;
    }
  }
}

TEST(sort, rejects_positions_that_cannot_be_right) {
  std::vector<std::uint32_t> keys(100);
  std::vector<std::uint32_t> positions(99);
  expect_parts(message_of([&] { argsort(cpu{}, keys, positions); }), {"argsort", "positions", "99", "100"});
  expect_parts(message_of([&] { argsort(cpu{}, keys, keys); }), {"argsort", "positions", "overlaps"});
  const std::size_t many = (std::size_t{1} << 32U) + 1;
  const auto plan_of = [&](auto* to) {
    return explain([&](auto& on) {
      argsort(on, pn::items(static_cast<const std::uint8_t*>(nullptr), many), pn::items(to, many));
    });
  };
  expect_parts(message_of([&] { plan_of(static_cast<std::uint32_t*>(nullptr)); }),
               {"argsort", "positions", "32 bits", std::to_string(many)});
  EXPECT_NO_THROW(plan_of(static_cast<std::uint64_t*>(nullptr)));
}

template <class P>
void expect_argsort(std::size_t n, unsigned threads, const sort_options& options) {
  random next(n);
  std::vector<std::uint32_t> keys = make_sort_keys<std::uint32_t>(sort_shape::few_values, n, next);
  const std::vector<std::uint32_t> before = keys;
  const std::vector<std::size_t> from = reference::argsort(keys.data(), n, options);
  const std::vector<P> wanted(from.begin(), from.end());
  std::vector<P> got(n);
  argsort(cpu{.threads = threads}, keys, got, options);
  EXPECT_TRUE(same(wanted, got)) << n << " keys, " << threads << " threads";
  EXPECT_TRUE(same(before, keys));
}

TEST(sort, tells_where_sorted_keys_come_from) {
  for (const std::size_t n : {0, 1, 2, 100, 5000, 200000}) {
    expect_argsort<std::uint32_t>(n, 1, {});
    expect_argsort<std::uint64_t>(n, 3, {.descending = true});
    expect_argsort<std::uint32_t>(n, 2, {.first_bit = 3, .last_bit = 17});
  }
}

TEST(sort, may_order_equal_keys_as_it_likes_when_told) {
  random next(seed());
  const std::size_t n = 100000;
  std::vector<std::uint32_t> keys = make_sort_keys<std::uint32_t>(sort_shape::zipf, n, next);
  const std::vector<std::uint32_t> before = keys;
  std::vector<std::uint32_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0);
  sort(cpu{.threads = 3}, pairs(keys, positions), {.equal_keys = order::any});
  std::vector<bool> seen(n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_FALSE(seen[positions[i]]);
    seen[positions[i]] = true;
    ASSERT_EQ(before[positions[i]], keys[i]);
    ASSERT_TRUE(i == 0 || keys[i - 1] <= keys[i]);
  }
}

TEST(sort, takes_the_memory_that_its_plan_states) {
  random next(seed());
  for (const std::size_t n : {0, 20, 1000, 1024, 1025, 5000, 300000}) {
    std::vector<std::uint32_t> keys = make_sort_keys<std::uint32_t>(sort_shape::uniform, n, next);
    std::vector<std::uint32_t> values(n);
    const plan made = explain([&](auto& on) { sort(on, pairs(keys, values)); }, host::here().with_threads(3));
    std::vector<std::byte> room(made.temporary_bytes + memory_alignment);
    arena exact(room.data(), room.size());
    sort(cpu{.threads = 3, .memory = &exact}, pairs(keys, values));
    EXPECT_EQ(exact.high_water() / memory_alignment, (made.temporary_bytes + memory_alignment - 1) / memory_alignment);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    if (made.temporary_bytes == 0) continue;
    arena too_small(room.data(), made.temporary_bytes / 2);
    EXPECT_THROW(sort(cpu{.threads = 3, .memory = &too_small}, pairs(keys, values)), std::bad_alloc);
  }
}

struct expected_sort {
  std::size_t n;
  std::size_t value_bytes;
  unsigned threads;
  std::string_view strategy;
  std::size_t steps;
};

TEST(sort, is_planned_by_size) {
  const host machine{4, 65536, 1048576, 33554432};
  for (const expected_sort& e :
       {expected_sort{10, 0, 4, "partitioned", 1}, expected_sort{1000, 0, 4, "partitioned", 1},
        expected_sort{100000, 0, 1, "partitioned", 1}, expected_sort{100000, 0, 4, "partitioned", 2},
        expected_sort{1U << 27U, 8, 1, "partitioned", 2}}) {
    sort_problem problem{e.n, 4, e.value_bytes};
    const plan made =
        detail::plan_by<sort_cpu_strategies>("sort", problem, machine.with_threads(e.threads),
                                             detail::choose_sort(problem, machine.with_threads(e.threads)));
    EXPECT_EQ(made.strategy, e.strategy) << e.n;
    EXPECT_EQ(made.steps.size(), e.steps) << e.n;
    EXPECT_FALSE(made.why.empty());
  }
}

/// More items never have fewer threads nor less memory, and few items little of both, however many cores there are.
TEST(sort, has_the_threads_and_the_memory_that_its_work_is_worth) {
  for (const unsigned cores : {1U, 3U, 16U, 64U}) {
    const host machine{.threads = cores, .l2 = std::size_t{2} << 20U};
    for (const auto& [key_bytes, value_bytes] : {std::pair{1, 1}, {2, 1}, {4, 0}, {4, 4}, {8, 0}, {8, 16}}) {
      std::uint64_t threads = 1;
      std::size_t memory = 0;
      for (std::size_t n = 1; n < std::size_t{1} << 24U; n += n / 50 + 1) {
        const sort_problem problem{n, static_cast<std::size_t>(key_bytes), static_cast<std::size_t>(value_bytes)};
        const plan made = detail::plan_of<sort_strategies::partitioned>(problem, machine);
        ASSERT_GE(made.get("threads"), threads) << n << to_string(made);
        ASSERT_LE(made.get("threads"), std::max<std::size_t>(1, problem.bytes() / tuning::cpu_least_split_bytes)) << n;
        ASSERT_GE(made.temporary_bytes, memory) << n << to_string(made);
        threads = made.get("threads");
        memory = made.temporary_bytes;
      }
      EXPECT_EQ(threads, cores);
    }
  }
}

TEST(sort, plans_no_copy_where_keys_are_counted) {
  const host machine{4, 65536, 1048576, 33554432};
  const std::size_t n = std::size_t{1} << 33U;
  sort_problem bytes{n, 1, 0, 0, 8, order::any};
  EXPECT_LT(detail::plan_of<sort_strategies::partitioned>(bytes, machine).temporary_bytes, 1U << 20U);
  sort_problem words{n, 4, 0, 0, 32, order::any};
  const std::size_t copied = detail::plan_of<sort_strategies::partitioned>(words, machine).temporary_bytes;
  EXPECT_GE(copied, n * 4);
  EXPECT_LT(copied, n * 4 + (std::size_t{16} << 20U));
}

/// Whatever the number of its bins, the buffers of a split fit what the plan reserves for them.
TEST(sort, plans_room_for_the_buffers_of_every_split) {
  const host machine{4, 65536, 1048576, 33554432};
  for (const std::size_t n : {std::size_t{100000}, std::size_t{1} << 22U, std::size_t{1} << 27U}) {
    for (const std::size_t key_bytes : {4, 8}) {
      for (const std::size_t value_bytes : {0, 4, 8, 16}) {
        const sort_problem problem{n, key_bytes, value_bytes, 0, static_cast<unsigned>(8 * key_bytes)};
        const auto decided = sort_strategies::partitioned::decide(problem, machine);
        const detail::level_shape& levels = decided.levels.value();
        for (std::uint32_t bins = 1; bins <= levels.most_bins; ++bins) {
          const auto shape = detail::buffer_shape(bins, key_bytes, value_bytes, levels.stream, levels.ways());
          ASSERT_LE(detail::split_buffer_bytes(bins, key_bytes, value_bytes, shape), decided.split.value().shared)
              << bins << " bins of " << n << " items of " << key_bytes << " + " << value_bytes << " bytes";
        }
      }
    }
  }
}

/// A value that only a number makes.
struct token {
  explicit token(std::uint32_t from) : number(from) {}
  std::uint32_t number;
};

TEST(sort, carries_values_without_a_default) {
  constexpr std::size_t n = 300000;
  random next(seed() + 1);
  std::vector<std::uint32_t> keys(n);
  for (std::uint32_t& key : keys) key = next.below(4) == 0 ? 7 : static_cast<std::uint32_t>(next());
  std::vector<token> values(n, token(0));
  for (std::uint32_t i = 0; i < n; ++i) values[i] = token(i);
  const std::vector<std::uint32_t> before = keys;
  sort(cpu{.threads = 4}, pn::pairs(keys.data(), values.data(), n));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(before[values[i].number], keys[i]) << i;
    if (i != 0 && keys[i - 1] == keys[i]) {
      ASSERT_LT(values[i - 1].number, values[i].number) << i;
    }
  }
}

/// Millions of items: as the published systems fail. Checked as what only one order can be.
TEST(sort, sorts_millions) {
  const std::size_t n = sanitized ? 300000 : 5000000;
  random next(seed());
  for (const sort_shape s : {sort_shape::uniform, sort_shape::sparse, sort_shape::outlier, sort_shape::zipf,
                             sort_shape::peak, sort_shape::frequent, sort_shape::halves}) {
    std::vector<std::uint64_t> keys = make_sort_keys<std::uint64_t>(s, n, next);
    std::vector<std::uint64_t> wanted = keys;
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::uint64_t> out(n);
    sort(cpu{.threads = 2}, keys, out);
    EXPECT_TRUE(same(wanted, out)) << static_cast<int>(s);
    sort(cpu{.threads = 4}, keys);
    EXPECT_TRUE(same(wanted, keys)) << static_cast<int>(s);
  }
}

}  // namespace peneira::test
