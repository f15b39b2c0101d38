// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One level of a sort from the highest bits down: every segment, a run of items whose higher bits agree, is split by
// its next bits. What comes out is small enough to be sorted by one block, a task, or a segment of the next level.
//
//   count_segments   block k counts its share of all segments' items: sums of each segment, a row of each piece (k, s)
//   divide_segments  a block a segment: where each bin begins; writes tasks and the segments of the next level
//   scatter_segments block k splits its pieces, each bin's run behind those of the pieces before it
//
// All segments together are shared out evenly, whatever their sizes: piece k + s is what block k has of segment s, so
// rows need no list. A segment whose items all have the same digit is not moved; the bits in which its items do differ
// were found in counting, and the next level begins there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/columns.cuh"
#include "peneira/sort/key_order.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include <cub/block/block_scan.cuh>

#include "peneira/device/runtime.cuh"
#include "peneira/device/scatter.cuh"
#endif

namespace peneira::detail {

/// The arrays that a segment can lie in.
enum class sort_buffer : std::uint32_t { in, between, out };

/// A run of items that agree in all bits from `bits` on.
struct sort_segment {
  std::uint64_t shared_begin;  ///< where it begins when the items of all segments are shared out
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t first;  ///< the ordered number of its first key
  std::uint32_t bits;
  sort_buffer where;
  std::uint32_t stays;  ///< one digit throughout: not moved in this level
};

/// A run of items for one block: to sort by their ordered numbers less `base`, of `bits` bits; 0 bits: to copy.
struct sort_task {
  std::uint64_t begin;
  std::uint64_t base;
  std::uint32_t size;
  std::uint16_t bits;
  std::uint16_t where;  ///< a sort_buffer
};

/// How many segments a level has, and of how many items: one word, so that one atomic addition appends a segment.
struct segment_count {
  static constexpr unsigned item_bits = 40;
  unsigned long long packed;

  PENEIRA_HD static constexpr segment_count one(std::uint64_t items) { return {(1ULL << item_bits) | items}; }
  [[nodiscard]] PENEIRA_HD std::uint64_t segments() const { return packed >> item_bits; }
  [[nodiscard]] PENEIRA_HD std::uint64_t items() const { return packed & ((1ULL << item_bits) - 1); }
};

/// Counts or positions, of 32 bits where that is enough.
struct level_counts {
  void* words;
  bool wide;

  static std::size_t bytes(std::size_t count, bool wide) { return count * (wide ? 8 : 4); }
#if defined(__CUDACC__)
  [[nodiscard]] __device__ std::uint64_t get(std::size_t at) const {
    return wide ? static_cast<const std::uint64_t*>(words)[at] : static_cast<const std::uint32_t*>(words)[at];
  }
  __device__ void set(std::size_t at, std::uint64_t value) const {
    if (wide) {
      static_cast<std::uint64_t*>(words)[at] = value;
    } else {
      static_cast<std::uint32_t*>(words)[at] = static_cast<std::uint32_t>(value);
    }
  }
  /// Returns what was there before.
  [[nodiscard]] __device__ std::uint64_t add(std::size_t at, std::uint32_t more) const {
    return wide ? atomicAdd(static_cast<unsigned long long*>(words) + at, std::uint64_t{more})
                : atomicAdd(static_cast<std::uint32_t*>(words) + at, more);
  }
#endif
};

/// What the kernels of a level know.
struct sort_level {
  sort_segment* segments;
  sort_segment* next_segments;
  segment_count* count;    ///< of the segments; that of the next level follows
  level_counts sums;       ///< of each segment: items of each digit; once divided, where they go
  level_counts next_sums;  ///< set to zero for the next level
  level_counts rows;       ///< of each piece: items of each digit; in any order, those of pieces that came before
  unsigned long long* differing;  ///< of each segment: the bits in which keys differ from the first
  unsigned long long* next_differing;
  sort_task* tasks;
  std::uint32_t* task_count;
  sort_task* large_tasks;
  std::uint32_t* large_task_count;
  std::size_t items;  ///< of the call
  std::uint32_t digit_bits;
  std::uint32_t next_bins;
  std::uint32_t key_bits;
  std::uint32_t task_items;        ///< at most of a task
  std::uint32_t large_task_items;  ///< at most of a large one
  std::uint32_t copy_items;        ///< of one that copies
  sort_buffer first_to;            ///< where items go from the input
  bool first;                      ///< the one segment is the input
  bool stable;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return 1U << digit_bits; }
  [[nodiscard]] PENEIRA_HD unsigned shift_of(std::uint32_t bits) const {
    return bits > digit_bits ? bits - digit_bits : 0;
  }
  [[nodiscard]] PENEIRA_HD std::uint32_t copies_of(std::uint64_t size) const {
    return static_cast<std::uint32_t>((size + copy_items - 1) / copy_items);
  }
  [[nodiscard]] PENEIRA_HD sort_buffer target_of(sort_buffer from) const {
    if (from == sort_buffer::in) return first_to;
    return from == sort_buffer::out ? sort_buffer::between : sort_buffer::out;
  }
};

