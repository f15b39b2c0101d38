// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile of items in shared memory, brought into the order of their bins by one block.
//
// Every lane counts in a column of its own, so that no two lanes of a warp ever meet at a bank: a rank costs one cycle,
// whatever the keys. The warps are divided into chains, two of which share a row of words, 16 bits each:
//
//   word[bin * chains / 2 + chain / 2][lane], low half for even chains, high half for odd ones
//
// Where the order of the input is to be kept, the tile is cut into as many parts as there are chains, a part into 32
// chunks, one a lane, and the warps of a chain take turns: so a column is filled in the order of the input. Running
// over bins, chains and lanes then gives each column its first place in the tile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/combine.cuh"
#include "peneira/device/group.cuh"
#include "peneira/multisplit/tile_shape.hpp"

namespace peneira::detail {

/// A thread's part in a tile: its chain, and when it is its turn there.
struct place_in_chain {
  unsigned shift;  ///< a chain has 1 << shift warps
  unsigned chain;
  unsigned turn;

  template <class Shape>
  __device__ static place_in_chain of_thread(unsigned chains) {
    const unsigned shift = __ffs(Shape::threads / 32 / chains) - 1;
    const unsigned warp = threadIdx.x / 32;
    return {shift, warp >> shift, warp & ((1U << shift) - 1)};
  }
  [[nodiscard]] __device__ unsigned chunk() const { return chain * 32 + threadIdx.x % 32; }
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
  return {__reduce_add_sync(all_lanes, lane < warp ? others : 0), __reduce_add_sync(all_lanes, others)};
}

/// The counters of a tile. A code is the index of a thread's word for a bin.
template <class Shape>
class tile_counters {
 public:
  __device__ tile_counters(std::uint32_t* words, unsigned rows, unsigned chains, unsigned chain)
      : words_(words),
        rows_(rows),
        words_a_bin_(chains / 2 * 32),
        mine_(chain / 2 * 32 + threadIdx.x % 32),
        one_(chain % 2 == 0 ? 1U : 0x10000U),
        join_(chain % 2 == 0 ? 0x5410U : 0x7610U),
        half_(chain % 2 == 0 ? 0x4410U : 0x4432U) {}

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

  /// Counts one item.
  [[nodiscard]] __device__ std::uint32_t count(unsigned code) const {
    return atomicAdd(&words_[code], one_);
  }
  /// The code with, in its high half, how many items of its column came before: `counted` is what count() returned.
  [[nodiscard]] __device__ unsigned ranked(unsigned code, std::uint32_t counted) const {
    return __byte_perm(code, counted, join_);
  }
  /// After the scan, the place in the tile of an item with a ranked code.
  [[nodiscard]] __device__ unsigned place_of(unsigned ranked) const {
    return __byte_perm(words_[ranked & 0xFFFFU], 0, half_) + (ranked >> 16U);
  }

  /// Turns counts into first places; calls begins(row, place) with the place where each row begins. Returns how many
  /// items there are. Each warp runs along rows of its own, four at a time, a lane four words; `sums` has room for a
  /// word a warp.
  template <class Begins>
  __device__ unsigned scan_all(std::uint32_t* sums, Begins&& begins) const {
    constexpr unsigned warps = Shape::threads / 32;
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const unsigned fours = (rows_ + 3) / 4;  // of rows; those beyond the last are the row of nowhere and what follows
    const unsigned share = (fours + warps - 1) / warps;
    const unsigned begin = ::min(warp * share, fours);
    const unsigned end = ::min(begin + share, fours);
    auto* const words = reinterpret_cast<uint4*>(words_) + lane;
    const auto read = [&](unsigned four) {
      return four * 4 + lane / 8 < rows_ ? words[four * 32] : make_uint4(0, 0, 0, 0);
    };

    std::uint32_t sum = 0;
    for (unsigned four = begin; four < end; ++four) {
      const uint4 w = read(four);
      sum += w.x + w.y + w.z + w.w;
    }
    sum = __reduce_add_sync(all_lanes, (sum & 0xFFFFU) + (sum >> 16U));
    auto [before, all] = sums_before<Shape::threads>(sums, sum, 0);
    if (warp == warps - 1) words_[rows_ * 32 + lane] = all | all << 16U;

    for (unsigned four = begin; four < end; ++four) {
      uint4 w = read(four);
      std::uint32_t upto = w.x + w.y + w.z + w.w;  // of this lane, then of its row up to it
      const std::uint32_t own = upto;
#pragma unroll
      for (unsigned step = 1; step < 8; step *= 2) {
        const std::uint32_t left = __shfl_up_sync(all_lanes, upto, step, 8);
        if (lane % 8 >= step) upto += left;
      }
      const std::uint32_t row = __shfl_sync(all_lanes, upto, 7, 8);
      const unsigned low = row & 0xFFFFU;
      const unsigned both = low + (row >> 16U);
      const unsigned one = __shfl_sync(all_lanes, both, 0);
      const unsigned two = __shfl_sync(all_lanes, both, 8);
      const unsigned three = __shfl_sync(all_lanes, both, 16);
      const unsigned four_th = __shfl_sync(all_lanes, both, 24);
      const unsigned first = before + (lane >= 8 ? one : 0) + (lane >= 16 ? two : 0) + (lane >= 24 ? three : 0);
      before += one + two + three + four_th;
      if (lane % 8 == 0) begins(four * 4 + lane / 8, first);
      const std::uint32_t x = (first | (first + low) << 16U) + upto - own;
      const std::uint32_t y = x + w.x;
      const std::uint32_t z = y + w.y;
      if (four * 4 + lane / 8 < rows_) words[four * 32] = make_uint4(x, y, z, z + w.z);
    }
    return all;
  }

 private:
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
  [[nodiscard]] __device__ std::uint32_t count(unsigned code) const { return atomicAdd(&words_[code], 1U); }
  [[nodiscard]] __device__ unsigned ranked(unsigned code, std::uint32_t counted) const { return code | counted << 16U; }
  [[nodiscard]] __device__ unsigned place_of(unsigned ranked) const {
    return words_[ranked & 0xFFFFU] + (ranked >> 16U);
  }

  /// As tile_counters does; calls begins(word, place).
  template <class Begins>
  __device__ unsigned scan_all(std::uint32_t* sums, Begins&& begins) const {
    const unsigned word = threadIdx.x;
    const std::uint32_t own = word < count_ ? words_[word] : 0;
    std::uint32_t upto = own;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
      const std::uint32_t left = __shfl_up_sync(all_lanes, upto, step);
      if (word % 32 >= step) upto += left;
    }
    const auto [before, all] = sums_before<Shape::threads>(sums, upto, 31);
    if (word < count_) {
      words_[word] = before + upto - own;
      begins(word, before + upto - own);
    }
    if (word == 0) words_[count_] = all;
    return all;
  }

 private:
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
  __device__ void store_raw(T* raw, const place_in_chain& at) const {
#pragma unroll
    for (int k = 0; k < Shape::items / group; ++k) {
      const unsigned first = (k * Shape::threads + threadIdx.x) * group;
      copy_group<group>(raw + first + (first / Shape::items >> at.shift) * pad_of<T>, mine + k * group);
    }
  }
  __device__ void load_raw(const T* raw, const place_in_chain& at) {
    copy_group<Shape::items>(mine, raw + at.first_item<Shape>() + at.chunk() * pad_of<T>);
  }
};

}  // namespace peneira::detail
