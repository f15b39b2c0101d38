// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of gpu_multisplit for up to 256 bins. A subproblem is a tile of consecutive items of one warp
// (warp-level) or of the 8 warps of a block (block-level); count_by_ballots counts it, split_by_ballots orders it by
// bins in shared memory and writes it.
//
//   lane 5 of a warp counts bin 5:  ballots of the bits of the bins --and--> lanes whose item is of bin 5
//
// An item's place among those of its bin in the warp is the number of lower lanes with the same bin, from such ballots,
// and of the rounds before. Of more than 32 bins the paper has a lane count several; here the lanes of a bin find one
// another, which takes fewer ballots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/multisplit/published/histograms.hpp"
#include "peneira/view.hpp"

namespace peneira::multisplit_strategies {

/// Warps of a block of both kernels.
inline constexpr unsigned ballot_warps = 8;

/// Blocks that a processor has at once, as far as registers go.
inline constexpr unsigned ballot_blocks = 4;

/// Rounds of a tile, in each of which a lane has an item: as many as fit 4 KiB a warp, and registers.
constexpr unsigned ballot_rounds(std::size_t item_bytes) {
  constexpr std::size_t warp_bytes = 4096;
  constexpr unsigned most = 16;
  const std::size_t fit = warp_bytes / (32 * item_bytes);
  return fit == 0 ? 1 : fit < most ? static_cast<unsigned>(fit) : most;
}

/// Bytes of shared memory of a tile of `warps` warps, whose parts lie on boundaries of 128 bytes at the most.
constexpr std::size_t ballot_tile_bytes(unsigned bits, unsigned warps, std::size_t key_bytes, std::size_t value_bytes) {
  const auto part = [](std::size_t bytes) { return (bytes + 127) / 128 * 128; };
  const std::size_t bins = std::size_t{1} << bits;
  const std::size_t items = std::size_t{32} * warps * ballot_rounds(key_bytes + value_bytes);
  return part(items * key_bytes) + part(items * value_bytes) + part(8 * bins) + part(4 * warps * bins) +
         part(8 + 4 * warps) + part(items);
}

/// Which matrix of counts a call has: counts of 32 bits where they can count the items.
struct count_matrix {
  void* entries;      ///< bin-major: bin b of subproblem t at b * tiles + t
  std::size_t tiles;  ///< subproblems
  bool wide;          ///< 64 bits

#if defined(__CUDACC__)
  __device__ void put(std::size_t bin, std::size_t tile, unsigned count) const {
    const std::size_t at = bin * tiles + tile;
    if (wide) {
      static_cast<std::uint64_t*>(entries)[at] = count;
    } else {
      static_cast<std::uint32_t*>(entries)[at] = count;
    }
  }
  [[nodiscard]] __device__ std::uint64_t get(std::size_t bin, std::size_t tile) const {
    const std::size_t at = bin * tiles + tile;
    return wide ? static_cast<const std::uint64_t*>(entries)[at] : static_cast<const std::uint32_t*>(entries)[at];
  }
#endif
};

#if defined(__CUDACC__)

namespace published_kernels {

/// Ballots over bins of `Bits` bits. All lanes of a warp call.
template <unsigned Bits>
struct bin_ballots {
  /// How many lanes hold an item of the bin whose number is this lane's; for 32 bins at the most.
  __device__ static unsigned count(std::uint32_t bin, bool held) {
    static_assert(Bits <= 5);
    return __popc(lanes_with(bin, held, threadIdx.x % 32));
  }
  /// The lanes that hold an item of the same bin.
  __device__ static unsigned peers(std::uint32_t bin, bool held) { return lanes_with(bin, held, bin); }

