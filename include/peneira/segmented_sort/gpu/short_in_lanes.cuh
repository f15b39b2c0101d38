// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A short segment sorted by lanes of a warp, in registers: a word an item.
//
// A word is a key of up to 4 bytes. With values, or of a wider key, it is 24 bits of how far the key is above the least
// of its segment, the highest that differ, and the item's place there. They put most keys in order; a warp that then
// finds neighbours out of order goes on to the next 16 bits of those that agree so far. For the segments that it sorts
// next it takes the leading bits of each key and their number, since most keys may lie close to the least.
#pragma once

#include <type_traits>

#include "peneira/segmented_sort/gpu/short_segments.cuh"
#include "peneira/view.hpp"

#if defined(__CUDACC__)

#include "peneira/gpu/primitives/sorting_network.cuh"

namespace peneira::detail {

template <class U, class V>
struct short_memory {
  static constexpr bool with_values = view<U, V>::has_values;
  static constexpr bool by_key = !with_values && sizeof(U) <= 4;  ///< words are keys
  using number = std::conditional_t<sizeof(U) <= 4, std::uint32_t, std::uint64_t>;

  struct items {
    number keys[spread<sizeof(number)>(packed_size)];  ///< ordered numbers
    short_lists lists;
  };
  union {
    items sorted;
    uint4 value_bytes[(packed_size * (with_values ? sizeof(V) : 1) + 15) / 16];
  };
  std::uint16_t sources[with_values ? spread<2>(packed_size) : 1];  ///< the place in the input of the item at a place

  __device__ number& key(std::uint32_t place) { return sorted.keys[spread<sizeof(number)>(place)]; }
  __device__ std::uint16_t& source(std::uint32_t place) { return sources[spread<2>(place)]; }
  /// The same of the place that is so many times the threads behind a thread's own number.
  __device__ number& key_of_thread(unsigned i) {
    return sorted.keys[spread<sizeof(number)>(threadIdx.x) + spread<sizeof(number)>(i * tuning::short_threads)];
  }
  __device__ std::uint16_t& source_of_thread(unsigned i) {
    return sources[spread<2>(threadIdx.x) + spread<2>(i * tuning::short_threads)];
  }
  __device__ V* values() { return reinterpret_cast<V*>(value_bytes); }
};

/// The part of a segment that a lane has: places from `own` on, of which there may be less than it could have, or none.
struct short_part {
  std::uint32_t begin;  ///< of the segment
  int size;
  int own;         ///< first place in the segment
  unsigned lanes;  ///< that have the segment

  __device__ bool has(int i) const { return size - own > i; }
  __device__ std::uint32_t at(int i) const { return begin + own + i; }
  /// Keeps the compiler from keeping what it knows of all places in registers until it is needed again.
  __device__ void forget() { asm volatile("" : "+r"(begin), "+r"(size), "+r"(own)); }
};

/// Sorts a segment whose words are its keys.
template <unsigned Items, class Memory>
__device__ __forceinline__ void sort_short_keys(Memory& memory, short_part part) {
  std::uint32_t words[Items];
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) words[i] = part.has(i) ? memory.key(part.at(i)) : ~0U;
  sort_in_lanes(words, part.lanes);
  part.forget();
  __syncwarp();
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    if (part.has(i)) memory.key(part.at(i)) = words[i];
  }
}

/// Sorts the items of a segment of few, whose places are those of the input, by swaps of neighbours.
template <unsigned Items, class Memory>
__device__ __forceinline__ void sort_short_few(Memory& memory, const short_part& part) {
  using number = typename Memory::number;
  number keys[Items];
  std::uint32_t sources[Items];
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    keys[i] = part.has(i) ? memory.key(part.at(i)) : ~number{0};
    sources[i] = part.at(i);
  }
#pragma unroll
  for (unsigned end = Items - 1; end > 0; --end) {
#pragma unroll
    for (unsigned i = 0; i < end; ++i) {
      const bool swaps = keys[i + 1] < keys[i];
      const number less = swaps ? keys[i + 1] : keys[i];
      const std::uint32_t of_less = swaps ? sources[i + 1] : sources[i];
      keys[i + 1] = swaps ? keys[i] : keys[i + 1];
      sources[i + 1] = swaps ? sources[i] : sources[i + 1];
      keys[i] = less;
      sources[i] = of_less;
    }
  }
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    if (!part.has(i)) continue;
    memory.key(part.at(i)) = keys[i];
    if constexpr (Memory::with_values) memory.source(part.at(i)) = static_cast<std::uint16_t>(sources[i]);
  }
}

/// Bits of a number up to the highest that is set.
template <class Number>
__device__ unsigned bits_used(Number number) {
  if constexpr (sizeof(Number) == 4) {
    return 32U - __clz(static_cast<int>(number));
  } else {
    return 64U - __clzll(static_cast<long long>(number));
  }
}

/// The least key of a segment, and how many bits the others need that are above it.
template <class Number>
struct short_range {
  Number least;
  unsigned bits;

  template <unsigned Items, class Memory>
  __device__ __forceinline__ static short_range of(Memory& memory, short_part part) {
    Number least = ~Number{0};
    Number greatest = 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (!part.has(i)) continue;
      const Number key = memory.key(part.at(i));
      least = ::min(least, key);
      greatest = ::max(greatest, key);
    }
#pragma unroll 1
    for (unsigned away = 1; away < part.lanes; away *= 2) {
      least = ::min(least, __shfl_xor_sync(all_lanes, least, static_cast<int>(away)));
      greatest = ::max(greatest, __shfl_xor_sync(all_lanes, greatest, static_cast<int>(away)));
    }
    const Number range = part.size == 0 ? 0 : greatest - least;
    return {least, bits_used(range)};
  }
};

