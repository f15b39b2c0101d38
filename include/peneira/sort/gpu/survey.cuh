// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A look at some keys before a sort: whether to go from the highest bits down (MSD), as where keys are spread, or from
// the lowest up (LSD), as where most keys share their high bits with many others that are not equal.
//
//   4,096 keys from all over the input -> how many share the bits of the expected MSD levels; how many are equal to
//   others, and to how many -> those that crowd go down the further levels as all keys would -> what either way costs
//   -> the MSD levels get one segment, or none, and LSD passes are chosen
#pragma once

#include "peneira/hash.hpp"
#include "peneira/sort/gpu/lsd_slices.cuh"
#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/sort/gpu/survey_costs.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

inline constexpr unsigned survey_threads = 1024;
inline constexpr unsigned survey_keys_a_thread = 4;  ///< at most
inline constexpr unsigned survey_table_bits = 14;
inline constexpr unsigned survey_mark_bits = 13;
inline constexpr unsigned survey_number_bits = 12;
static_assert(survey_keys_a_thread * survey_threads <= 1U << survey_number_bits);

/// Where a survey writes what it found.
struct survey_answer {
  segment_count* segments;  ///< of the first level
  std::uint32_t* upwards;   ///< 1: chosen
  std::uint64_t* header;    ///< words that are to be zero for what comes next; segments and upwards are among them
  std::size_t words;
  const std::uint32_t* wanted = nullptr;  ///< whether to sort at all; nullptr: yes
};

/// Counters of 16 bits.
struct survey_table {
  static constexpr std::size_t bytes = sizeof(std::uint16_t) << survey_table_bits;

  std::uint32_t words[bytes / sizeof(std::uint32_t)];
};

/// What lies in shared memory while all keys of the sample are looked at: how many are equal, or agree in the bits of
/// the expected levels, some more where a table is too small; and who wrote last: some other bits of its key, and its
/// number.
struct survey_first_look {
  survey_table whole;
  survey_table high;
  std::uint32_t last[1U << survey_mark_bits];
};

/// The same while those that crowd go down further levels.
struct survey_descent {
  static constexpr unsigned slot_bits = 13;

  std::uint32_t tops[1U << slot_bits];     ///< of each segment, bits below which its keys agree no more; 0: all equal
  std::uint32_t counts[1U << slot_bits];   ///< of what a level makes of it: keys
  std::uint16_t members[1U << slot_bits];  ///< of each segment: the number of some key
};

/// The shared memory of a survey.
struct survey_memory {
  static constexpr unsigned sample = survey_threads * survey_keys_a_thread;

  std::uint64_t keys[sample];
  std::uint16_t equal[sample];   ///< how many of the sample are equal to each
  std::uint16_t others[sample];  ///< how many others are in its segment; once counted: 0
  std::uint16_t left[sample];    ///< bits in which each differs from others there; 0: it crowds no more
  union {
    survey_first_look first_look;
    survey_descent descent;
  };
};

inline constexpr std::size_t survey_shared = sizeof(survey_memory);

#if defined(__CUDACC__)

/// Of the bits of a key from one on. Mixed in 32 bits, since each key asks often.
__device__ inline std::uint32_t survey_hash(std::uint64_t key, unsigned bits) {
  const std::uint64_t high = bits >= 64 ? 0 : key >> bits;
  const std::uint32_t folded = static_cast<std::uint32_t>(high) ^ static_cast<std::uint32_t>(high >> 32U) * 0x9E3779B1U;
  return mix32(folded + bits * 0x85EBCA77U);
}

/// A counter of a table, two in a word.
struct survey_slot {
  std::uint32_t* word;
  unsigned shift;

  __device__ survey_slot(survey_table& table, std::uint32_t mixed) {
    const std::uint32_t number = mixed >> (32 - survey_table_bits);
    word = table.words + number / 2;
    shift = number % 2 * 16;
  }
  __device__ void add_one() const { atomicAdd(word, 1U << shift); }
  [[nodiscard]] __device__ std::uint32_t count() const { return *word >> shift & 0xFFFFU; }
};

/// Calls visit(its number) for each key of the thread, of the sample's first `size`. A loop, not unrolled: a survey
/// runs once, and to fetch its instructions takes longer than to follow them.
template <class Visit>
__device__ __forceinline__ void for_sample(std::uint32_t size, Visit&& visit) {
#pragma unroll 1
  for (std::uint32_t number = threadIdx.x; number < size; number += survey_threads) visit(number);
}

