// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A look at some keys before a sort: whether to go from the highest bits down (MSD), as where keys are spread, or from
// the lowest up (LSD), as where most keys share their high bits with many others that are not equal.
//
//   4,096 keys from all over the input -> how many share the bits of the expected MSD levels, of a level more, ...
//   -> what either way will cost -> the MSD levels get one segment, or none, and LSD passes are chosen
#pragma once

#include "peneira/sort/gpu/lsd_slices.cuh"
#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// What a survey goes by, and where it says what it found.
struct sort_survey {
  std::size_t items;
  std::uint32_t keys_a_thread;  ///< of the sample
  std::uint32_t key_bits;
  std::uint32_t expected_bits;  ///< of all expected levels
  std::uint32_t crowd;          ///< as many keys of the sample, not equal, stand for more than a task
  tuning::sort_costs costs;
  segment_count* segments;  ///< of the first level
  std::uint32_t* upwards;   ///< 1: chosen
  std::uint64_t* header;    ///< words that are to be zero for what comes next; segments and upwards are among them
  std::size_t words;
};

inline constexpr unsigned survey_threads = 1024;
inline constexpr unsigned survey_keys_a_thread = 4;  ///< at most
inline constexpr unsigned survey_depths = 4;  ///< whole keys, the bits of expected levels, and of one and two more
inline constexpr unsigned survey_table_bits = 13;
inline constexpr std::size_t survey_shared = survey_depths * sizeof(std::uint32_t) << survey_table_bits;

#if defined(__CUDACC__)

template <class U>
__global__ void __launch_bounds__(survey_threads) survey_keys(const U* keys, key_order<U> by, sort_survey survey) {
  // At each depth, how many of the sample agree in the bits from there on; some more where a table is too small.
  auto* const tables = shared_memory<std::uint32_t>();
  __shared__ std::uint32_t crowded;
  __shared__ std::uint32_t repeated;
  __shared__ unsigned long long differing;
  for (std::size_t w = threadIdx.x; w < survey_shared / sizeof(uint4); w += survey_threads) {
    reinterpret_cast<uint4*>(tables)[w] = make_uint4(0, 0, 0, 0);
  }
  if (threadIdx.x == 0) crowded = 0;
  if (threadIdx.x == 0) repeated = 0;
  if (threadIdx.x == 0) differing = 0;
  wait_for_kernels_before();
  let_next_kernel_start();
  for (std::size_t w = threadIdx.x; w < survey.words; w += survey_threads) survey.header[w] = 0;
  U mine[survey_keys_a_thread];
  const std::uint32_t sample = survey_threads * survey.keys_a_thread;
  const auto stride = static_cast<std::uint32_t>(::min(survey.items / sample, std::size_t{0xFFFFFFFFU}));
#pragma unroll
  for (unsigned k = 0; k < survey_keys_a_thread; ++k) {
    const unsigned number = k * survey_threads + threadIdx.x;
    if (k < survey.keys_a_thread) mine[k] = keys[std::size_t{number} * stride + __umulhi(number * 2654435761U, stride)];
  }
  const U first = by(keys[0]);
  __syncthreads();
  std::uint64_t differ = 0;
  std::uint32_t* slots[survey_keys_a_thread][survey_depths];
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
      const std::uint64_t mixed = (std::uint64_t{ordered} >> shifts[d]) * 0x9E3779B97F4A7C15ULL;
      slots[k][d] = tables + (d << survey_table_bits) + (mixed >> (64 - survey_table_bits));
      atomicAdd(slots[k][d], 1U);
    }
  }
  differ = bits_of_lanes(differ);
  if (threadIdx.x % 32 == 0 && (differing & differ) != differ) atomicOr(&differing, differ);
  __syncthreads();

  // A key is crowded where so many others agree with it without being equal.
  unsigned here = 0;
  unsigned copies = 0;
#pragma unroll
  for (unsigned k = 0; k < survey_keys_a_thread; ++k) {
    if (k >= survey.keys_a_thread) break;
    const std::uint32_t equal = *slots[k][0];
    copies += 2 * equal > survey.crowd ? 1 : 0;
#pragma unroll
    for (unsigned d = 1; d < survey_depths; ++d) here += shifts[d] != 0 && *slots[k][d] >= equal + survey.crowd ? 1 : 0;
  }
  here = combine_lanes<plus>(here);
  copies = combine_lanes<plus>(copies);
  if (threadIdx.x % 32 == 0 && here != 0) atomicAdd(&crowded, here);
  if (threadIdx.x % 32 == 0 && copies != 0) atomicAdd(&repeated, copies);
  __syncthreads();
  if (threadIdx.x != 0) return;
  const std::uint32_t digits = digits_left{differing}.count();
  const std::uint32_t by_levels =
      survey.costs.levels * sample + crowded * survey.costs.crowded + repeated * survey.costs.repeated;
  const bool upwards = digits == 0 ? survey.costs.repeated != 0 : digits * survey.costs.digit * sample < by_levels;
  *survey.upwards = upwards ? 1 : 0;
  *survey.segments = upwards ? segment_count{0} : segment_count::one(survey.items);
}

#endif

}  // namespace peneira::detail
