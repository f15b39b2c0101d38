// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile of items in shared memory, brought into the order of their bins by one block.
//
// Every lane counts in a column of its own, so that no two lanes of a warp ever meet at a bank: a rank costs one cycle,
// whatever the keys. There are several sets of counters, each for some of the warps. Two sets share a row of words, 16
// bits each:
//
//   word[bin * sets / 2 + set / 2][lane], low half for even sets, high half for odd ones
//
// Where the order of the input is to be kept, the tile is cut into as many parts as there are counter sets, a part into
// 32 chunks, one a lane, and the warps of a set take turns: so a column is filled in the order of the input. A scan
// over bins, sets and lanes then gives each column its first place in the tile.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/scatter/tile_shape.hpp"

namespace peneira::detail {

/// A thread's part in a tile: its counter set, and when it is its turn there.
struct counter_set_place {
  unsigned shift;  ///< a set has 1 << shift warps
  unsigned set;
  unsigned turn;

  template <class Shape>
  __device__ static counter_set_place of_thread(unsigned counter_sets) {
    const unsigned shift = __ffs(Shape::threads / 32 / counter_sets) - 1;
    const unsigned warp = threadIdx.x / 32;
    return {shift, warp >> shift, warp & ((1U << shift) - 1)};
  }
  [[nodiscard]] __device__ unsigned chunk() const { return set * 32 + threadIdx.x % 32; }
  template <class Shape>
  [[nodiscard]] __device__ unsigned first_item() const {
    return ((chunk() << shift) + turn) * Shape::items;
  }
};

/// Of a sum that one lane of each warp knows: the total of the warps before, and of all.
struct warp_sums {
  unsigned before;
  unsigned all;
};
template <unsigned Threads>
__device__ warp_sums sums_before(std::uint32_t* sums, std::uint32_t sum, unsigned by_lane) {
  constexpr unsigned warps = Threads / 32;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  if (lane == by_lane) sums[warp] = sum;
  __syncthreads();
  const std::uint32_t others = lane < warps ? sums[lane] : 0;
  return {combine_lanes<plus>(lane < warp ? others : 0), combine_lanes<plus>(others)};
}

/// The counters of a tile. A code is the index of a thread's word for a bin.
template <class Shape>
class tile_counters {
 public:
  __device__ tile_counters(std::uint32_t* words, unsigned rows, unsigned counter_sets, unsigned set)
      : words_(words),
        rows_(rows),
        words_a_bin_(counter_sets / 2 * 32),
        mine_(set / 2 * 32 + threadIdx.x % 32),
        one_(set % 2 == 0 ? 1U : 0x10000U),
        join_(set % 2 == 0 ? 0x5410U : 0x7610U),
        half_(set % 2 == 0 ? 0x4410U : 0x4432U) {}

  __device__ void clear() const {
#pragma unroll 1
    for (unsigned w = threadIdx.x; w < (rows_ + 1) * 8; w += Shape::threads) {
      reinterpret_cast<uint4*>(words_)[w] = make_uint4(0, 0, 0, 0);
    }
  }
  [[nodiscard]] __device__ unsigned code_of(unsigned bin) const {
    return bin * words_a_bin_ + mine_;
  }
  /// The code of an item that goes nowhere: behind all others in the tile.
  [[nodiscard]] __device__ unsigned nowhere() const {
    return rows_ * 32 + threadIdx.x % 32;
  }

  /// Counts Count items from the first on. The codes then have, in their high halves, how many items of their columns
  /// came before.
  template <int Count, int Items>
  __device__ __forceinline__ void rank(unsigned (&codes)[Items], int first) const {
    std::uint32_t counted[Count];
#pragma unroll
    for (int j = 0; j < Count; ++j) counted[j] = atomicAdd(&words_[codes[first + j]], one_);
#pragma unroll
    for (int j = 0; j < Count; ++j) codes[first + j] = __byte_perm(codes[first + j], counted[j], join_);
    __syncwarp();
  }
  /// After the scan, the place in the tile of an item with a ranked code.
  [[nodiscard]] __device__ unsigned place_of(unsigned ranked) const {
    return __byte_perm(words_[ranked & 0xFFFFU], 0, half_) + (ranked >> 16U);
  }