/// Keys and values in each of the arrays.
template <class U, class V>
struct sort_arrays {
  view<const U, const V> in;
  view<U, V> between;
  view<U, V> out;

  [[nodiscard]] PENEIRA_HD view<const U, const V> from(sort_buffer where) const {
    return where == sort_buffer::in ? in : where == sort_buffer::out ? out : between;
  }
  [[nodiscard]] PENEIRA_HD view<U, V> to(sort_buffer where) const { return where == sort_buffer::out ? out : between; }
};

/// Some bits of an ordered key.
template <class U>
struct key_digit {
  static constexpr bool safe = true;
  key_order<U> by;
  unsigned shift;
  std::uint32_t mask;

  PENEIRA_HD std::uint32_t operator()(const U& raw) const {
    return static_cast<std::uint32_t>(by(raw) >> shift) & mask;
  }
};

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

template <class U, class V>
__global__ void __launch_bounds__(tuning::count_threads)
    count_segments(sort_arrays<U, V> arrays, key_order<U> by, sort_level level) {
  constexpr int group = items_of_16_bytes(sizeof(U));
  constexpr int ahead = 4;  // groups in flight
  auto* const counts = shared_memory<std::uint32_t>();
  wait_for_kernels_before();
  let_next_kernel_start();
  if (level.first && blockIdx.x == 0 && threadIdx.x == 0) {
    *level.count = segment_count::one(level.items);
    level.segments[0] = level_share::whole(level);
  }
  const segment_count all = level.first ? segment_count::one(level.items) : *level.count;
  const level_share share(level, all);
  const std::uint32_t bins = level.bins();
  share.for_each(level, [&](std::uint64_t s, const sort_segment& segment, item_range mine, std::uint64_t row) {
    for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    const U* const keys = arrays.from(segment.where).keys;
    const unsigned shift = level.shift_of(segment.bits);
    const U first = by(keys[segment.begin]);
    if (threadIdx.x == 0 && mine.begin == segment.begin) level.segments[s].first = first;
    U differ = 0;
    const auto count = [&](U raw) {
      const U ordered = by(raw);
      differ |= ordered ^ first;
      atomicAdd(&counts[static_cast<std::uint32_t>(ordered >> shift) & (bins - 1)], 1U);
    };
    const std::size_t begin = (mine.begin + group - 1) / group * group;
    const std::size_t stride = std::size_t{blockDim.x} * group * ahead;
    const std::size_t strides = aligned_for<U, group>(keys) && begin < mine.end ? (mine.end - begin) / stride : 0;
    const std::size_t rest = strides == 0 ? mine.begin : begin + strides * stride;
    for (std::size_t at = rest + threadIdx.x; at < mine.end; at += blockDim.x) count(keys[at]);
    if (strides != 0 && mine.begin + threadIdx.x < begin) count(keys[mine.begin + threadIdx.x]);
    // From the end on, so that the cache still holds the beginning when the items are read again.
    for (std::size_t k = strides; k-- > 0;) {
      const U* const own = keys + begin + k * stride + threadIdx.x * group;
      alignas(16) U some[ahead][group];
#pragma unroll
      for (int a = 0; a < ahead; ++a) copy_group<group>(some[a], own + a * blockDim.x * group);
#pragma unroll
      for (int a = 0; a < ahead; ++a) {
#pragma unroll
        for (int g = 0; g < group; ++g) count(some[a][g]);
      }
    }
    const std::uint32_t low = __reduce_or_sync(all_lanes, static_cast<std::uint32_t>(differ));
    const std::uint32_t high =
        sizeof(U) < 8 ? 0 : __reduce_or_sync(all_lanes, static_cast<std::uint32_t>(std::uint64_t{differ} >> 32U));
    const std::uint64_t both = low | std::uint64_t{high} << 32U;
    if (threadIdx.x % 32 == 0 && (level.differing[s] & both) != both) atomicOr(&level.differing[s], both);
    __syncthreads();
    for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) {
      const std::uint32_t here = counts[b];
      const std::uint64_t before = here == 0 ? 0 : level.sums.add(s * bins + b, here);
      level.rows.set(row * bins + b, level.stable ? here : before);
    }
    __syncthreads();
  });
}

