// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by on a GPU by tables in shared memory: as many groups as fit and one more, keys that collide, the order of
// items, and what the sort does where tables would not.
#include "tests/group_by/gpu/support.cuh"

namespace peneira::test {

class gpu_group_tables : public gpu_group_by {
 protected:
  static constexpr std::size_t n = 3 * tuning::tables_items / 2 + 5;  ///< items that tables are tried for

  /// Groups that the tables of a call hold.
  template <class K, class Folding>
  static std::size_t most_groups() {
    return detail::block_table_shape::of(sizeof(K), sizeof(typename Folding::state), detail::current_device()).groups;
  }
  /// All of so many groups, at random.
  template <class K>
  std::vector<K> keys_of_all(std::size_t groups) {
    std::vector<K> keys = keys_of<K>(n, groups);
    for (std::size_t g = 0; g < groups; ++g) keys[g * (n / groups)] = key_of<K>(g);
    return keys;
  }
};

TEST_F(gpu_group_tables, any_number_of_groups) {
  const std::size_t most = most_groups<u32, detail::value_folding<u32, u64, plus>>();
  std::vector<std::size_t> counts{1, 2, most - 1, most, most + 1, most + 65, 4 * most, n};
  for (std::size_t copies = detail::table_copies; copies >= detail::table_least_copies; copies /= 2) {
    for (const std::size_t less : {0, 1}) counts.push_back(most / copies + less);  // where places become fewer
  }
  for (const std::size_t groups : counts) {
    SCOPED_TRACE(groups);
    check<u64>(keys_of_all<u32>(groups), values_of<u32>(n), plus{});
  }
}

TEST_F(gpu_group_tables, a_group_comes_at_the_very_end) {
  const std::size_t most = most_groups<u32, detail::value_folding<u32, u64, plus>>();
  for (const std::size_t groups : {std::size_t{64}, most}) {
    std::vector<u32> keys = keys_of_all<u32>(groups);
    keys.back() = key_of<u32>(groups);
    check<u64>(keys, values_of<u32>(n), plus{});
  }
}

/// One group has nearly all items, all of some blocks, or groups come one after the other.
TEST_F(gpu_group_tables, items_may_lie_in_any_way) {
  std::vector<u32> keys = keys_of_all<u32>(1000);
  for (std::size_t i = 0; i < n; ++i) {
    if (next_.below(100) != 0) keys[i] = key_of<u32>(7);
  }
  check<u64>(keys, values_of<u32>(n), plus{});
  for (const std::size_t groups : {std::size_t{50}, std::size_t{2000}}) {
    for (std::size_t i = 0; i < n; ++i) keys[i] = key_of<u32>(i / (n / groups + 1));
    check<u64>(keys, values_of<u32>(n), plus{});
    for (std::size_t i = 0; i < n; ++i) keys[i] = key_of<u32>(i % groups);
    check<u64>(keys, values_of<u32>(n), plus{});
  }
}

/// Keys that share a place in a table: few of them are a list there, and more are sorted.
TEST_F(gpu_group_tables, keys_that_collide) {
  for (const std::size_t groups :
       {std::size_t{tuning::tables_chain}, std::size_t{tuning::tables_chain} + 1, std::size_t{300}}) {
    std::vector<u32> same_place;
    for (u32 key = 1; same_place.size() < groups; ++key) {
      if (detail::place_hash(key) >> 18U == 77) same_place.push_back(key);
    }
    std::vector<u32> keys(n);
    for (u32& key : keys) key = same_place[next_.below(groups)];
    check<u64>(keys, values_of<u32>(n), plus{});
  }
}

TEST_F(gpu_group_tables, items_are_combined_in_their_order) {
  const std::size_t most = most_groups<u32, detail::value_folding<steps, steps, then_steps>>();
  for (const std::size_t groups : {std::size_t{1}, std::size_t{64}, most}) {
    check<steps>(keys_of_all<u32>(groups), values_of<steps>(n), then_steps{});
  }
  check<steps>(keys_of<u32>(n, most, true), values_of<steps>(n), then_steps{});
}

TEST_F(gpu_group_tables, zeros_are_one_group_and_nans_are_one) {
  std::vector<float> keys = keys_of_all<float>(60);
  for (float& key : keys) {
    const u64 kind = next_.below(9);
    if (kind < 4) key = kind == 0 ? 0.0F : kind == 1 ? -0.0F : kind == 2 ? NAN : -NAN;
  }
  check<float>(keys, values_of<float>(n), plus{});
}

/// Sums are off by about one rounding, and have the same bits on every run, in any order of groups.
TEST_F(gpu_group_tables, sums_of_floats_are_close_and_the_same_twice) {
  using exact = detail::gathering<plus, double>;
  for (const std::size_t groups : {std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{900}}) {
    const std::vector<float> keys = keys_of_all<float>(groups);
    std::vector<float> values(n);
    for (float& value : values) value = static_cast<float>(static_cast<double>(next_()) * 0x1p-63 - 1);
    std::map<float, detail::double_sum> wanted;
    for (std::size_t i = 0; i < n; ++i) exact::add({}, wanted[keys[i]], static_cast<double>(values[i]));
    const placed<float, device_space> there(keys), there_too(values);
    const guarded<float, device_space> out(wanted.size()), sums(wanted.size());
    const guarded<u64, device_space> count(1);
    std::vector<float> before;
    for (const order in : {order::stable, order::any, order::stable}) {
      group_by(gpu{}, items(there.data(), n), items(there_too.data(), n), items(out.data(), wanted.size()),
               items(sums.data(), wanted.size()), plus{}, count.data(), {.groups = in, .strategy = "tables"});
      ASSERT_EQ(count.read()[0], wanted.size());
      const std::vector<float> got = sums.read();
      if (!before.empty()) ASSERT_TRUE(same(before, got));
      before = got;
    }
    std::size_t g = 0;
    for (const auto& [key, all] : wanted) {
      const double sum = exact::result(all);
      const double bound = 0x1p-23 * std::abs(sum) + 0x1p-46 * static_cast<double>(n);
      ASSERT_LE(std::abs(static_cast<double>(before[g]) - sum), bound) << "group " << g;
      ++g;
    }
  }
}

TEST_F(gpu_group_tables, several_columns_and_keys_alone) {
  for (const std::size_t groups : {std::size_t{1}, std::size_t{40}, std::size_t{200}, std::size_t{5000}}) {
    SCOPED_TRACE(groups);
    const std::vector<u64> keys = keys_of_all<u64>(groups);
    const std::vector<float> values = values_of<float>(n);
    std::vector<u64> wanted_keys(groups);
    std::vector<float> wanted_most(groups);
    std::vector<u32> wanted_counts(groups);
    std::vector<double> wanted_means(groups);
    const auto call = [&](auto on, auto k, auto v, auto u, auto most, auto counts, auto means, u64* count) {
      group_by(on, k, u, aggregates{aggregate(v, max{}, most), peneira::count(counts), mean(v, means)}, count);
    };
    u64 wanted = 0;
    call(cpu{}, items(keys), items(values), items(wanted_keys), items(wanted_most), items(wanted_counts),
         items(wanted_means), &wanted);
    ASSERT_EQ(wanted, groups);
    const placed<u64, device_space> there(keys);
    const placed<float, device_space> there_too(values);
    const guarded<u64, device_space> out(groups), only(groups), count(1);
    const guarded<float, device_space> most(groups);
    const guarded<u32, device_space> counts(groups);
    const guarded<double, device_space> means(groups);
    call(gpu{}, items(there.data(), n), items(there_too.data(), n), items(out.data(), groups),
         items(most.data(), groups), items(counts.data(), groups), items(means.data(), groups), count.data());
    ASSERT_EQ(count.read()[0], groups);
    EXPECT_TRUE(same(wanted_keys, out.read()));
    EXPECT_TRUE(same(wanted_most, most.read()));
    EXPECT_TRUE(same(wanted_counts, counts.read()));
    EXPECT_TRUE(same(wanted_means, means.read()));
    distinct(gpu{}, items(there.data(), n), items(only.data(), groups), count.data());
    ASSERT_EQ(count.read()[0], groups);
    EXPECT_TRUE(same(wanted_keys, only.read()));
  }
}

/// Of very many items with more groups than one table holds, parts have tables of their own; what the sort makes of
/// them is the same.
TEST_F(gpu_group_tables, parts_are_as_sorted) {
  if (under_checker()) GTEST_SKIP() << "so many items take a checker minutes";
  const std::size_t many = tuning::tables_parts_items + 12345;
  const std::vector<steps> some = values_of<steps>(many);
  const placed<steps, device_space> values(some);
  for (const std::size_t groups : {std::size_t{5000}, std::size_t{300000}, std::size_t{900000}, many}) {
    for (const bool skewed : {false, true}) {
      SCOPED_TRACE(groups);
      const placed<float, device_space> keys(keys_of<float>(many, groups, skewed));
      const guarded<u64, device_space> count(1);
      std::vector<float> wanted_keys;
      std::vector<steps> wanted;
      for (const char* strategy : {"sorted", "tables", "tables"}) {
        for (const std::size_t room : {groups, groups / 3}) {
          if (strategy[0] == 's' && room != groups) continue;
          const guarded<float, device_space> out(room);
          const guarded<steps, device_space> results(room);
          group_by(gpu{}, items(keys.data(), many), items(values.data(), many), items(out.data(), room),
                   items(results.data(), room), then_steps{}, count.data(), {.strategy = strategy});
          const std::size_t found = std::min(room, static_cast<std::size_t>(count.read()[0]));
          const std::vector<float> got_keys = first_of(out.read(), found);
          const std::vector<steps> got = first_of(results.read(), found);
          if (wanted_keys.empty()) wanted_keys = got_keys;
          if (wanted.empty()) wanted = got;
          ASSERT_EQ(count.read()[0], wanted_keys.size());
          ASSERT_TRUE(same(first_of(wanted_keys, found), got_keys));
          for (std::size_t g = 0; g < found; ++g) ASSERT_TRUE(is_same(wanted[g], got[g])) << g;
        }
      }
    }
  }
}

TEST_F(gpu_group_tables, parts_of_positions_and_keys_alone) {
  if (under_checker()) GTEST_SKIP() << "so many items take a checker minutes";
  const std::size_t many = tuning::tables_parts_items + 12345;
  const std::size_t groups = 50000;
  const placed<u32, device_space> keys(keys_of<u32>(many, groups, true));
  const placed<float, device_space> values(values_of<float>(many));
  const guarded<u64, device_space> count(1);
  std::vector<u32> wanted_keys;
  std::vector<u32> wanted_counts;
  std::vector<indexed<float>> wanted_best;
  for (const char* strategy : {"sorted", "tables"}) {
    const placed<u32, device_space> out{std::vector<u32>(groups)}, counts{std::vector<u32>(groups)};
    const placed<u32, device_space> only{std::vector<u32>(groups)};
    const placed<indexed<float>, device_space> best{std::vector<indexed<float>>(groups)};
    group_by(gpu{}, items(keys.data(), many), items(out.data(), groups),
             aggregates{peneira::count(items(counts.data(), groups)),
                        aggregate(items(values.data(), many), arg_max{}, items(best.data(), groups))},
             count.data(), {.strategy = strategy});
    if (wanted_keys.empty()) {
      wanted_keys = out.read();
      wanted_counts = counts.read();
      wanted_best = best.read();
    }
    EXPECT_TRUE(same(wanted_keys, out.read()));
    EXPECT_TRUE(same(wanted_counts, counts.read()));
    const std::vector<indexed<float>> got = best.read();
    for (std::size_t g = 0; g < groups; ++g) ASSERT_TRUE(wanted_best[g] == got[g]) << g;
    distinct(gpu{}, items(keys.data(), many), items(only.data(), groups), count.data(), {.strategy = strategy});
    EXPECT_TRUE(same(wanted_keys, only.read()));
  }
}

}  // namespace peneira::test
