// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a multisplit is, checked without the reference: each item that went in comes out once, in the bin that the
// function says, behind the items of its bin that came before it.
#include "peneira/multisplit.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// Checks an output whose values are the numbers of the items.
template <class K, class F, class Offset>
void expect_multisplit(const std::vector<K>& keys, const std::vector<K>& out, const std::vector<std::uint32_t>& numbers,
                       const F& f, const std::vector<Offset>& offsets, order within_bin) {
  ASSERT_EQ(offsets.front(), 0U);
  ASSERT_EQ(offsets.back(), keys.size());
  std::vector<bool> seen(keys.size());
  for (std::size_t b = 0; b < f.bins(); ++b) {
    ASSERT_LE(offsets[b], offsets[b + 1]);
    for (std::size_t at = offsets[b]; at < offsets[b + 1]; ++at) {
      ASSERT_LT(numbers[at], keys.size());
      ASSERT_FALSE(seen[numbers[at]]) << "item " << numbers[at] << " came out twice";
      seen[numbers[at]] = true;
      ASSERT_EQ(std::memcmp(&out[at], &keys[numbers[at]], sizeof(K)), 0) << "a value left its key";
      ASSERT_EQ(detail::bin_of(f, out[at]), b);
      if (within_bin == order::stable && at > offsets[b]) {
        ASSERT_LT(numbers[at - 1], numbers[at]) << "not stable";
      }
    }
  }
}

template <class K>
class properties : public ::testing::Test {};
using key_types = ::testing::Types<std::uint16_t, bytes12>;
TYPED_TEST_SUITE(properties, key_types);

TYPED_TEST(properties, hold_for_random_problems) {
  using K = TypeParam;
  random next(seed() + sizeof(K));
  for (int round = 0; round < 120; ++round) {
    const std::size_t n = next() >> (46 + next.below(18));  // all magnitudes up to 2^18
    const std::uint32_t bins = 1 + static_cast<std::uint32_t>(next() >> (48 + next.below(16)));
    const unsigned threads = 1 + static_cast<unsigned>(next.below(9));
    const shape s = next.pick(all_shapes);
    const order within_bin = next.below(4) == 0 ? order::any : order::stable;
    const auto salt = static_cast<std::uint32_t>(next());
    const std::vector<K> keys = make_keys<K>(s, n, next);
    std::vector<std::uint32_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::uint32_t>(i);
    const binned f{bins, [salt, bins](const K& key) { return mix32(hash32(key) ^ salt) % bins; }};

    multisplit_cpu_strategies::for_each([&](auto strategy) {
      if (!strategy.refuses({n, bins, sizeof(K), 4, 4, within_bin}, host::here()).empty()) return;
      SCOPED_TRACE(testing::Message() << "seed " << seed() << ", round " << round << ", " << strategy.name << ", " << n
                                      << " items, " << bins << " bins, " << to_string(s) << ", " << threads
                                      << " threads");
      std::vector<K> out(n);
      std::vector<std::uint32_t> out_numbers(n);
      std::vector<std::uint32_t> offsets(std::size_t{bins} + 1);
      multisplit(cpu{.threads = threads}, pairs(keys, numbers), pairs(out, out_numbers), f, offsets,
                 {.within_bin = within_bin, .strategy = strategy.name});
      expect_multisplit(keys, out, out_numbers, f, offsets, within_bin);
    });
    if (this->HasFatalFailure()) return;
  }
}

