// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How a block reduces its share of the segments by a commutative operator. A part is what
// of a segment lies in the share; all but the last end there.
//
//   parts of a few items on average     lanes in groups of a size that suits the average take one each
//   longer ones on average              a warp takes one
//   far longer than the average         wait in a list for a warp
//   giants                              wait in a list for all warps, each of which takes a stretch
//
// Who takes what depends on lengths alone, so the result has the same bits on every run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/combine.cuh"
#include "peneira/device/group.cuh"
#include "peneira/device/pipeline.cuh"
#include "peneira/device/shares.cuh"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/share_shape.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// What a block found.
template <class Result>
struct share_ends {
  Result head;  ///< the first segment that ended, as far as the block knows it; the only result that it did not write
  Result tail;  ///< what came after the last end
};

/// Bytes from begin to before end.
struct byte_range {
  const unsigned char* begin;
  const unsigned char* end;
};

template <class T, class Result, class Borders, class Op>
class segment_share {
 public:
  /// `items` are the share's, `first_item` is the first one's position in the input; results go to `results` from the
  /// second part on.
  __device__ segment_share(const T* items, byte_range input, std::size_t first_item, unsigned count,
                           const Borders& borders, const Op& op, Result* results, share_ends<Result>& found)
      : items_(items),
        input_(input),
        first_item_(first_item),
        items_here_(count),
        borders_(borders),
        parts_(borders.parts()),
        op_(op),
        results_(results),
        found_(found),
        giant_(::max(4096U, count / most_giants + 1)) {}

  /// All threads come here together.
  __device__ void reduce() {
    if (threadIdx.x == 0) lists()[0] = lists()[1] = 0;
    __syncthreads();
    const unsigned average = items_here_ / parts_;
    if (average > tuning::segment_group_items) {
      take_by_warps();
    } else {
      take_by_groups_of(average);
    }
    __syncthreads();
    take_long();
    take_giants();
  }
  /// Whether the offsets that this thread saw were in order.
  [[nodiscard]] __device__ bool valid() const { return valid_; }

 private:
  static constexpr unsigned threads = tuning::segment_threads;
  static constexpr unsigned warps = threads / 32;

  static constexpr unsigned turn_parts = share_turn_parts;

  struct range {
    unsigned begin;
    unsigned end;
  };
  /// The part between two borders. Wrong ones lead nowhere.
  [[nodiscard]] __device__ range between(unsigned begin, unsigned end) {
    valid_ = valid_ && begin <= end && end <= items_here_;
    begin = ::min(begin, items_here_);
    return {begin, ::min(::max(begin, end), items_here_)};
  }
  [[nodiscard]] __device__ range range_of(unsigned part) {
    return between(borders_.counted(borders_.read(part)), borders_.counted(borders_.read(part + 1)));
  }
  __device__ void combine(Result& with, const T& item, unsigned at) const {
    with = op_(with, lifted<Result>(op_, item, first_item_ + at));
  }
  /// One thread has all of a part.
  __device__ void give(unsigned part, const Result& value) const {
    if (part + 1 == parts_) {
      found_.tail = value;
    } else if (part == 0) {
      found_.head = value;
    } else {
      results_[part] = value;
    }
  }

  // Shared memory: sums of giants by warp, the lists, buffers of items and of borders.
  [[nodiscard]] __device__ static Result* sums() { return shared_memory<Result>(); }
  [[nodiscard]] __device__ static unsigned* lists() {
    return reinterpret_cast<unsigned*>(shared_memory<unsigned char>() + most_giants * warps * sizeof(Result));
  }
  [[nodiscard]] __device__ static unsigned* giants() { return lists() + 4; }
  [[nodiscard]] __device__ static unsigned* long_parts() { return lists() + 4 + 3 * most_giants; }
  [[nodiscard]] __device__ static unsigned char* item_buffer(unsigned k) {
    return reinterpret_cast<unsigned char*>(lists() + share_list_words) + k * tuning::segment_buffer_bytes;
  }
  [[nodiscard]] __device__ static void* border_buffer(unsigned k) {
    return item_buffer(2) + k * (turn_parts * threads + 4) * Borders::staged_bytes;
  }

