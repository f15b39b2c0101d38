// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts of few items: the networks of tiny ones by all zeros and ones, and all sizes of small ones of every kind of key
// and value, beside the standard library's stable sort.
#include "peneira/sort/cpu/small_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "peneira/sort.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <std::size_t N>
void expect_network_sorts() {
  for (unsigned ones = 0; ones < 1U << N; ++ones) {
    std::array<std::uint32_t, N> x{};
    for (unsigned i = 0; i < N; ++i) x[i] = ones >> i & 1U;
    detail::sort_tiny_numbers<N, std::uint32_t>(x.data(), x.data(), {});
    ASSERT_TRUE(std::is_sorted(x.begin(), x.end())) << N << " numbers, " << ones;
    ASSERT_EQ(std::accumulate(x.begin(), x.end(), 0), std::popcount(ones));
  }
}

TEST(small_sort, tiny_networks_sort_all_zeros_and_ones) {
  expect_network_sorts<2>();
  expect_network_sorts<3>();
  expect_network_sorts<4>();
  expect_network_sorts<5>();
  expect_network_sorts<6>();
  expect_network_sorts<7>();
  expect_network_sorts<8>();
}

/// What keys are like. `near_pairs`: all bits differ, but of some the lowest alone from another's.
enum class few_bits { lowest, far_apart, highest_and_lowest, all, near_pairs, ascending, descending };
constexpr few_bits all_few_bits[] = {few_bits::lowest,    few_bits::far_apart,  few_bits::highest_and_lowest,
                                     few_bits::all,       few_bits::near_pairs, few_bits::ascending,
                                     few_bits::descending};

template <class K>
std::vector<K> few_keys(std::size_t n, few_bits kind, random& next) {
  std::vector<K> keys(n);
  std::uint64_t before = 0;
  for (K& key : keys) {
    std::uint64_t bits = next();
    if (kind == few_bits::lowest) bits &= 3U;
    if (kind == few_bits::far_apart) bits &= std::uint64_t{3} << 62U | std::uint64_t{3} << 30U | 1U;
    if (kind == few_bits::highest_and_lowest) bits &= 0xC0000000000000FFU;
    if (kind == few_bits::near_pairs && next.below(16) == 0) bits = before ^ (bits & 0xFFU);
    before = bits;
    key = detail::key_of_bits<K>(static_cast<detail::bits_of<K>>(bits));
  }
  const auto by = detail::order_of<K>(kind == few_bits::descending);
  if (kind == few_bits::ascending || kind == few_bits::descending) {
    std::sort(keys.begin(), keys.end(),
              [&](const K& a, const K& b) { return by(detail::raw_bits(a)) < by(detail::raw_bits(b)); });
  }
  return keys;
}

/// Sorts copies of keys, alone and with values that tell where they came from, by all bits or some.
template <class K, class V>
void expect_sorted_like_the_standard_library(const std::vector<K>& keys, const sort_options& options) {
  const std::size_t n = keys.size();
  const auto by = detail::order_of<K>(options.descending);
  const unsigned last = options.last_bit == 0 ? 8 * sizeof(K) : options.last_bit;
  const detail::bit_range<detail::bits_of<K>> part{options.first_bit, last - options.first_bit};
  std::vector<std::size_t> from(n);
  std::iota(from.begin(), from.end(), std::size_t{0});
  std::stable_sort(from.begin(), from.end(), [&](std::size_t a, std::size_t b) {
    return part(by(detail::raw_bits(keys[a]))) < part(by(detail::raw_bits(keys[b])));
  });
  std::vector<K> alone = keys;
  std::vector<K> paired = keys;
  std::vector<K> copied(n);
  std::vector<V> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<V>(i);
  sort(cpu{.threads = 1}, alone, options);
  sort(cpu{.threads = 1}, keys, copied, options);
  sort(cpu{.threads = 1}, pairs(paired, values), options);
  for (std::size_t i = 0; i < n; ++i) {
    const auto same = [&](const K& key) { return std::memcmp(&key, &keys[from[i]], sizeof(K)) == 0; };
    ASSERT_TRUE(same(alone[i])) << n << " keys, " << i;
    ASSERT_TRUE(same(copied[i])) << n << " keys, " << i;
    ASSERT_TRUE(same(paired[i])) << n << " pairs, " << i;
    ASSERT_EQ(values[i], static_cast<V>(from[i])) << n << " pairs, " << i;
  }
}

template <class T>
class small_sorts : public testing::Test {};
using small_keys = testing::Types<std::uint8_t, std::int16_t, std::uint32_t, float, std::int64_t, double>;
TYPED_TEST_SUITE(small_sorts, small_keys);

TYPED_TEST(small_sorts, are_stable_in_all_sizes) {
  random next(seed());
  const unsigned width = 8 * sizeof(TypeParam);
  for (std::size_t n = 0; n <= 140 && !this->HasFatalFailure(); ++n) {
    for (const few_bits kind : all_few_bits) {
      const std::vector<TypeParam> keys = few_keys<TypeParam>(n, kind, next);
      expect_sorted_like_the_standard_library<TypeParam, std::uint8_t>(keys, {});
      expect_sorted_like_the_standard_library<TypeParam, std::uint64_t>(keys, {.descending = true});
      if (n % 3 == 0) {
        expect_sorted_like_the_standard_library<TypeParam, std::uint32_t>(keys,
                                                                          {.first_bit = 1, .last_bit = width - 1});
      }
    }
  }
}

}  // namespace peneira::test
