// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by, distinct and group on a GPU: what reference::group_by gives, of every type, size and skew; the same bits on
// every run; no more than there is room for; memory as planned; in graphs.
#include "peneira/group_by.hpp"

#include <cmath>

#include "peneira/group.hpp"
#include "peneira/group_by/reference.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// x -> multiply * x + add, one after the other: the order of items shows.
struct steps {
  u32 multiply;
  u32 add;
};
struct then_steps {
  PENEIRA_HD steps operator()(const steps& a, const steps& b) const {
    return {a.multiply * b.multiply, a.add * b.multiply + b.add};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {1, 0};
  }
};

class gpu_group_by : public gpu_test {
 protected:
  random next_{seed()};

  /// The key of a group: neighbours lie far apart, and of signed types on both sides of zero.
  template <class K>
  static K key_of(u64 group) {
    const u64 mixed = mix64(group);
    if constexpr (std::is_floating_point_v<K>) {
      return static_cast<K>(static_cast<std::int32_t>(mixed >> 40U) - (1 << 23)) / K{4};
    } else {
      return static_cast<K>(mixed);
    }
  }
  /// Keys of about so many groups, of which the first have more items the more skewed they are.
  template <class K>
  std::vector<K> keys_of(std::size_t n, std::size_t groups, bool skewed = false) {
    std::vector<K> keys(n);
    for (K& key : keys) {
      u64 group = next_.below(groups);
      if (skewed) group = next_.below(1 + next_.below(1 + group));
      key = key_of<K>(group);
    }
    return keys;
  }
  template <class V>
  std::vector<V> values_of(std::size_t n) {
    std::vector<V> values(n);
    for (V& value : values) {
      if constexpr (std::is_same_v<V, steps>) {
        value = {static_cast<u32>(next_()) | 1U, static_cast<u32>(next_())};
      } else {
        value = static_cast<V>(next_.below(100));
      }
    }
    return values;
  }
  template <class T>
  static std::vector<T> first_of(const std::vector<T>& all, std::size_t count) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  template <class R, class K, class V, class Op>
  void check(const std::vector<K>& keys, const std::vector<V>& values, const Op& op) {
    const std::size_t n = keys.size();
    SCOPED_TRACE(n);
    std::vector<K> wanted_keys;
    std::vector<R> wanted;
    for (const auto& [rank, result] : reference::group_by<R>(keys.data(), values.data(), n, op)) {
      wanted_keys.push_back(detail::key_of_bits<K>(detail::order_of<K>(false).back(rank)));
      wanted.push_back(result);
    }
    const std::size_t groups = wanted.size();
    const placed<K, device_space> there(keys, next_.below(4));
    const placed<V, device_space> there_too(values, next_.below(4));
    for (const std::size_t room : {groups, groups - groups / 3}) {
      const guarded<K, device_space> out(room, next_.below(4));
      const guarded<R, device_space> results(room, next_.below(4));
      const guarded<u64, device_space> count(1);
      group_by(gpu{}, items(there.data(), n), items(there_too.data(), n), items(out.data(), room),
               items(results.data(), room), op, count.data());
      ASSERT_EQ(count.read()[0], groups);
      ASSERT_TRUE(same(first_of(wanted_keys, room), out.read())) << "in the keys";
      const std::vector<R> got = results.read();
      for (std::size_t g = 0; g < room; ++g) ASSERT_TRUE(is_same(wanted[g], got[g])) << "in result " << g;
    }
  }
  template <class R>
  static bool is_same(const R& a, const R& b) {
    if constexpr (std::is_same_v<R, steps>) {
      return a.multiply == b.multiply && a.add == b.add;
    } else {
      return a == b;
    }
  }

