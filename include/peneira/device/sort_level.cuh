// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One level of a sort from the highest bits down: every segment, a run of items whose higher bits agree, is split by
// its next bits. What comes out is small enough to be sorted by one block, a task, or a segment of the next level.
//
//   count_segments   block k counts its share of all segments' items -> a row of counts for each piece (block, segment)
//   divide_segments  a block a segment: sums along its pieces, where each bin begins; writes tasks and next segments
//   scatter_segments block k splits its pieces, each bin's run where its row says
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

/// What the kernels of a level know.
struct sort_level {
  sort_segment* segments;
  sort_segment* next_segments;
  segment_count* count;      ///< of the segments; those of all further levels follow
  std::uint32_t* columns;    ///< a row a piece: counts, then where each bin goes; two words each where `wide`
  std::uint64_t* differing;  ///< of a piece: the bits in which its keys differ from the segment's first
  sort_task* tasks;
  std::uint32_t* task_count;
  std::size_t items;     ///< of the call
  std::uint32_t levels;  ///< this and further ones
  std::uint32_t digit_bits;
  std::uint32_t key_bits;
  std::uint32_t task_items;  ///< at most of a task
  std::uint32_t copy_items;  ///< of a task that copies
  sort_buffer first_to;      ///< where items go from the input
  bool first;                ///< the one segment is the input
  bool wide;                 ///< positions have 64 bits

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return 1U << digit_bits; }
  [[nodiscard]] PENEIRA_HD unsigned shift_of(std::uint32_t bits) const {
    return bits > digit_bits ? bits - digit_bits : 0;
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
  __shared__ unsigned differing[2];
  wait_for_kernels_before();
  let_next_kernel_start();
  if (level.first && blockIdx.x == 0) {
    for (unsigned l = threadIdx.x; l < level.levels + 1; l += blockDim.x) {
      level.count[l] = l == 0 ? segment_count::one(level.items) : segment_count{0};
    }
    if (threadIdx.x == 0) *level.task_count = 0;
    if (threadIdx.x == 0) level.segments[0] = level_share::whole(level);
    __syncthreads();  // before the first key is noted below
  }
  const segment_count all = level.first ? segment_count::one(level.items) : *level.count;
  const level_share share(level, all);
  const std::uint32_t bins = level.bins();
  share.for_each(level, [&](std::uint64_t s, const sort_segment& segment, item_range mine, std::uint64_t row) {
    for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
    if (threadIdx.x < 2) differing[threadIdx.x] = 0;
    __syncthreads();
    const U* const keys = arrays.from(segment.where).keys;
    const key_digit<U> digit{by, level.shift_of(segment.bits), bins - 1};
    const U first = by(keys[segment.begin]);
    if (threadIdx.x == 0 && mine.begin == segment.begin) level.segments[s].first = first;
    U differ = 0;
    const auto count = [&](U raw) {
      const U ordered = by(raw);
      differ |= ordered ^ first;
      atomicAdd(&counts[static_cast<std::uint32_t>(ordered >> digit.shift) & digit.mask], 1U);
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
    const unsigned low = __reduce_or_sync(all_lanes, static_cast<unsigned>(differ));
    const unsigned high =
        sizeof(U) < 8 ? 0 : __reduce_or_sync(all_lanes, static_cast<unsigned>(std::uint64_t{differ} >> 32U));
    if (threadIdx.x % 32 == 0 && low != 0) atomicOr(&differing[0], low);
    if (threadIdx.x % 32 == 0 && high != 0) atomicOr(&differing[1], high);
    __syncthreads();
    for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) {
      const std::size_t at = row * bins + b;
      if (level.wide) {
        reinterpret_cast<std::uint64_t*>(level.columns)[at] = counts[b];
      } else {
        level.columns[at] = counts[b];
      }
    }
    if (threadIdx.x == 0) level.differing[row] = differing[0] | std::uint64_t{differing[1]} << 32U;
    __syncthreads();
  });
}

/// Threads of a block that divides segments.
inline constexpr unsigned divide_threads = 1024;

