// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows by several columns, beside a comparison of rows, column by column.
#include <functional>
#include <numeric>

#include "peneira/sort_columns.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

using mask_bytes = std::vector<std::uint8_t>;

/// Below 0, 0 or above: how two rows compare by a column.
template <class Column>
int compare_rows(const Column& by, std::size_t a, std::size_t b) {
  using K = typename decltype(by.keys)::key_type;
  if constexpr (requires { by.is_null[a] != 0; }) {
    const bool null_a = by.is_null[a] != 0;
    const bool null_b = by.is_null[b] != 0;
    if (null_a && null_b) return 0;
    if (null_a != null_b) return null_a == by.nulls_are_first ? -1 : 1;
  }
  const auto order = detail::order_of<K>(by.descending);
  const auto x = order(detail::raw_bits(by.keys.keys[a]));
  const auto y = order(detail::raw_bits(by.keys.keys[b]));
  return x < y ? -1 : x > y ? 1 : 0;
}

template <class... Columns>
std::vector<std::uint32_t> rows_in_order(const column_set<Columns...>& set) {
  std::vector<std::uint32_t> rows(set.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    int found = 0;
    std::apply([&](const auto&... by) { static_cast<void>((((found = compare_rows(by, a, b)) != 0) || ...)); },
               set.all);
    return found < 0;
  });
  return rows;
}

template <class... Columns>
void expect_sorted(const column_set<Columns...>& set, unsigned threads) {
  const auto wanted = rows_in_order(set);
  const guarded<std::uint32_t> positions(set.rows);
  argsort(cpu{.threads = threads}, set, items(positions.data(), set.rows));
  EXPECT_TRUE(same(wanted, positions.read())) << threads << " threads";
  const guarded<std::uint64_t> wide(set.rows);
  const host tiny{threads, 1024, 8192, 16384};
  const column_sort_problem problem{set.rows, sizeof...(Columns), detail::column_words<Columns...>::most_words(), 8};
  sort_strategies::packed::run(cpu{}, sort_strategies::packed::decide(problem, tiny), set, wide.data());
  EXPECT_TRUE(same(std::vector<std::uint64_t>(wanted.begin(), wanted.end()), wide.read())) << "tiny caches";
}

class column_sorts : public ::testing::Test {
 protected:
  random next{seed()};

  template <class K>
  std::vector<K> keys(std::size_t n) {
    return make_sort_keys<K>(static_cast<sort_shape>(next.below(static_cast<std::uint64_t>(last_sort_shape) + 1)), n,
                             next);
  }
  mask_bytes mask(std::size_t n) {
    mask_bytes nulls(n);
    for (auto& x : nulls) x = next.below(5) == 0 ? static_cast<std::uint8_t>(1 + next.below(255)) : 0;
    return nulls;
  }
  unsigned threads() { return static_cast<unsigned>(1 + next.below(4)); }
};

TEST_F(column_sorts, are_those_of_a_comparison) {
  for (const std::size_t n : {0, 1, 2, 7, 100, 1000, 5000, sanitized ? 20000 : 70000}) {
    for (int k = 0; k < (n < 5000 ? 25 : 6); ++k) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(k));
      const auto a = keys<std::uint64_t>(n);
      const auto b = keys<double>(n);
      const auto c = keys<std::int16_t>(n);
      const auto d = keys<std::uint8_t>(n);
      const auto e = keys<std::int64_t>(n);
      const auto f = keys<float>(n);
      const auto nulls = mask(n);
      const auto more = mask(n);
      expect_sorted(columns(d, descending(c)), threads());
      expect_sorted(columns(descending(a), b), threads());
      expect_sorted(columns(nulls_last(d, nulls), nulls_first(descending(e), more), f), threads());
      expect_sorted(columns(nulls_first(f, nulls), descending(nulls_last(b, more)), a, c, e), threads());
      expect_sorted(columns(descending(nulls_first(a, nulls))), threads());
    }
  }
}

TEST_F(column_sorts, of_few_distinct_values_are_refined_by_all_threads) {
  const std::size_t n = sanitized ? 80000 : 300000;
  std::vector<std::uint64_t> a(n), b(n), c(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = next.below(3) << 62U;
    b[i] = mix64(next.below(next.below(2) == 0 ? 2 : 50000));
    c[i] = next();
  }
  expect_sorted(columns(a, b, descending(c)), 3);
  expect_sorted(columns(b, a, c), 1);
}