 private:
  /// The lanes that hold an item of the bin that this lane wants.
  __device__ static unsigned lanes_with(std::uint32_t bin, bool held, std::uint32_t wanted) {
    unsigned lanes = __ballot_sync(detail::all_lanes, held);
#pragma unroll
    for (unsigned k = 0; k < Bits; ++k) {
      const unsigned votes = __ballot_sync(detail::all_lanes, ((bin >> k) & 1U) != 0);
      lanes &= ((wanted >> k) & 1U) != 0 ? votes : ~votes;
    }
    return lanes;
  }
};

/// Where a thread stands: its subproblem is of `Warps` warps.
template <unsigned Warps>
struct ballot_place {
  static_assert(Warps == 1 || Warps == ballot_warps);
  unsigned lane = threadIdx.x % 32;
  unsigned warp = Warps == 1 ? 0 : threadIdx.x / 32;  ///< of the subproblem
  unsigned part = Warps == 1 ? threadIdx.x / 32 : 0;  ///< subproblem of the block
  std::size_t tile = std::size_t{blockIdx.x} * (ballot_warps / Warps) + part;
  unsigned thread = Warps == 1 ? lane : threadIdx.x;

  __device__ static void meet() {
    if constexpr (Warps == 1) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
};

/// The items of a thread and their bins; a bin that is `none` or past the last has no item.
template <class K, unsigned Rounds>
struct ballot_items {
  static constexpr std::uint32_t none = 0xFFFFFFFFU;
  K keys[Rounds];
  std::uint32_t bins[Rounds];
  std::size_t first;  ///< of the input; the next are 32 on each

  template <unsigned Warps, class F>
  __device__ void load(const K* from, std::size_t n, const F& f, const ballot_place<Warps>& here) {
    first = (here.tile * Warps + here.warp) * (32 * Rounds) + here.lane;
    if (first + 32 * Rounds <= n + here.lane) {  // all lanes have all their items
#pragma unroll
      for (unsigned r = 0; r < Rounds; ++r) keys[r] = from[first + r * 32];
#pragma unroll
      for (unsigned r = 0; r < Rounds; ++r) bins[r] = detail::bin_of(f, keys[r]);
      return;
    }
#pragma unroll
    for (unsigned r = 0; r < Rounds; ++r) {
      const std::size_t at = first + r * 32;
      bins[r] = none;
      if (at >= n) continue;
      keys[r] = from[at];
      bins[r] = detail::bin_of(f, keys[r]);
    }
  }
};

/// The counts of a block. A lane counts the bin of its number; of more than 32 bins, the first lane of those with items
/// of one bin adds their number.
template <unsigned Bits, unsigned Rounds>
__device__ void count_block(const std::uint32_t (&item_bins)[Rounds], std::uint32_t bins, unsigned* of_block) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned b = threadIdx.x; b < 1U << Bits; b += blockDim.x) of_block[b] = 0;
  __syncthreads();
  if constexpr (Bits <= 5) {
    unsigned count = 0;
#pragma unroll
    for (unsigned r = 0; r < Rounds; ++r) count += bin_ballots<Bits>::count(item_bins[r], item_bins[r] < bins);
    if (lane < bins && count != 0) atomicAdd(&of_block[lane], count);
  } else {
#pragma unroll
    for (unsigned r = 0; r < Rounds; ++r) {
      const bool holds = item_bins[r] < bins;
      const unsigned same = bin_ballots<Bits>::peers(item_bins[r], holds);
      if (holds && (same & ((1U << lane) - 1)) == 0) atomicAdd(&of_block[item_bins[r]], __popc(same));
    }
  }
  __syncthreads();
}

template <unsigned Bits, unsigned Warps, unsigned Rounds, class K, class F>
__global__ void __launch_bounds__(32 * ballot_warps)
    count_by_ballots(const K* keys, std::size_t n, F f, count_matrix matrix) {
  const ballot_place<Warps> here;
  const std::uint32_t bins = f.bins();
  ballot_items<K, Rounds> mine;
  mine.load(keys, n, f, here);
  if constexpr (Warps == 1) {
    unsigned count = 0;
#pragma unroll
    for (unsigned r = 0; r < Rounds; ++r) count += bin_ballots<Bits>::count(mine.bins[r], mine.bins[r] < bins);
    if (here.lane < bins && here.tile < matrix.tiles) matrix.put(here.lane, here.tile, count);
  } else {
    __shared__ unsigned of_block[1U << Bits];
    count_block<Bits>(mine.bins, bins, of_block);
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) matrix.put(b, here.tile, of_block[b]);
  }
}

/// A subproblem in shared memory.
template <class K, class V, unsigned Bits, unsigned Warps, unsigned Rounds>
struct ballot_tile {
  static constexpr unsigned bins = 1U << Bits;
  static constexpr unsigned items = 32 * Warps * Rounds;
  static constexpr bool has_values = view<K, V>::has_values;

