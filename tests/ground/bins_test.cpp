// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "peneira/bins.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/common.hpp"

namespace peneira::test {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

constexpr std::array<std::uint64_t, 12> some_bins{1,    2,     3,         7,         256,         361,
                                                  4097, 65537, 1U << 20U, 1U << 31U, 0xFFFFFFFEU, 0xFFFFFFFFU};

/// floor((key - lo) * bins / (hi - lo + 1)) in arithmetic that cannot overflow.
template <class K>
std::uint32_t exact_range(K key, std::uint64_t bins, K lo, K hi) {
  const int128 width = static_cast<int128>(hi) - lo + 1;
  if (key > hi) return static_cast<std::uint32_t>(bins - 1);
  const int128 offset = static_cast<int128>(std::max(key, lo)) - lo;
  return static_cast<std::uint32_t>(static_cast<uint128>(offset) * bins / static_cast<uint128>(width));
}

/// The bins of keys by the way for many at once, where the function has one.
template <class F, class K>
std::vector<std::uint32_t> bins_of_many(const F& f, std::vector<K> keys) {
  constexpr std::size_t batch = 16;
  const std::size_t n = keys.size();
  keys.resize((n + batch - 1) / batch * batch);
  std::vector<std::uint32_t> bins(keys.size());
  for (std::size_t i = 0; i < keys.size(); i += batch) {
    if constexpr (requires { f.template many<batch>(keys.data(), bins.data()); }) {
      f.template many<batch>(keys.data() + i, bins.data() + i);
    } else {
      for (std::size_t k = i; k < i + batch; ++k) bins[k] = f(keys[k]);
    }
  }
  bins.resize(n);
  return bins;
}

template <class K>
void expect_exact(std::uint64_t bins, K lo, K hi, random& next) {
  const ranges<K> f{bins, lo, hi};
  ASSERT_EQ(f.bins(), bins);
  std::vector<K> keys{lo,
                      hi,
                      static_cast<K>(lo + (hi != lo)),
                      static_cast<K>(hi - (hi != lo)),
                      std::numeric_limits<K>::min(),
                      std::numeric_limits<K>::max()};
  for (int k = 0; k < 60; ++k) keys.push_back(static_cast<K>(next() >> next.below(64)));
  const int128 width = static_cast<int128>(hi) - lo + 1;
  for (int k = 0; k < 60; ++k) {  // both sides of where bins meet
    const int128 border = static_cast<int128>(next.below(bins)) * width / static_cast<int128>(bins);
    for (const int off : {-1, 0, 1}) keys.push_back(static_cast<K>(lo + border + off));
  }
  const std::vector<std::uint32_t> together = bins_of_many(f, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint32_t wanted = exact_range(keys[i], bins, lo, hi);
    ASSERT_EQ(f(keys[i]), wanted) << "key " << +keys[i] << " in " << bins << " bins of " << +lo << " to " << +hi;
    ASSERT_EQ(together[i], wanted) << "key " << +keys[i] << " in " << bins << " bins of " << +lo << " to " << +hi;
  }
}

template <class K>
class ranges_of_integers : public ::testing::Test {};
using integers = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                                  std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ranges_of_integers, integers);

TYPED_TEST(ranges_of_integers, are_exact) {
  using K = TypeParam;
  using limits = std::numeric_limits<K>;
  random next(seed());
  for (const std::uint64_t bins : some_bins) {
    expect_exact<K>(bins, limits::min(), limits::max(), next);
    expect_exact<K>(bins, K(5), K(5), next);
    expect_exact<K>(bins, limits::min(), limits::min(), next);
    expect_exact<K>(bins, limits::max(), limits::max(), next);
    for (int k = 0; k < 30; ++k) {
      const auto a = static_cast<K>(next() >> next.below(64));
      const auto b = static_cast<K>(next() >> next.below(64));
      expect_exact<K>(1 + next.below(bins), std::min(a, b), std::max(a, b), next);
    }
  }
}

TYPED_TEST(ranges_of_integers, of_every_small_key) {
  using K = TypeParam;
  for (unsigned bins = 1; bins < 300; ++bins) {
    const ranges<K> f{bins, K(3), K(103)};
    for (int key = 0; key <= 120; ++key) {
      ASSERT_EQ(f(static_cast<K>(key)), exact_range<K>(static_cast<K>(key), bins, K(3), K(103)));
    }
  }
}

template <class K>
class ranges_of_floats : public ::testing::Test {};
using floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ranges_of_floats, floats);