  template <class K, class V, class R, class Op>
  void check_sizes(const Op& op) {
    using folding = detail::value_folding<V, R, Op>;
    const std::size_t tile = detail::fold_shape<K, folding>::tile;
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{33}, tile - 1, tile, tile + 1, 5 * tile + 7}) {
      check<R>(std::vector<K>(n, key_of<K>(5)), values_of<V>(n), op);
      check<R>(keys_of<K>(n, 3), values_of<V>(n), op);
      check<R>(keys_of<K>(n, n / 4 + 1, true), values_of<V>(n), op);
      std::vector<K> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = key_of<K>(i);
      check<R>(keys, values_of<V>(n), op);
    }
    const std::size_t large = under_checker() ? 100003 : 1000003;
    for (const std::size_t groups : {std::size_t{64}, large / 4}) {
      check<R>(keys_of<K>(large, groups), values_of<V>(large), op);
    }
    check<R>(keys_of<K>(large, 100000, true), values_of<V>(large), op);
  }
};

TEST_F(gpu_group_by, keys_of_32_bits) {
  check_sizes<u32, u32, u64>(plus{});
  check_sizes<std::int32_t, float, float>(plus{});
  check_sizes<float, double, double>(plus{});
}
TEST_F(gpu_group_by, keys_of_64_bits) {
  check_sizes<u64, float, double>(max{});
  check_sizes<double, u32, u32>(min{});
}
TEST_F(gpu_group_by, narrow_keys_and_values) {
  check_sizes<std::uint8_t, std::uint8_t, u32>(plus{});
  check_sizes<std::int16_t, u64, u64>(bit_xor{});
}

TEST_F(gpu_group_by, items_are_combined_in_their_order) {
  check_sizes<u32, steps, steps>(then_steps{});
  check_sizes<float, steps, steps>(then_steps{});
}

TEST_F(gpu_group_by, zeros_are_one_group_and_nans_are_one) {
  const std::vector<float> keys{0.0F, -0.0F, NAN, -NAN, INFINITY, 1, -1, -0.0F, NAN, -INFINITY, 0.0F};
  check<steps>(keys, values_of<steps>(keys.size()), then_steps{});
  std::vector<double> many(100003);
  for (double& key : many) key = next_.below(3) == 0 ? -0.0 : next_.below(2) == 0 ? 0.0 : -double{NAN};
  check<steps>(many, values_of<steps>(many.size()), then_steps{});
}

/// Sums have the same bits on every run, and are off by about one rounding.
TEST_F(gpu_group_by, sums_of_floats_are_close_and_the_same_twice) {
  using exact = detail::gathering<plus, double>;
  const auto compare = [&]<class R>(R /*type*/, std::size_t n, std::size_t groups) {
    const std::vector<u32> keys = keys_of<u32>(n, groups, true);
    std::vector<R> values(n);
    for (R& value : values) value = static_cast<R>(static_cast<double>(next_()) * 0x1p-63 - 1);
    std::map<u32, detail::double_sum> wanted;
    for (std::size_t i = 0; i < n; ++i) exact::add({}, wanted[keys[i]], static_cast<double>(values[i]));
    const placed<u32, device_space> there(keys);
    const placed<R, device_space> there_too(values);
    const guarded<u32, device_space> out(wanted.size());
    const guarded<R, device_space> results(wanted.size());
    const guarded<u64, device_space> count(1);
    std::vector<R> before;
    for (int round = 0; round < 3; ++round) {
      group_by(gpu{}, items(there.data(), n), items(there_too.data(), n), items(out.data(), wanted.size()),
               items(results.data(), wanted.size()), plus{}, count.data());
      ASSERT_EQ(count.read()[0], wanted.size());
      const std::vector<R> got = results.read();
      if (round != 0) ASSERT_TRUE(same(before, got));
      before = got;
    }
    std::size_t g = 0;
    for (const auto& [key, sums] : wanted) {
      const double sum = exact::result(sums);
      const double rounding = std::numeric_limits<R>::epsilon();
      const double bound = rounding * std::abs(sum) + rounding * rounding * static_cast<double>(n);
      ASSERT_LE(std::abs(static_cast<double>(before[g]) - sum), bound) << "group " << g;
      ++g;
    }
  };
  const std::size_t n = under_checker() ? 100003 : 3000017;
  for (const std::size_t groups : {std::size_t{1}, std::size_t{100}, n}) {
    compare(float{}, n, groups);
    compare(double{}, n, groups);
  }
}

