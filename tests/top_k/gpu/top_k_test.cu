// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// top_k on a GPU: what reference::top_k gives, byte by byte, of every type, shape, size and k; where the sample
// misleads; memory as planned; the same twice; in graphs.
#include "peneira/top_k.hpp"

#include <cmath>
#include <numeric>

#include "peneira/top_k/reference.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

enum class top_k_shape { uniform, equal, two, few, sorted, reversed, special };
constexpr top_k_shape top_k_shapes[] = {top_k_shape::uniform, top_k_shape::equal,  top_k_shape::two,
                                        top_k_shape::few,     top_k_shape::sorted, top_k_shape::reversed,
                                        top_k_shape::special};

class gpu_top_k : public gpu_test {
 protected:
  random next_{seed()};

  template <class K>
  K any_key() {
    if constexpr (std::is_floating_point_v<K>) {
      return static_cast<K>(static_cast<double>(next_() >> 11U) * 0x1p-53 * 2000 - 1000);
    } else {
      return static_cast<K>(next_());
    }
  }
  /// NaN of both signs, infinity, zeros of both signs; of integers the extremes.
  template <class K>
  K special_key() {
    if constexpr (std::is_floating_point_v<K>) {
      const K infinity = std::numeric_limits<K>::infinity();
      const K nan = std::numeric_limits<K>::quiet_NaN();
      const K all[] = {nan, std::copysign(nan, K{-1}), infinity, -infinity, K{0}, -K{0}, K{1}, any_key<K>()};
      return all[next_.below(8)];
    } else {
      const K all[] = {std::numeric_limits<K>::min(), std::numeric_limits<K>::max(), K{0}, any_key<K>()};
      return all[next_.below(4)];
    }
  }
  template <class K>
  std::vector<K> make(top_k_shape shape, std::size_t n) {
    std::vector<K> keys(n);
    for (K& key : keys) {
      switch (shape) {
        case top_k_shape::equal:
          key = K{7};
          break;
        case top_k_shape::two:
          key = next_.below(2) == 0 ? K{3} : K{5};
          break;
        case top_k_shape::few:
          key = static_cast<K>(next_.below(20));
          break;
        case top_k_shape::special:
          key = special_key<K>();
          break;
        default:
          key = any_key<K>();
      }
    }
    if (shape == top_k_shape::sorted) std::sort(keys.begin(), keys.end());
    if (shape == top_k_shape::reversed) std::sort(keys.rbegin(), keys.rend());
    return keys;
  }

  /// Where the keys come from in their order: what reference::top_k says, sooner for many of them.
  template <class K>
  static std::vector<std::size_t> order_of_all(const std::vector<K>& keys, bool least) {
    if (keys.size() < 20000) return reference::top_k(keys.data(), keys.size(), keys.size(), {.least = least});
    const auto by = detail::order_of<K>(!least);
    std::vector<std::pair<std::uint64_t, std::size_t>> numbers(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) numbers[i] = {by(detail::raw_bits(keys[i])), i};
    std::sort(numbers.begin(), numbers.end());
    std::vector<std::size_t> from(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) from[i] = numbers[i].second;
    return from;
  }

