// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Several results of several columns at once, on a GPU as on the CPU.
#include "tests/group_by/gpu/support.cuh"

namespace peneira::test {

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

}  // namespace peneira::test
