// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A look at some keys before a sort: whether to go from the highest bits down (MSD), as where keys are spread, or from
// the lowest up (LSD), as where most keys share their high bits with many others that are not equal.
//
//   4,096 keys from all over the input -> how many share the bits of the expected MSD levels, of a level more, ...;
//   how many are equal to others, and to how many -> what either way will cost
//   -> the MSD levels get one segment, or none, and LSD passes are chosen
#pragma once

#include "peneira/hash.hpp"
#include "peneira/sort/gpu/lsd_slices.cuh"
#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// What a survey goes by, and where it says what it found.
struct sort_survey {
  std::size_t items;
  std::uint32_t keys_a_thread;  ///< of the sample
  std::uint32_t key_bits;
  std::uint32_t first_bits;     ///< of the first level
  std::uint32_t expected_bits;  ///< of all expected levels
  std::uint32_t crowd;          ///< as many keys of the sample, not equal, stand for more than a task
  float copies;                 ///< that each key has, where one of the sample is equal to another
  float full;                   ///< so many agree with one of them where what levels leave are full tasks
  tuning::sort_costs costs;
  segment_count* segments;  ///< of the first level
  std::uint32_t* upwards;   ///< 1: chosen
  std::uint64_t* header;    ///< words that are to be zero for what comes next; segments and upwards are among them
  std::size_t words;
  const std::uint32_t* wanted = nullptr;  ///< whether to sort at all; nullptr: yes
};

inline constexpr unsigned survey_threads = 1024;
inline constexpr unsigned survey_keys_a_thread = 4;  ///< at most
inline constexpr unsigned survey_depths = 4;  ///< whole keys, the bits of expected levels, and of one and two more
inline constexpr unsigned survey_table_bits = 14;
inline constexpr unsigned survey_mark_bits = 13;
inline constexpr std::size_t survey_shared =
    (survey_depths * sizeof(std::uint16_t) << survey_table_bits) + (sizeof(std::uint32_t) << survey_mark_bits);
inline constexpr unsigned survey_number_bits = 12;
static_assert(survey_keys_a_thread * survey_threads <= 1U << survey_number_bits);
inline constexpr std::uint32_t survey_hot = 5;  ///< copies of a hot key at least: seldom what chance brings together
inline constexpr std::uint32_t survey_least_hot = 16;  ///< keys that are hot; fewer are chance
inline constexpr std::uint32_t survey_alone = 12;  ///< others are there, where more than one key of so many has no copy
inline constexpr float survey_some_copies = 420;   ///< of a key: a task has several keys still
inline constexpr float survey_most_copies = 9800;  ///< more than a task has

#if defined(__CUDACC__)

/// A counter of a table, two in a word.
struct survey_slot {
  std::uint32_t* word;
  unsigned shift;

  survey_slot() = default;
  __device__ survey_slot(std::uint32_t* tables, std::uint32_t number)
      : word(tables + number / 2), shift(number % 2 * 16) {}
  __device__ void add_one() const { atomicAdd(word, 1U << shift); }
  [[nodiscard]] __device__ std::uint32_t count() const { return *word >> shift & 0xFFFFU; }
};

/// What a sample shows: of how many keys it is so.
struct survey_counts {
  std::uint32_t crowded;   ///< agree in the bits of the expected levels with a crowd that is not equal
  std::uint32_t deeper;    ///< and in those of a level more, and of two
  std::int32_t alike;      ///< agree there with one that is not equal; of a crowd not all
  std::int32_t pairs;      ///< of them that agree there and are not equal, each counted twice
  std::int32_t closer;     ///< the same in the bits of a level more
  std::uint32_t repeated;  ///< may have more copies than a task takes
  std::uint32_t hot;       ///< have more copies than that
  std::uint32_t hottest;   ///< have more than a sixteenth of all; not counted among the former
  std::uint32_t single;    ///< have none here
  std::uint32_t copies;    ///< are equal to one that was seen
};