TYPED_TEST(ranges_of_floats, put_outside_keys_into_the_outer_bins) {
  using K = TypeParam;
  constexpr K infinity = std::numeric_limits<K>::infinity();
  for (const std::uint64_t bins : some_bins) {
    const ranges<K> f{bins, K(-2), K(6)};
    const auto last = static_cast<std::uint32_t>(bins - 1);
    for (const K below : {K(-2), std::nextafter(K(-2), -infinity), K(-1e30), -infinity}) EXPECT_EQ(f(below), 0U);
    for (const K above : {K(6), std::nextafter(K(6), infinity), K(1e30), infinity}) EXPECT_EQ(f(above), last);
    EXPECT_EQ(f(std::numeric_limits<K>::quiet_NaN()), last);
    EXPECT_LE(f(std::nextafter(K(6), -infinity)), last);
  }
}

TYPED_TEST(ranges_of_floats, ascend_evenly) {
  using K = TypeParam;
  const ranges<K> f{1000, K(0), K(1)};
  std::uint32_t before = 0;
  for (int k = 0; k < 100000; ++k) {
    const std::uint32_t bin = f(K(k) / K(100000));
    EXPECT_GE(bin, before);
    EXPECT_NEAR(bin, k / 100.0, 1.0);
    before = bin;
  }
}

TYPED_TEST(ranges_of_floats, stay_in_range_for_extreme_bounds) {
  using K = TypeParam;
  using limits = std::numeric_limits<K>;
  const std::array<std::pair<K, K>, 5> bounds{{{K(0), limits::denorm_min()},
                                               {K(0), limits::min()},
                                               {K(0), 8 * limits::denorm_min()},
                                               {-limits::max() / 2, limits::max() / 2},
                                               {K(1), std::nextafter(K(1), K(2))}}};
  for (const auto& [lo, hi] : bounds) {
    const ranges<K> f{4097, lo, hi};
    EXPECT_EQ(f(lo), 0U) << lo << " to " << hi;
    EXPECT_EQ(f(hi), 4096U) << lo << " to " << hi;
    EXPECT_LT(f(lo + (hi - lo) / 2), 4097U) << lo << " to " << hi;
  }
}

/// Batches of keys, some or all of them outside, against one key at a time.
template <class K>
void expect_batches_right(std::uint32_t bins, K lo, K hi) {
  SCOPED_TRACE(::testing::Message() << bins << " bins from " << +lo << " to " << +hi);
  const ranges<K> f(bins, lo, hi);
  for (std::uint32_t round = 0; round < 200; ++round) {
    std::array<K, 16> keys{};
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto near = static_cast<K>((mix32(round) & 1U) != 0 ? lo : hi);
      const auto far = static_cast<K>(mix32(static_cast<std::uint32_t>(round * keys.size() + k)));
      const std::uint64_t width = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
      const auto inside = static_cast<K>(static_cast<std::uint64_t>(lo) + static_cast<std::uint64_t>(far) % width);
      keys[k] = round % 3 == 0   ? far
                : round % 3 == 1 ? inside
                                 : static_cast<K>(static_cast<std::uint32_t>(near) + k - 4);
    }
    std::array<std::uint32_t, 16> wanted{};
    for (std::size_t k = 0; k < keys.size(); ++k) wanted[k] = f(keys[k]);
    const auto expect_right_by = [&]<std::size_t Count>() {
      std::array<std::uint32_t, 16> found{};
      for (std::size_t k = 0; k < found.size(); k += Count) f.template many<Count>(keys.data() + k, found.data() + k);
      EXPECT_EQ(found, wanted) << "by " << Count;
    };
    expect_right_by.template operator()<16>();
    expect_right_by.template operator()<8>();
    expect_right_by.template operator()<4>();
    expect_right_by.template operator()<1>();
  }
}