  /// Turns counts into first places; calls begins(row, place) with the place where each row begins. Returns how many
  /// items there are. Each thread has a row or a part of one; `sums` has room for a word a warp.
  template <class Begins>
  __device__ unsigned scan_all(std::uint32_t* sums, Begins&& begins) const {
    constexpr unsigned most = Shape::threads / 8;  // rows whose every 16 bytes have a thread of their own
    if (rows_ <= 2 * most) return scan_by<2>(sums, begins);
    if (rows_ <= 4 * most) return scan_by<4>(sums, begins);
    return scan_by<8>(sums, begins);
  }

 private:
  /// The same by threads of which each has so many groups of four words of a row. It begins with the group that keeps
  /// it from the banks of its neighbours, and from the last goes on to the first. Sums are of two halves at a time, and
  /// right when all is added up, though halves may borrow from one another on the way.
  template <unsigned Groups, class Begins>
  __device__ unsigned scan_by(std::uint32_t* sums, Begins&& begins) const {
    constexpr unsigned threads_a_row = 8 / Groups;
    const unsigned lane = threadIdx.x % 32;
    const unsigned row = threadIdx.x / threads_a_row;
    const unsigned first = lane % 8 * Groups / 8;
    const bool real = row < rows_;
    auto* const groups = reinterpret_cast<uint4*>(words_) + threadIdx.x * Groups;
    const auto group_of = [&](unsigned k) { return groups + (k + first) % Groups; };
    const auto read = [&](unsigned k) { return real ? *group_of(k) : make_uint4(0, 0, 0, 0); };

    constexpr bool kept = Shape::roomy && Groups <= 4;  // in registers
    constexpr unsigned at_once = Shape::roomy ? Groups : 2;
    uint4 words[kept ? Groups : 1];
    std::uint32_t own = 0;   // of this thread
    std::uint32_t last = 0;  // of these, what is behind its first group
#pragma unroll at_once
    for (unsigned k = 0; k < Groups; ++k) {
      const uint4 w = read(k);
      if constexpr (kept) words[k] = w;
      const std::uint32_t sum = w.x + w.y + w.z + w.w;
      own += sum;
      if (k + first < Groups) last += sum;
    }
    const std::uint32_t upto = inclusive_sum<threads_a_row>(own);  // of its row up to it
    const std::uint32_t in_row =
        threads_a_row == 1 ? upto : __shfl_sync(all_lanes, upto, threads_a_row - 1, threads_a_row);
    const unsigned low = in_row & 0xFFFFU;
    const unsigned both = low + (in_row >> 16U);
    const unsigned rows_upto = inclusive_sum<32, threads_a_row>(both);
    const auto [before, all] = sums_before<Shape::threads>(sums, rows_upto, 31);
    if (threadIdx.x < 32) words_[rows_ * 32 + lane] = all | all << 16U;
    const unsigned begin = before + rows_upto - both;
    if (real && threadIdx.x % threads_a_row == 0) begins(row, begin);

    std::uint32_t x = (begin | (begin + low) << 16U) + (upto - own) + (own - last);
#pragma unroll at_once
    for (unsigned k = 0; k < Groups; ++k) {
      if (k + first == Groups) x -= own;
      const uint4 w = kept ? words[kept ? k : 0] : read(k);
      const std::uint32_t y = x + w.x;
      const std::uint32_t z = y + w.y;
      if (real) *group_of(k) = make_uint4(x, y, z, z + w.z);
      x = z + w.z + w.w;
    }
    return all;
  }

  std::uint32_t* words_;
  unsigned rows_;
  unsigned words_a_bin_;
  unsigned mine_;
  std::uint32_t one_;
  unsigned join_;
  unsigned half_;
};

/// The counters of a tile whose items may come in any order: a word a bin, or several for lanes to share out where bins
/// are few, so that fewer lanes meet. At most a word a thread, and one for items that go nowhere.
template <class Shape>
class tile_tally {
 public:
  __device__ tile_tally(std::uint32_t* words, unsigned bins, unsigned columns)
      : words_(words), count_(bins * columns), columns_(columns), mine_(threadIdx.x % columns) {}

  __device__ void clear() const {
    words_[threadIdx.x] = 0;
    if (threadIdx.x == 0) words_[count_] = 0;
  }
  [[nodiscard]] __device__ unsigned code_of(unsigned bin) const { return bin * columns_ + mine_; }
  [[nodiscard]] __device__ unsigned nowhere() const { return count_; }