/// Which keys are equal, and which crowd at the depth of the expected levels, that is, from so many bits on. Returns
/// whether one of the thread does.
__device__ inline bool look_first(const sort_survey& survey, std::uint32_t size, unsigned shift, survey_memory& memory,
                                  survey_counts& here) {
  survey_first_look& tables = memory.first_look;
  const auto mark_of = [&](std::uint32_t mixed, std::uint32_t number) { return mixed << survey_number_bits | number; };
  for_sample(size, [&](std::uint32_t number) {
    const std::uint64_t key = memory.keys[number];
    const std::uint32_t mixed = survey_hash(key, 0);
    survey_slot(tables.whole, mixed).add_one();
    survey_slot(tables.high, survey_hash(key, shift)).add_one();
    tables.last[mixed >> (32 - survey_mark_bits)] = mark_of(mixed, number);
  });
  __syncthreads();
  const auto crowd = static_cast<std::int32_t>(survey.crowd);
  bool crowds = false;
  for_sample(size, [&](std::uint32_t number) {
    const std::uint64_t key = memory.keys[number];
    const std::uint32_t mixed = survey_hash(key, 0);
    const std::uint32_t equal = survey_slot(tables.whole, mixed).count();
    const auto others = static_cast<std::int32_t>(survey_slot(tables.high, survey_hash(key, shift)).count() - equal);
    const std::uint32_t other = tables.last[mixed >> (32 - survey_mark_bits)] ^ mark_of(mixed, number);
    const bool hottest = 16 * equal >= size;
    here.equal += equal;
    here.hot += !hottest && equal >= ::max(survey.crowd, survey_hot) ? 1 : 0;
    here.hottest += hottest ? 1 : 0;
    here.single += equal == 1 ? 1 : 0;
    here.copies += equal < survey_hot && other != 0 && other >> survey_number_bits == 0 ? 1 : 0;
    here.alike += ::min(others, crowd);
    const bool in_crowd = shift != 0 && others >= crowd;
    here.crowded += in_crowd ? 1 : 0;
    crowds = crowds || in_crowd;
    memory.equal[number] = static_cast<std::uint16_t>(equal);
    memory.others[number] = static_cast<std::uint16_t>(in_crowd ? others : 0);
    memory.left[number] = static_cast<std::uint16_t>(in_crowd ? shift : 0);
  });
  return crowds;
}

/// Calls visit(number) for those keys of the thread that crowd.
template <class Visit>
__device__ __forceinline__ void for_crowded(const survey_memory& memory, std::uint32_t size, Visit&& visit) {
  for_sample(size, [&](std::uint32_t number) {
    if (memory.left[number] != 0) visit(number);
  });
}

/// One further level of the segments in which keys crowd: it begins where the highest bit is in which they differ, and
/// moves them if its digit has that. Keys that crowd no more have no bits left. Returns whether one of the thread does.
__device__ inline bool descend(std::uint32_t size, std::uint32_t crowd, survey_memory& memory, survey_counts& here) {
  survey_descent& tables = memory.descent;
  const auto slot_of = [&](std::uint32_t number) {  // keys of a segment agree from so many bits on
    return survey_hash(memory.keys[number], memory.left[number]) >> (32 - survey_descent::slot_bits);
  };
  for_crowded(memory, size, [&](std::uint32_t number) {
    const std::uint32_t slot = slot_of(number);
    tables.members[slot] = static_cast<std::uint16_t>(number);
    tables.tops[slot] = 0;
  });
  __syncthreads();
  for_crowded(memory, size, [&](std::uint32_t number) {
    const std::uint32_t slot = slot_of(number);
    const std::uint64_t differ = memory.keys[number] ^ memory.keys[tables.members[slot]];
    const bool of_another = differ >> memory.left[number] != 0;  // that has the same slot
    if (differ != 0 && !of_another) atomicMax(&tables.tops[slot], 64U - __clzll(static_cast<long long>(differ)));
  });
  __syncthreads();
  std::uint32_t moves = 0;  // a bit for each key of the thread
  for_crowded(memory, size, [&](std::uint32_t number) {
    const unsigned top = tables.tops[slot_of(number)];
    const unsigned below = memory.left[number] - ::min(unsigned{memory.left[number]}, tuning::further_level_bits);
    const bool moved = top > below;
    memory.left[number] = static_cast<std::uint16_t>(moved ? below : top);
    if (!moved) return;
    moves |= 1U << number / survey_threads;
    ++here.moved;
    tables.counts[slot_of(number)] = 0;
  });
  __syncthreads();
  const auto for_moved = [&](auto&& visit) {
    for_sample(size, [&](std::uint32_t number) {
      if ((moves >> number / survey_threads & 1U) != 0) visit(number);
    });
  };
  for_moved([&](std::uint32_t number) { atomicAdd(&tables.counts[slot_of(number)], 1U); });
  __syncthreads();
  for_moved([&](std::uint32_t number) {
    const std::uint32_t all = tables.counts[slot_of(number)];
    const std::uint32_t there = all < memory.equal[number] ? 0 : all - memory.equal[number];
    here.before += memory.others[number];
    here.after += memory.others[number] == 0 ? 0 : there;
    memory.others[number] = 0;  // of the first level that moves them alone
    if (there < crowd) memory.left[number] = 0;
  });
  bool crowds = false;
  for_crowded(memory, size, [&](std::uint32_t) { crowds = true; });
  return crowds;
}

