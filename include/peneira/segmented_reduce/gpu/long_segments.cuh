// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Very long segments among few items: some blocks, the helpers, have no segments of their own but look for those that
// would keep one block busy for long, and share these out. Each helper looks at the borders of the same cells of
// neighbouring segments, and into those cells that have many items, so that all find the same without a word:
//
//   cells     |  12  |   9  | 70000 |  15  | ...         looked at once, all at the same time
//   slices                   [8 Ki][8 Ki]...[8 Ki+]      slice k of all items is helper k mod h's
//   parts                       └──────┴───────┴──stamped slots──► the helper of the first slice
//
// Where nothing is very long, nobody waits for anybody. Where offsets descend, cells lie: then the block that such a
// segment belongs to takes it. Whoever asks finds the same answer, of the same offsets.
#pragma once

#include "peneira/segmented_reduce/gpu/per_segment.cuh"
#include "peneira/segmented_reduce/gpu/segment_cuts.cuh"

namespace peneira::detail {

/// Segments that offsets bound; of those of one size the plan knows that none is very long.
template <class T, class Result, class Segments, class Op>
class long_segments {
  using work_type = each_work<T, Result, Segments, Op>;
  using position = position_of<typename Segments::offset>;
  static constexpr unsigned threads = tuning::each_threads;

 public:
  /// What a helper has in shared memory.
  struct room {
    unsigned cell_count;
    unsigned segment_count;
    std::uint16_t cells[tuning::each_slices];   ///< that have many items
    bool wrong[tuning::each_slices];            ///< of these, whether offsets descend
    std::size_t segments[tuning::each_slices];  ///< that are very long
    warp_values<Result, threads> values;
  };

  __device__ explicit long_segments(const work_type& work) : work_(work) {}

  /// A helper's part.
  __device__ void reduce(room& mine) const {
    if (threadIdx.x == 0) mine.cell_count = mine.segment_count = 0;
    if (look_at_cells([&](unsigned cell) { mine.cells[atomicAdd(&mine.cell_count, 1U)] = cell; })) reduce_cells(mine);
  }

  /// Whether the helpers take a very long segment; all threads of its block ask together.
  [[nodiscard]] __device__ __noinline__ bool are_taken(std::size_t segment) const {
    return look_at_cells([](unsigned) {}) && ascends(segment / work_.cell);
  }

 private:
  /// Apart from what mostly runs, which shall not have its registers.
  __device__ __noinline__ void reduce_cells(room& mine) const {
    if (mine.cell_count == 0) return;
    find_in_cells(mine);
    for (unsigned k = 0; k < mine.segment_count; ++k) reduce_slices(mine.segments[k], mine);
    for (unsigned k = 0; k < mine.segment_count; ++k) collect(mine.segments[k], mine);
  }

  [[nodiscard]] __device__ position border(std::size_t cell) const {
    return static_cast<position>(work_.segments.offsets[::min(cell * work_.cell, work_.count)]);
  }

  /// Names the cells that have many items; false where there are none, or the borders of some descend.
  template <class Found>
  [[nodiscard]] __device__ bool look_at_cells(const Found& found) const {
    constexpr unsigned looks = tuning::each_cells / threads;
    position begins[looks];
    position ends[looks];
#pragma unroll
    for (unsigned j = 0; j < looks; ++j) {
      begins[j] = border(j * threads + threadIdx.x);
      ends[j] = border(j * threads + threadIdx.x + 1);
    }
    bool wrong = false;
    bool many = false;
#pragma unroll
    for (unsigned j = 0; j < looks; ++j) {
      wrong = wrong || begins[j] > ends[j] || ends[j] > work_.n;
      many = many || ends[j] - begins[j] >= work_.long_items;
    }
    if (__syncthreads_or(wrong ? 1 : 0) != 0 || __syncthreads_or(many ? 1 : 0) == 0) return false;
#pragma unroll
    for (unsigned j = 0; j < looks; ++j) {
      if (ends[j] - begins[j] >= work_.long_items) found(j * threads + threadIdx.x);
    }
    __syncthreads();
    return true;
  }
  /// Whether the offsets of a cell do.
  [[nodiscard]] __device__ bool ascends(std::size_t cell) const {
    const std::size_t first = cell * work_.cell;
    const std::size_t behind = ::min(first + work_.cell, work_.count);
    bool wrong = false;
    for (std::size_t s = first + threadIdx.x; s < behind; s += threads) {
      wrong = wrong || work_.segments.begin(s) > work_.segments.end(s);
    }
    return __syncthreads_or(wrong ? 1 : 0) == 0;
  }
  /// Finds the very long segments of all those cells at a time. A cell whose offsets descend is left to others.
  __device__ void find_in_cells(room& mine) const {
    for (unsigned k = threadIdx.x; k < mine.cell_count; k += threads) mine.wrong[k] = false;
    __syncthreads();
    const auto each = [&](const auto& look) {
      for (std::size_t k = threadIdx.x; k < mine.cell_count * work_.cell; k += threads) {
        const std::size_t s = mine.cells[k / work_.cell] * work_.cell + k % work_.cell;
        if (s < work_.count) look(s, mine.cells[k / work_.cell]);
      }
      __syncthreads();
    };
    each([&](std::size_t s, std::uint16_t& cell) {
      if (work_.segments.begin(s) > work_.segments.end(s)) mine.wrong[&cell - mine.cells] = true;
    });
    each([&](std::size_t s, std::uint16_t& cell) {
      if (mine.wrong[&cell - mine.cells] || work_.range_of(s, false).size() < work_.long_items) return;
      mine.segments[atomicAdd(&mine.segment_count, 1U)] = s;
    });
  }

