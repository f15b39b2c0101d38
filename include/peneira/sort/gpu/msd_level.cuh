// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One level of an MSD radix sort: every segment, a run of items whose higher bits agree, is split by its next bits.
// What comes out is small enough to be sorted by one block, a task, or a segment of the next level.
//
//   count_segments   block k counts its share of all segments' items: sums of each segment, a row of each piece (k, s)
//   divide_segments  a block a segment: where each bin begins; writes tasks and the segments of the next level
//   scatter_segments block k splits its pieces, each bin's run behind those of the pieces before it
//
//   split_further    all of this, level after level, as long as any segment is left: for keys alone, all levels
//
// A row is the histogram of a piece. All segments together are shared out evenly, whatever their sizes: piece k + s is
// what block k has of segment s, so rows need no list. A segment whose items all have the same digit is not moved; the
// bits in which its items do differ were found in counting, and the next level begins there.
#pragma once

#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/sort/gpu/msd_records.cuh"

#if defined(__CUDACC__)
#include "peneira/gpu/grid_barrier.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/gpu/scatter/tile_scatter.cuh"
#include "peneira/sort/gpu/msd_divide.cuh"
#endif

namespace peneira::detail {

#if defined(__CUDACC__)

/// The pieces of one block: its share of the segments of a level.
class level_share {
 public:
  __device__ level_share(const sort_level& level, segment_count all)
      : segments_(all.segments()), share_(share_of(all.items(), gridDim.x)), begin_(blockIdx.x * share_) {
    if (begin_ >= all.items()) segments_ = 0;
    if (level.first || segments_ == 0) return;
    // How many segments begin up to here: each thread asks for some.
    unsigned before = 0;
    for (std::uint64_t first = 0; first < segments_; first += blockDim.x) {
      const std::uint64_t s = first + threadIdx.x;
      before += __syncthreads_count(s < segments_ && level.segments[s].shared_begin <= begin_ ? 1 : 0);
    }
    first_ = before - 1;
  }

  /// Items of a block's share; a multiple of what tiles are aligned to.
  __device__ static std::uint64_t share_of(std::uint64_t items, std::uint64_t blocks) {
    return (items + blocks * grain - 1) / (blocks * grain) * grain;
  }

  /// Items of each block's share.
  [[nodiscard]] __device__ std::uint64_t items() const { return share_; }

  /// Calls visit(segment number, segment, items of the piece, row) for each piece.
  template <class Visit>
  __device__ void for_each(const sort_level& level, Visit&& visit) const {
    for (std::uint64_t s = first_; s < segments_; ++s) {
      const sort_segment segment = level.first ? whole(level) : level.segments[s];
      if (segment.shared_begin >= begin_ + share_) break;
      visit(s, segment, item_range{cut(segment, begin_), cut(segment, begin_ + share_)}, blockIdx.x + s);
    }
  }

  /// The segment that is the whole input.
  __device__ static sort_segment whole(const sort_level& level) {
    return {0, 0, level.items, 0, level.key_bits, sort_buffer::in, 0};
  }

 private:
  static constexpr std::uint64_t grain = 64;

  /// Where in its array a segment is cut for a place in the shares: at the next aligned item.
  __device__ static std::size_t cut(const sort_segment& segment, std::uint64_t at) {
    if (at <= segment.shared_begin) return segment.begin;
    const std::uint64_t end = segment.begin + segment.size;
    const std::uint64_t here = (segment.begin + (at - segment.shared_begin) + grain - 1) / grain * grain;
    return here < end ? here : end;
  }

  std::uint64_t segments_;
  std::uint64_t share_;
  std::uint64_t begin_;
  std::uint64_t first_ = 0;
};

/// Counts the digits of a block's share of a level.
template <unsigned Threads, class U, class V>
__device__ void count_level(const sort_arrays<U, V>& arrays, const key_order<U>& by, const sort_level& level) {
  auto* const counts = shared_memory<std::uint32_t>();
  if (level.first && blockIdx.x == 0 && threadIdx.x == 0) {
    if (!level.surveyed) *level.count = level.all();
    level.segments[0] = level_share::whole(level);
  }
  const level_share share(level, level.all());
  const std::uint32_t bins = level.bins();
  share.for_each(level, [&](std::uint64_t s, const sort_segment& segment, item_range mine, std::uint64_t row) {
    for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    const U* const keys = arrays.from(segment.where).keys;
    const unsigned shift = level.shift_of(segment.bits);
    const U first = by(keys[segment.begin]);
    if (threadIdx.x == 0 && mine.begin == segment.begin) level.segments[s].first = first;
    U differ = 0;
    visit_backwards<Threads>(keys, mine, [&](U raw) {
      const U ordered = by(raw);
      differ |= ordered ^ first;
      atomicAdd(&counts[static_cast<std::uint32_t>(ordered >> shift) & (bins - 1)], 1U);
    });
    const std::uint64_t both = bits_of_lanes(differ);
    if (threadIdx.x % 32 == 0 && (level.differing[s] & both) != both) atomicOr(&level.differing[s], both);
    __syncthreads();
    for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) {
      const std::uint32_t here = counts[b];
      const std::uint64_t before = here == 0 ? 0 : level.sums.add(s * bins + b, here);
      if (level.cursors) continue;
      level.rows.with(
          [&]<class Count>(Count* rows) { rows[row * bins + b] = static_cast<Count>(level.stable ? here : before); });
    }
    __syncthreads();
  });
}

