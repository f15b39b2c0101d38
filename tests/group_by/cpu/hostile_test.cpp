// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys that were made to collide: all in one partition, or in one slot of a table. The groups are right all the same,
// and the tables give up soon rather than look at slot after slot.
#include "tests/group_by/example.hpp"

namespace peneira::test {

/// The odd number whose product with an odd number is 1.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int step = 0; step < 6; ++step) x *= 2 - odd * x;
  return x;
}

/// The 64-bit key of a hash, as group_hash has it.
std::uint64_t key_of_hash(std::uint64_t hash) {
  const auto undo_shift = [](std::uint64_t x, unsigned by) {
    std::uint64_t key = x;
    for (unsigned shift = by; shift < 64; shift += by) key = x ^ (key >> by);
    return key;
  };
  const std::uint64_t first = undo_shift(hash * inverse(0xBF58476D1CE4E5B9U), 29);
  return undo_shift(first * inverse(0x9E3779B97F4A7C15U), 32);
}

TEST(hostile_keys, of_one_hash_are_grouped) {
  using combo = group_combo<std::uint64_t, std::uint32_t, std::uint64_t, plus>;
  random next(seed());
  ASSERT_EQ(detail::group_hash(key_of_hash(0x123456789ABCDEFU)), 0x123456789ABCDEFU);
  for (const std::uint64_t groups : {100U, 200U, 1000U, 20000U}) {
    for (const std::uint64_t top : {std::uint64_t{0}, std::uint64_t{0xABC} << 52U}) {
      std::vector<std::uint64_t> keys(sanitized ? 20000 : 100000);
      for (std::uint64_t& key : keys) key = key_of_hash(top | next.below(groups));
      group_example<combo> example("one hash", keys, next);
      example.check(1);
      example.check(3);
    }
  }
}

TEST(hostile_keys, of_one_partition_are_grouped) {
  using combo = group_combo<std::uint32_t, std::uint32_t, std::uint64_t, plus>;
  random next(seed() + 1);
  std::vector<std::uint32_t> some;
  for (std::uint32_t key = 0; some.size() < 20000; ++key) {
    if (detail::group_partitions{11}(key) == 5) some.push_back(key);
  }
  std::vector<std::uint32_t> keys(sanitized ? 20000 : 100000);
  for (std::uint32_t& key : keys) key = next.pick(some);
  group_example<combo> example("one partition", keys, next);
  example.check(1);
  example.check(3);
}

TEST(hostile_keys, fill_a_table_no_further_than_its_probes) {
  using folding = detail::key_folding;
  using table = detail::group_table<std::uint64_t, folding>;
  const std::size_t slots = 4096;
  std::vector<table::entry> memory(detail::table_entries(slots));
  const folding by{};
  table groups(memory.data(), slots, 0, by);
  groups.clear(1);
  std::uint64_t taken = 0;
  while (taken < slots && groups.add(key_of_hash(taken), {})) ++taken;
  EXPECT_GE(taken, 64U);
  EXPECT_LE(taken, 256U);
}

/// A sample that sees one key alone, and others that it never looks at.
TEST(hostile_keys, that_no_sample_shows_are_grouped) {
  using combo = group_combo<std::uint32_t, std::uint32_t, std::uint64_t, plus>;
  random next(seed() + 2);
  const std::size_t n = sanitized ? 40000 : 200000;
  for (const std::size_t others : {n / 100, n / 2}) {
    std::vector<std::uint32_t> keys(n, 7);
    for (std::size_t i = 0; i < others; ++i) keys[i] = static_cast<std::uint32_t>(next());
    group_example<combo> example("others at the front", keys, next);
    example.check(1);
    example.check(4);
  }
}

}  // namespace peneira::test