  /// In lane 0, a stretch of items that a warp takes by words of 16 bytes, four of them a lane at a time.
  __device__ Result take_stretch(const range& stretch) const {
    constexpr unsigned group = items_of_16_bytes(sizeof(T));
    constexpr unsigned together = 4;
    const unsigned lane = threadIdx.x % 32;
    Result value = op_.template identity<Result>();
    const auto address = reinterpret_cast<std::uintptr_t>(items_ + stretch.begin);
    const unsigned skipped = static_cast<unsigned>((16 - address % 16) % 16);
    const bool by_groups = group > 1 ? skipped % sizeof(T) == 0 : aligned_for<T, 1>(items_);
    if (!by_groups) {  // never at a multiple of 16 bytes, or of what a wide item is loaded by
      for (unsigned at = stretch.begin + lane; at < stretch.end; at += 32) combine(value, items_[at], at);
      return combine_warp(value, op_);
    }
    const unsigned first =
        ::min(stretch.begin + (group > 1 ? skipped / static_cast<unsigned>(sizeof(T)) : 0), stretch.end);
    const unsigned groups = (stretch.end - first) / group;
    const unsigned rest = first + groups * group;
    if (stretch.begin + lane < first) combine(value, items_[stretch.begin + lane], stretch.begin + lane);
    if (rest + lane < stretch.end) combine(value, items_[rest + lane], rest + lane);
    for (unsigned g = lane; g < groups; g += 32 * together) {
      alignas(16) T some[together][group];
#pragma unroll
      for (unsigned k = 0; k < together; ++k) {
        if (g + k * 32 < groups) load_group<group, true>(some[k], items_ + first + (g + k * 32) * group);
      }
#pragma unroll
      for (unsigned k = 0; k < together; ++k) {
        if (g + k * 32 >= groups) continue;
#pragma unroll
        for (unsigned j = 0; j < group; ++j) combine(value, some[k][j], first + (g + k * 32) * group + j);
      }
    }
    return combine_warp(value, op_);
  }

  /// Parts of many items on average. The next part's borders are on their way meanwhile.
  __device__ void take_by_warps() {
    unsigned part = threadIdx.x / 32;
    auto begin = borders_.read(::min(part, parts_));
    auto end = borders_.read(::min(part + 1, parts_));
    for (; part < parts_; part += warps) {
      const auto next_begin = borders_.read(::min(part + warps, parts_));
      const auto next_end = borders_.read(::min(part + warps + 1, parts_));
      const range r = between(borders_.counted(begin), borders_.counted(end));
      if (r.end - r.begin < giant_) {
        const Result value = take_stretch(r);
        if (threadIdx.x % 32 == 0) give(part, value);
      } else if (threadIdx.x % 32 == 0) {
        add_giant(part, r);
      }
      begin = next_begin;
      end = next_end;
    }
  }