TEST(ranges, batches_are_right) {
  for (const std::uint32_t bins : {1U, 2U, 7U, 256U, 300U, 100003U}) {
    expect_batches_right<std::uint32_t>(bins, 0, 0xFFFFFFFFU);
    expect_batches_right<std::uint32_t>(bins, 1000, 1000 + (1U << 16U) - 1);
    expect_batches_right<std::uint32_t>(bins, 77, 123456789);
    expect_batches_right<std::int32_t>(bins, std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
    expect_batches_right<std::int32_t>(bins, -5000, 99999);
    expect_batches_right<std::int8_t>(bins, -128, 127);
    expect_batches_right<std::uint8_t>(bins, 3, 200);
  }
}

TEST(ranges, keys_above_hi_are_in_the_last_bin_even_where_hi_is_not) {
  const ranges f{100, 0, 9};
  EXPECT_EQ(f(-1), 0U);
  EXPECT_EQ(f(9), 90U);
  EXPECT_EQ(f(10), 99U);
  EXPECT_EQ(f(1000), 99U);
  const ranges wide{100, std::int64_t{0}, std::int64_t{9}};
  EXPECT_EQ(wide(std::int64_t{9}), 90U);
  EXPECT_EQ(wide(std::int64_t{10}), 99U);
}

/// Keys of type K in ranges of every other type, against arithmetic that cannot overflow.
template <class K, class... Bounds>
void expect_right_in_ranges_of_others() {
  const auto in_ranges_of = [&]<class B>(B lo, B hi) {
    const ranges<B> f{10, lo, hi};
    for (const int128 number : {-129, -128, -6, -5, -1, 0, 1, 49, 50, 99, 100, 127, 128, 255, 256, 65535, 65536}) {
      for (const int128 near :
           {number, number + std::numeric_limits<K>::max(), number + std::numeric_limits<B>::max()}) {
        const auto key = static_cast<K>(near);
        const int128 exact = static_cast<int128>(key);
        const auto wanted = exact < lo   ? 0
                            : exact > hi ? 9
                                         : static_cast<std::uint32_t>((exact - lo) * 10 / (int128{hi} - lo + 1));
        EXPECT_EQ(f(key), wanted) << +key << " from " << +lo << " to " << +hi;
      }
    }
  };
  (in_ranges_of(Bounds{0}, Bounds{99}), ...);
  (in_ranges_of(std::numeric_limits<Bounds>::min(), std::numeric_limits<Bounds>::max()), ...);
}

TYPED_TEST(ranges_of_integers, take_keys_of_every_other_type) {
  expect_right_in_ranges_of_others<TypeParam, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                                   std::int32_t, std::uint64_t, std::int64_t>();
}

enum class grain : std::int8_t { rye = -1, oats, wheat };

TEST(ranges, take_enums_and_numbers_that_their_bounds_hold) {
  const ranges f{3, -1, 1};
  EXPECT_EQ(f(grain::rye), 0U);
  EXPECT_EQ(f(grain::wheat), 2U);
  const ranges by_grain{3, grain::rye, grain::wheat};
  EXPECT_EQ(by_grain(grain::oats), 1U);
  EXPECT_EQ(by_grain(grain::wheat), 2U);
  EXPECT_EQ(ranges(10, 0.0, 1.0)(0.25F), 2U);
  EXPECT_EQ(ranges(10, 0.0, 100.0)(55), 5U);
}

TEST(splitters, compare_numbers_of_other_types_exactly) {
  const std::array<std::uint32_t, 2> borders{10, 0xFFFFFFF0U};
  const splitters f{borders};
  EXPECT_EQ(f(-5), 0U);
  EXPECT_EQ(f(std::int8_t{-128}), 0U);
  EXPECT_EQ(f(std::int64_t{10}), 1U);
  EXPECT_EQ(f(std::int64_t{1} << 40U), 2U);
  EXPECT_EQ(f(9.5), 0U);
  EXPECT_EQ(f(10.5F), 1U);
  const std::array<float, 1> tenth{0.1F};
  EXPECT_EQ(splitters{tenth}(0.1), 0U);  // 0.1F is above 0.1
  EXPECT_EQ(splitters{tenth}(0.1F), 1U);
  const std::array<grain, 2> grains{grain::oats, grain::wheat};
  EXPECT_EQ(splitters{grains}(grain::rye), 0U);
  EXPECT_EQ(splitters{grains}(grain::wheat), 2U);
}

TEST(digit, takes_the_bits_that_a_key_is_stored_by) {
  EXPECT_EQ((digit{24, 8}(-1)), 255U);
  EXPECT_EQ((digit{0, 4}(std::int8_t{-2})), 14U);
  EXPECT_EQ((digit{8, 4}(std::int8_t{-2})), 0U);
  EXPECT_EQ((digit{31, 1}(-0.0F)), 1U);
  EXPECT_EQ((digit{0, 8}(grain::rye)), 255U);
}

TEST(ranges, names_what_is_wrong) {
  expect_parts(message_of([] { ranges<int>{0, 1, 2}; }), {"ranges", "bins", "0"});
  expect_parts(message_of([] { ranges<int>{-7, 1, 2}; }), {"ranges", "bins", "-7"});
  expect_parts(message_of([] { ranges<int>{std::uint64_t{1} << 32U, 1, 2}; }), {"ranges", "bins", "4294967296"});
  expect_parts(message_of([] { ranges<int>{4, 12, 11}; }), {"ranges", "hi", "12", "11"});
  expect_parts(message_of([] { ranges<float>{4, 2.5F, 2.5F}; }), {"ranges", "hi", "2.5"});
  expect_parts(message_of([] { ranges<float>{4, NAN, 1.0F}; }), {"ranges", "hi", "nan"});
  expect_parts(message_of([] { ranges<double>{4, 0.0, INFINITY}; }), {"ranges", "hi", "inf"});
  expect_parts(message_of([] { ranges<float>{4, -3e38F, 3e38F}; }), {"ranges", "hi"});
}

template <class K>
void expect_upper_bound(std::vector<K> sorted, const std::vector<K>& keys) {
  std::sort(sorted.begin(), sorted.end());
  const splitters f{sorted};
  ASSERT_EQ(f.bins(), sorted.size() + 1);
  const std::vector<std::uint32_t> together = bins_of_many(f, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto wanted = std::upper_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin();
    ASSERT_EQ(f(keys[i]), wanted) << sorted.size() << " splitters";
    ASSERT_EQ(together[i], wanted) << sorted.size() << " splitters";
  }
}

TEST(splitters, are_an_upper_bound) {
  random next(seed());
  for (std::size_t count = 0; count < 70; ++count) {
    expect_upper_bound(make_keys<std::uint32_t>(shape::uniform, count, next),
                       make_keys<std::uint32_t>(shape::uniform, 400, next));
    expect_upper_bound(make_keys<std::uint8_t>(shape::uniform, 4 * count, next),  // duplicates
                       make_keys<std::uint8_t>(shape::sorted, 256, next));
    expect_upper_bound(make_keys<double>(shape::zipf, count, next), make_keys<double>(shape::zipf, 400, next));
    expect_upper_bound(make_keys<bytes12>(shape::zipf, count, next), make_keys<bytes12>(shape::zipf, 400, next));
  }
}

TEST(splitters, may_be_none) {
  const splitters<int> f{nullptr, 0};
  EXPECT_EQ(f.bins(), 1U);
  EXPECT_EQ(f(7), 0U);
}

TEST(splitters, names_too_many) {
  expect_parts(message_of([] { splitters<int>{nullptr, 0xFFFFFFFFU}; }), {"splitters", "bins", "4294967296"});
}

TEST(digit, is_the_bits_of_a_key) {
  EXPECT_EQ(digit(0, 8).bins(), 256U);
  EXPECT_EQ(digit(0, 31).bins(), 1U << 31U);
  EXPECT_EQ(digit(8, 8)(0x12345678U), 0x56U);
  EXPECT_EQ(digit(60, 4)(0xABCDEF0123456789U), 0xAU);
  EXPECT_EQ(digit(60, 8)(0xABCDEF0123456789U), 0xAU);
  EXPECT_EQ(digit(0, 8)(std::int8_t{-1}), 0xFFU);
  EXPECT_EQ(digit(4, 8)(std::uint8_t{0xF3}), 0xFU);
  EXPECT_EQ(digit(8, 8)(std::uint8_t{0xFF}), 0U);
  EXPECT_EQ(digit(63, 1)(std::uint32_t{0xFFFFFFFF}), 0U);
  EXPECT_EQ(digit(31, 1)(-0.0F), 1U);
  EXPECT_EQ(digit(52, 11)(1.0), 1023U);
}

TEST(digit, names_what_is_wrong) {
  expect_parts(message_of([] { digit(0, 0); }), {"digit", "bits", "0"});
  expect_parts(message_of([] { digit(0, 32); }), {"digit", "bits", "32"});
  expect_parts(message_of([] { digit(64, 1); }), {"digit", "shift", "64"});
}

TEST(binned, passes_the_callers_answer_on) {
  const binned f{361, [](float x) { return static_cast<unsigned>(x * 361); }};
  EXPECT_EQ(f.bins(), 361U);
  EXPECT_EQ(f(0.5F), 180U);
  expect_parts(message_of([] { binned(0, [](int) { return 0; }); }), {"binned", "bins", "0"});
}

TEST(bin_of, turns_what_no_bin_can_be_into_the_number_that_no_bin_has) {
  const auto of = [](auto answer) { return detail::bin_of(binned{1, [answer](int) { return answer; }}, 0); };
  EXPECT_EQ(of(-1), 0xFFFFFFFFU);
  EXPECT_EQ(of(std::int8_t{-1}), 0xFFFFFFFFU);
  EXPECT_EQ(of(std::int64_t{-1}), 0xFFFFFFFFU);
  EXPECT_EQ(of(std::int64_t{1} << 32U), 0xFFFFFFFFU);
  EXPECT_EQ(of(std::uint64_t{5}), 5U);
  EXPECT_EQ(of(true), 1U);
}

}  // namespace peneira::test