  /// All k that matter, greatest and least, sorted and not, by the choice and by every strategy.
  template <class K, class V = no_value>
  void check(const std::vector<K>& keys, const std::vector<std::size_t>& wanted, std::string_view strategy = {}) {
    const std::size_t n = keys.size();
    std::vector<V> values(view<K, V>::has_values ? n : 0);
    if constexpr (view<K, V>::has_values) std::iota(values.begin(), values.end(), V{0});
    const placed<K, device_space> there(keys, next_.below(4));
    const placed<V, device_space> beside(values, next_.below(4));
    for (const bool least : {false, true}) {
      const std::vector<std::size_t> all = order_of_all(keys, least);
      for (const std::size_t k : wanted) {
        if (k > n) continue;
        for (const bool sorted : {true, false}) {
          if (!sorted && strategy == "sort_all") continue;
          SCOPED_TRACE(std::to_string(n) + " items, k " + std::to_string(k) + (least ? ", least" : "") +
                       (sorted ? ", sorted" : ""));
          std::vector<std::size_t> from(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k));
          if (!sorted) std::sort(from.begin(), from.end());
          compare<K, V>(there, beside, keys, from, {.least = least, .sorted = sorted, .strategy = strategy});
        }
      }
    }
  }

  template <class K, class V>
  void compare(const placed<K, device_space>& there, const placed<V, device_space>& beside, const std::vector<K>& keys,
               const std::vector<std::size_t>& from, const top_k_options& options) {
    const std::size_t k = from.size();
    const guarded<K, device_space> out(k, next_.below(4));
    std::vector<K> best(k);
    for (std::size_t i = 0; i < k; ++i) best[i] = keys[from[i]];
    if constexpr (view<K, V>::has_values) {
      const guarded<V, device_space> moved(k, next_.below(4));
      std::vector<V> values(k);
      for (std::size_t i = 0; i < k; ++i) values[i] = static_cast<V>(from[i]);
      top_k(gpu{}, pairs(there.data(), beside.data(), keys.size()), k, pairs(out.data(), moved.data(), k), options);
      EXPECT_TRUE(same(values, moved.read()));
    } else {
      top_k(gpu{}, items(there.data(), keys.size()), k, items(out.data(), k), options);
    }
    EXPECT_TRUE(same(best, out.read()));
  }

  template <class K, class V = no_value>
  void check_shapes() {
    const std::size_t tile = detail::select_step_items(sizeof(K));  // of so few, a step
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, tile - 1, tile, tile + 1, 40 * tile + 13}) {
      for (const top_k_shape shape : top_k_shapes) {
        SCOPED_TRACE("shape " + std::to_string(static_cast<int>(shape)));
        const std::vector<K> keys = make<K>(shape, n);
        check<K, V>(keys, {0, 1, 2, 1000, n / 2, n - 1, n});
        check<K, V>(keys, {1, 1000, n}, "radix_select");
      }
    }
  }
};

TEST_F(gpu_top_k, bytes_and_shorts) {
  check_shapes<std::uint8_t>();
  check_shapes<std::uint16_t, std::uint32_t>();
}
TEST_F(gpu_top_k, words) {
  check_shapes<std::uint32_t>();
  check_shapes<std::int32_t, std::uint32_t>();
}
TEST_F(gpu_top_k, wide_keys) {
  check_shapes<std::uint64_t, std::uint64_t>();
}
TEST_F(gpu_top_k, floats) {
  check_shapes<float>();
  check_shapes<double, std::uint32_t>();
}

/// Some millions of keys, of which a sample is taken, and of one more or fewer, of which none is.
TEST_F(gpu_top_k, millions) {
  const std::size_t n = under_checker() ? 300007 : tuning::select_sampled_bytes / sizeof(std::uint32_t) + 3;
  for (const top_k_shape shape : top_k_shapes) {
    SCOPED_TRACE("shape " + std::to_string(static_cast<int>(shape)));
    check<std::uint32_t>(make<std::uint32_t>(shape, n), {1, 2, 1000, 100000, n / 4, n / 4 + 1, n - 1});
    check<float, std::uint32_t>(make<float>(shape, n), {1, 1000, n / 10});
  }
  check<std::uint64_t>(make<std::uint64_t>(top_k_shape::uniform, 3000000), {1, 1000, 3000000});
  check<std::uint64_t>(make<std::uint64_t>(top_k_shape::two, 3000000), {1, 1000, 750000});
  check<double, std::uint64_t>(make<double>(top_k_shape::special, 2200000), {1, 1000, 500000});
  check<std::uint8_t, std::uint32_t>(make<std::uint8_t>(top_k_shape::uniform, tuning::select_sampled_bytes + 1),
                                     {1, 100000});
}