  /// As tile_counters does. Where bins have a word each and many lanes have one bin, as in runs of equal keys, those of
  /// the first lane's bin are counted by that lane alone: atomics on one word wait for one another. Bins of several
  /// words do without: their lanes seldom meet.
  template <int Count, int Items>
  __device__ __forceinline__ void rank(unsigned (&codes)[Items], int first) const {
    std::uint32_t counted[Count];
    const bool crowded = columns_ == 1 && __popc(lanes_beside_the_first(codes[first])) >= crowd;
    if (!crowded) {
#pragma unroll
      for (int j = 0; j < Count; ++j) counted[j] = atomicAdd(&words_[codes[first + j]], 1U);
    } else {
#pragma unroll
      for (int j = 0; j < Count; ++j) counted[j] = count_together(codes[first + j]);
    }
#pragma unroll
    for (int j = 0; j < Count; ++j) codes[first + j] |= counted[j] << 16U;
    __syncwarp();
  }
  [[nodiscard]] __device__ unsigned place_of(unsigned ranked) const {
    return words_[ranked & 0xFFFFU] + (ranked >> 16U);
  }

  /// As tile_counters does; calls begins(word, place).
  template <class Begins>
  __device__ unsigned scan_all(std::uint32_t* sums, Begins&& begins) const {
    const unsigned word = threadIdx.x;
    const std::uint32_t own = word < count_ ? words_[word] : 0;
    const std::uint32_t upto = inclusive_sum(own);
    const auto [before, all] = sums_before<Shape::threads>(sums, upto, 31);
    if (word < count_) {
      words_[word] = before + upto - own;
      begins(word, before + upto - own);
    }
    if (word == 0) words_[count_] = all;
    return all;
  }

 private:
  static constexpr int crowd = 8;  ///< lanes of a bin from which on it pays to count them together

  /// The lanes whose items have the bin of the first lane's.
  [[nodiscard]] static __device__ unsigned lanes_beside_the_first(unsigned code) {
    return __ballot_sync(all_lanes, code == __shfl_sync(all_lanes, code, 0) ? 1 : 0);
  }
  /// Counts an item of each lane, those of the first lane's bin at once.
  [[nodiscard]] __device__ std::uint32_t count_together(unsigned code) const {
    const unsigned lane = threadIdx.x % 32;
    const unsigned beside = lanes_beside_the_first(code);
    const bool inside = (beside >> lane & 1U) != 0;
    std::uint32_t counted = 0;
    if (lane == 0 || !inside) counted = atomicAdd(&words_[code], lane == 0 ? __popc(beside) : 1U);
    const std::uint32_t of_first = __shfl_sync(all_lanes, counted, 0);
    return inside ? of_first + __popc(beside & ((1U << lane) - 1)) : counted;
  }

  std::uint32_t* words_;
  unsigned count_;
  unsigned columns_;
  unsigned mine_;
};

/// One column of a tile, keys or values, in the registers of the threads.
template <class Shape, class T>
struct tile_column {
  static constexpr int group = Shape::group;
  alignas(16) T mine[Shape::items];

  /// A whole tile from aligned global memory; thread t takes groups t, t + threads, ...
  __device__ void load(const T* from) {
#pragma unroll
    for (int k = 0; k < Shape::items / group; ++k) {
      copy_group<group>(mine + k * group, from + (k * Shape::threads + threadIdx.x) * group);
    }
  }
  /// The same of a tile that has fewer items, or begins anywhere; Joined: those from `joint` on lie at `others`. In
  /// place of the missing ones, copies of one that is there.
  template <bool Joined>
  __device__ void load_some(const T* from, unsigned count, unsigned joint, const T* others) {
#pragma unroll
    for (int i = 0; i < Shape::items; ++i) {
      const unsigned at = (i / group * Shape::threads + threadIdx.x) * group + i % group;
      const unsigned real = at < count ? at : 0;
      mine[i] = !Joined || real < joint ? from[real] : others[real - joint];
    }
  }

  /// Through shared memory, so that each thread has neighbouring items. Chunks are padded there, or lanes would meet at
  /// a bank.
  __device__ void store_raw(T* raw, const counter_set_place& at) const {
#pragma unroll
    for (int k = 0; k < Shape::items / group; ++k) {
      const unsigned first = (k * Shape::threads + threadIdx.x) * group;
      copy_group<group>(raw + first + (first / Shape::items >> at.shift) * pad_of<T>, mine + k * group);
    }
  }
  __device__ void load_raw(const T* raw, const counter_set_place& at) {
    copy_group<Shape::items>(mine, raw + at.first_item<Shape>() + at.chunk() * pad_of<T>);
  }
};

}  // namespace peneira::detail
