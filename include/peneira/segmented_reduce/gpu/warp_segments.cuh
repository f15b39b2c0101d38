// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The segmented reduce of a warp over its share of the merge path of items and segment ends: tile by tile, some
// neighbouring items a lane. Lanes mark where segments begin; a segmented inclusive scan combines all items up to each
// of them within its segment; the segments' ends then find their results among these.
//
//   items     3 1 4 | 1 5 9 | 2 6 . .     loaded side by side, then a row a lane, in shared memory
//   marks       *       *     *           set by the lanes that have the ends, a byte an item
//   combined  3 1 5 | 1 5 14| 2 8 . .     in each row from mark to mark; what is carried into a row by shuffles
//   ends        3       6     14          one a lane: results are written side by side
//
// A tile in which nothing ends is no more than a plain reduce. Nothing here waits for another warp.
#pragma once

#include "peneira/gpu/primitives/lane_rows.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/gpu/segment_ends.cuh"
#include "peneira/segmented_reduce/gpu/warp_tile_shape.hpp"

namespace peneira::detail {

/// The items of a share, tile by tile, as a warp loads them side by side.
template <class T, unsigned Count>
class warp_tile_items {
 public:
  static constexpr unsigned tile = 32 * Count;
  using rows = lane_rows<T, Count>;

  /// Of n items those from `first` on; tiles begin where a group can be loaded at once, if there is such a place.
  __device__ warp_tile_items(const T* items, std::size_t n, std::size_t first) : items_(items), n_(n) {
    const auto address = reinterpret_cast<std::uintptr_t>(items);
    const std::size_t shift = n == 0 ? 0 : (address / sizeof(T) + first) % rows::group;
    base_ = first - shift;
    const bool aligns = aligned_for<T, rows::group>(items + (first - shift));
    whole_begin_ = shift <= first ? 0 : 1;
    whole_end_ = aligns ? static_cast<unsigned>(::min((n - base_) / tile, std::size_t{0xFFFFFFFFU})) : 0;
  }
  /// The position of the first tile's first item; may lie before the input.
  [[nodiscard]] __device__ std::size_t base() const { return base_; }

  /// The position of item k of a tile, or that of the first or last item where it lies before or after the input.
  [[nodiscard]] __device__ std::size_t position(unsigned tile_number, unsigned k) const {
    const std::size_t at = base_ + std::size_t{tile_number} * tile + k;
    return at < n_ ? at : at + tile < tile ? 0 : n_ - 1;
  }
  /// The items of a tile. Before and after the input lie copies of its first and last item.
  __device__ void load(unsigned tile_number, T (&to)[Count]) const {
    const std::size_t first = base_ + std::size_t{tile_number} * tile;
    if (tile_number >= whole_begin_ && tile_number < whole_end_) {
      const T* const mine = items_ + first + rows::striped(0);
#pragma unroll
      for (unsigned k = 0; k < Count; k += rows::group) load_group<rows::group, true>(to + k, mine + k * 32);
    } else if (n_ != 0) {
#pragma unroll
      for (unsigned k = 0; k < Count; ++k) {
        to[k] = items_[position(tile_number, rows::striped(k))];
      }
    }
  }

 private:
  const T* items_;
  std::size_t n_;
  std::size_t base_;
  unsigned whole_begin_;  // tiles from here on lie within the input and can be loaded by groups,
  unsigned whole_end_;    // up to here
};

/// What a warp or a block found in its share.
template <class Result>
struct share_found {
  Result head;            ///< the first segment that ended in it, as far as it knows it; the only one not written
  Result tail;            ///< what it combined after its last end
  std::uint32_t ends;     ///< whether any segment ended in it
  std::uint32_t invalid;  ///< whether it saw offsets that descend or run past the items
  std::size_t first;      ///< the segment that it began with
  std::size_t last;       ///< and the one that the next must begin with
};

template <class T, class Result, class Segments, class Op>
class warp_segments {
  static constexpr unsigned count = lane_items(sizeof(T), sizeof(Result));
  static constexpr unsigned tile = 32 * count;

 public:
  /// Of n items and the segments over them what lies between two cuts. `results` are those of all segments.
  __device__ warp_segments(const T* items, std::size_t n, const Segments& segments, std::size_t segment_count,
                           const cut& first, const cut& last, const Op& op, Result* results, unsigned char* shared)
      : op_(op),
        items_(items, n, first.item),
        ends_(segments, segment_count, first, last, items_.base(), shared + room.ends),
        rows_(shared),
        combined_(shared + room.results),
        carried_(reinterpret_cast<Result*>(shared + room.carried)),
        marks_(shared + room.marks),
        first_segment_(first.segment),
        results_(results + first.segment),
        last_(static_cast<unsigned>(last.item - items_.base())),
        begin_(static_cast<unsigned>(first.item - items_.base())),
        open_(op.template identity<Result>()) {
    keep(results_);
  }

