// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Every way to scatter, whatever this processor's tuning would choose.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "peneira/cpu/split.hpp"
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
void expect_vectors_right(scatter_way way, std::size_t slots) {
  const std::size_t least = detail::least_buffer_bytes(1, sizeof(K), 4) / (sizeof(K) + 4);
  for (const std::uint32_t bins : {1U, 3U, 8U, 9U, 20U, 300U}) {
    if (way == scatter_way::compressed && bins > tuning::cpu_compressed_bins) continue;
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
  expect_vectors_right<std::uint32_t>(scatter_way::compressed, tuning::cpu_compressed_items);
  expect_vectors_right<std::uint64_t>(scatter_way::compressed, tuning::cpu_compressed_items);
}

TEST(scatter, ranked_is_right) {
  if (!runs_vectors()) GTEST_SKIP() << "no AVX-512 here";
  for (const std::size_t slots : {32U, 64U, 256U}) {
    expect_vectors_right<std::uint32_t>(scatter_way::ranked, slots);
    expect_vectors_right<std::uint64_t>(scatter_way::ranked, slots);
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