TEST_F(column_sorts, put_what_columns_share_in_order_once) {
  const std::size_t n = 5000;
  auto a = keys<std::int16_t>(n);
  auto b = keys<double>(n);
  auto nulls = mask(n);
  const auto by = columns(nulls_last(a, nulls), nulls_first(b, nulls), descending(a));
  const auto rows = rows_in_order(by);
  const auto was_a = a;
  const auto was_b = b;
  const auto was_null = nulls;
  sort(cpu{.threads = 2}, by);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(a[i], was_a[rows[i]]);
    ASSERT_EQ(detail::raw_bits(b[i]), detail::raw_bits(was_b[rows[i]]));
    ASSERT_EQ(nulls[i], was_null[rows[i]]);
  }
}

TEST_F(column_sorts, refuse_arrays_that_overlap_in_part) {
  std::vector<std::uint32_t> all(100);
  std::vector<std::uint32_t> positions(100);
  const auto part = [&](std::size_t first) { return items(all.data() + first, 50); };
  const auto bytes = items(reinterpret_cast<std::uint8_t*>(all.data()), 50);
  expect_parts(message_of([&] { sort(cpu{}, columns(part(0), part(10))); }), {"sort", "column", "overlaps another"});
  expect_parts(message_of([&] { sort(cpu{}, columns(nulls_last(part(0), bytes))); }), {"sort", "overlaps another"});
  const auto mask_in_positions = items(reinterpret_cast<std::uint8_t*>(positions.data()), 50);
  expect_parts(message_of([&] { argsort(cpu{}, columns(nulls_last(part(0), mask_in_positions)), positions); }),
               {"argsort", "positions", "overlaps"});
}

TEST_F(column_sorts, put_all_columns_in_order) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{9}, std::size_t{80000}}) {
    auto a = keys<std::uint8_t>(n);
    auto b = keys<double>(n);
    auto nulls = mask(n);
    const auto rows = rows_in_order(columns(a, nulls_last(b, nulls)));
    const auto was_a = a;
    const auto was_b = b;
    const auto was_null = nulls;
    sort(cpu{.threads = 2}, columns(a, nulls_last(b, nulls)));
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(a[i], was_a[rows[i]]);
      ASSERT_EQ(detail::raw_bits(b[i]), detail::raw_bits(was_b[rows[i]]));
      ASSERT_EQ(nulls[i], was_null[rows[i]]);
    }
  }
}

TEST_F(column_sorts, refuse_what_cannot_be_right) {
  const auto a = keys<std::uint32_t>(100);
  const auto b = keys<float>(99);
  std::vector<std::uint32_t> positions(99);
  expect_parts(message_of([&] { static_cast<void>(columns(a, b)); }), {"columns", "99", "100"});
  expect_parts(message_of([&] { static_cast<void>(nulls_first(a, mask_bytes(7))); }), {"nulls", "mask", "7", "100"});
  expect_parts(message_of([&] { argsort(cpu{}, columns(a), positions); }), {"argsort", "positions", "99", "100"});
  expect_parts(message_of([&] { argsort(cpu{}, columns(items(static_cast<float*>(nullptr), 99)), positions); }),
               {"argsort", "column", "null"});
  expect_parts(message_of([&] { argsort(cpu{}, columns(b), positions, {.strategy = "lsd"}); }), {"lsd", "packed"});
}

TEST_F(column_sorts, take_the_memory_that_their_plans_state) {
  for (const std::size_t n : {std::size_t{10}, std::size_t{682}, std::size_t{683}, std::size_t{200000}}) {
    const std::size_t own = n <= 682 ? 0 : 1;  // words of fewer rows are on the stack
    auto a = keys<std::uint64_t>(n);
    auto b = keys<float>(n);
    std::vector<std::uint32_t> positions(n);
    const auto expect_stated = [&](const auto& call, std::size_t blocks) {
      const plan made = explain(call, host::here().with_threads(3));
      EXPECT_TRUE(text_says_it_all(made));
      counting_memory memory;
      call(cpu{.threads = 3, .memory = &memory});
      EXPECT_EQ(memory.total, made.temporary_bytes);
      EXPECT_EQ(memory.calls, blocks);
      counting_memory none;
      none.fail_at = blocks;
      if (blocks == 0) return;
      EXPECT_THROW(call(cpu{.threads = 3, .memory = &none}), std::bad_alloc);
      EXPECT_EQ(none.outstanding, 0);
    };
    expect_stated([&](auto&& on) { argsort(on, columns(a, b), positions); }, own);
    expect_stated([&](auto&& on) { sort(on, columns(a, b)); }, own + 1);
  }
}

}  // namespace peneira::test
