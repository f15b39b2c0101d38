// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where groups do not fit one table: the kernels that decide whether to split the items into parts, by a hash of their
// keys, whose groups do, and that bring the groups of all parts together.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/group_by/gpu/fold_tables.cuh"
#include "peneira/group_by/gpu/table_words.hpp"
#include "peneira/hash.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// The part of a key: other bits of its hash than those that tables go by.
template <class K>
struct group_part {
  std::uint32_t parts;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return parts; }
  PENEIRA_HD std::uint32_t operator()(const K& key) const {
    const std::uint64_t mixed = mix64(std::uint64_t{group_bits(key)} + 1);
    return static_cast<std::uint32_t>((mixed >> 32U) * parts >> 32U);
  }
};

template <class K>
inline constexpr bool never_misses<group_part<K>> = true;

/// Looks at some keys, where there are too many groups for one table: those that it meets once and twice say how many
/// it does not meet. Each block has a sample of its own, and the last one decides by all of them: splits the items,
/// where parts will have so many groups at most in all, or else has them sorted.
template <class K>
__global__ void __launch_bounds__(tuning::group_survey_threads)
    survey_groups(const K* keys, std::size_t items, std::uint64_t most, table_words* words) {
  auto* const marks = shared_memory<std::uint32_t>();
  std::uint32_t* const counts = marks + tuning::group_survey_slots;
  wait_for_kernels_before();
  if (words->too_many == 0) return;
  K sample[tuning::group_survey_keys];
#pragma unroll
  for (unsigned k = 0; k < tuning::group_survey_keys; ++k) {
    const unsigned before = (blockIdx.x * tuning::group_survey_keys + k) * tuning::group_survey_threads;
    const std::uint64_t number = before + threadIdx.x + 1;
    sample[k] = keys[__umul64hi(mix64(number), items)];
  }
  for (unsigned s = threadIdx.x; s < 2 * tuning::group_survey_slots; s += blockDim.x) marks[s] = 0;
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < tuning::group_survey_keys; ++k) {
    const std::uint64_t mixed = mix64(std::uint64_t{group_bits(sample[k])} + 1);
    const std::uint32_t mark = static_cast<std::uint32_t>(mixed) | 1U;
    auto slot = static_cast<std::uint32_t>(mixed >> 32U) % tuning::group_survey_slots;
    for (;; slot = (slot + 1) % tuning::group_survey_slots) {
      const std::uint32_t there = atomicCAS(&marks[slot], 0U, mark);
      if (there == 0 || there == mark) break;
    }
    atomicAdd(&counts[slot], 1U);
  }
  __syncthreads();
  std::uint32_t met = 0;
  std::uint32_t once = 0;
  std::uint32_t twice = 0;
  for (unsigned s = threadIdx.x; s < tuning::group_survey_slots; s += blockDim.x) {
    met += counts[s] != 0 ? 1 : 0;
    once += counts[s] == 1 ? 1 : 0;
    twice += counts[s] == 2 ? 1 : 0;
  }
  met = combine_lanes<plus>(met);
  once = combine_lanes<plus>(once);
  twice = combine_lanes<plus>(twice);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&words->met, met);
    atomicAdd(&words->once, once);
    atomicAdd(&words->twice, twice);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (atomicAdd(&words->surveyed, 1U) != gridDim.x - 1) return;
  __threadfence();
  const std::uint64_t all_met = atomicAdd(&words->met, 0U);
  const std::uint64_t all_once = atomicAdd(&words->once, 0U);
  const std::uint64_t all_twice = atomicAdd(&words->twice, 0U);
  const bool by_parts = (all_met + all_once * all_once / (2 * (all_twice + 1))) / gridDim.x <= most;
  words->by_parts = by_parts ? 1 : 0;
  words->by_sort = by_parts ? 0 : 1;
  words->kept = by_parts ? items : 0;
}

/// Nothing is in the sets of parts.
template <class U>
__global__ void clear_part_sets(group_set<U, std::uint32_t> set, std::size_t heads, std::uint32_t parts,
                                const table_words* words) {
  wait_for_kernels_before();
  if (words->by_parts == 0) return;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t h = first; h < heads; h += std::size_t{gridDim.x} * blockDim.x) set.heads[h] = set.most;
  if (first < parts) set.count[first] = 0;
}

/// Groups of all parts as pairs that are sorted: their keys, and where their states are.
template <class K, class State>
struct group_list {
  K* keys;
  std::uint32_t* numbers;
  State* states;
  std::uint32_t room;
};

/// A block a part: lists its groups behind those of the parts before, merged over the blocks that had some of it. What
/// is left of the room gets keys that come last.
template <class K, class Folding, class Count>
__global__ void __launch_bounds__(tuning::merge_threads)
    list_groups(Folding by, table_results<set_bits<K>, typename Folding::state> in, block_table_shape shape,
                table_parts parts, key_order<bits_of<K>> by_key, table_words* words,
                group_list<K, typename Folding::state> out, Count* count) {
  using state = typename Folding::state;
  wait_for_kernels_before();
  if (words->by_parts == 0 || words->by_sort != 0) return;
  __shared__ std::uint32_t sums[2];
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  __syncthreads();
  for (std::uint32_t p = threadIdx.x; p < parts.count; p += blockDim.x) {
    atomicAdd(&sums[1], in.set.count[p]);
    if (p < blockIdx.x) atomicAdd(&sums[0], in.set.count[p]);
  }
  __syncthreads();
  const std::uint32_t part = blockIdx.x;
  const auto set = in.set.at(part, shape.heads);
  const std::size_t first = parts.block_of(part, parts.begins[part]);
  const std::size_t last = parts.block_of(part, parts.begins[part + 1] - 1);
  for (std::uint32_t g = threadIdx.x; g < *set.count; g += blockDim.x) {
    const std::uint32_t at = sums[0] + g;
    out.keys[at] = key_of_bits<K>(static_cast<bits_of<K>>(set.keys[g]));
    out.numbers[at] = at;
    if constexpr (!std::is_empty_v<state>) {
      state all = in.rows[(first + part) * shape.groups + g];
      for (std::size_t b = first + 1; b <= last; ++b) by.merge(all, in.rows[(b + part) * shape.groups + g]);
      out.states[at] = all;
    }
  }
  const K behind = key_of_bits<K>(by_key.back(static_cast<bits_of<K>>(~bits_of<K>{0})));
  for (std::uint32_t at = sums[1] + part * blockDim.x + threadIdx.x; at < out.room; at += gridDim.x * blockDim.x) {
    out.keys[at] = behind;
    out.numbers[at] = at;
  }
  if (part != 0 || threadIdx.x != 0) return;
  words->groups = sums[1];
  words->listed = 1;
  *count = static_cast<Count>(sums[1]);
}

/// Writes groups whose pairs are sorted.
template <class K, class Folding>
__global__ void __launch_bounds__(tuning::merge_threads)
    write_groups(Folding by, group_list<K, typename Folding::state> in, const table_words* words, K* unique_keys,
                 std::size_t room) {
  wait_for_kernels_before();
  if (words->listed == 0) return;
  const std::size_t groups = ::min(std::size_t{words->groups}, room);
  for (std::size_t g = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; g < groups;
       g += std::size_t{gridDim.x} * blockDim.x) {
    unique_keys[g] = in.keys[g];
    if constexpr (!std::is_empty_v<typename Folding::state>) by.write(g, in.states[in.numbers[g]]);
  }
}

}  // namespace peneira::detail

#endif
