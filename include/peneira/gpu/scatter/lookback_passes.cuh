// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Items in the order of digits, the lowest first, in one launch in which each pass reads them once, as in Onesweep
// (Adinets and Merrill): tiles are taken dynamically, and find their places by decoupled look-back (Merrill and
// Garland; exchange/lookback.cuh). The digits are of keys, in a sort, or of their bins, in a multisplit.
//
//   all digits are counted -> all wait -> each block takes a tile: rank the keys, publish their counts, look back,
//   write, take the next one -> all wait -> the next digit
//
// The status of a count says whether it is of the tile alone or inclusive, and whether of this pass or left over from
// the one before. Digits in which all agree are left out. More than 2^28 items are split in several portions, one
// after the other, so that counts fit their words.
#pragma once

#include <algorithm>

#include "peneira/gpu/scatter/pass_buffers.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/place.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/exchange/lookback.cuh"
#include "peneira/gpu/grid_barrier.cuh"
#include "peneira/gpu/primitives/async_copy.cuh"
#include "peneira/gpu/primitives/block_rank.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// A tile of a pass, as plan and kernel see it.
struct pass_tile {
  std::size_t key_bytes;
  std::size_t value_bytes;  ///< 0: no values
  int items;                ///< of a thread
  std::size_t size;

  static constexpr pass_tile of(std::size_t key_bytes, std::size_t value_bytes, bool large) {
    const int items = tuning::pass_items(key_bytes, value_bytes, large);
    return {key_bytes, value_bytes, items, static_cast<std::size_t>(items) * tuning::pass_threads};
  }
  /// Shared memory of a block: the keys, in whose place they are ranked before, values, and where bins go.
  [[nodiscard]] constexpr std::size_t shared() const {
    return std::max<std::size_t>(size * key_bytes, 14 * 1024) + size * value_bytes + 5 * 1024;
  }
  /// Tiles of a portion of so many items.
  [[nodiscard]] constexpr std::size_t tiles_at_once(std::size_t n) const {
    return (std::min(n, tuning::pass_portion) + size - 1) / size;
  }
};
template <std::size_t KeyBytes, std::size_t ValueBytes, bool Large>
struct pass_shape {
  static constexpr int threads = tuning::pass_threads;
  static constexpr int items = tuning::pass_items(KeyBytes, ValueBytes, Large);
  static constexpr std::uint32_t size = threads * items;
};

/// Tiles of so many items, and the blocks that take them.
struct pass_plan {
  pass_tile tile;
  bool large;
  std::size_t tiles_at_once;  ///< of a portion
  std::size_t blocks;

  /// In large tiles, unless `small` allows small ones, which make more blocks busy where items are few.
  static pass_plan of(std::size_t items, std::size_t key_bytes, std::size_t value_bytes, const device& machine,
                      bool small = true) {
    const auto sms = static_cast<std::size_t>(machine.sms);
    const pass_tile large_tile = pass_tile::of(key_bytes, value_bytes, true);
    const bool enough = !small || items >= sms * tuning::pass_blocks * large_tile.size;
    const bool large = enough && large_tile.shared() <= machine.shared_per_block;
    const pass_tile tile = large ? large_tile : pass_tile::of(key_bytes, value_bytes, false);
    const std::size_t resident =
        std::clamp<std::size_t>(machine.shared_per_sm / (tile.shared() + 1024), 1, tuning::pass_blocks);
    const std::size_t blocks = std::clamp<std::size_t>((items + tile.size - 1) / tile.size, 1, sms * resident);
    return {tile, large, tile.tiles_at_once(items), blocks};
  }
  /// Words of 32 bits that tiles publish.
  [[nodiscard]] std::size_t published_words() const { return tiles_at_once * pass_bins; }
  /// Words of 64 bits in which the digits of so many passes are counted.
  static std::size_t total_words(std::size_t passes, std::size_t items) {
    return level_counts::bytes(passes * pass_bins, is_wide(items)) / sizeof(std::uint64_t);
  }
  static bool is_wide(std::size_t items) { return items > 0xFFFFFFFFU; }
};

/// What the blocks of such passes share.
struct tile_passes {
  level_counts totals;          ///< of each digit: items of each bin; zero before
  std::uint32_t* published;     ///< for the look-back: of each tile of a portion, a word a bin
  std::uint32_t tiles;          ///< of a portion
  std::uint32_t* taken;         ///< tiles that blocks asked for; zero before
  std::uint32_t* arrived;       ///< for the barrier; zero before
  const std::uint32_t* chosen;  ///< 1: to sort at all; nullptr: likewise
};

#if defined(__CUDACC__)

using tile_lookback = lookback<pass_bins, tuning::pass_asked>;
static_assert(2 * tuning::pass_portion < std::size_t{1} << tile_lookback::count_bits);