  /// Parts of a few items on average, by groups of as many lanes as suit it.
  __device__ void take_by_groups_of(unsigned average) {
    constexpr unsigned a_lane = sizeof(T) > 8 ? 1 : 16 / sizeof(T);
    if (average <= a_lane) {
      take_by_groups<1, turn_parts>();
    } else if (average <= 2 * a_lane) {
      take_by_groups<2, turn_parts>();
    } else if (average <= 4 * a_lane) {
      take_by_groups<4, turn_parts>();
    } else if (average <= 8 * a_lane) {
      take_by_groups<8, turn_parts>();
    } else if (average <= 16 * a_lane) {
      take_by_groups<16, turn_parts>();
    } else if (average <= 32 * a_lane) {
      take_by_groups<32, turn_parts>();
    } else {
      take_by_groups<32, turn_parts / 2>();
    }
  }
  /// The same, so many a turn. Borders come through shared memory two turns ahead, items one turn ahead; only a turn
  /// that has far more items than others reads them where they are.
  template <unsigned Lanes, unsigned TurnParts>
  __device__ void take_by_groups() {
    constexpr unsigned a_turn = TurnParts * (threads / Lanes);
    const auto stage_borders = [&](unsigned first, unsigned buffer) {
      if (first < parts_) borders_.stage(border_buffer(buffer), first, ::min(a_turn, parts_ - first) + 1);
    };
    const auto range_of_turn = [&](unsigned first, unsigned buffer) {
      if (first >= parts_) return range{0, 0};
      return between(borders_.staged(border_buffer(buffer), first, 0),
                     borders_.staged(border_buffer(buffer), first, ::min(a_turn, parts_ - first)));
    };
    const auto next = [](unsigned buffer) { return buffer == 2 ? 0U : buffer + 1; };

    stage_borders(0, 0);
    stage_borders(a_turn, 1);
    end_batch();
    wait_for_batches<0>();
    __syncthreads();
    range turn = range_of_turn(0, 0);
    stage_items(turn, 0);
    unsigned item_turn = 0;
    unsigned border_turn = 0;
    unsigned since_drained = 0;
    for (unsigned first = 0; first < parts_; first += a_turn) {
      end_batch();
      wait_for_batches<0>();
      __syncthreads();
      if (since_drained + a_turn > most_long_parts) {  // the list might not hold what comes
        take_long();
        since_drained = 0;
      }
      since_drained += a_turn;
      const range next_turn = range_of_turn(first + a_turn, next(border_turn));
      stage_items(next_turn, 1 - item_turn);
      stage_borders(first + 2 * a_turn, next(next(border_turn)));

      const void* const borders = border_buffer(border_turn);
      const bool inner = first > 0 && first + a_turn < parts_;  // neither the share's first part nor its last
      if (!fits(turn)) {
        combine_turn<Lanes, TurnParts, false>([&](unsigned at) { return items_[at]; }, first, borders);
      } else {
        const T* const items = staged_items(item_turn, turn);
        const auto read = [&](unsigned at) { return items[at - turn.begin]; };
        if (inner) {
          combine_turn<Lanes, TurnParts, true>(read, first, borders);
        } else {
          combine_turn<Lanes, TurnParts, false>(read, first, borders);
        }
      }
      turn = next_turn;
      item_turn = 1 - item_turn;
      border_turn = next(border_turn);
    }
  }
  /// A turn's parts, of which read(k) has item k of the share. Inner: all of them are there, and end in the share.
  template <unsigned Lanes, unsigned TurnParts, bool Inner, class Read>
  __device__ void combine_turn(Read&& read, unsigned first, const void* borders) {
    constexpr unsigned together = 4;
    const unsigned lane = threadIdx.x % Lanes;
#pragma unroll
    for (unsigned j = 0; j < TurnParts; ++j) {
      const unsigned k = j * (threads / Lanes) + threadIdx.x / Lanes;
      const unsigned part = first + k;
      const bool there = Inner || part < parts_;
      range r{0, 0};
      if (there) r = between(borders_.staged(borders, first, k), borders_.staged(borders, first, k + 1));
      const bool later = r.end - r.begin > Lanes * 32;
      if (later) {
        if (lane == 0) wait(part, r);
        r.end = r.begin;
      }
      Result value = op_.template identity<Result>();
#pragma unroll 1
      for (unsigned at = r.begin + lane; at < r.end; at += together * Lanes) {
#pragma unroll
        for (unsigned i = 0; i < together; ++i) {
          if (at + i * Lanes < r.end) combine(value, read(at + i * Lanes), at + i * Lanes);
        }
      }
      value = combine_warp<Lanes>(value, op_);
      if (lane != 0 || later || !there) continue;
      if constexpr (Inner) {
        results_[part] = value;
      } else {
        give(part, value);
      }
    }
  }

  /// Whether a turn's items fit a buffer of shared memory.
  [[nodiscard]] __device__ static bool fits(const range& turn) {
    return (turn.end - turn.begin) * sizeof(T) + 16 <= tuning::segment_buffer_bytes;
  }
  /// Where they are then.
  [[nodiscard]] __device__ const T* staged_items(unsigned buffer, const range& turn) const {
    const auto address = reinterpret_cast<std::uintptr_t>(items_ + turn.begin);
    return reinterpret_cast<const T*>(item_buffer(buffer) + address % 16);
  }
  /// Begins to bring a turn's items there, by words of 16 bytes; of those that reach out of the input, what lies
  /// within.
  __device__ void stage_items(const range& turn, unsigned buffer) const {
    if (!fits(turn)) return;
    const auto* const from = reinterpret_cast<const unsigned char*>(items_ + turn.begin);
    const auto skew = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
    const auto bytes = turn.begin < turn.end ? static_cast<unsigned>((turn.end - turn.begin) * sizeof(T)) + skew : 0;
    const unsigned char* const first = from - skew;
    unsigned char* const to = item_buffer(buffer);
    if (first >= input_.begin && first + (bytes + 15) / 16 * 16 <= input_.end) {
      for (unsigned at = threadIdx.x * 16; at < bytes; at += threads * 16) {
        copy_later(reinterpret_cast<uint4*>(to + at), reinterpret_cast<const uint4*>(first + at));
      }
    } else {
      for (unsigned at = threadIdx.x; at < bytes; at += threads) {
        if (first + at >= input_.begin && first + at < input_.end) to[at] = first[at];
      }
    }
  }

