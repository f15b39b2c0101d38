// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Every way to scatter, whatever this processor's tuning would choose.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/multisplit.hpp"
#include "peneira/multisplit/reference.hpp"

namespace peneira::test {
namespace {

using detail::scatter_way;

/// Splits n keys and their indices by one level of that shape, the output shifted against cache lines, and compares.
template <class K>
void expect_right(scatter_way way, std::size_t lines, std::uint32_t bins, std::size_t n, unsigned members,
                  std::size_t shift, bool equal, bool deferred) {
  SCOPED_TRACE(::testing::Message() << "way " << static_cast<int>(way) << ", " << lines << " lines, " << bins
                                    << " bins, " << n << " items of " << sizeof(K) << " bytes, " << members
                                    << " members, shifted by " << shift << (deferred ? ", deferred" : ""));
  std::vector<K> keys(n);
  std::vector<std::uint32_t> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<K>(equal ? 7 : mix64(i));
    values[i] = static_cast<std::uint32_t>(i);
  }
  const hashed f{bins};
  const view<const K, const std::uint32_t> in{keys.data(), values.data(), n};
  std::vector<K> expected_keys(n);
  std::vector<std::uint32_t> expected_values(n);
  std::vector<std::uint64_t> expected_offsets(bins + std::size_t{1});
  reference::multisplit<K, std::uint32_t>(in, pairs(expected_keys, expected_values), f, expected_offsets.data());

  std::vector<K> out_keys(n + shift);
  std::vector<std::uint32_t> out_values(n + shift);
  std::vector<std::uint64_t> offsets(bins + std::size_t{1}, n);
  const std::size_t least = detail::least_buffer_bytes(bins, sizeof(K), 4) / bins / (sizeof(K) + 4);
  const detail::split_shape shape{way, least * lines, true, deferred};
  const std::size_t buffers = detail::split_buffer_bytes(bins, sizeof(K), 4, shape);
  detail::workspace memory(heap::shared(), detail::split_scratch::bytes(bins, members, buffers), nullptr);
  const auto scratch = detail::split_scratch::take(memory, bins, members, buffers);
  detail::split_level(members, in, pairs(out_keys.data() + shift, out_values.data() + shift, n), f, 0, 0,
                      offsets.data(), scratch, shape);
  EXPECT_EQ(offsets, expected_offsets);
  EXPECT_TRUE(std::equal(expected_keys.begin(), expected_keys.end(), out_keys.begin() + static_cast<long>(shift)));
  EXPECT_TRUE(
      std::equal(expected_values.begin(), expected_values.end(), out_values.begin() + static_cast<long>(shift)));
}

template <class K>
void expect_all_right(scatter_way way, std::size_t lines, bool deferred = false) {
  for (const std::uint32_t bins : {1U, 3U, 9U, 300U}) {
    for (const std::size_t n : {0U, 1U, 1000U, 20011U}) {
      for (const std::size_t shift : {0U, 1U, 13U}) {
        expect_right<K>(way, lines, bins, n, 3, shift, false, deferred);
        expect_right<K>(way, lines, bins, n, 1, shift, true, deferred);
      }
    }
  }
}

TEST(scatter, direct_is_right) {
  expect_all_right<std::uint8_t>(scatter_way::direct, 1);
  expect_all_right<std::uint32_t>(scatter_way::direct, 1);
}

TEST(scatter, indexed_is_right) {
  for (const std::size_t lines : {1U, 2U, 8U}) {
    expect_all_right<std::uint8_t>(scatter_way::indexed, lines);
    expect_all_right<std::uint32_t>(scatter_way::indexed, lines);
    expect_all_right<std::uint64_t>(scatter_way::indexed, lines);
  }
}

TEST(scatter, deferred_is_right) {
  for (const std::size_t lines : {1U, 2U, 4U}) {
    expect_all_right<std::uint8_t>(scatter_way::indexed, lines, true);
    expect_all_right<std::uint32_t>(scatter_way::indexed, lines, true);
  }
}

TEST(scatter, carried_is_right) {
  expect_all_right<std::uint8_t>(scatter_way::carried, 1);
  expect_all_right<std::uint16_t>(scatter_way::carried, 1);
  expect_all_right<std::uint32_t>(scatter_way::carried, 1);
  expect_all_right<std::uint64_t>(scatter_way::carried, 1);
}

/// By vectors, or by cursors in their place where they are not compiled.
template <class K>
void expect_vectors_right(scatter_way way, std::size_t slots, std::uint32_t most_bins) {
  const std::size_t least = detail::least_buffer_bytes(1, sizeof(K), 4) / (sizeof(K) + 4);
  for (const std::uint32_t bins : {1U, 3U, 4U, 9U, 16U, 20U, 300U, 600U}) {
    if (bins > most_bins) continue;
    for (const std::size_t n : {0U, 1U, 15U, 16U, 127U, 128U, 1000U, 20011U}) {
      for (const std::size_t shift : {0U, 1U, 13U}) {
        expect_right<K>(way, slots / least, bins, n, 3, shift, false, false);
        expect_right<K>(way, slots / least, bins, n, 1, shift, true, false);
      }
    }
  }
}

/// Compiled for vectors or not: a processor that has none cannot run them.
bool runs_vectors() {
  return detail::has_avx512() || !detail::knows_avx512;
}

TEST(scatter, compressed_is_right) {
  if (!runs_vectors()) GTEST_SKIP() << "no AVX-512 here";
  constexpr std::uint32_t bins = tuning::cpu_compressed_bins;
  expect_vectors_right<std::uint32_t>(scatter_way::compressed, tuning::cpu_compressed_items, bins);
  expect_vectors_right<std::uint64_t>(scatter_way::compressed, tuning::cpu_compressed_items, bins);
}

TEST(scatter, held_is_right) {
  if (!runs_vectors()) GTEST_SKIP() << "no AVX-512 here";
  for (const std::size_t slots : {32U, 64U, 256U}) {
    expect_vectors_right<std::uint32_t>(scatter_way::held, slots, tuning::cpu_held_bins);
    expect_vectors_right<std::uint64_t>(scatter_way::held, slots, tuning::cpu_held_bins);
  }
}

TEST(scatter, placed_is_right) {
  if (!runs_vectors()) GTEST_SKIP() << "no AVX-512 here";
  expect_vectors_right<std::uint32_t>(scatter_way::placed, detail::placed_items(4, 4), 1000);
  expect_vectors_right<std::uint64_t>(scatter_way::placed, detail::placed_items(8, 4), 1000);
}

/// Half of the keys in one bin: neither runs nor one by one.
TEST(scatter, crowds_are_right) {
  constexpr std::size_t n = 50021;
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i % 2 == 0 ? 7 : mix64(i));
  for (const std::uint32_t bins : {3U, 16U, 17U, 300U, 3000U}) {
    const hashed f{bins};
    std::vector<std::uint32_t> expected(n);
    std::vector<std::uint32_t> out(n);
    std::vector<std::uint64_t> expected_offsets(bins + std::size_t{1});
    std::vector<std::uint64_t> offsets(bins + std::size_t{1});
    reference::multisplit<std::uint32_t, no_value>(items(keys), items(expected), f, expected_offsets.data());
    multisplit(cpu{.threads = 2}, keys, out, f, offsets, {.strategy = "buffered"});
    EXPECT_EQ(out, expected) << bins;
    EXPECT_EQ(offsets, expected_offsets) << bins;
  }
}