/// Appends tasks that copy items from where they are to where they belong; called by `threads` threads together.
__device__ inline void append_copies(const sort_level& level, std::uint64_t begin, std::uint64_t size,
                                     sort_buffer where, unsigned thread, unsigned threads, std::uint32_t at) {
  const std::uint64_t copies = (size + level.copy_items - 1) / level.copy_items;
  for (std::uint64_t c = thread; c < copies; c += threads) {
    const std::uint64_t done = c * level.copy_items;
    const std::uint64_t left = size - done;
    level.tasks[at + c] = {begin + done, 0,
                           static_cast<std::uint32_t>(left < level.copy_items ? left : level.copy_items), 0,
                           static_cast<std::uint16_t>(where)};
  }
}

static __global__ void __launch_bounds__(divide_threads) divide_segments(sort_level level, std::uint32_t blocks) {
  using scan = cub::BlockScan<std::uint64_t, divide_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage scratch;
  __shared__ std::uint64_t sums[divide_threads];
  __shared__ unsigned long long differing;
  __shared__ std::uint32_t heads[divide_threads / 32];  // a bit a digit: a task or something larger begins there
  __shared__ std::uint32_t shared_at;
  wait_for_kernels_before();
  let_next_kernel_start();
  const segment_count all = *level.count;
  const std::uint64_t share = level_share::share_of(all.items(), blocks);
  const std::uint32_t bins = level.bins();
  const unsigned groups = divide_threads / bins;  // of threads, each of which adds up some of the pieces
  const unsigned digit = threadIdx.x % bins;
  const unsigned group = threadIdx.x / bins;
  for (std::uint64_t s = blockIdx.x; s < all.segments(); s += gridDim.x) {
    sort_segment segment = level.segments[s];
    const std::uint64_t first_row = segment.shared_begin / share + s;
    const auto rows = static_cast<unsigned>((segment.shared_begin + segment.size - 1) / share + s - first_row + 1);
    if (threadIdx.x == 0) differing = 0;
    __syncthreads();
    if (threadIdx.x < rows) {
      const std::uint64_t some = level.differing[first_row + threadIdx.x];
      if (some != 0) atomicOr(&differing, some);
    }

    // How many items of each digit there are, and in the pieces of the groups before.
    const unsigned each = (rows + groups - 1) / groups;
    const unsigned begin = ::min(group * each, rows);
    const unsigned end = ::min(begin + each, rows);
    auto* const narrow = level.columns + first_row * bins + digit;
    auto* const wide = reinterpret_cast<std::uint64_t*>(level.columns) + first_row * bins + digit;
    std::uint64_t sum = 0;
#pragma unroll 8
    for (unsigned r = begin; r < end; ++r) {
      sum += level.wide ? wide[std::size_t{r} * bins] : narrow[std::size_t{r} * bins];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    std::uint64_t size = 0;
    if (group == 0) {
      for (unsigned g = 0; g < groups; ++g) {
        const std::uint64_t here = sums[g * bins + digit];
        sums[g * bins + digit] = size;
        size += here;
      }
    }
    std::uint64_t start = 0;
    scan(scratch).ExclusiveSum(size, start);
    const bool one_digit = __syncthreads_or(group == 0 && size == segment.size ? 1 : 0) != 0;
    const std::uint64_t differ = differing;

    if (one_digit) {
      const auto bits = static_cast<std::uint32_t>(64 - __clzll(static_cast<long long>(differ)));
      if (threadIdx.x == 0) {
        level.segments[s].stays = 1;
        if (bits != 0) {
          segment_count* const next = level.count + 1;
          const segment_count before{atomicAdd(&next->packed, segment_count::one(segment.size).packed)};
          level.next_segments[before.segments()] = {
              before.items(), segment.begin, segment.size, 0, bits, segment.where, 0};
        } else if (segment.where != sort_buffer::out) {
          shared_at = atomicAdd(level.task_count,
                                static_cast<std::uint32_t>((segment.size + level.copy_items - 1) / level.copy_items));
        }
      }
      __syncthreads();
      if (bits == 0 && segment.where != sort_buffer::out) {
        append_copies(level, segment.begin, segment.size, segment.where, threadIdx.x, blockDim.x, shared_at);
      }
      __syncthreads();
      continue;
    }

    // Where each piece's items of each digit go.
    if (group == 0) {
      for (unsigned g = 0; g < groups; ++g) sums[g * bins + digit] += segment.begin + start;
    }
    __syncthreads();
    std::uint64_t next = sums[threadIdx.x];
    for (unsigned r = begin; r < end; ++r) {
      if (level.wide) {
        const std::uint64_t count = wide[std::size_t{r} * bins];
        wide[std::size_t{r} * bins] = next;
        next += count;
      } else {
        const std::uint32_t count = narrow[std::size_t{r} * bins];
        narrow[std::size_t{r} * bins] = static_cast<std::uint32_t>(next);
        next += count;
      }
    }

    // What is left to do for each digit's items. Small neighbours go together: they begin in the same half task.
    const unsigned shift = level.shift_of(segment.bits);
    const sort_buffer target = level.target_of(segment.where);
    const bool done = shift == 0 && target == sort_buffer::out;
    const std::uint32_t half = level.task_items / 2;
    const bool mine = group == 0;
    const bool small = size <= half;
    if (mine) sums[digit] = small ? start / half : ~std::uint64_t{0};
    __syncthreads();
    const bool head = mine && (digit == 0 || !small || sums[digit - 1] != sums[digit]);
    const unsigned ballot = __ballot_sync(all_lanes, head);
    if (mine && threadIdx.x % 32 == 0) heads[threadIdx.x / 32] = ballot;
    if (mine) sums[digit] = start;
    if (threadIdx.x == 0) shared_at = 0;
    __syncthreads();
    sort_task task{};
    bool is_task = false;
    if (head && !done) {
      unsigned last = digit + 1;  // one behind the last digit of the task
      if (small) {
        while (last < bins && (heads[last / 32] >> (last % 32) & 1U) == 0) ++last;
      }
      const std::uint64_t task_size = (last < bins ? sums[last] : segment.size) - start;
      const std::uint64_t high = shift + level.digit_bits >= 64
                                     ? 0
                                     : segment.first >> (shift + level.digit_bits) << (shift + level.digit_bits);
      const std::uint64_t base = high | std::uint64_t{digit} << shift;
      if (task_size == 0) {
      } else if (!small && shift == 0) {  // all equal
        const auto copies = static_cast<std::uint32_t>((size + level.copy_items - 1) / level.copy_items);
        append_copies(level, segment.begin + start, size, target, 0, 1, atomicAdd(level.task_count, copies));
      } else if (task_size > level.task_items) {
        segment_count* const counter = level.count + 1;
        const segment_count before{atomicAdd(&counter->packed, segment_count::one(size).packed)};
        level.next_segments[before.segments()] = {before.items(), segment.begin + start, size, 0, shift, target, 0};
      } else {
        const std::uint64_t range = std::uint64_t{last - digit - 1} << shift | ((std::uint64_t{1} << shift) - 1);
        const auto bits = static_cast<std::uint16_t>(64 - __clzll(static_cast<long long>(range)));
        task = {segment.begin + start, base, static_cast<std::uint32_t>(task_size), bits,
                static_cast<std::uint16_t>(target)};
        is_task = true;
      }
    }
    std::uint32_t slot = 0;
    if (is_task) slot = atomicAdd(&shared_at, 1U);
    __syncthreads();
    if (threadIdx.x == 0) shared_at = atomicAdd(level.task_count, shared_at);
    __syncthreads();
    if (is_task) level.tasks[shared_at + slot] = task;
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
  __syncthreads();
  share.for_each(level, [&](std::uint64_t s, const sort_segment& segment, item_range mine, std::uint64_t row) {
    if (level.segments[s].stays != 0 || mine.begin >= mine.end) return;
    const std::uint32_t bin = ::min(threadIdx.x, level.bins() - 1);
    const std::size_t at = row * level.bins() + bin;
    const std::uint64_t next =
        level.wide ? reinterpret_cast<const std::uint64_t*>(level.columns)[at] : level.columns[at];
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