/// Of keys that agree in the bits of the expected levels, those that do so in a level's more: a 256th where their next
/// bits are uniform, all where they are the same. A level goes past bits that are the same; but where some values of
/// them are far more frequent than others, as those of few ones, what one level leaves is too large again.
inline constexpr float survey_same = 0.95F;
inline constexpr float survey_even = 0.008F;
inline constexpr float survey_uneven = 0.9F;  ///< more are nearly the same, and cost what crowded ones do
inline constexpr float survey_free = 0.7F;    ///< of the costs of crowded keys, where bits are the same
inline constexpr float survey_noise = 21.0F;  ///< the sample over it: pairs that a table of this size makes up

/// How irregular the bits are that come next, from 0 to 1.
__device__ inline float irregular(const survey_counts& found, std::uint32_t sample) {
  const float closer = static_cast<float>(found.closer) - static_cast<float>(sample) / survey_noise;
  const float share = closer / static_cast<float>(found.pairs);
  return share <= survey_even || share > survey_uneven ? 0 : fminf(log2f(share / survey_even), 1);
}

/// Units of the costs, times the sample, that sorting by levels takes.
__device__ inline float cost_by_levels(const survey_counts& found, const sort_survey& survey, std::uint32_t sample,
                                       std::uint64_t differing) {
  const tuning::sort_costs& costs = survey.costs;
  const auto all = static_cast<float>(sample);
  const auto times = [](std::uint32_t keys, std::uint32_t cost) { return static_cast<float>(keys) * cost; };
  const float crowded = times(found.crowded, costs.crowded) + times(found.deeper, costs.deeper);
  float cost = all * costs.levels + crowded + times(found.repeated, costs.repeated);
  if (4 * found.pairs >= static_cast<std::int32_t>(sample)) {  // fewer tell nothing
    const bool same = static_cast<float>(found.closer) > survey_same * static_cast<float>(found.pairs);
    cost += same ? -crowded * survey_free : times(found.crowded, costs.irregular) * irregular(found, sample);
  }
  const bool skips = differing >> (survey.key_bits - survey.first_bits) == 0;  // the first level moves nothing
  if (skips) cost -= all * costs.skipped;
  const float spread = all - static_cast<float>(found.crowded);
  const float full = static_cast<float>(found.alike) / (all * survey.full);  // tasks; and what chance adds to them
  const float too_full = full - 0.95F - 60 / (all * survey.full);
  if (too_full > 0) cost += fminf(3 * too_full, 1) * spread * costs.large;
  const bool others = survey_alone * found.single > sample;  // from which levels part hot keys
  if (others && found.hot + found.hottest >= survey_least_hot) {
    cost += times(found.hot, costs.hot) + times(found.hottest, costs.hottest) + all * costs.further;
  }
  const float copies = static_cast<float>(found.copies) * survey.copies;
  if (copies < survey_most_copies) {
    const bool some = copies < survey_some_copies;
    const float each = some ? fminf(copies * costs.copy, costs.copies) : static_cast<float>(costs.many_copies);
    cost += static_cast<float>(sample - found.hot - found.hottest) * each;
  }
  return cost;
}

