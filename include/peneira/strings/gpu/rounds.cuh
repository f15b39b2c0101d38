// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a round of a sort of strings. A round has the strings whose order is not known yet, group by group: a
// group's strings agree up to a depth, stand side by side in input order, and own as many places side by side.
//
//   find_common, find_common_far   how far the strings of each group agree: that much is skipped
//   cache_words                    a key each: the group's number, the next bytes, and how many were left
//   (a sort of pairs)              keys with the numbers of their strings
//   count_open, scan_sums, keep_open   strings whose keys are unique, or ended, take their places; runs of other equal
//                                      keys are the groups of the next round, without gaps
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/primitives/scan.cuh"
#include "peneira/strings/gpu/check.cuh"
#include "peneira/strings/gpu/words.cuh"
#include "peneira/strings/view.hpp"

namespace peneira::detail {

/// The keys of a round: from the highest bit down the group's number, some bytes, and in four bits how many bytes were
/// left, one more than there is room for standing for all more. Descending, all but the group is flipped.
struct string_key {
  unsigned group_bits = 0;
  unsigned bytes = 7;
  std::uint64_t flip = 0;

  static string_key of(std::size_t groups, bool descending) {
    const auto bits = static_cast<unsigned>(std::bit_width(groups - 1));
    const unsigned bytes = std::min(7U, (60 - bits) / 8);
    return {bits, bytes, descending ? ~std::uint64_t{0} >> bits : 0};
  }

  /// `word` has the next bytes, the first of them the highest, and zeros behind the string's end.
  PENEIRA_HD std::uint64_t operator()(std::uint32_t group, std::uint64_t word, std::size_t left) const {
    const std::uint64_t count = left <= bytes ? left : bytes + 1;
    const std::uint64_t low = ((word >> (64 - 8 * bytes)) << 4U | count) << spare();
    return (group_bits == 0 ? 0 : std::uint64_t{group} << (64 - group_bits)) | (low ^ flip);
  }
  [[nodiscard]] PENEIRA_HD std::uint32_t group(std::uint64_t key) const {
    return group_bits == 0 ? 0 : static_cast<std::uint32_t>(key >> (64 - group_bits));
  }
  /// Whether the strings of that key go on behind it.
  [[nodiscard]] PENEIRA_HD bool goes_on(std::uint64_t key) const { return ((key ^ flip) >> spare() & 15U) > bytes; }

 private:
  [[nodiscard]] PENEIRA_HD unsigned spare() const { return 60 - 8 * bytes - group_bits; }
};

/// Strings of a round, and their groups.
struct string_round {
  std::uint32_t* index;   ///< of each string
  std::uint32_t* place;   ///< in the permutation: where the one that comes in its stead belongs
  std::uint32_t* group;   ///< its number
  std::uint64_t* from;    ///< of each group: how far its strings agree for sure
  std::uint64_t* common;  ///< and how far they do, once that is found
  std::uint32_t* leader;  ///< its first string
};

/// What the host reads, and what a kernel of a round publishes to the next.
struct string_state {
  std::uint64_t open;  ///< strings of the next round; in the upper half its groups
  std::uint32_t far;   ///< those that find_common_far is to look at
};

#if defined(__CUDACC__)

/// Bytes that one thread compares before a warp or more take over.
inline constexpr std::size_t string_near = 64;

/// All strings as one group, which agrees in nothing yet.
template <class Offset>
__global__ void begin_rounds(strings<Offset> all, string_round now, string_state* state) {
  if (first_item() == 0) {
    now.from[0] = 0;
    now.common[0] = all.length_of(0);
    now.leader[0] = 0;
    state->far = 0;
  }
  for (std::size_t i = first_item(); i < all.size; i += item_stride()) {
    now.index[i] = static_cast<std::uint32_t>(i);
    now.place[i] = static_cast<std::uint32_t>(i);
    now.group[i] = 0;
  }
}

/// What others may have lowered since.
__device__ inline std::uint64_t seen_now(const std::uint64_t* at) {
  return *static_cast<const volatile std::uint64_t*>(at);
}
__device__ inline void lower(std::uint64_t* at, std::uint64_t value) {
  if (value < seen_now(at)) {
    atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
  }
}

/// The next number of a count, for each of the lanes that come here together.
__device__ inline std::uint32_t next_of(std::uint32_t* count) {
  const unsigned lanes = __activemask();
  const int leader = __ffs(static_cast<int>(lanes)) - 1;
  const auto lane = static_cast<int>(threadIdx.x % 32);
  std::uint32_t base = 0;
  if (lane == leader) base = atomicAdd(count, static_cast<std::uint32_t>(__popc(lanes)));
  return __shfl_sync(lanes, base, leader) + static_cast<std::uint32_t>(__popc(lanes & ((1U << lane) - 1)));
}

/// Lowers each group's `common` to where its strings, one a thread, part from its first or end. Those that agree for
/// string_near bytes are left to find_common_far.
template <class Offset>
__global__ void find_common(strings<Offset> all, string_round now, std::size_t items, std::uint32_t* far,
                            string_state* state) {
  const string_reader read(all);
  for (std::size_t i = first_item(); i < items; i += item_stride()) {
    const std::uint32_t group = now.group[i];
    const std::uint32_t leader = now.leader[group];
    const std::uint32_t mine = now.index[i];
    const std::uint64_t from = now.from[group];
    std::uint64_t end = seen_now(now.common + group);
    if (mine == leader || end <= from) continue;
    end = ::min(end, static_cast<std::uint64_t>(read.length(mine)));
    const std::uint64_t stop = ::min(end, from + string_near);
    const std::uint64_t at = read.differ(leader, mine, from, stop);
    lower(now.common + group, at < stop ? at : end);
    if (at == stop && stop < end) far[next_of(&state->far)] = static_cast<std::uint32_t>(i);
  }
}

/// The same from string_near bytes on, a warp a string; several warps where there are fewer strings than warps, each
/// from part to part of it.
template <class Offset>
__global__ void find_common_far(strings<Offset> all, string_round now, const std::uint32_t* far,
                                const string_state* state) {
  constexpr std::size_t lane_bytes = 16;
  constexpr std::size_t part = 32 * lane_bytes;
  const std::size_t strings_here = state->far;
  if (strings_here == 0) return;
  const string_reader read(all);
  const std::size_t warps = item_stride() / 32;
  const std::size_t team = ::max(warps / strings_here, std::size_t{1});
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t w = first_item() / 32; w < team * strings_here; w += warps) {
    const std::uint32_t i = far[w / team];
    const std::uint32_t group = now.group[i];
    const std::uint32_t leader = now.leader[group];
    const std::uint32_t mine = now.index[i];
    const std::uint64_t length = read.length(mine);
    for (std::uint64_t at = now.from[group] + string_near + w % team * part;; at += team * part) {
      // All lanes must see the same end.
      const std::uint64_t end =
          ::min(length, static_cast<std::uint64_t>(__shfl_sync(~0U, lane == 0 ? seen_now(now.common + group) : 0, 0)));
      if (at >= end) break;
      const std::uint64_t begin = at + lane * lane_bytes;
      const std::uint64_t stop = ::min(end, begin + lane_bytes);
      const std::uint64_t found = begin < end ? read.differ(leader, mine, begin, stop) : stop;
      const unsigned differing = __ballot_sync(~0U, begin < end && found < stop);
      if (differing != 0) {
        if (lane == static_cast<unsigned>(__ffs(static_cast<int>(differing)) - 1)) lower(now.common + group, found);
        break;
      }
    }
  }
}