  /// So many giants there are only where offsets descend.
  __device__ void add_giant(unsigned part, const range& r) {
    const unsigned k = atomicAdd(&lists()[0], 1U);
    valid_ = valid_ && k < most_giants;
    if (k >= most_giants) return;
    giants()[k] = part;
    giants()[most_giants + k] = r.begin;
    giants()[2 * most_giants + k] = r.end;
  }
  /// Puts a part that is longer than others into a list.
  __device__ void wait(unsigned part, const range& r) {
    if (r.end - r.begin >= giant_) {
      add_giant(part, r);
    } else {
      long_parts()[atomicAdd(&lists()[1], 1U)] = part;
    }
  }

  __device__ void take_long() {
    const unsigned count = lists()[1];
    for (unsigned k = threadIdx.x / 32; k < count; k += warps) {
      const unsigned part = long_parts()[k];
      const Result value = take_stretch(range_of(part));
      if (threadIdx.x % 32 == 0) give(part, value);
    }
    __syncthreads();
    if (threadIdx.x == 0) lists()[1] = 0;
    __syncthreads();
  }

  __device__ void take_giants() {
    const unsigned count = ::min(lists()[0], most_giants);
    const unsigned warp = threadIdx.x / 32;
    for (unsigned k = 0; k < count; ++k) {
      const range r{giants()[most_giants + k], giants()[2 * most_giants + k]};
      const unsigned stretch = ((r.end - r.begin + warps - 1) / warps + 63) / 64 * 64;
      const unsigned begin = ::min(r.begin + warp * stretch, r.end);
      const Result value = take_stretch({begin, ::min(begin + stretch, r.end)});
      if (threadIdx.x % 32 == 0) sums()[k * warps + warp] = value;
    }
    __syncthreads();
    for (unsigned k = warp; k < count; k += warps) {
      const Result value = combine_warp<warps>(sums()[k * warps + threadIdx.x % warps], op_);
      if (threadIdx.x % 32 == 0) give(giants()[k], value);
    }
  }

  const T* items_;
  byte_range input_;  // all items of the call
  std::size_t first_item_;
  unsigned items_here_;
  const Borders& borders_;
  unsigned parts_;
  const Op& op_;
  Result* results_;
  share_ends<Result>& found_;
  unsigned giant_;  // items from which a part is one
  bool valid_ = true;
};

template <class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(tuning::segment_threads, tuning::segment_blocks_a_processor)
    reduce_segments(share_work<T, Result, Segments, Op> work) {
  using borders_type = typename ends_of<Segments>::borders;
  __shared__ share_ends<Result> found;
  const unsigned blocks = gridDim.x == 1 ? 1 : gridDim.x - 1;
  if (blockIdx.x == blocks) {
    gather_shares<tuning::segment_threads>(work, blocks);
    return;
  }
  const share_of_block mine(work.segments, work.count, work.n, blocks);
  const cut& first = mine.cuts[0];
  const borders_type borders(work.segments, mine.cuts);
  const byte_range input{reinterpret_cast<const unsigned char*>(work.items),
                         reinterpret_cast<const unsigned char*>(work.items + work.n)};
  segment_share<T, Result, borders_type, Op> share(work.items + first.item, input, first.item,
                                                   static_cast<unsigned>(mine.cuts[1].item - first.item), borders,
                                                   work.op, work.results + first.segment, found);
  share.reduce();
  __syncthreads();
  leave_share(work, mine, found.head, found.tail, share.valid());
}

}  // namespace peneira::detail