// What passes go by, as Digits, is told by: of how many digits there are, `most` at most, the number in whose place a
// key is moved, and the key that it was (to, from), the digit of such a number (of), all digits of a key (visit), and
// whether they are always the same (safe).

/// Shared memory of a block.
template <class Shape, class U, class V, unsigned Digits>
struct pass_memory {
  static constexpr bool with_values = view<U, V>::has_values;

  union {
    block_ranks<Shape::threads> ranking;
    U keys[Shape::size];
    std::uint32_t counts[Digits * pass_bins];  ///< of all digits
  };
  alignas(16) unsigned char values[with_values ? Shape::size * sizeof(V) : 1];
  std::uint64_t begins[pass_bins];   ///< of the bins in the output
  std::uint64_t targets[pass_bins];  ///< where the tile's items of a bin go, less their places in the tile
  view<const U, const V> from;       ///< of the portion; here, since registers are short
  view<U, V> to;
  std::uint32_t tile;
  std::uint32_t copies;  ///< where copies of the last key begin that fill the last tile
};

/// Splits the items of a portion by one digit. `taken` counts on from `first_taken`.
template <class Shape, class Digits, class Digit, class U, class V>
__device__ __forceinline__ void split_portion(const Digits& by, const Digit& digit, const tile_lookback& lookback,
                                              std::uint32_t* taken, std::uint32_t first_taken,
                                              pass_memory<Shape, U, V, Digits::most>& shared) {
  constexpr bool with_values = view<U, V>::has_values;
  constexpr bool later = with_values && can_copy_later<V>;
  constexpr int items = Shape::items;
  const auto& from = shared.from;
  const auto& to = shared.to;
  const auto all = static_cast<std::uint32_t>(from.size);
  const std::uint32_t tiles = (all + Shape::size - 1) / Shape::size;
  const unsigned bin = threadIdx.x;
  const unsigned mine = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;  // every 32nd item of a warp's
  auto* const shared_values = reinterpret_cast<V*>(shared.values);
  const auto take = [&] {
    if (threadIdx.x == 0) shared.tile = atomicAdd(taken, 1U) - first_taken;
  };
  U keys[items];
  const auto load = [&](std::uint32_t tile) {
    if (tile >= tiles) return;
    const std::uint32_t first = tile * Shape::size + mine;
    const bool whole = all - tile * Shape::size >= Shape::size;
#pragma unroll
    for (int i = 0; i < items; ++i) {  // behind the last one, copies of it
      keys[i] = from.keys[whole || first + i * 32 < all ? first + i * 32 : all - 1];
    }
  };

  take();
  __syncthreads();
  std::uint32_t tile = shared.tile;
  load(tile);
  while (tile < tiles) {
    const std::uint32_t begin = tile * Shape::size;
    const std::uint32_t here = ::min(all - begin, Shape::size);
#pragma unroll
    for (int i = 0; i < items; ++i) keys[i] = by.to(keys[i]);
    std::uint32_t ranks[items];
    std::uint32_t count = 0;
    const std::uint32_t start =
        shared.ranking.template find<items>(keys, ranks, items, digit, [&](std::uint32_t in_tile) {
          count = in_tile;
          lookback.publish_own(tile, bin, count);
        });
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) shared.keys[ranks[i]] = keys[i];
    take();
    [[maybe_unused]] V values[with_values && !later ? items : 1];
    if constexpr (with_values) {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        if (mine + i * 32 >= here) continue;
        const V* const value = from.values + begin + mine + i * 32;
        if constexpr (later) {
          copy_later(shared_values + ranks[i], value);
        } else {
          values[i] = *value;
        }
      }
      if constexpr (later) end_batch();
    }
    if (bin < pass_bins) {
      const std::uint32_t before = lookback.exclusive(tile, bin);
      if (tile != 0) lookback.publish_inclusive(tile, bin, before + count);
      shared.targets[bin] = shared.begins[bin] + before - start;
      if (here != Shape::size && digit(by.to(from.keys[all - 1])) == bin) {
        shared.copies = start + count - (Shape::size - here);
      }
    }
    if constexpr (later) {
      wait_for_batches<0>();
    } else if constexpr (with_values) {
#pragma unroll
      for (int i = 0; i < items; ++i) shared_values[ranks[i]] = values[i];
    }
    __syncthreads();
    tile = shared.tile;
    load(tile);
    const auto write = [&](unsigned place) {
      const U key = shared.keys[place];
      const std::uint64_t at = shared.targets[digit(key)] + place;
      if (!Digits::safe && at >= to.size) return;
      to.keys[at] = by.from(key);
      if constexpr (with_values) to.values[at] = shared_values[place];
    };
    if (here == Shape::size) {
#pragma unroll
      for (int i = 0; i < items; ++i) write(i * Shape::threads + threadIdx.x);
    } else {
      for (unsigned place = threadIdx.x; place < Shape::size; place += Shape::threads) {
        if (place - shared.copies >= Shape::size - here) write(place);
      }
    }
    __syncthreads();
  }
}