template <class Offset>
__global__ void cache_words(strings<Offset> all, string_round now, std::size_t items, string_key key,
                            std::uint64_t* keys) {
  const string_reader read(all);
  for (std::size_t i = first_item(); i < items; i += item_stride()) {
    const std::uint32_t group = now.group[i];
    const std::uint32_t mine = now.index[i];
    const std::size_t depth = now.common[group];
    const std::size_t left = read.length(mine) - depth;
    keys[i] = key(group, read.word(mine, depth, ::min(left, std::size_t{key.bytes})), left);
  }
}

/// Which of a thread's strings are open, and which of those are the first of their groups.
struct open_strings {
  std::uint64_t keys[scan_items];
  std::uint64_t counts[scan_items];  ///< 1 for an open one, and in the upper half 1 for a group's first

  __device__ open_strings(const std::uint64_t* sorted, std::size_t items, std::size_t first, const string_key& key) {
    std::uint64_t before = first > 0 && first <= items ? sorted[first - 1] : 0;
#pragma unroll
    for (int k = 0; k < scan_items; ++k) {
      const std::size_t i = first + k;
      keys[k] = i < items ? sorted[i] : 0;
      counts[k] = 0;
    }
#pragma unroll
    for (int k = 0; k < scan_items; ++k) {
      const std::size_t i = first + k;
      if (i >= items) break;
      const bool follows = i > 0 && before == keys[k];
      const std::uint64_t after = k + 1 < scan_items ? keys[k + 1] : i + 1 < items ? sorted[i + 1] : 0;
      const bool leads = i + 1 < items && after == keys[k];
      if ((follows || leads) && key.goes_on(keys[k])) counts[k] = follows ? 1 : 1 | std::uint64_t{1} << 32U;
      before = keys[k];
    }
  }
};

static __global__ void count_open(const std::uint64_t* sorted, std::size_t items, string_key key, std::uint64_t* sums) {
  __shared__ block_sums<scan_threads> scan;
  open_strings mine(sorted, items, blockIdx.x * scan_tile + threadIdx.x * scan_items, key);
  std::uint64_t before[scan_items];
  std::uint64_t all = 0;
  scan.before(mine.counts, before, all);
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

/// The strings of a sorted round to their places, or into the next round.
template <class Offset, class Index>
__global__ void keep_open(strings<Offset> all, const std::uint64_t* sorted, const std::uint32_t* index,
                          const std::uint32_t* place, const std::uint64_t* common, std::size_t items, string_key key,
                          const std::uint64_t* sums, string_round next, Index* permutation, string_state* state) {
  __shared__ block_sums<scan_threads> scan;
  const std::size_t first = blockIdx.x * scan_tile + threadIdx.x * scan_items;
  open_strings mine(sorted, items, first, key);
  std::uint64_t before[scan_items];
  std::uint64_t sum = 0;
  scan.before(mine.counts, before, sum);
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) {
    state->open = sums[blockIdx.x] + sum;
    state->far = 0;
  }
#pragma unroll
  for (int k = 0; k < scan_items; ++k) {
    const std::size_t i = first + k;
    if (i >= items) break;
    const std::uint32_t string = index[i];
    if (mine.counts[k] == 0) {
      permutation[place[i]] = string;
      continue;
    }
    const std::uint64_t where = sums[blockIdx.x] + before[k];
    const auto to = static_cast<std::uint32_t>(where);
    const bool leads = mine.counts[k] != 1;
    const auto group = static_cast<std::uint32_t>(where >> 32U) - (leads ? 0 : 1);
    next.index[to] = string;
    next.place[to] = place[i];
    next.group[to] = group;
    if (leads) {
      next.from[group] = common[key.group(mine.keys[k])] + key.bytes;
      next.common[group] = all.length_of(string);
      next.leader[group] = string;
    }
  }
}

#endif

}  // namespace peneira::detail
