// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// partition on a GPU: what reference::partition gives, of every type, size and number of parts; in any order the same
// items; memory as planned; in graphs.
#include "peneira/partition.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

namespace {

/// Some of the keys: none, all, every second, one in 16.
template <std::uint32_t Ways>
struct part_of_key {
  std::uint32_t of_16;
  template <class K>
  PENEIRA_HD auto operator()(const K& key) const {
    const std::uint32_t sixteenth = hash32(key) >> 28U;
    if constexpr (Ways == 2) {
      return sixteenth < of_16;
    } else {
      return static_cast<int>(sixteenth < of_16 ? 2 : sixteenth % 2);
    }
  }
};

}  // namespace

class gpu_partition : public gpu_test {
 protected:
  random next_{seed()};

  template <std::uint32_t Ways, class K, class V>
  void check(std::size_t n, std::uint32_t of_16) {
    SCOPED_TRACE(::testing::Message() << n << " items, " << of_16 << " of 16, " << Ways << " ways");
    const part_of_key<Ways> f{of_16};
    const auto keys = make_keys<K>(shape::uniform, n, next_);
    std::vector<V> values(view<K, V>::has_values ? n : 0);
    if constexpr (view<K, V>::has_values) values = make_keys<V>(shape::uniform, n, next_);
    std::vector<K> wanted;
    std::vector<V> values_wanted;
    std::vector<std::uint64_t> counts_wanted(Ways);
    for (std::uint32_t part = 0; part < Ways; ++part) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto answer = static_cast<std::uint32_t>(f(keys[i]));
        if ((Ways == 2 ? 1 - answer : answer) != part) continue;
        ++counts_wanted[part];
        wanted.push_back(keys[i]);
        if constexpr (view<K, V>::has_values) values_wanted.push_back(values[i]);
      }
    }
    const std::size_t shift = next_.below(4);
    const placed<K, device_space> keys_there(keys, shift);
    const placed<V, device_space> values_there(values, shift);
    const view<const K, const V> in{keys_there.data(), values_there.data(), n};
    struct way {
      order within;
      std::string_view strategy;
    };
    std::vector<way> ways{{order::stable, ""}, {order::any, ""}, {order::stable, "split"}};
    const partition_problem problem{n, Ways, sizeof(K), view<K, V>::has_values ? sizeof(V) : 0};
    if (partition_strategies::ends::refuses(problem, detail::current_device()).empty()) {
      ways.push_back({order::stable, "ends"});
    }
    for (const auto& [within, strategy] : ways) {
      SCOPED_TRACE(strategy);
      const guarded<K, device_space> out(n, next_.below(4));
      const guarded<V, device_space> values_out(values.size(), next_.below(4));
      const guarded<std::uint64_t, device_space> counts(Ways);
      partition(gpu{}, in, view<K, V>{out.data(), values_out.data(), n}, f, items(counts.data(), Ways),
                {.within_part = within, .strategy = strategy});
      EXPECT_TRUE(same(counts_wanted, counts.read()));
      if (within == order::stable) {
        EXPECT_TRUE(same(wanted, out.read()));
        EXPECT_TRUE(same(values_wanted, values_out.read()));
      } else {
        expect_same_parts(wanted, values_wanted, out.read(), values_out.read(), counts_wanted);
      }
    }
  }

  /// The same pairs in each part.
  template <class K, class V>
  static void expect_same_parts(const std::vector<K>& keys, const std::vector<V>& values, const std::vector<K>& got,
                                const std::vector<V>& got_values, const std::vector<std::uint64_t>& counts) {
    const auto sorted = [&](const std::vector<K>& k, const std::vector<V>& v, std::size_t begin, std::size_t count) {
      constexpr std::size_t bytes = sizeof(K) + (view<K, V>::has_values ? sizeof(V) : 0);
      std::vector<std::string> all(count);
      for (std::size_t i = 0; i < count; ++i) {
        all[i].resize(bytes);
        std::memcpy(all[i].data(), &k[begin + i], sizeof(K));
        if constexpr (view<K, V>::has_values) std::memcpy(all[i].data() + sizeof(K), &v[begin + i], sizeof(V));
      }
      std::sort(all.begin(), all.end());
      return all;
    };
    std::size_t begin = 0;
    for (const std::uint64_t count : counts) {
      EXPECT_TRUE(sorted(keys, values, begin, count) == sorted(got, got_values, begin, count));
      begin += count;
    }
  }
};