/// Counts all digits of a block's slice, and adds them to those of all.
template <class Shape, class U, class Digits>
__device__ void count_digits(const U* keys, item_range mine, const Digits& by, std::uint32_t* counts,
                             const level_counts& totals) {
  const unsigned words = by.count() * pass_bins;
  for (unsigned w = threadIdx.x; w < words; w += Shape::threads) counts[w] = 0;
  __syncthreads();
  visit_backwards<Shape::threads, 4 * Shape::threads>(keys, mine, [&](U raw) {
    by.visit(raw, [&](unsigned d, std::uint32_t digit) { atomicAdd(&counts[d * pass_bins + digit], 1U); });
  });
  __syncthreads();
  for (unsigned w = threadIdx.x; w < words; w += Shape::threads) {
    if (counts[w] != 0) static_cast<void>(totals.add(w, counts[w]));
  }
}

/// Where the bins of a digit begin.
__device__ inline void find_begins(const level_counts& totals, std::uint64_t* begins) {
  if (threadIdx.x < pass_bins) begins[threadIdx.x] = totals.get(threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 32) {  // a lane has neighbouring bins
    constexpr unsigned each = pass_bins / 32;
    std::uint64_t sum = 0;
    for (unsigned b = 0; b < each; ++b) sum += begins[threadIdx.x * each + b];
    std::uint64_t next = inclusive_sum(sum) - sum;
    for (unsigned b = 0; b < each; ++b) {
      const std::uint64_t count = begins[threadIdx.x * each + b];
      begins[threadIdx.x * each + b] = next;
      next += count;
    }
  }
  __syncthreads();
}

template <class Shape, class U, class V, class Digits>
__global__ void __launch_bounds__(Shape::threads, tuning::pass_blocks)
    sort_by_tiles(sort_arrays<U, V> arrays, Digits by, tile_passes pass) {
  auto& shared = *shared_memory<pass_memory<Shape, U, V, Digits::most>>();
  wait_for_kernels_before();
  let_next_kernel_start();
  if (pass.chosen != nullptr && *pass.chosen != 1) return;
  grid_barrier all_blocks(pass.arrived);
  const std::size_t all = arrays.in.size;
  const unsigned digits = by.count();
  const item_range mine = slice_of_block(all, blockIdx.x, gridDim.x);

  // So far nothing was published.
  for (std::size_t w = std::size_t{blockIdx.x} * Shape::threads + threadIdx.x; w < std::size_t{pass.tiles} * pass_bins;
       w += std::size_t{gridDim.x} * Shape::threads) {
    pass.published[w] = 0;
  }
  count_digits<Shape>(arrays.in.keys, mine, by, shared.counts, pass.totals);
  all_blocks.wait();

  unsigned moving = 0;  // a bit a digit
  for (unsigned d = 0; d < digits; ++d) {
    const bool alike = threadIdx.x < pass_bins && pass.totals.get(d * pass_bins + threadIdx.x) == all;
    if (__syncthreads_or(alike ? 1 : 0) == 0) moving |= 1U << d;
  }
  pass_buffers<U, V> buffers{arrays};
  buffers.plan(__popc(moving));
  const std::size_t portion = std::size_t{pass.tiles} * Shape::size;
  std::uint32_t taken = 0;
  std::uint32_t inclusive = 1;
  for (; moving != 0; moving &= moving - 1) {
    const unsigned number = __ffs(static_cast<int>(moving)) - 1;
    find_begins(pass.totals.from(number * pass_bins), shared.begins);
    for (std::size_t begin = 0; begin < all; begin += portion) {
      const std::size_t size = ::min(all - begin, portion);
      const auto tiles = static_cast<std::uint32_t>((size + Shape::size - 1) / Shape::size);
      const tile_lookback lookback(pass.published, inclusive);
      if (threadIdx.x == 0) {
        shared.from = arrays.from(buffers.where).part(begin, size);
        shared.to = arrays.to(buffers.to);
      }
      __syncthreads();
      split_portion<Shape>(by, by.of(number), lookback, pass.taken, taken, shared);
      // The last portion may have fewer tiles: the next one finds the same as where there were some.
      for (std::uint32_t t = tiles + blockIdx.x; t < pass.tiles && threadIdx.x < pass_bins; t += gridDim.x) {
        lookback.publish_inclusive(t, threadIdx.x, 0);
      }
      all_blocks.wait();
      if (begin + portion < all) {
        if (threadIdx.x < pass_bins) shared.begins[threadIdx.x] += lookback.count(tiles - 1, threadIdx.x);
        all_blocks.wait();
      }
      taken += tiles + gridDim.x;  // each block asked once in vain
      inclusive = 3 - inclusive;
    }
    buffers.next();
  }
  buffers.finish(mine.begin, mine.end);
}

#endif

}  // namespace peneira::detail
