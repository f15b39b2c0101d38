// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// More items than 32 bits can count. Takes 9 GB and a minute, so it runs only where PENEIRA_HUGE=1 asks for it.
#include "peneira/multisplit.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

TEST(huge, more_than_32_bits_of_items) {
  const char* const wanted = std::getenv("PENEIRA_HUGE");
  if (wanted == nullptr || std::string_view(wanted) != "1") GTEST_SKIP() << "set PENEIRA_HUGE=1 (needs 9 GB)";
  const std::size_t n = (std::size_t{1} << 32U) + 12345;
  const auto key = [](std::size_t i) { return static_cast<std::uint8_t>(mix32(static_cast<std::uint32_t>(i >> 20U))); };
  const auto bin = [](std::uint8_t k) { return k < 3 ? 0 : k < 250 ? 1 : 2; };  // the middle one holds nearly all
  std::vector<std::uint8_t> keys(n);
  std::vector<std::uint8_t> out(n);
  std::array<std::uint64_t, 4> wanted_offsets{};
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = key(i);
    ++wanted_offsets[static_cast<std::size_t>(bin(keys[i])) + 1];
  }
  for (std::size_t b = 0; b < 3; ++b) wanted_offsets[b + 1] += wanted_offsets[b];

  for (const std::string_view strategy : {"sequential", "direct", "buffered"}) {
    SCOPED_TRACE(strategy);
    std::fill(out.begin(), out.end(), 0xEE);
    std::array<std::uint64_t, 4> offsets{};
    multisplit(cpu{.threads = 2}, keys, out, binned{3, bin}, offsets, {.strategy = strategy});
    EXPECT_EQ(offsets, wanted_offsets);
    std::array<std::uint64_t, 3> next{offsets[0], offsets[1], offsets[2]};
    std::size_t wrong = 0;
    for (const std::uint8_t k : keys) wrong += out[next[static_cast<std::size_t>(bin(k))]++] != k ? 1 : 0;
    EXPECT_EQ(wrong, 0U);
  }
}

}  // namespace peneira::test