/// So many that a tile has several steps, with a sample and without.
TEST_F(gpu_top_k, tiles_of_several_steps) {
  if (under_checker()) GTEST_SKIP() << "as of others, but for the number of keys";
  const std::size_t n = tuning::select_steps_bytes / sizeof(std::uint64_t) + 70001;
  check<std::uint64_t>(make<std::uint64_t>(top_k_shape::uniform, n), {1, 1000, n / 5, n / 3});
  check<std::uint64_t, std::uint32_t>(make<std::uint64_t>(top_k_shape::few, n), {1, 100000, n / 3});
}

/// Keys of which no sample tells where the wanted ones are: those that it looks at are the greatest, or the least.
TEST_F(gpu_top_k, is_not_misled) {
  const std::size_t n = tuning::select_sampled_bytes / sizeof(std::uint32_t) + 1;
  for (const std::uint32_t shown : {0U, 0xFFFFFFFFU}) {
    std::vector<std::uint32_t> keys = make<std::uint32_t>(top_k_shape::uniform, n);
    for (std::uint64_t number = 1; number <= detail::select_sampled; ++number) {
      keys[static_cast<std::size_t>((static_cast<unsigned __int128>(mix64(number)) * n) >> 64U)] = shown;
    }
    check<std::uint32_t>(keys, {1, 1000, 8193, 100000});
    check<std::uint32_t, std::uint32_t>(keys, {8193});
  }
}

TEST_F(gpu_top_k, refuses_what_cannot_be_right) {
  const placed<std::uint32_t, device_space> keys(std::vector<std::uint32_t>(100, 1));
  const guarded<std::uint32_t, device_space> out(10);
  const auto said = [&](std::size_t k, std::uint32_t* to) {
    return message_of([&] { top_k(gpu{}, items(keys.data(), 100), k, items(to, 10)); });
  };
  expect_parts(said(101, out.data()), {"top_k", "k", "101", "100"});
  expect_parts(said(11, out.data()), {"top_k", "out", "10", "11"});
  expect_parts(said(5, nullptr), {"top_k", "out", "null"});
  ASSERT_NO_THROW(top_k(gpu{}, items(keys.data(), 0), 0, items(out.data(), 0)));
}

TEST_F(gpu_top_k, takes_the_memory_that_it_states_twice_alike_and_in_a_graph) {
  const scoped_stream s;
  for (const std::size_t n : {std::size_t{1000}, std::size_t{300000}, std::size_t{5000011}}) {
    for (const bool sorted : {false, true}) {
      const std::size_t k = n / 7;
      const std::vector<float> in = make<float>(top_k_shape::few, n);
      const placed<float, device_space> keys(in);
      std::vector<std::uint32_t> numbers(n);
      std::iota(numbers.begin(), numbers.end(), 0U);
      const placed<std::uint32_t, device_space> values(numbers);
      const guarded<float, device_space> best(k);
      const guarded<std::uint32_t, device_space> from(k);
      const auto call = [&](auto&& on) {
        top_k(on, pairs(keys.data(), values.data(), n), k, pairs(best.data(), from.data(), k), {.sorted = sorted});
      };
      const plan made = explain(call, detail::current_device());
      const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
      arena mine(buffer.data(), made.temporary_bytes);
      call(gpu{.memory = &mine});
      EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
      const std::vector<std::uint32_t> wanted = from.read();
      call(gpu{});
      EXPECT_TRUE(same(wanted, from.read()));

      const captured_call captured(s, call);
      for (int round = 0; round < 2; ++round) {
        must(cudaMemset(from.data(), 0, k * sizeof(std::uint32_t)));
        captured.replay();
        EXPECT_TRUE(same(wanted, from.read()));
      }
    }
  }
}

}  // namespace peneira::test