/// Threads of a block that divides segments: one a digit.
inline constexpr unsigned divide_threads = 1U << tuning::level_bits;

/// Appends tasks that copy `size` equal items from where they are to where they belong, one thread's part of them.
__device__ inline void append_copies(const sort_level& level, std::uint64_t begin, std::uint64_t size,
                                     sort_buffer where, unsigned thread, unsigned threads, std::uint32_t at) {
  const std::uint32_t copies = level.copies_of(size);
  for (std::uint32_t c = thread; c < copies; c += threads) {
    const std::uint64_t done = std::uint64_t{c} * level.copy_items;
    const auto here = static_cast<std::uint32_t>(size - done < level.copy_items ? size - done : level.copy_items);
    level.tasks[at + c] = {begin + done, 0, here, 0, static_cast<std::uint16_t>(where)};
  }
}

/// Appends a segment to the next level.
__device__ inline void append_segment(const sort_level& level, std::uint64_t begin, std::uint64_t size,
                                      std::uint32_t bits, sort_buffer where) {
  const segment_count before{atomicAdd(&level.count[1].packed, segment_count::one(size).packed)};
  level.next_segments[before.segments()] = {before.items(), begin, size, 0, bits, where, 0};
}

static __global__ void __launch_bounds__(divide_threads) divide_segments(sort_level level) {
  using scan = cub::BlockScan<std::uint64_t, divide_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage scratch;
  __shared__ std::uint64_t starts[divide_threads];
  __shared__ std::uint64_t halves[divide_threads];
  __shared__ std::uint32_t heads[divide_threads / 32];  // a bit a digit: a task or something larger begins there
  __shared__ std::uint32_t slots;
  wait_for_kernels_before();
  let_next_kernel_start();
  const segment_count all = *level.count;
  const std::uint32_t bins = level.bins();
  const unsigned digit = threadIdx.x;
  for (std::uint64_t s = blockIdx.x; s < all.segments(); s += gridDim.x) {
    const sort_segment segment = level.segments[s];
    const std::uint64_t size = digit < bins ? level.sums.get(s * bins + digit) : 0;
    const std::uint64_t differ = level.differing[s];
    std::uint64_t start = 0;
    scan(scratch).ExclusiveSum(size, start);
    const bool one_digit = __syncthreads_or(size == segment.size ? 1 : 0) != 0;

    if (one_digit) {
      const auto bits = static_cast<std::uint32_t>(64 - __clzll(static_cast<long long>(differ)));
      const bool copies = bits == 0 && segment.where != sort_buffer::out;
      if (digit == 0) {
        level.segments[s].stays = 1;
        if (bits != 0) append_segment(level, segment.begin, segment.size, bits, segment.where);
        if (copies) slots = atomicAdd(level.task_count, level.copies_of(segment.size));
      }
      __syncthreads();
      if (copies) append_copies(level, segment.begin, segment.size, segment.where, digit, divide_threads, slots);
      __syncthreads();
      continue;
    }
    if (digit < bins) level.sums.set(s * bins + digit, segment.begin + start);

    // What is left to do for each digit's items. Small neighbours go together: they begin in the same half task.
    const unsigned shift = level.shift_of(segment.bits);
    const sort_buffer target = level.target_of(segment.where);
    const bool done = shift == 0 && target == sort_buffer::out;
    const std::uint32_t half = level.task_items / 2;
    const bool small = size <= half;
    halves[digit] = small ? start / half : ~std::uint64_t{0};
    starts[digit] = start;
    if (digit == 0) slots = 0;
    __syncthreads();
    const bool head = digit == 0 || !small || halves[digit - 1] != halves[digit];
    const unsigned ballot = __ballot_sync(all_lanes, head);
    if (digit % 32 == 0) heads[digit / 32] = ballot;
    __syncthreads();
    sort_task task{};
    bool is_task = false;
    if (head && digit < bins && !done) {
      unsigned last = digit + 1;  // one behind the last digit of the task
      while (small && last < bins && (heads[last / 32] >> (last % 32) & 1U) == 0) ++last;
      const std::uint64_t together = (last < bins ? starts[last] : segment.size) - start;
      const std::uint64_t begin = segment.begin + start;
      const unsigned above = shift + level.digit_bits;
      const std::uint64_t base = (above >= 64 ? 0 : segment.first >> above << above) | std::uint64_t{digit} << shift;
      const std::uint64_t range = std::uint64_t{last - digit - 1} << shift | ((std::uint64_t{1} << shift) - 1);
      task = {begin, base, static_cast<std::uint32_t>(together),
              static_cast<std::uint16_t>(64 - __clzll(static_cast<long long>(range))),
              static_cast<std::uint16_t>(target)};
      if (!small && shift == 0) {  // all equal
        append_copies(level, begin, size, target, 0, 1, atomicAdd(level.task_count, level.copies_of(size)));
      } else if (together > level.large_task_items) {
        append_segment(level, begin, size, shift, target);
      } else if (together > level.task_items) {
        level.large_tasks[atomicAdd(level.large_task_count, 1U)] = task;
      } else {
        is_task = together != 0;
      }
    }
    std::uint32_t slot = 0;
    if (is_task) slot = atomicAdd(&slots, 1U);
    __syncthreads();
    if (digit == 0) slots = atomicAdd(level.task_count, slots);
    __syncthreads();
    if (is_task) level.tasks[slots + slot] = task;
    __syncthreads();
  }
}

