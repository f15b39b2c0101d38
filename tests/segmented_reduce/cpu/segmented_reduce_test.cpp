// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// segmented_reduce on the CPU: what it takes, and that it is right on random segments and on those that change their
// nature along the way.
#include <functional>

#include "peneira/multisplit.hpp"
#include "peneira/segmented_reduce.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

TEST(segmented_reduce, takes_functions_and_operators_of_the_standard_library) {
  const std::vector<u32> numbers{3, 1, 4, 1, 5};
  const std::vector<u32> offsets{0, 3, 3, 5};
  std::vector<u32> out(3);
  segmented_reduce(cpu{}, numbers, offsets, out, std::plus<>{});
  EXPECT_EQ(out, (std::vector<u32>{8, 0, 6}));
  segmented_reduce(cpu{}, numbers, offsets, out, op{9, [](u32 a, u32 b) { return a < b ? a : b; }});
  EXPECT_EQ(out, (std::vector<u32>{1, 9, 1}));
  segmented_reduce(cpu{}, numbers, every{2}, out, op{0, [](u32 a, u32 b) { return a < b ? b : a; }, commutative});
  EXPECT_EQ(out, (std::vector<u32>{3, 4, 5}));
}

/// Group by in two calls: what multisplit leaves is what segmented_reduce takes.
TEST(segmented_reduce, takes_the_offsets_of_multisplit) {
  random next(seed() + 4);
  std::vector<u32> keys(200000);
  std::vector<u32> values(keys.size());
  for (u32& x : keys) x = static_cast<u32>(next.below(1000));
  for (u32& x : values) x = static_cast<u32>(next.below(1000));
  std::vector<u32> grouped_keys(keys.size());
  std::vector<u32> grouped(keys.size());
  std::vector<u32> offsets(1001);
  std::vector<std::uint64_t> sums(1000);
  multisplit(cpu{}, pairs(keys, values), pairs(grouped_keys, grouped), binned{1000, [](u32 k) { return k; }}, offsets);
  segmented_reduce(cpu{}, grouped, offsets, sums, plus{});
  std::vector<std::uint64_t> wanted(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) wanted[keys[i]] += values[i];
  EXPECT_EQ(sums, wanted);
}

/// Random shapes, sizes and thread counts against the definition.
TEST(segmented_reduce, of_random_problems_is_right) {
  random next(seed() + 5);
  for (int k = 0; k < (sanitized ? 40 : 300); ++k) {
    const std::size_t about = std::size_t{1} << next.below(17);
    const auto offsets = make_segments(next.pick(segment_shapes), about, 1 + next.below(100), next.below(20), next);
    std::vector<u32> numbers(offsets.back() + next.below(20));
    for (u32& x : numbers) x = static_cast<u32>(next());
    std::vector<u32> sums(offsets.size() - 1);
    const auto threads = static_cast<unsigned>(1 + next.below(9));
    segmented_reduce(cpu{.threads = threads}, numbers, offsets, sums, plus{}, {.strategy = "shares"});
    std::vector<u32> before(numbers.size() + 1);  // a sum is a difference of sums from the beginning
    for (std::size_t i = 0; i < numbers.size(); ++i) before[i + 1] = before[i] + numbers[i];
    for (std::size_t s = 0; s < sums.size(); ++s) {
      ASSERT_EQ(sums[s], before[offsets[s + 1]] - before[offsets[s]]) << "segment " << s << ", round " << k;
    }
  }
}

/// Segments whose sizes change their nature along the way: mixed, many of one size, mixed with long ones.
template <class T>
void expect_stretches(std::uint64_t from) {
  random next(from);
  std::vector<std::uint64_t> offsets{next.below(9)};
  const auto stretch = [&](std::size_t count, auto&& size) {
    for (std::size_t k = 0; k < count; ++k) offsets.push_back(offsets.back() + size());
  };
  for (int k = 0; k < (sanitized ? 2 : 6); ++k) {
    const std::uint64_t most = next.pick(std::array{3, 7, 18, 34, 70, 140});
    stretch(next.below(20000), [&] { return next.below(most); });
    stretch(1024 + next.below(3000), [size = next.below(20)] { return size; });
    stretch(next.below(3000), [&] { return next.below(500) == 0 ? 4000 + next.below(9000) : next.below(most); });
  }
  std::vector<T> numbers(offsets.back());
  for (T& x : numbers) x = make_item<T, plus>(next);
  const placed<T, host_space> there(numbers, next.below(8));  // not a byte longer, for the sanitizer
  for (const unsigned threads : host_space::thread_counts) {
    std::vector<T> sums(offsets.size() - 1);
    segmented_reduce(cpu{.threads = threads}, items(there.data(), there.size()), offsets, sums, plus{});
    for (std::size_t s = 0; s < sums.size(); ++s) {
      T wanted{};
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) wanted = static_cast<T>(wanted + numbers[i]);
      ASSERT_EQ(sums[s], wanted) << "segment " << s << " of " << offsets[s + 1] - offsets[s] << " items";
    }
  }
}

