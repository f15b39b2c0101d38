// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group on the CPU: the items of each group side by side, in their order, and offsets that segmented_reduce takes.
#include "peneira/group.hpp"
#include "peneira/group_by/reference.hpp"
#include "peneira/segmented_reduce.hpp"
#include "peneira/sort/reference.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

template <class K>
class groups : public ::testing::Test {
 protected:
  /// Positions: those of a stable sort, where groups are equal; offsets: where one group ends.
  void check(const std::vector<K>& keys) {
    const std::size_t n = keys.size();
    std::vector<K> as_groups;
    for (const K& key : keys) as_groups.push_back(detail::group_key(key));
    std::vector<u32> positions(n);
    std::vector<K> unique_keys;
    std::vector<std::uint64_t> offsets;
    const std::vector<std::size_t> from = reference::argsort(as_groups.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      positions[i] = static_cast<u32>(from[i]);
      const K key = as_groups[from[i]];
      if (i != 0 && detail::same_group(key, unique_keys.back())) continue;
      unique_keys.push_back(key);
      offsets.push_back(i);
    }
    offsets.push_back(n);
    for (const unsigned threads : host_space::thread_counts) {
      const guarded<K> got_keys(unique_keys.size(), next_.below(3));
      const guarded<std::uint64_t> got_offsets(offsets.size(), next_.below(3));
      const guarded<u32> got_positions(n, next_.below(3));
      const std::size_t found = group(cpu{.threads = threads}, keys, items(got_keys.data(), got_keys.size()),
                                      items(got_offsets.data(), got_offsets.size()), items(got_positions.data(), n));
      EXPECT_EQ(found, unique_keys.size());
      EXPECT_TRUE(same(unique_keys, got_keys.read()));
      EXPECT_TRUE(same(offsets, got_offsets.read()));
      EXPECT_TRUE(same(positions, got_positions.read()));
    }
  }

  random next_{seed()};
};
using key_types = ::testing::Types<std::uint8_t, u32, std::int64_t, float, double>;
TYPED_TEST_SUITE(groups, key_types);

TYPED_TEST(groups, of_every_shape) {
  for (const std::size_t n : {0U, 1U, 2U, 3U, 257U, 1000U, 70000U}) {
    if (sanitized && n > 1000) continue;
    for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) {
      this->check(make_sort_keys<TypeParam>(static_cast<sort_shape>(s), n, this->next_));
    }
  }
}

TEST(group, brings_values_together_for_segmented_reduce) {
  random next(seed());
  const std::size_t n = 20000;
  const auto keys = make_keys<std::int32_t>(shape::zipf, n, next);
  std::vector<u32> values(n);
  for (u32& v : values) v = static_cast<u32>(next.below(1000));
  std::vector<std::int32_t> unique_keys(n);
  std::vector<u32> offsets(n + 1);
  std::vector<u32> grouped(n);
  const std::size_t found = group(cpu{}, pairs(keys, values), unique_keys, offsets, grouped);
  std::vector<u32> sums(found);
  segmented_reduce(cpu{}, grouped, items(offsets.data(), found + 1), sums, plus{});
  const auto wanted = reference::group_by<u32>(keys.data(), values.data(), n, plus{});
  ASSERT_EQ(found, wanted.size());
  std::size_t at = 0;
  for (const auto& [rank, sum] : wanted) {
    EXPECT_EQ(unique_keys[at], std::bit_cast<std::int32_t>(rank ^ 0x80000000U));
    EXPECT_EQ(sums[at++], sum);
  }
}

TEST(group, wrong_arguments_are_named) {
  std::vector<u32> keys{1, 1, 2, 3};
  std::vector<u32> unique_keys(4);
  std::vector<u32> offsets(5);
  std::vector<u32> out(4);
  const auto said = [&](const auto& to, const auto& at, const auto& where) {
    return message_of([&] { group(cpu{}, keys, to, at, where); });
  };
  expect_parts(said(items(unique_keys.data(), 2), items(offsets), items(out)),
               {"group", "unique_keys", "room for 2", "3"});
  expect_parts(said(items(unique_keys), items(offsets.data(), 3), items(out)), {"group", "offsets", "room for 2", "3"});
  expect_parts(said(items(unique_keys), items(offsets.data(), 0), items(out)), {"group", "offsets", "no entries"});
  expect_parts(said(items(unique_keys), items(offsets), items(out.data(), 3)), {"group", "out", "room for 3", "4"});
  expect_parts(said(items(unique_keys), items(offsets), items(keys)), {"group", "out", "overlaps in"});
  expect_parts(said(items(unique_keys), items(unique_keys), items(out)), {"group", "overlaps"});
}

TEST(group, a_plan_states_all_memory) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{3000}, std::size_t{70000}, mi}) {
    random next(n);
    const auto keys = make_keys<u32>(shape::uniform, n, next);
    std::vector<u32> unique_keys(n);
    std::vector<u32> offsets(n + 1);
    std::vector<u32> out(n);
    const plan made = explain([&](auto& on) { group(on, keys, unique_keys, offsets, out); });
    counting_memory from;
    group(cpu{.memory = &from}, keys, unique_keys, offsets, out);
    EXPECT_EQ(from.total, made.temporary_bytes);
    EXPECT_EQ(from.calls, 1U);
    EXPECT_EQ(from.outstanding, 0);
  }
}

}  // namespace peneira::test