template <class U, class V>
__global__ void __launch_bounds__(tuning::count_threads)
    count_segments(sort_arrays<U, V> arrays, key_order<U> by, sort_level level) {
  wait_for_kernels_before();
  let_next_kernel_start();
  count_level<tuning::count_threads>(arrays, by, level);
}

/// Where the runs of a piece go: behind the last ones of the piece, or where the cursor of their bin is, which all
/// blocks move on. Runs that are written at a time then lie beside one another, whichever blocks write them.
struct level_allocator : slice_allocator {
  const level_counts* cursors;  ///< in shared memory; nullptr: behind the last ones

  __device__ std::uint64_t allocate(std::uint32_t bin, unsigned begin, std::uint32_t count) {
    if (cursors != nullptr) return count == 0 ? 0 : cursors->add(bin, count);
    return slice_allocator::allocate(bin, begin, count);
  }
};

/// What a block splits, in shared memory: registers are short where it is needed.
template <class U, class V>
struct sort_piece {
  view<const U, const V> in;
  view<U, V> out;
  key_digit<U> digit;
  level_counts cursors;
};

/// Shared memory that splitting takes beside the tile.
template <class Shape, class U, class V>
struct scatter_memory {
  std::uint32_t sums[Shape::threads / 32];
  alignas(16) unsigned char piece[sizeof(sort_piece<U, V>)];
  alignas(16) unsigned char share[sizeof(level_share)];
};

/// Splits a block's share of a level: calls split(piece, its items, allocator of their runs) for each piece of it.
template <bool Stable, class Shape, class U, class V, class Split>
__device__ __forceinline__ void scatter_level(const sort_arrays<U, V>& arrays, const key_order<U>& by,
                                              const sort_level& level, scatter_memory<Shape, U, V>& memory,
                                              Split&& split) {
  static_assert(sizeof(memory) <= tile_static_bytes);
  auto& piece = *reinterpret_cast<sort_piece<U, V>*>(memory.piece);
  auto& share = *reinterpret_cast<level_share*>(memory.share);
  const segment_count all = level.all();
  if (all.segments() == 0) return;
  const level_share found(level, all);
  if (threadIdx.x == 0) share = found;
  // The next level counts from zero.
  const std::uint64_t next_segments = level.count[1].segments();
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t me = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::uint64_t w = me; w < next_segments * level.next_bins; w += stride) level.next_sums.set(w, 0);
  for (std::uint64_t w = me; w < next_segments; w += stride) level.next_differing[w] = 0;
  __syncthreads();
  share.for_each(level, [&](std::uint64_t s, const sort_segment& segment, item_range mine, std::uint64_t row) {
    if (level.segments[s].stays != 0 || mine.begin >= mine.end) return;
    const std::uint32_t bins = level.bins();
    const std::uint32_t bin = ::min(threadIdx.x, bins - 1);
    level_allocator runs{{0}, &piece.cursors};
    if (!level.cursors) {
      runs = {{level.sums.get(s * bins + bin)}, nullptr};
      level.rows.with([&](const auto* rows) {
        if (Stable && level.stable) {  // behind all pieces before this one
          const std::uint64_t first_row = segment.shared_begin / share.items() + s;
#pragma unroll 8
          for (std::uint64_t r = first_row; r < row; ++r) runs.next += rows[r * bins + bin];
        } else {
          runs.next += rows[row * bins + bin];
        }
      });
    }
    if (threadIdx.x == 0) {
      piece = {arrays.from(segment.where),
               arrays.to(level.target_of(segment.where)),
               {by, level.shift_of(segment.bits), level.bins() - 1},
               level.sums.from(s * bins)};
    }
    __syncthreads();
    split(piece, mine, runs);
  });
}
/// The same by tiles of one shape.
template <bool Stable, class Shape, class U, class V>
__device__ __forceinline__ void scatter_level(const sort_arrays<U, V>& arrays, const key_order<U>& by,
                                              const sort_level& level, const tile_block<Stable, Shape, U, V>& block,
                                              scatter_memory<Shape, U, V>& memory) {
  scatter_level<Stable>(arrays, by, level, memory,
                        [&](const sort_piece<U, V>& piece, item_range mine, level_allocator& runs) {
                          split_slice(block, piece.in, piece.out, piece.digit, mine, runs);
                        });
}

