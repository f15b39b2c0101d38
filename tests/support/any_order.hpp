// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparing outputs whose bins may hold their items in any order.
#pragma once

#include "tests/support/common.hpp"

namespace peneira::test {

/// A number that two items share only if all their bytes are the same, but for one chance in 2^64.
template <class K, class V>
std::uint64_t image_of(const std::vector<K>& keys, const std::vector<V>& values, std::size_t at) {
  constexpr std::size_t bytes = sizeof(K) + (view<K, V>::has_values ? sizeof(V) : 0);
  std::array<std::uint64_t, (bytes + 7) / 8> words{};
  auto* const image = reinterpret_cast<unsigned char*>(words.data());
  std::memcpy(image, &keys[at], sizeof(K));
  if constexpr (view<K, V>::has_values) std::memcpy(image + sizeof(K), &values[at], sizeof(V));
  std::uint64_t mixed = 0;
  for (const std::uint64_t word : words) mixed = mix64(mixed + word + 0x9E3779B97F4A7C15U);
  return mixed;
}

/// Whether two outputs hold the same items in each bin, keys with their values, as often but in any order: the sums of
/// their images are the same. Tells the first bin that differs.
template <class K, class V, class Offset>
::testing::AssertionResult same_bins(const std::vector<K>& wanted_keys, const std::vector<V>& wanted_values,
                                     const std::vector<K>& got_keys, const std::vector<V>& got_values,
                                     const std::vector<Offset>& offsets) {
  if (same(wanted_keys, got_keys) && same(wanted_values, got_values)) return ::testing::AssertionSuccess();
  if (wanted_keys.size() != got_keys.size() || wanted_values.size() != got_values.size()) {
    return ::testing::AssertionFailure() << got_keys.size() << " items instead of " << wanted_keys.size();
  }
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    std::uint64_t wanted = 0;
    std::uint64_t got = 0;
    for (auto at = static_cast<std::size_t>(offsets[b]); at < static_cast<std::size_t>(offsets[b + 1]); ++at) {
      wanted += image_of(wanted_keys, wanted_values, at);
      got += image_of(got_keys, got_values, at);
    }
    if (wanted != got) {
      return ::testing::AssertionFailure() << "bin " << b << ", from item " << offsets[b] << " to before "
                                           << offsets[b + 1] << ", does not hold the items that it should";
    }
  }
  return ::testing::AssertionSuccess();
}

/// The same for keys alone.
template <class K, class Offset>
::testing::AssertionResult same_bins(const std::vector<K>& wanted, const std::vector<K>& got,
                                     const std::vector<Offset>& offsets) {
  return same_bins<K, no_value>(wanted, {}, got, {}, offsets);
}

}  // namespace peneira::test