/// Adds what each thread has counted.
__device__ inline void add_counts(const survey_counts& here, survey_counts& found) {
  const auto add = [](auto& to, auto count) {
    const std::uint32_t of_warp = combine_lanes<plus>(static_cast<std::uint32_t>(count));
    if (threadIdx.x % 32 == 0 && of_warp != 0) atomicAdd(&to, static_cast<decltype(count)>(of_warp));
  };
  add(found.crowded, here.crowded);
  add(found.moved, here.moved);
  add(found.before, here.before);
  add(found.after, here.after);
  add(found.alike, here.alike);
  add(found.hot, here.hot);
  add(found.hottest, here.hottest);
  add(found.single, here.single);
  add(found.copies, here.copies);
  add(found.equal, here.equal);
}

template <class U>
__global__ void __launch_bounds__(survey_threads)
    survey_keys(const U* keys, key_order<U> by, sort_survey survey, survey_answer answer) {
  auto& memory = *shared_memory<survey_memory>();
  __shared__ survey_counts found;
  __shared__ unsigned long long differing;
  constexpr std::size_t tables = 2 * survey_table::bytes / sizeof(uint4);
#pragma unroll 1
  for (unsigned w = threadIdx.x; w < tables; w += survey_threads) {
    reinterpret_cast<uint4*>(&memory.first_look)[w] = make_uint4(0, 0, 0, 0);
  }
  if (threadIdx.x == 0) found = {};
  if (threadIdx.x == 0) differing = 0;
  wait_for_kernels_before();
  let_next_kernel_start();
#pragma unroll 1
  for (std::size_t w = threadIdx.x; w < answer.words; w += survey_threads) answer.header[w] = 0;
  if (answer.wanted != nullptr && *answer.wanted == 0) return;  // no segments, and no passes
  U raw[survey_keys_a_thread];
#pragma unroll
  for (unsigned k = 0; k < survey_keys_a_thread; ++k) {  // at random: inputs have periods, or ascend
    if (k < survey.keys_a_thread) {
      raw[k] = keys[__umul64hi(mix64(std::uint64_t{k * survey_threads + threadIdx.x} + 1), survey.items)];
    }
  }
  const std::uint64_t first = by(keys[0]);
  __syncthreads();
  std::uint64_t differ = 0;
#pragma unroll
  for (unsigned k = 0; k < survey_keys_a_thread; ++k) {
    if (k < survey.keys_a_thread) {
      const std::uint64_t key = by(raw[k]);
      memory.keys[k * survey_threads + threadIdx.x] = key;
      differ |= key ^ first;
    }
  }
  differ = bits_of_lanes(differ);
  if (threadIdx.x % 32 == 0 && differ != 0) atomicOr(&differing, differ);
  __syncthreads();
  const std::uint32_t sample = survey_threads * survey.keys_a_thread;
  const std::uint32_t digits = digits_left{differing}.count();
  survey_counts here{};
  bool crowds = look_first(survey, sample, expected_depth(survey, differing).bits, memory, here);
  bool chosen = false;
#pragma unroll 1
  for (unsigned l = 0;; ++l) {  // each further level costs more
    add_counts(here, found);
    const bool some = __syncthreads_count(crowds ? 1 : 0) * survey_few >= survey_threads;
    chosen = goes_upwards(found, survey, sample, differing, digits);
    if (!some || chosen || l == survey_levels) break;
    __syncthreads();  // all have seen what was found
    here = {};
    crowds = descend(sample, survey.crowd, memory, here);
  }
  if (threadIdx.x != 0) return;
  *answer.upwards = chosen ? 1 : 0;
  *answer.segments = chosen ? segment_count{0} : segment_count::one(survey.items);
}

/// The same where nobody surveys, but the sort may not be wanted: then there are neither segments nor passes. A
/// template, so that it is compiled where it is called alone.
template <class Word = std::uint64_t>
__global__ void begin_wanted_sort(Word* header, std::size_t words, const std::uint32_t* wanted,
                                  std::uint32_t* upwards) {
  wait_for_kernels_before();
  let_next_kernel_start();
  for (std::size_t w = threadIdx.x; w < words; w += blockDim.x) header[w] = 0;
  __syncthreads();
  if (threadIdx.x == 0 && *wanted == 0) *upwards = 2;
}

#endif

}  // namespace peneira::detail
