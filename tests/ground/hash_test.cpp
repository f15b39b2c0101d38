// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The hashes are part of the interface: their values are pinned here.
#include "peneira/hash.hpp"
#include "peneira/bins.hpp"

#include "tests/support/common.hpp"

namespace peneira::test {

TEST(hash, has_pinned_values) {
  EXPECT_EQ(mix32(1), 1753845952U);
  EXPECT_EQ(mix64(1), 6238072747940578789U);
  EXPECT_EQ(hash32(std::uint8_t{7}), 2492178918U);
  EXPECT_EQ(hash32(std::uint32_t{123456789}), 2834422664U);
  EXPECT_EQ(hash32(std::uint64_t{123456789}), 1178506855U);
  EXPECT_EQ(hash32(1.5F), 2555346374U);
  EXPECT_EQ(hash32(1.5), 3878371796U);
  EXPECT_EQ(hash32(bytes12{{1, 2, 3}}), 2426928234U);
  EXPECT_EQ(hash_bytes(""), 0U);
  EXPECT_EQ(hash_bytes("peneira"), 1789471509681759319U);
  EXPECT_EQ(hash_bytes("a sieve is count, scan, scatter"), 2675225383482861956U);
}

TEST(hashed, has_pinned_bins) {
  EXPECT_EQ(hashed{1000}(std::uint32_t{42}), 90U);
  EXPECT_EQ(hashed{1000}(std::uint64_t{42}), 400U);
  EXPECT_EQ(hashed{0xFFFFFFFFU}(std::int16_t{-3}), 22365775U);
}

TEST(hashed, treats_both_zeros_alike) {
  EXPECT_EQ(hash32(0.0F), hash32(-0.0F));
  EXPECT_EQ(hash32(0.0), hash32(-0.0));
}

template <class K>
void expect_even(std::uint32_t bins, std::size_t n) {
  std::vector<std::size_t> counts(bins);
  const hashed f{bins};
  for (std::size_t i = 0; i < n; ++i) ++counts[f(static_cast<K>(i))];
  const double mean = static_cast<double>(n) / bins;
  double chi_square = 0;
  for (const std::size_t count : counts) {
    chi_square += (static_cast<double>(count) - mean) * (static_cast<double>(count) - mean) / mean;
  }
  EXPECT_LT(chi_square, 1.5 * bins) << bins << " bins";
}

TEST(hashed, spreads_consecutive_keys) {
  for (const std::uint32_t bins : {100U, 256U, 361U, 1024U}) {
    expect_even<std::uint32_t>(bins, 200000);
    expect_even<std::uint64_t>(bins, 200000);
    expect_even<float>(bins, 200000);
    expect_even<double>(bins, 200000);
  }
}

TEST(hash, of_bytes_depends_on_every_byte_and_on_the_length) {
  const std::string text = "0123456789abcdefghijklmn";
  for (std::size_t length = 1; length <= text.size(); ++length) {
    std::string other = text.substr(0, length);
    const std::uint64_t plain = hash_bytes(other);
    EXPECT_NE(plain, hash_bytes(text.substr(0, length - 1)));
    EXPECT_NE(plain, hash_bytes(other + '\0'));
    for (char& c : other) {
      c = static_cast<char>(c ^ 1);
      EXPECT_NE(plain, hash_bytes(other));
      c = static_cast<char>(c ^ 1);
    }
  }
}

TEST(hashed, names_what_is_wrong) {
  expect_parts(message_of([] { hashed{0}; }), {"hashed", "bins", "0"});
  expect_parts(message_of([] { hashed{std::int64_t{-1}}; }), {"hashed", "bins", "-1"});
}

}  // namespace peneira::test