/// What of the keys of a segment has a word: the 24 highest bits that differ, from `shift` on; or of each key its
/// leading bits and how many there are.
template <class Number>
struct short_digit {
  static constexpr unsigned first_bits = 24;
  static constexpr unsigned further_bits = 16;
  static constexpr unsigned place_bits = 8;

  Number least;
  unsigned shift;

  __device__ static short_digit of(const short_range<Number>& range) {
    return {range.least, range.bits > first_bits ? range.bits - first_bits : 0};
  }
  template <unsigned Items, class Memory>
  __device__ __forceinline__ void words(Memory& memory, const short_part& part, std::uint32_t (&words)[Items]) const {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      words[i] = ~0U;
      if (!part.has(i)) continue;
      const Number above = memory.key(part.at(i)) - least;
      words[i] = static_cast<std::uint32_t>(above >> shift) << place_bits | static_cast<unsigned>(part.own + i);
    }
  }

  /// Where most keys lie close above the least and a few far away, these tell them apart.
  template <unsigned Items, class Memory>
  __device__ __forceinline__ void leading_words(Memory& memory, const short_part& part,
                                                std::uint32_t (&words)[Items]) const {
    constexpr unsigned bits = sizeof(Number) == 4 ? 20 : 18;  // and the leading one
    static_assert((8 * sizeof(Number) - bits + 1) << bits <= 1U << first_bits);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      words[i] = ~0U;
      if (!part.has(i)) continue;
      const Number above = memory.key(part.at(i)) - least;
      const unsigned used = bits_used(above);
      const unsigned dropped = used > bits + 1 ? used - bits - 1 : 0;
      const std::uint32_t code = (dropped << bits) + static_cast<std::uint32_t>(above >> dropped);
      words[i] = code << place_bits | static_cast<unsigned>(part.own + i);
    }
  }

  /// Goes on to the next bits of a segment whose keys are in order by those above: its words then begin with the number
  /// of keys before that differ there.
  template <unsigned Items, class Memory>
  __device__ __forceinline__ void next_words(Memory& memory, const short_part& part, std::uint32_t (&words)[Items]) {
    const unsigned next = shift > further_bits ? shift - further_bits : 0;
    const std::uint32_t mask = (1U << (shift - next)) - 1;
    Number before = part.has(0) ? (memory.key(part.at(part.own == 0 ? 0 : -1)) - least) >> shift : 0;
    std::uint32_t rank = 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      words[i] = ~0U;
      if (!part.has(i)) continue;
      const Number above = memory.key(part.at(i)) - least;
      rank += above >> shift != before ? 1 : 0;
      before = above >> shift;
      const std::uint32_t bits = static_cast<std::uint32_t>(above >> next) & mask;
      words[i] = rank << first_bits | bits << place_bits | static_cast<unsigned>(part.own + i);
    }
    std::uint32_t upto = rank;
#pragma unroll 1
    for (unsigned away = 1; away < part.lanes; away *= 2) {
      const std::uint32_t left = __shfl_up_sync(all_lanes, upto, away);
      if ((threadIdx.x & (part.lanes - 1)) >= away) upto += left;
    }
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (part.has(i)) words[i] += (upto - rank) << first_bits;
    }
    shift = next;
  }
};

/// Puts the items of a segment in the order of their words. Returns whether some keys of this lane are not in order
/// then. `first`: nothing has moved before.
template <unsigned Items, class Memory>
__device__ __forceinline__ bool move_short_items(Memory& memory, short_part part, const std::uint32_t (&words)[Items],
                                                 [[maybe_unused]] bool first) {
  using number = typename Memory::number;
  number keys[Items];
  [[maybe_unused]] std::uint32_t sources[Items];
  part.forget();
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    const std::uint32_t place = part.begin + (words[i] & ((1U << short_digit<number>::place_bits) - 1));
    keys[i] = part.has(i) ? memory.key(place) : ~number{0};
    if constexpr (Memory::with_values) sources[i] = first || !part.has(i) ? place : memory.source(place);
  }
  __syncwarp();
  part.forget();
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    if (!part.has(i)) continue;
    memory.key(part.at(i)) = keys[i];
    if constexpr (Memory::with_values) memory.source(part.at(i)) = static_cast<std::uint16_t>(sources[i]);
  }
  __syncwarp();
  bool descends = part.has(Items) && memory.key(part.at(Items)) < keys[Items - 1];
#pragma unroll
  for (unsigned i = 0; i + 1 < Items; ++i) descends = descends || keys[i + 1] < keys[i];
  return descends;
}

/// Sorts a segment whose words are parts of its keys. `crowded`: whether the last ones that the warp sorted had keys
/// that agree in the highest bits, so that leading bits are tried first.
template <unsigned Items, class Memory>
__device__ __forceinline__ void sort_short_items(Memory& memory, short_part part, bool& crowded) {
  using number = typename Memory::number;
  enum class words_by { highest, leading, next };
  auto digit = short_digit<number>::of(short_range<number>::template of<Items>(memory, part));
  words_by way = crowded ? words_by::leading : words_by::highest;
  bool first = true;
#pragma unroll 1
  while (true) {
    part.forget();
    std::uint32_t words[Items];
    if (way == words_by::highest) {
      digit.words(memory, part, words);
    } else if (way == words_by::leading) {
      digit.leading_words(memory, part, words);
    } else {
      digit.next_words(memory, part, words);
    }
    sort_in_lanes(words, part.lanes);
    const bool descends = move_short_items(memory, part, words, first);
    if (__any_sync(all_lanes, descends) == 0) return;
    if (first) crowded = way == words_by::highest;
    first = false;
    way = way == words_by::leading ? words_by::highest : words_by::next;
  }
}

}  // namespace peneira::detail

#endif