  /// All lanes come here together. Where no segment ended, `head` is left as it is.
  __device__ void reduce(share_found<Result>& found, bool valid) {
    const unsigned tiles = last_ > begin_ || ends_.count() != 0 ? ::max((last_ + tile - 1) / tile, 1U) : 0;
    alignas(16) T items[count];
    if (tiles != 0) items_.load(0, items);
    ends_.ask(0);
    end_batch();
    clear_marks();
    for (unsigned t = 0; t < tiles; ++t) {
      wait_for_batches<0>();
      __syncwarp();
      arrived_ = ends_.asked();
      ends_.ask(next_);
      end_batch();
      const unsigned from = t * tile;
      const unsigned size = ::min(tile, last_ - from);
      unsigned upto = mark_ends(from, size);
      const bool plain = is_commutative<Op> && upto == next_ && begin_ == 0 && size == tile && all_ends(upto);
      if (plain) {
#pragma unroll
        for (unsigned k = 0; k < count; ++k) open_ = op_(open_, lift(items[k], t, rows_.striped(k)));
      } else {
        rows_.store_striped(items);
      }
      if (t + 1 < tiles) items_.load(t + 1, items);
      if (plain) continue;
      while (!take(t, size, upto, found)) {  // more ends than have arrived
        ends_.ask(next_);
        end_batch();
        wait_for_batches<0>();
        __syncwarp();
        arrived_ = ends_.asked();
        upto = mark_ends(from, size);
      }
    }
    const Result tail = combine_warp(open_, op_);
    valid = __all_sync(all_lanes, valid && valid_) != 0 && next_ == ends_.count();
    if (threadIdx.x % 32 != 0) return;
    found.tail = tail;
    found.ends = ends_.count() != 0 ? 1 : 0;
    found.invalid = valid ? 0 : 1;
    found.first = first_segment_;
    found.last = first_segment_ + ends_.count();
  }

 private:
  static constexpr warp_tile_memory room{sizeof(T), sizeof(Result), Segments::regular ? 0 : 4};

  /// Keeps the compiler from finding the address anew, in several steps, wherever it is needed.
  __device__ static void keep(Result*& address) {
    asm("" : "+l"(address));
    assume_global(address);
  }

  /// Whether no end from there on can lie in the present tile.
  [[nodiscard]] __device__ bool all_ends(unsigned upto) const {
    return upto < arrived_ || arrived_ == ends_.count();
  }

  /// A tile up to an end; false if more of its ends may be on their way.
  __device__ bool take(unsigned t, unsigned size, unsigned upto, share_found<Result>& found) {
    if (threadIdx.x % 32 == 0 && begin_ != 0 && begin_ < tile) marks_[begin_] = 1;
    __syncwarp();
    Result run = op_.template identity<Result>();
    if (size != 0) run = combine_within(t);
    __syncwarp();
    give_results(t * tile, upto, found);
    const bool all = all_ends(upto);
    if (all) {
      Result rest = op_.template identity<Result>();
      if (threadIdx.x % 32 == 31) rest = size == tile && begin_ < tile ? run : between(begin_, size);
      open_ = rest;
      begin_ = 0;
    }
    __syncwarp();
    return all;
  }

  /// Marks where segments end in a tile, which is where others begin. Returns the first end that lies behind it.
  __device__ unsigned mark_ends(unsigned from, unsigned size) {
    const unsigned limit = ::min(size + 1, tile);
    for (unsigned k = next_;; k += 32) {
      const unsigned mine = k + threadIdx.x % 32;
      const unsigned at = mine < arrived_ ? ends_.at(mine) - from : 0xFFFFFFFFU;
      if (at < limit) marks_[at] = 1;
      const unsigned behind = __ballot_sync(all_lanes, at > size);
      if (behind != 0) return k + __ffs(behind) - 1;
    }
  }

  __device__ Result lift(const T& item, unsigned t, unsigned k) const {
    return lifted<Result>(op_, item, items_.position(t, k));
  }