template <class U>
__global__ void __launch_bounds__(survey_threads) survey_keys(const U* keys, key_order<U> by, sort_survey survey) {
  // At each depth, how many of the sample agree in the bits from there on; some more where a table is too small. And
  // who wrote last: some other bits of its key, and its number.
  auto* const tables = shared_memory<std::uint32_t>();
  std::uint32_t* const last = tables + (survey_depths << survey_table_bits) / 2;
  __shared__ survey_counts found;
  __shared__ unsigned long long differing;
  for (std::uint32_t* w = tables + 4 * threadIdx.x; w < last; w += 4 * survey_threads) {
    *reinterpret_cast<uint4*>(w) = make_uint4(0, 0, 0, 0);
  }
  if (threadIdx.x == 0) found = {};
  if (threadIdx.x == 0) differing = 0;
  wait_for_kernels_before();
  let_next_kernel_start();
  for (std::size_t w = threadIdx.x; w < survey.words; w += survey_threads) survey.header[w] = 0;
  if (survey.wanted != nullptr && *survey.wanted == 0) return;  // no segments, and no passes
  U mine[survey_keys_a_thread];
  const std::uint32_t sample = survey_threads * survey.keys_a_thread;
#pragma unroll
  for (unsigned k = 0; k < survey_keys_a_thread; ++k) {  // at random: inputs have periods, or ascend
    const std::uint64_t number = k * survey_threads + threadIdx.x + 1;
    if (k < survey.keys_a_thread) mine[k] = keys[__umul64hi(mix64(number), survey.items)];
  }
  const U first = by(keys[0]);
  __syncthreads();
  std::uint64_t differ = 0;
  survey_slot slots[survey_keys_a_thread][survey_depths];
  std::uint32_t marks[survey_keys_a_thread];
  std::uint32_t* marked[survey_keys_a_thread];
  unsigned shifts[survey_depths] = {0, survey.key_bits - survey.expected_bits};
#pragma unroll
  for (unsigned d = 2; d < survey_depths; ++d) shifts[d] = shifts[d - 1] - ::min(shifts[d - 1], tuning::level_bits);
#pragma unroll
  for (unsigned k = 0; k < survey_keys_a_thread; ++k) {
    if (k >= survey.keys_a_thread) break;
    const U ordered = by(mine[k]);
    differ |= ordered ^ first;
#pragma unroll
    for (unsigned d = 0; d < survey_depths; ++d) {
      const std::uint64_t mixed = mix64(std::uint64_t{ordered} >> shifts[d]);
      const auto slot = static_cast<std::uint32_t>(mixed >> (64 - survey_table_bits));
      slots[k][d] = {tables, (d << survey_table_bits) + slot};
      slots[k][d].add_one();
      if (d != 0) continue;
      marks[k] = static_cast<std::uint32_t>(mixed >> 32U) << survey_number_bits | (k * survey_threads + threadIdx.x);
      marked[k] = last + (mixed >> (64 - survey_mark_bits));
      *marked[k] = marks[k];
    }
  }
  differ = bits_of_lanes(differ);
  if (threadIdx.x % 32 == 0 && (differing & differ) != differ) atomicOr(&differing, differ);
  __syncthreads();

  survey_counts here{};
#pragma unroll
  for (unsigned k = 0; k < survey_keys_a_thread; ++k) {
    if (k >= survey.keys_a_thread) break;
    const std::uint32_t equal = slots[k][0].count();
    const std::uint32_t mark = *marked[k];
    const bool hottest = 16 * equal >= sample;
    here.repeated += 4 * equal < sample && 2 * equal > ::max(survey.crowd, survey_hot) ? 1 : 0;
    here.hot += !hottest && equal >= ::max(survey.crowd, survey_hot) ? 1 : 0;
    here.hottest += hottest ? 1 : 0;
    here.single += equal == 1 ? 1 : 0;
    here.copies += equal < survey_hot && mark != marks[k] && (mark ^ marks[k]) >> survey_number_bits == 0 ? 1 : 0;
#pragma unroll
    for (unsigned d = 1; d < survey_depths; ++d) {
      const auto others = static_cast<std::int32_t>(slots[k][d].count() - equal);
      const auto crowd = static_cast<std::int32_t>(survey.crowd);
      (d == 1 ? here.crowded : here.deeper) += shifts[d] != 0 && others >= crowd ? 1 : 0;
      if (d == 1) here.alike += ::min(others, crowd);
      if (d == 1) here.pairs += others;
      if (d == 2) here.closer += others;
    }
  }
  const auto add = [](auto& to, auto count) {
    const std::uint32_t of_warp = combine_lanes<plus>(static_cast<std::uint32_t>(count));
    if (threadIdx.x % 32 == 0 && of_warp != 0) atomicAdd(&to, static_cast<decltype(count)>(of_warp));
  };
  add(found.crowded, here.crowded);
  add(found.deeper, here.deeper);
  add(found.alike, here.alike);
  add(found.pairs, here.pairs);
  add(found.closer, here.closer);
  add(found.repeated, here.repeated);
  add(found.hot, here.hot);
  add(found.hottest, here.hottest);
  add(found.single, here.single);
  add(found.copies, here.copies);
  __syncthreads();
  if (threadIdx.x != 0) return;
  const std::uint32_t digits = digits_left{differing}.count();
  const std::uint32_t by_levels = cost_by_levels(found, survey, sample, differing);
  const bool upwards = digits == 0 ? survey.costs.repeated != 0 : digits * survey.costs.digit * sample < by_levels;
  *survey.upwards = upwards ? 1 : 0;
  *survey.segments = upwards ? segment_count{0} : segment_count::one(survey.items);
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