TEST(multisplit, takes_every_kind_of_range) {
  const std::array<int, 4> keys{3, 0, 2, 1};
  const std::array<int, 4> wanted{0, 2, 3, 1};
  const binned parity{2, [](int key) { return key & 1; }};
  std::array<int, 4> from_array{};
  int from_pointer[4] = {};
  std::vector<int> longer(10, 7);
  std::array<std::uint32_t, 3> offsets{};
  multisplit(cpu{}, keys, from_array, parity, offsets);
  EXPECT_EQ(from_array, wanted);
  multisplit(cpu{}, items(keys.data(), 4), from_pointer, parity, offsets);
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), from_pointer));
  multisplit(cpu{}, std::vector<int>(keys.begin(), keys.end()), longer, parity, offsets);
  EXPECT_EQ(longer, (std::vector<int>{0, 2, 3, 1, 7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(offsets, (std::array<std::uint32_t, 3>{0, 2, 4}));
}

TEST(multisplit, runs_from_several_threads_at_once) {
  random next(seed());
  const auto keys = make_keys<std::uint32_t>(shape::uniform, 100000, next);
  detail::on_each(4, [&](unsigned m) {
    std::vector<std::uint32_t> out(keys.size());
    std::vector<std::uint32_t> offsets(1000);
    const hashed f{999 - m};
    multisplit(cpu{.threads = 3}, keys, out, f, offsets);
    EXPECT_EQ(offsets[f.bins()], keys.size());
    for (std::size_t i = 1; i < out.size(); ++i) ASSERT_LE(f(out[i - 1]), f(out[i]));
  });
}

/// Two levels become one where items come in runs, if there is room for counters of all bins: runs as long and bins as
/// many as make the one and the other, ascending or not, and a few items that are in no run.
TEST(two_level, splits_runs_as_any_other_items) {
  random next(seed() + 40);
  for (const std::size_t n : {4095U, 4096U, 20000U, 200001U}) {
    for (const std::uint32_t bins : {4U, 1000U, 50000U}) {
      for (const std::size_t run : {std::size_t{4}, std::size_t{9}, std::size_t{300}, n}) {
        for (const bool ascending : {false, true}) {
          std::vector<std::uint32_t> keys(n);
          std::uint32_t key = 0;
          for (std::size_t i = 0; i < n; ++i) {
            if (i % run == 0) key = static_cast<std::uint32_t>(next());
            keys[i] = next.below(100) == 0 ? static_cast<std::uint32_t>(next()) : key;
          }
          if (ascending) std::sort(keys.begin(), keys.end());
          std::vector<std::uint32_t> numbers(n);
          for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::uint32_t>(i);
          const ranges<std::uint32_t> f(bins, 0U, ~0U);
          std::vector<std::uint32_t> out(n);
          std::vector<std::uint32_t> out_numbers(n);
          std::vector<std::uint64_t> offsets(std::size_t{bins} + 1);
          SCOPED_TRACE(testing::Message() << n << " items, " << bins << " bins, runs of " << run);
          multisplit(cpu{.threads = 3}, pairs(keys, numbers), pairs(out, out_numbers), f, offsets,
                     {.strategy = "two_level"});
          expect_multisplit(keys, out, out_numbers, f, offsets, order::stable);
        }
      }
    }
  }
}

/// Calls of few items make no plan: every number of them, and bins around those that are counted on the stack.
TEST(few_items, are_split_for_every_number_of_them) {
  random next(seed() + 30);
  for (std::size_t n = 0; n <= 200; ++n) {
    for (const std::uint32_t bins : {1U, 2U, 8U, 49U, 50U, 51U, 511U, 513U}) {
      const binned f{bins, [bins](std::uint32_t key) { return key % bins; }};
      std::vector<std::uint32_t> made(n);
      for (std::uint32_t& x : made) x = static_cast<std::uint32_t>(next.below(1 + next.below(1000)));
      const placed<std::uint32_t, host_space> keys(made);  // not a byte longer, for the sanitizer
      std::vector<std::uint32_t> numbers(n);
      for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::uint32_t>(i);
      std::vector<std::uint32_t> out(n);
      std::vector<std::uint32_t> moved(n);
      std::vector<std::uint64_t> offsets(bins + 1, 77);
      counting_memory memory;
      multisplit(cpu{.threads = 3, .memory = &memory}, pairs(items(keys.data(), n), numbers), pairs(out, moved), f,
                 offsets);
      SCOPED_TRACE(testing::Message() << n << " items, " << bins << " bins");
      expect_multisplit(made, out, moved, f, offsets, order::stable);
      if (HasFatalFailure()) return;
      EXPECT_EQ(memory.calls, 0U) << "explain says that there is no temporary memory";
    }
  }
}

/// A bin out of range is found in every batch of those that are counted on the stack.
TEST(few_items, in_a_bin_out_of_range_are_refused) {
  for (const std::size_t n : {1U, 31U, 32U, 33U, 200U, 5000U}) {
    for (const std::size_t bad : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<std::uint32_t> keys(n, 1);
      keys[bad] = 4;
      std::vector<std::uint32_t> out(n);
      std::vector<std::uint32_t> offsets(5);
      const binned f{4, [](std::uint32_t key) { return key; }};
      EXPECT_THROW(multisplit(cpu{}, keys, out, f, offsets), std::invalid_argument) << n << " items, number " << bad;
    }
  }
}

}  // namespace peneira::test
