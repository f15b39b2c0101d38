// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The hashes behind hashed{bins} and behind `peneira split` of text. They are part of the interface: files that were
// sharded by one version must be found in the same shard by the next, so a change here is a change of major version.
#pragma once

#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "peneira/config.hpp"

namespace peneira {

/// A bijective mixer of 32 bits: every input bit changes every output bit about half the time.
PENEIRA_HD
constexpr std::uint32_t mix32(std::uint32_t x) {
  x = (x ^ (x >> 16U)) * 0x7FEB352DU;
  x = (x ^ (x >> 15U)) * 0x846CA68BU;
  return x ^ (x >> 16U);
}

/// The same for 64 bits.
PENEIRA_HD
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// A hash of the bytes of a key. Floating-point zeros of either sign hash alike.
template <class Key>
PENEIRA_HD std::uint32_t hash32(const Key& key) {
  if constexpr (std::is_floating_point_v<Key>) {
    const Key plain = key == Key(0) ? Key(0) : key;
    if constexpr (sizeof(Key) == 4) {
      return mix32(__builtin_bit_cast(std::uint32_t, plain));
    } else {
      return static_cast<std::uint32_t>(mix64(__builtin_bit_cast(std::uint64_t, plain)) >> 32U);
    }
  } else if constexpr (sizeof(Key) <= 4) {
    std::uint32_t raw = 0;
    memcpy(&raw, &key, sizeof(Key));
    return mix32(raw);
  } else {
    std::uint64_t state = sizeof(Key);
    for (std::size_t at = 0; at < sizeof(Key); at += 8) {
      std::uint64_t word = 0;
      memcpy(&word, reinterpret_cast<const char*>(&key) + at, at + 8 <= sizeof(Key) ? 8 : sizeof(Key) - at);
      state = mix64(state ^ word) + 0x9E3779B97F4A7C15U;
    }
    return static_cast<std::uint32_t>(mix64(state) >> 32U);
  }
}

/// A hash of a string, the same on every machine: eight bytes a step, least significant first.
inline std::uint64_t hash_bytes(std::string_view text) {
  std::uint64_t state = text.size() * 0x9E3779B97F4A7C15U;
  std::size_t at = 0;
  const auto take = [&text](std::size_t from, std::size_t count) {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&word, text.data() + from, count);
    } else {
      for (std::size_t k = 0; k < count; ++k) {
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[from + k])) << (8 * k);
      }
    }
    return word;
  };
  for (; at + 8 <= text.size(); at += 8) state = (std::rotl(state, 29) ^ take(at, 8)) * 0xD6E8FEB86659FD93U;
  if (at < text.size()) state = (std::rotl(state, 29) ^ take(at, text.size() - at)) * 0xD6E8FEB86659FD93U;
  return mix64(state);
}

}  // namespace peneira
