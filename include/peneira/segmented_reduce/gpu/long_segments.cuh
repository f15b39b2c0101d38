// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Very long segments among few items: some blocks, the helpers, have no segments of their own but look for those that
// would keep one block busy for long, and share these out. Each helper looks at the borders of the same cells of
// neighbouring segments, and into those cells that have many items, so that all find the same without a word:
//
//   cells     |  12  |   9  | 70000 |  15  | ...         looked at once, all at the same time
//   slices                   [16 Ki][16 Ki]...[16 Ki+]   slice k of all items is helper k mod h's
//   parts                       └──────┴───────┴──stamped slots──► the helper of the first slice
//
// Where nothing is very long, nobody waits for anybody. Where offsets descend, cells lie: then the block that such a
// segment belongs to takes it. Whoever asks finds the same answer, of the same offsets.
#pragma once

#include "peneira/segmented_reduce/gpu/per_segment.cuh"
#include "peneira/segmented_reduce/gpu/segment_cuts.cuh"

namespace peneira::detail {

/// Segments that offsets bound; of those of one size the plan knows that none is very long.
template <unsigned Threads, class T, class Result, class Segments, class Op>
class long_segments {
  using work_type = each_work<T, Result, Segments, Op>;
  using position = position_of<typename Segments::offset>;
  static constexpr unsigned threads = Threads;

 public:
  /// A segment that is very long, and its slices.
  struct sliced_segment {
    unsigned segment;
    unsigned first;
    unsigned slices;
  };
  /// What a helper has in shared memory.
  struct room {
    unsigned cell_count;
    unsigned segment_count;
    std::uint16_t cells[tuning::each_slices];  ///< that have many items
    bool wrong[tuning::each_slices];           ///< of these, whether offsets descend
    sliced_segment segments[tuning::each_slices];
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
    constexpr unsigned looks = (tuning::each_cells + threads - 1) / threads;  // behind the last cell lies nothing
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
      const segment_items found = work_.range_of(s, false);
      if (mine.wrong[&cell - mine.cells] || found.size() < work_.long_items) return;
      mine.segments[atomicAdd(&mine.segment_count, 1U)] = slices_of(static_cast<unsigned>(s), found);
    });
  }

  /// A segment has as many slices as fit, of which the last has what is left too: so no two of all segments begin
  /// within the same items, from one multiple of a slice to the next, by which slices are numbered.
  [[nodiscard]] __device__ sliced_segment slices_of(unsigned segment, const segment_items& of) const {
    return {segment, static_cast<unsigned>(of.begin >> work_.slice_bits),
            static_cast<unsigned>(of.size() >> work_.slice_bits)};
  }
  /// Those of a segment that this block has.
  __device__ void reduce_slices(const sliced_segment& of, room& mine) const {
    const std::size_t size = std::size_t{1} << work_.slice_bits;
    for (unsigned k = (blockIdx.x + work_.helpers - of.first % work_.helpers) % work_.helpers; k < of.slices;
         k += work_.helpers) {
      const segment_items whole = work_.range_of(of.segment, false);
      const std::size_t begin = whole.begin + k * size;
      const segment_items slice{begin, k + 1 == of.slices ? whole.end : begin + size};
      const Result part = combine_block<threads>(work_.fold_many(slice, threadIdx.x, threads), work_.op, mine.values);
      if (threadIdx.x == 0) work_.slots.publish(of.first + k, part);
      __syncthreads();
    }
  }
  /// Puts the parts of a segment together, if its first one is this block's.
  __device__ void collect(const sliced_segment& of, room& mine) const {
    if (of.first % work_.helpers != blockIdx.x) return;
    const unsigned share = (of.slices + threads - 1) / threads;
    Result value = work_.op.template identity<Result>();
    for (unsigned k = threadIdx.x * share; k < ::min(threadIdx.x * share + share, of.slices); ++k) {
      value = work_.op(value, work_.slots.collect(of.first + k));
    }
    value = combine_block<threads>(value, work_.op, mine.values);
    if (threadIdx.x == 0) work_.results[of.segment] = value;
    __syncthreads();
  }

  const work_type& work_;
};

/// All blocks. Helped: the first ones take very long segments; first, so that they run at the same time.
template <bool Helped, unsigned Threads, class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(Threads, tuning::each_blocks_a_processor* tuning::each_threads / Threads)
    reduce_each(const __grid_constant__ each_work<T, Result, Segments, Op> work) {
  using helper = long_segments<Threads, T, Result, Segments, Op>;
  using segments = each_segments<Threads, T, Result, Segments, Op>;
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
  const auto leave = [&](std::size_t segment) {
    if constexpr (Helped) return helper(work).are_taken(segment);
    return false;
  };
  segments(work, room).reduce_from(std::size_t{block} * (Threads >> work.lane_bits), leave, [&] {
    work.ask_ahead(block);
  });
}

}  // namespace peneira::detail