/// More slices than members, who take them in turn.
TEST(scatter, slices_are_right) {
  constexpr std::size_t n = 30011;
  constexpr std::uint32_t bins = 100;
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(mix64(i));
  const hashed f{bins};
  std::vector<std::uint32_t> expected(n);
  std::vector<std::uint64_t> expected_offsets(bins + 1);
  reference::multisplit<std::uint32_t, no_value>(items(keys), items(expected), f, expected_offsets.data());
  for (const unsigned slices : {1U, 2U, 8U}) {
    constexpr unsigned members = 3;
    std::vector<std::uint32_t> out(n);
    std::vector<std::uint64_t> offsets(bins + 1, n);
    const detail::split_shape shape{scatter_way::indexed, 32, true, false, slices};
    const std::size_t buffers = detail::split_buffer_bytes(bins, 4, 0, shape);
    detail::workspace memory(heap::shared(), detail::split_scratch::bytes(bins, members, buffers, slices), nullptr);
    const auto scratch = detail::split_scratch::take(memory, bins, members, buffers, slices);
    detail::split_level(members, view<const std::uint32_t, const no_value>(items(keys)), items(out), f, 0, 0,
                        offsets.data(), scratch, shape);
    EXPECT_EQ(out, expected) << slices;
    EXPECT_EQ(offsets, expected_offsets) << slices;
  }
}

/// Cursors have fewer bits than positions of a large output.
TEST(scatter, cursors_tell_positions) {
  for (const std::uint64_t size : {std::uint64_t{1000}, std::uint64_t{1} << 31U, std::uint64_t{5} << 31U}) {
    for (const std::uint64_t back : {1000U, 999U, 640U}) {
      std::uint64_t start = size - back;
      detail::line_buffers<std::uint32_t, no_value> to;
      to.per_bin = to.lead = 64;
      to.start = &start;
      to.out.size = size;
      to.phase = 3;
      std::uint32_t cursor = to.cursor(0);
      EXPECT_EQ(cursor % to.per_bin, (start + to.phase) % to.per_bin);
      EXPECT_EQ(cursor >= to.partial, (start + to.phase) % to.per_bin != 0);
      for (std::uint64_t at = start; at < size; ++at, ++cursor) {
        ASSERT_EQ(to.position(0, cursor), static_cast<std::int64_t>(at));
      }
    }
  }
}

}  // namespace
}  // namespace peneira::test