TEST(segmented_reduce, of_stretches_of_other_sizes_is_right) {
  expect_stretches<float>(seed() + 6);
  expect_stretches<double>(seed() + 7);
  expect_stretches<std::uint8_t>(seed() + 8);
}

/// Every size, each among tiny ones, in calls of few segments and of many: whichever way is taken, with any threads, to
/// the end of the items.
template <class T, class Op>
void expect_every_size(std::size_t neighbours, std::uint64_t from) {
  random next(from);
  for (std::size_t size = 0; size <= 200; ++size) {
    std::vector<u32> offsets{static_cast<u32>(next.below(4))};
    for (std::size_t s = 0; s <= neighbours; ++s) {
      const bool is_it = s == neighbours / 2 || next.below(30) == 0;
      offsets.push_back(offsets.back() + static_cast<u32>(is_it ? size : next.below(3)));
    }
    std::vector<T> made(offsets.back());
    for (T& x : made) x = make_item<T, Op>(next);
    const placed<T, host_space> there(made);  // not a byte longer, for the sanitizer
    std::vector<T> found(offsets.size() - 1);
    segmented_reduce(cpu{.threads = 2}, items(there.data(), there.size()), offsets, found, Op{});
    for (std::size_t s = 0; s < found.size(); ++s) {
      auto wanted = Op::template identity<T>();
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) wanted = Op{}(wanted, made[i]);
      ASSERT_TRUE(alike(found[s], wanted)) << "segment " << s << " of " << found.size() << ", size " << size;
    }
  }
}

TEST(segmented_reduce, of_every_size_among_tiny_ones_is_right) {
  for (const std::size_t neighbours : {0U, 1U, 40U, 300U}) {
    expect_every_size<u32, max>(neighbours, seed() + 20);
    expect_every_size<std::int32_t, min>(neighbours, seed() + 21);
    expect_every_size<std::uint64_t, plus>(neighbours, seed() + 22);
    expect_every_size<std::int64_t, max>(neighbours, seed() + 23);
    expect_every_size<std::uint8_t, min>(neighbours, seed() + 24);
    expect_every_size<std::int16_t, max>(neighbours, seed() + 25);
    expect_every_size<float, max>(neighbours, seed() + 26);
    expect_every_size<u32, bit_xor>(neighbours, seed() + 27);
  }
}

/// A few segments are not looked at before they are combined, and are refused all the same, wherever the fault lies.
TEST(segmented_reduce, refuses_hostile_offsets_of_few_segments_and_of_many) {
  for (const std::size_t count : {1U, 3U, 20U, 127U, 128U, 300U}) {
    const std::size_t n = 2 * count;
    const std::vector<u32> numbers(n, 1);
    for (std::size_t at = 0; at <= count; at += 1 + count / 20) {
      for (const std::int64_t wrong : {std::int64_t{-1}, static_cast<std::int64_t>(n) + 1, std::int64_t{1} << 40U}) {
        std::vector<std::int64_t> offsets(count + 1);
        for (std::size_t s = 0; s <= count; ++s) offsets[s] = static_cast<std::int64_t>(2 * s);
        offsets[at] = wrong;
        std::vector<u32> out(count);
        for (const unsigned threads : {1U, 2U}) {
          EXPECT_THROW(segmented_reduce(cpu{.threads = threads}, numbers, offsets, out, plus{}), std::invalid_argument)
              << "offset " << at << " of " << count << " segments is " << wrong;
        }
      }
    }
  }
}

}  // namespace peneira::test
