// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by on a GPU: items in their order, zeros and NaNs, the same bits on every run; memory as planned; in graphs.
#include "tests/group_by/gpu/support.cuh"

namespace peneira::test {

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