/// What a block splits, in shared memory: registers are short where it is needed.
template <class U, class V>
struct sort_piece {
  view<const U, const V> in;
  view<U, V> out;
  key_digit<U> digit;
};

template <bool Stable, class Shape, class U, class V>
__global__ void __launch_bounds__(Shape::threads, Shape::large ? 1 : 2)
    scatter_segments(sort_arrays<U, V> arrays, key_order<U> by, sort_level level, std::uint32_t chains) {
  __shared__ std::uint32_t sums[Shape::threads / 32];
  __shared__ alignas(16) unsigned char piece_memory[sizeof(sort_piece<U, V>)];
  __shared__ alignas(16) unsigned char share_memory[sizeof(level_share)];
  static_assert(sizeof(sums) + sizeof(piece_memory) + sizeof(share_memory) <= tile_static_bytes);
  auto& piece = *reinterpret_cast<sort_piece<U, V>*>(piece_memory);
  auto& share = *reinterpret_cast<level_share*>(share_memory);
  const tile_block<Stable, Shape, U, V> block(level.bins(), chains, sums);
  wait_for_kernels_before();
  let_next_kernel_start();
  const segment_count all = *level.count;
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
    std::uint64_t next = level.sums.get(s * bins + bin);
    if constexpr (Stable) {  // behind all pieces before this one
      const std::uint64_t first_row = segment.shared_begin / share.items() + s;
#pragma unroll 8
      for (std::uint64_t r = first_row; r < row; ++r) next += level.rows.get(r * bins + bin);
    } else {
      next += level.rows.get(row * bins + bin);
    }
    if (threadIdx.x == 0) {
      piece = {arrays.from(segment.where),
               arrays.to(level.target_of(segment.where)),
               {by, level.shift_of(segment.bits), level.bins() - 1}};
    }
    __syncthreads();
    split_slice(block, piece.in, piece.out, piece.digit, mine, next, false, [](std::uint32_t, std::uint64_t) {});
  });
}

#endif

}  // namespace peneira::detail