TEST_F(gpu_group_by, several_columns_at_once) {
  const auto compare = [&]<class K>(K /*type*/, std::size_t n, std::size_t groups) {
    const std::vector<K> keys = keys_of<K>(n, groups, true);
    const std::vector<float> prices = values_of<float>(n);
    const std::vector<u32> amounts = values_of<u32>(n);
    const std::size_t room = n + 1;
    std::vector<K> wanted_keys(room);
    std::vector<float> wanted_most(room);
    std::vector<u64> wanted_sums(room);
    std::vector<u32> wanted_counts(room);
    std::vector<double> wanted_means(room);
    std::vector<indexed<float>> wanted_least(room);
    const auto call = [&](auto on, auto k, auto p, auto a, auto u, auto most, auto sums, auto counts, auto means,
                          auto least, u64* count) {
      group_by(on, k, u,
               aggregates{aggregate(p, max{}, most), aggregate(a, plus{}, sums), peneira::count(counts), mean(p, means),
                          aggregate(p, arg_min{}, least)},
               count);
    };
    u64 wanted = 0;
    call(cpu{}, items(keys), items(prices), items(amounts), items(wanted_keys), items(wanted_most), items(wanted_sums),
         items(wanted_counts), items(wanted_means), items(wanted_least), &wanted);
    const placed<K, device_space> there(keys);
    const placed<float, device_space> there_prices(prices);
    const placed<u32, device_space> there_amounts(amounts);
    const auto found = static_cast<std::size_t>(wanted);
    const guarded<K, device_space> unique_keys(found);
    const guarded<float, device_space> most(found);
    const guarded<u64, device_space> sums(found), count(1);
    const guarded<u32, device_space> counts(found);
    const guarded<double, device_space> means(found);
    const guarded<indexed<float>, device_space> least(found);
    call(gpu{}, items(there.data(), n), items(there_prices.data(), n), items(there_amounts.data(), n),
         items(unique_keys.data(), found), items(most.data(), found), items(sums.data(), found),
         items(counts.data(), found), items(means.data(), found), items(least.data(), found), count.data());
    ASSERT_EQ(count.read()[0], wanted);
    EXPECT_TRUE(same(first_of(wanted_keys, found), unique_keys.read()));
    EXPECT_TRUE(same(first_of(wanted_most, found), most.read()));
    EXPECT_TRUE(same(first_of(wanted_sums, found), sums.read()));
    EXPECT_TRUE(same(first_of(wanted_counts, found), counts.read()));
    EXPECT_TRUE(same(first_of(wanted_means, found), means.read()));
    const auto got = least.read();
    for (std::size_t g = 0; g < found; ++g) ASSERT_TRUE(wanted_least[g] == got[g]) << g;
  };
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{257}, std::size_t{70001}}) {
    for (const std::size_t groups : {std::size_t{1}, std::size_t{50}, n + 1}) {
      compare(u32{}, n, groups);
      compare(double{}, n, groups);
    }
  }
}

TEST_F(gpu_group_by, an_index_is_the_position_in_the_values) {
  const std::vector<u32> keys{9, 4, 9, 4, 4};
  const std::vector<float> values{3, 8, 1, 8, 2};
  const placed<u32, device_space> there(keys);
  const placed<float, device_space> there_too(values);
  const guarded<u32, device_space> out(2);
  const guarded<indexed<float>, device_space> best(2);
  const guarded<u64, device_space> count(1);
  group_by(gpu{}, items(there.data(), 5), items(there_too.data(), 5), items(out.data(), 2), items(best.data(), 2),
           arg_max{}, count.data());
  EXPECT_EQ(count.read()[0], 2U);
  EXPECT_EQ(out.read(), (std::vector<u32>{4, 9}));
  EXPECT_EQ(best.read()[0].index, 1U);
  EXPECT_EQ(best.read()[1].index, 0U);
}