  /// Combines every item with those before it in its segment and its row. Returns what is combined up to the row's
  /// end.
  __device__ Result combine_within(unsigned t) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned begins = marks_of_row();
    alignas(16) T row[count];
    rows_.load(row);
    alignas(16) Result value[count];
    value[0] = lift(row[0], t, lane * count);
#pragma unroll
    for (unsigned k = 1; k < count; ++k) {
      const Result item = lift(row[k], t, lane * count + k);
      const Result both = op_(value[k - 1], item);
      value[k] = (begins >> k & 1U) != 0 ? item : both;
    }
    // What is carried into a row: from the last row in which a segment begins on, or from before the tile.
    const Result before = combine_warp(open_, op_);
    const std::uint32_t beginners = __ballot_sync(all_lanes, begins != 0);
    Result run = value[count - 1];
    if (lane == 0 && begins == 0) run = op_(before, run);
    run = combine_runs(run, beginners, op_);
    const Result carried = shuffled<direction::up>(run, 1);
    carried_[lane] = lane == 0 ? before : carried;
    combined_.store(value);
    return run;
  }

  /// All items of the tile from `begin` to before `end`, of one segment; if that begins before the tile, all of it.
  [[nodiscard]] __device__ Result between(unsigned begin, unsigned end) const {
    const unsigned last = (end - 1) % tile;
    const unsigned row = last / count;
    const Result own = *combined_.at(last);
    if (begin < end && (begin < row * count || begin == 0)) return op_(carried_[row], own);
    return begin < end ? own : op_.template identity<Result>();
  }

  /// The results of some times 32 ends from `k` on, which wait for the shared memory together.
  template <unsigned Times>
  __device__ void give_some(unsigned k, unsigned from, unsigned upto) {
    Result value[Times];
    unsigned begin[Times];
    unsigned end[Times];
#pragma unroll
    for (unsigned i = 0; i < Times; ++i) {
      const unsigned mine = k + i * 32 + threadIdx.x % 32;
      const bool there = mine < upto;
      end[i] = there ? ends_.at(mine) - from : 0;
      begin[i] = mine == next_ || !there ? begin_ : ends_.at(mine - 1) - from;
      if (there && begin[i] > end[i]) valid_ = false;
    }
#pragma unroll
    for (unsigned i = 0; i < Times; ++i) value[i] = between(begin[i], end[i]);
#pragma unroll
    for (unsigned i = 0; i < Times; ++i) {
      const unsigned mine = k + i * 32 + threadIdx.x % 32;
      if (mine < upto && mine != 0) results_[mine] = value[i];
    }
  }
  /// The results of the ends from the next one to before `upto`, one a lane.
  __device__ void give_results(unsigned from, unsigned upto, share_found<Result>& found) {
    if (upto == next_) return;
    if (next_ == 0 && threadIdx.x % 32 == 0) {  // others may have to put something before it
      found.head = between(begin_, ends_.at(0) - from);
    }
    unsigned k = next_;
    for (; k + 32 < upto; k += 64) give_some<2>(k, from, upto);
    if (k < upto) give_some<1>(k, from, upto);
    begin_ = ends_.at(upto - 1) - from;
    next_ = upto;
  }

  /// A row's marks as bits, and takes them away.
  [[nodiscard]] __device__ unsigned marks_of_row() const {
    auto* const words = reinterpret_cast<std::uint32_t*>(marks_ + threadIdx.x % 32 * count);
    unsigned bits = 0;
    alignas(16) std::uint32_t some[count / 4];
    copy_group<count / 4>(some, words);
#pragma unroll
    for (unsigned w = 0; w < count / 4; ++w) bits |= some[w] * 0x10204080U >> 28U << 4 * w;
    clear_marks();
    return bits;
  }
  __device__ void clear_marks() const {
    alignas(16) constexpr std::uint32_t none[count / 4] = {};
    copy_group<count / 4>(reinterpret_cast<std::uint32_t*>(marks_ + threadIdx.x % 32 * count), none);
  }

  const Op& op_;
  warp_tile_items<T, count> items_;
  share_ends<Segments> ends_;
  lane_rows<T, count> rows_;
  lane_rows<Result, count> combined_;
  Result* carried_;  // into each row
  unsigned char* marks_;
  std::size_t first_segment_;
  Result* results_;       // of that one
  unsigned last_;         // where the share's items end, from the first tile's first item
  unsigned begin_;        // where the open segment begins, from the tile's first item; 0: there or before
  Result open_;           // what was combined of it before the tile, all lanes together
  unsigned next_ = 0;     // the end that comes next
  unsigned arrived_ = 0;  // ends that can be looked at
  bool valid_ = true;
};

}  // namespace peneira::detail