template <bool Stable, class Shape, class U, class V>
__global__ void __launch_bounds__(Shape::threads, Shape::large ? 1 : 2)
    scatter_segments(sort_arrays<U, V> arrays, key_order<U> by, sort_level level, std::uint32_t counter_sets) {
  __shared__ scatter_memory<Shape, U, V> memory;
  const tile_block<Stable, Shape, U, V> block(level.bins(), counter_sets, memory.sums);
  wait_for_kernels_before();
  let_next_kernel_start();
  scatter_level(arrays, by, level, block, memory);
}

/// Sets to zero what the segments of a level count.
__device__ inline void clear_level(const sort_level& level) {
  const std::uint64_t segments = level.all().segments();
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t me = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::uint64_t w = me; w < segments * level.bins(); w += stride) level.sums.set(w, 0);
  for (std::uint64_t w = me; w < segments; w += stride) level.differing[w] = 0;
}

/// All levels that have no launches of their own, as long as there are segments. scatter(level) splits them.
template <class Shape, class U, class V, class Scatter>
__device__ __forceinline__ void split_levels(const sort_arrays<U, V>& arrays, const key_order<U>& by,
                                             const level_series& series, std::uint32_t* arrived, Scatter&& scatter) {
  wait_for_kernels_before();
  let_next_kernel_start();
  grid_barrier all_blocks(arrived);
  if (series.given && series.counts->segments() != 0) {
    clear_level(series.at(0));
    all_blocks.wait();
  }
#pragma unroll 1
  for (std::uint32_t l = series.apart; l < series.levels; ++l) {
    const sort_level level = series.at(l);
    if (level.all().segments() == 0) return;
    count_level<Shape::threads>(arrays, by, level);
    all_blocks.wait();
    divide_level(level, *shared_memory<divide_memory<Shape::threads>>());
    all_blocks.wait();
    scatter(level);
    all_blocks.wait();
  }
}

template <bool Stable, class Shape, class U, class V>
__global__ void __launch_bounds__(Shape::threads, 1)
    split_further(sort_arrays<U, V> arrays, key_order<U> by, level_series series, std::uint32_t counter_sets,
                  std::uint32_t* arrived) {
  __shared__ scatter_memory<Shape, U, V> memory;
  split_levels<Shape>(arrays, by, series, arrived, [&](const sort_level& level) {
    const tile_block<Stable, Shape, U, V> block(level.bins(), counter_sets, memory.sums);
    scatter_level(arrays, by, level, block, memory);
  });
}

/// The same for keys alone, in large tiles and what is left in small ones, or in small ones throughout.
template <class Shape, class Small, class U>
__global__ void __launch_bounds__(Shape::threads, 1)
    split_keys(sort_arrays<U, no_value> arrays, key_order<U> by, level_series series, std::uint32_t counter_sets,
               bool large, std::uint32_t* arrived) {
  __shared__ scatter_memory<Shape, U, no_value> memory;
  split_levels<Shape>(arrays, by, series, arrived, [&](const sort_level& level) {
    scatter_level<false>(
        arrays, by, level, memory, [&](const sort_piece<U, no_value>& piece, item_range mine, level_allocator& runs) {
          const item_range whole = large ? whole_tiles_in<Shape>(piece.in, mine) : item_range{mine.begin, mine.begin};
          if (whole.begin < whole.end) {
            const tile_block<false, Shape, U, no_value> block(level.bins(), counter_sets, memory.sums);
            split_part<slice_part::whole>(block, piece.in, piece.out, piece.digit, mine, runs, allocator_is_ready{});
          }
          runs = split_beside<false, Small>(level.bins(), counter_sets, memory.sums, piece.in, piece.out, piece.digit,
                                            mine, whole, runs);
        });
  });
}

#endif

}  // namespace peneira::detail