  /// A segment has as many slices as fit, of which the last has what is left too: so no two of all segments begin
  /// within the same items, from one multiple of long_items to the next, by which slices are numbered.
  [[nodiscard]] __device__ std::size_t first_slice(const segment_items& of) const {
    return of.begin / work_.long_items;
  }
  [[nodiscard]] __device__ unsigned slices(const segment_items& of) const {
    return static_cast<unsigned>(of.size() / work_.long_items);
  }
  /// Those of a segment that this block has.
  __device__ void reduce_slices(std::size_t segment, room& mine) const {
    const segment_items whole = work_.range_of(segment, false);
    const unsigned many = slices(whole);
    const auto first = static_cast<unsigned>(first_slice(whole) % work_.helpers);
    for (unsigned k = (blockIdx.x + work_.helpers - first) % work_.helpers; k < many; k += work_.helpers) {
      const std::size_t begin = whole.begin + k * work_.long_items;
      const segment_items slice{begin, k + 1 == many ? whole.end : begin + work_.long_items};
      const Result part = combine_block<threads>(work_.fold(slice, threadIdx.x, threads), work_.op, mine.values);
      if (threadIdx.x == 0) work_.slots.publish(first_slice(whole) + k, part);
      __syncthreads();
    }
  }
  /// Puts the parts of a segment together, if its first one is this block's.
  __device__ void collect(std::size_t segment, room& mine) const {
    const segment_items whole = work_.range_of(segment, false);
    if (first_slice(whole) % work_.helpers != blockIdx.x) return;
    const unsigned many = slices(whole);
    const unsigned share = (many + threads - 1) / threads;
    Result value = work_.op.template identity<Result>();
    for (unsigned k = threadIdx.x * share; k < ::min(threadIdx.x * share + share, many); ++k) {
      value = work_.op(value, work_.slots.collect(first_slice(whole) + k));
    }
    value = combine_block<threads>(value, work_.op, mine.values);
    if (threadIdx.x == 0) work_.results[segment] = value;
    __syncthreads();
  }

  const work_type& work_;
};

/// All blocks. Helped: the first ones take very long segments; first, so that they run at the same time.
template <bool Helped, class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(tuning::each_threads, tuning::each_blocks_a_processor)
    reduce_each(const __grid_constant__ each_work<T, Result, Segments, Op> work) {
  constexpr unsigned threads = tuning::each_threads;
  using helper = long_segments<T, Result, Segments, Op>;
  using segments = each_segments<threads, T, Result, Segments, Op>;
  __shared__ typename segments::room room;
  unsigned block = blockIdx.x;
  if constexpr (Helped) {
    __shared__ typename helper::room helpers_room;
    if (block < work.helpers) {
      helper(work).reduce(helpers_room);
      return;
    }
    block -= work.helpers;
  }
  // Asks for the items that the block has if segments are alike, so that they come while the offsets do.
  constexpr unsigned line = 128 / sizeof(T);
  const std::size_t at = block * work.slice + threadIdx.x * line;
  if (threadIdx.x * line < work.slice && at < work.n) asm volatile("prefetch.global.L2 [%0];" ::"l"(work.items + at));
  const auto leave = [&](std::size_t segment) {
    if constexpr (Helped) return helper(work).are_taken(segment);
    return false;
  };
  segments(work, room).reduce_from(std::size_t{block} * (threads >> work.lane_bits), leave);
}

}  // namespace peneira::detail