/// distinct and group, beside the CPU's, of any room.
TEST_F(gpu_group_by, distinct_keys_and_items_side_by_side) {
  const auto compare = [&]<class K>(K /*type*/, std::size_t n, std::size_t groups) {
    SCOPED_TRACE(n);
    const std::vector<K> keys = keys_of<K>(n, groups, true);
    const std::vector<float> values = values_of<float>(n);
    std::vector<K> wanted_keys(n);
    std::vector<u32> wanted_offsets(n + 1);
    std::vector<float> wanted(n);
    const std::size_t found = group(cpu{}, pairs(keys, values), wanted_keys, wanted_offsets, wanted);
    std::vector<u64> wanted_positions(n);
    std::vector<u32> more_offsets(n + 1);
    group(cpu{}, keys, wanted_keys, more_offsets, wanted_positions);
    const placed<K, device_space> there(keys, next_.below(4));
    const placed<float, device_space> there_too(values, next_.below(4));
    for (const std::size_t room : {found, found / 2}) {
      const guarded<K, device_space> out(room, next_.below(4));
      const guarded<u32, device_space> offsets(room + 1, next_.below(4));
      const guarded<float, device_space> moved(n, next_.below(4));
      const guarded<u64, device_space> positions(n), count(1);
      group(gpu{}, pairs(there.data(), there_too.data(), n), items(out.data(), room), items(offsets.data(), room + 1),
            items(moved.data(), n), count.data());
      ASSERT_EQ(count.read()[0], found);
      EXPECT_TRUE(same(first_of(wanted_keys, room), out.read()));
      EXPECT_TRUE(same(first_of(wanted_offsets, room + 1), offsets.read()));
      EXPECT_TRUE(same(wanted, moved.read()));
      group(gpu{}, items(there.data(), n), items(out.data(), room), items(offsets.data(), room + 1),
            items(positions.data(), n), count.data());
      EXPECT_TRUE(same(first_of(wanted_offsets, room + 1), offsets.read()));
      EXPECT_TRUE(same(wanted_positions, positions.read()));
      const guarded<K, device_space> only(room, next_.below(4));
      const guarded<std::int32_t, device_space> narrow(1);
      distinct(gpu{}, items(there.data(), n), items(only.data(), room), narrow.data());
      ASSERT_EQ(narrow.read()[0], static_cast<std::int32_t>(found));
      EXPECT_TRUE(same(first_of(wanted_keys, room), only.read()));
    }
  };
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097}, std::size_t{300007}}) {
    for (const std::size_t groups : {std::size_t{1}, std::size_t{70}, 3 * n + 1}) {
      compare(u32{}, n, groups);
      compare(std::uint8_t{}, n, groups);
      compare(double{}, n, groups);
    }
  }
}

TEST_F(gpu_group_by, takes_the_memory_that_it_states_and_replays_in_a_graph) {
  const scoped_stream s;
  for (const std::size_t n : {std::size_t{100}, std::size_t{2000003}}) {
    const std::vector<float> keys = keys_of<float>(n, 3000);
    const std::vector<float> values = values_of<float>(n);
    const placed<float, device_space> there(keys), there_too(values);
    const std::size_t room = std::min(n, std::size_t{3000});
    const guarded<float, device_space> out(room), sums(room);
    const guarded<u32, device_space> count(1);
    const auto call = [&](auto&& on) {
      group_by(on, items(there.data(), n), items(there_too.data(), n), items(out.data(), room),
               items(sums.data(), room), plus{}, count.data());
    };
    const plan made = explain(call, detail::current_device());
    const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
    arena mine(buffer.data(), made.temporary_bytes);
    call(gpu{.memory = &mine});
    EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
    const std::vector<float> wanted = out.read(), wanted_sums = sums.read();
    const std::vector<u32> wanted_count = count.read();

    const captured_call captured(s, call);
    for (int round = 0; round < 2; ++round) {
      must(cudaMemset(sums.data(), 0, wanted_count[0] * sizeof(float)));
      must(cudaMemset(count.data(), 0, sizeof(u32)));
      captured.replay();
      EXPECT_TRUE(same(wanted, out.read()));
      EXPECT_TRUE(same(wanted_sums, sums.read()));
      EXPECT_TRUE(same(wanted_count, count.read()));
    }
  }
}

}  // namespace peneira::test