  K keys[items];
  std::conditional_t<has_values, V, char> values[has_values ? items : 1];
  std::uint64_t starts[bins];     ///< where in the output the bin's first item goes, less where it is here
  unsigned cursors[Warps][bins];  ///< items of a bin and warp; then where the first of them goes here
  unsigned filled;                ///< items
  detail::block_sums<32 * Warps, unsigned> sums;
  unsigned char item_bins[items];

  /// Turns the counts of the warps in `cursors` into places, bin by bin and in each warp by warp.
  __device__ void place_bins(const ballot_place<Warps>& here, std::uint32_t all_bins, const count_matrix& positions) {
    static_assert(bins <= 32 * Warps);
    const unsigned b = here.thread;
    unsigned total = 0;
    for (unsigned w = 0; b < bins && w < Warps; ++w) total += cursors[w][b];
    unsigned all = 0;
    unsigned next = scan(total, all);
    if (b == 0) filled = all;
    if (b < all_bins) starts[b] = positions.get(b, here.tile) - next;
    for (unsigned w = 0; b < bins && w < Warps; ++w) {
      const unsigned count = cursors[w][b];
      cursors[w][b] = next;
      next += count;
    }
  }

 private:
  __device__ unsigned scan(unsigned mine, unsigned& all) {
    if constexpr (Warps != 1) return sums.before(mine, all);
    const unsigned through = detail::inclusive_sum(mine);
    all = __shfl_sync(detail::all_lanes, through, 31);
    return through - mine;
  }
};

template <unsigned Bits, unsigned Warps, unsigned Rounds, class K, class V, class F>
__global__ void __launch_bounds__(32 * ballot_warps, ballot_blocks)
    split_by_ballots(view<const K, const V> in, view<K, V> out, F f, count_matrix positions) {
  using tile = ballot_tile<K, V, Bits, Warps, Rounds>;
  const ballot_place<Warps> here;
  if (here.tile >= positions.tiles) return;  // a whole warp, of the warp-level kernel alone
  tile& held = reinterpret_cast<tile*>(shared_bytes())[here.part];
  const std::uint32_t bins = f.bins();
  ballot_items<K, Rounds> mine;
  mine.load(in.keys, in.size, f, here);

  // An item's place among those of its bin and warp; the cursors count.
  for (unsigned b = here.lane; b < tile::bins; b += 32) held.cursors[here.warp][b] = 0;
  __syncwarp();
  unsigned places[Rounds];  // with the bin in the lowest 8 bits
#pragma unroll
  for (unsigned r = 0; r < Rounds; ++r) {
    const bool holds = mine.bins[r] < bins;
    const unsigned same = bin_ballots<Bits>::peers(mine.bins[r], holds);
    const unsigned before = __popc(same & ((1U << here.lane) - 1));
    const unsigned so_far = holds ? held.cursors[here.warp][mine.bins[r]] : 0;
    __syncwarp();
    if (holds && before == 0) held.cursors[here.warp][mine.bins[r]] = so_far + __popc(same);
    __syncwarp();
    places[r] = holds ? (so_far + before) << 8U | mine.bins[r] : mine.none;
  }
  here.meet();
  held.place_bins(here, bins, positions);
  here.meet();

#pragma unroll
  for (unsigned r = 0; r < Rounds; ++r) {
    if (places[r] == mine.none) continue;
    const unsigned bin = places[r] & 0xFFU;
    const unsigned slot = held.cursors[here.warp][bin] + (places[r] >> 8U);
    held.keys[slot] = mine.keys[r];
    held.item_bins[slot] = static_cast<unsigned char>(bin);
    if constexpr (tile::has_values) held.values[slot] = in.values[mine.first + r * 32];
  }
  here.meet();
  for (unsigned at = here.thread; at < held.filled; at += 32 * Warps) {
    const std::size_t to = held.starts[held.item_bins[at]] + at;
    if (to >= in.size) continue;  // only if f contradicts what it said when counting
    out.keys[to] = held.keys[at];
    if constexpr (tile::has_values) out.values[to] = held.values[at];
  }
}

}  // namespace published_kernels

#endif

}  // namespace peneira::multisplit_strategies