TEST_F(gpu_partition, every_size_and_share) {
  for (const std::uint32_t of_16 : {0U, 1U, 8U, 16U}) {
    for (const std::size_t n : {0U, 1U, 31U, 4095U, 4096U, 4097U, 65536U, 65537U, 100003U}) {
      check<2, std::uint32_t, no_value>(n, of_16);
      check<3, std::uint32_t, no_value>(n, of_16);
    }
  }
}

TEST_F(gpu_partition, every_type) {
  for (const std::size_t n : {1000U, 150001U}) {
    check<2, std::uint8_t, no_value>(n, 7);
    check<2, std::uint16_t, std::uint8_t>(n, 5);
    check<2, double, no_value>(n, 7);
    check<2, std::uint32_t, float>(n, 7);
    check<2, std::uint32_t, bytes24>(n, 3);
    check<2, std::int64_t, bytes64>(n, 7);
    check<3, std::int64_t, std::uint32_t>(n, 7);
    check<3, bytes16, no_value>(n, 7);
  }
}

TEST_F(gpu_partition, ten_million) {
  check<2, std::uint32_t, no_value>(under_checker() ? 300007 : 10000019, 8);
}

/// As many items as all blocks have room for, of one tile each and of two, and one more.
TEST_F(gpu_partition, around_what_is_staged_at_once) {
  if (under_checker()) GTEST_SKIP() << "as of others, but for the number of items";
  const std::size_t all = std::size_t{4096} * tuning::partition_blocks * detail::current_device().sms;
  for (const std::size_t n : {all - 1, all, all + 1, 2 * all - 1, 2 * all, 2 * all + 1}) {
    check<2, std::uint32_t, no_value>(n, 8);
  }
}

TEST_F(gpu_partition, around_a_pivot) {
  const std::vector<float> keys{3, -1, 7, 3, NAN, -8, 3};
  const placed<float, device_space> in(keys);
  const guarded<float, device_space> out(7);
  const guarded<std::uint32_t, device_space> counts(3);
  partition(gpu{}, items(in.data(), 7), items(out.data(), 7), around{3.0F}, items(counts.data(), 3));
  EXPECT_EQ(counts.read(), (std::vector<std::uint32_t>{2, 3, 2}));
  EXPECT_TRUE(same(std::vector<float>{-1, -8, 3, 3, 3, 7, NAN}, out.read()));
}

TEST_F(gpu_partition, takes_the_memory_that_it_states_and_replays_in_a_graph) {
  const scoped_stream s;
  for (const std::size_t n : {std::size_t{100}, std::size_t{2000003}}) {
    for (const order within : {order::stable, order::any}) {
      const std::vector<std::uint32_t> keys = make_keys<std::uint32_t>(shape::uniform, n, next_);
      const placed<std::uint32_t, device_space> in(keys);
      const guarded<std::uint32_t, device_space> out(n);
      const guarded<std::uint32_t, device_space> counts(2);
      const auto call = [&](auto&& on) {
        partition(on, items(in.data(), n), items(out.data(), n), part_of_key<2>{5}, items(counts.data(), 2),
                  {.within_part = within});
      };
      const plan made = explain(call, detail::current_device());
      const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
      arena mine(buffer.data(), made.temporary_bytes);
      call(gpu{.memory = &mine});
      EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
      const std::vector<std::uint32_t> wanted = out.read();
      const std::vector<std::uint32_t> counted = counts.read();

      const captured_call captured(s, call);
      for (int round = 0; round < 2; ++round) {
        must(cudaMemset(out.data(), 0xFF, n * sizeof(std::uint32_t)));
        must(cudaMemset(counts.data(), 0xFF, 8));
        captured.replay();
        EXPECT_TRUE(same(wanted, out.read()));
        EXPECT_TRUE(same(counted, counts.read()));
      }
    }
  }
}

}  // namespace peneira::test
