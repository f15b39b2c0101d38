// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the shares of warps begin. Items and segment ends make one stream, each end behind the items before it, of
// which every warp gets an equal share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "peneira/device/combine.cuh"
#include "peneira/device/group.cuh"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// What an end takes of the stream, where an item takes 1.
inline constexpr std::size_t end_cost = tuning::segment_end_cost;

/// A point of the one stream: so many ends and items lie before.
struct cut {
  std::size_t segment;
  std::size_t item;
};

/// Equal shares of a stream, several a block.
struct equal_shares {
  std::size_t size;    ///< of the stream
  std::size_t blocks;  ///< that have shares
  unsigned sharers;    ///< warps of a block that have one

  /// Where share w of this block begins in the stream.
  [[nodiscard]] __device__ std::size_t begin(unsigned w) const {
    const std::size_t shares = blocks * sharers;
    const std::size_t share = (size + shares - 1) / shares;
    return ::min((std::size_t{blockIdx.x} * sharers + w) * share, size);
  }
};

/// Offsets are compared and subtracted as these.
template <class Offset>
using position_of = std::conditional_t<sizeof(Offset) == 4, std::uint32_t, std::uint64_t>;

/// Finds cuts among offsets. A block first looks at as many ends as it has threads, spread over all, again within a
/// part of them if all its cuts lie there; then each warp looks for its own. Ends that many want are so read by few: a
/// cache line that every warp of the device asks for at once keeps them waiting for microseconds.
template <class Offset, unsigned Threads>
class cut_search {
  using position = position_of<Offset>;

 public:
  /// All threads of the block come here together. `seen` in shared memory has room for an end a thread, `bounds` for
  /// two offsets.
  __device__ cut_search(const offset_segments<Offset>& s, std::size_t count, std::size_t n, position* seen,
                        std::size_t (&bounds)[2])
      : offsets_(reinterpret_cast<const position*>(s.offsets)), count_(count), seen_(seen) {
    if (threadIdx.x == 0) bounds[0] = s.begin(0);
    if (threadIdx.x == 1) bounds[1] = s.end(count - 1);
    look({0, count, 0, 0});
    const std::size_t begin = bounds[0];
    const std::size_t end = bounds[1];
    last_ = end < n ? end : n;
    first_ = begin < last_ ? begin : last_;
    valid_ = first_ == begin && last_ == end;
  }
  /// Items and ends together, as they are counted.
  [[nodiscard]] __device__ std::size_t size() const { return last_ - first_ + count_ * end_cost; }
  /// Whether the offsets are in order, as far as the first and the last one tell.
  [[nodiscard]] __device__ bool valid() const { return valid_; }

  /// Writes where the shares of this block begin, and where the last one ends. All threads come here together.
  __device__ void find(const equal_shares& shares, cut* cuts) const {
    __shared__ bracket outer[2];
    const unsigned warp = threadIdx.x / 32;
    const bool is_last = warp + 1 == shares.sharers;
    bracket all{0, count_, first_, last_};
    bracket mine{};
    bracket after{};  // of the last share's end
    while (true) {
      mine = among_seen(all, shares.begin(warp));
      if (is_last) after = among_seen(all, shares.begin(warp + 1));
      if (threadIdx.x == 0) outer[0] = mine;
      if (is_last && threadIdx.x % 32 == 0) outer[1] = after;
      __syncthreads();
      const bool together = outer[0].low == outer[1].low && outer[0].high == outer[1].high;
      if (!together || outer[0].low == outer[0].high) break;
      all = outer[0];
      look(all);
    }
    const auto keep = [&](unsigned w, const bracket& at) {
      const cut found = cut_at(shares.begin(w), at);
      if (threadIdx.x % 32 == 0) cuts[w] = found;
    };
    if (warp < shares.sharers) keep(warp, mine);
    if (is_last) keep(shares.sharers, after);
    __syncthreads();
  }

 private:
  /// A cut has at least `low` and at most `high` ends before it, the last of which lie `before`; the next lies
  /// `behind`.
  struct bracket {
    std::size_t low;
    std::size_t high;
    std::size_t before;
    std::size_t behind;
  };

  [[nodiscard]] __device__ position end_at(std::size_t segment) const { return offsets_[segment + 1]; }
  /// Which end thread t looks at.
  [[nodiscard]] __device__ static std::size_t probe_of(const bracket& at, unsigned t) {
    const std::size_t step = (at.high - at.low + Threads - 1) / Threads;
    return ::min(at.low + (t + 1) * step, at.high) - 1;
  }
  /// Has the block look at ends spread over a bracket, which is not empty.
  __device__ void look(const bracket& at) const {
    seen_[threadIdx.x] = end_at(probe_of(at, threadIdx.x));
    __syncthreads();
  }

  /// Of ends that the lanes have in their order, the first lane's that is not before a point of the stream; 32: none.
  [[nodiscard]] __device__ unsigned first_behind(std::size_t point, std::size_t segment, position end) const {
    const bool before = end - first_ + (segment + 1) * end_cost <= point;
    const unsigned others = ~__ballot_sync(all_lanes, before);
    return others == 0 ? 32 : __ffs(others) - 1;
  }

  /// The bracket of a cut among the ends that were seen of a larger one.
  [[nodiscard]] __device__ bracket among_seen(const bracket& all, std::size_t point) const {
    constexpr unsigned part = Threads / 32;
    const unsigned lane = threadIdx.x % 32;
    const auto behind = [&](unsigned t) { return first_behind(point, probe_of(all, t), seen_[t]); };
    const unsigned parts = behind((lane + 1) * part - 1);
    const unsigned first = parts == 32 ? Threads : parts * part + behind(::min(parts * part + lane, Threads - 1));
    bracket at = all;
    if (first > 0) {
      at.low = probe_of(all, first - 1) + 1;
      at.before = seen_[first - 1];
    }
    if (first < Threads) {
      at.high = probe_of(all, first);
      at.behind = seen_[first];
    }
    return at;
  }

  /// The cut at a point within a bracket. A warp looks at 32 ends at a time: first around where the cut should be if
  /// the segments of the bracket were alike, then at some of what is left.
  [[nodiscard]] __device__ cut cut_at(std::size_t point, bracket at) const {
    if (point == 0) return {0, first_};  // whatever the offsets are, nothing is left out
    if (point >= size()) return {count_, last_};
    const unsigned lane = threadIdx.x % 32;
    for (bool guessed = false; at.low < at.high; guessed = true) {
      const std::size_t left = at.high - at.low;
      const std::size_t step = guessed ? (left + 31) / 32 : (left + 1023) / 1024;
      std::size_t probe = at.low + (lane + 1) * step - 1;
      if (!guessed && left > 32) {
        const std::size_t before = at.before - first_ + at.low * end_cost;
        const std::size_t behind = at.behind - first_ + (at.high + 1) * end_cost;
        const float share = static_cast<float>(point - before) / static_cast<float>(behind - before);
        const auto guess = static_cast<std::size_t>(static_cast<float>(left) * ::min(::max(share, 0.0F), 1.0F));
        probe = at.low + (guess < 16 * step ? 0 : guess - 16 * step) + lane * step;
      }
      probe = ::min(probe, at.high - 1);
      const position end = end_at(probe);
      const unsigned first = first_behind(point, probe, end);
      if (first > 0) {
        at.low = __shfl_sync(all_lanes, probe, first - 1) + 1;
        at.before = __shfl_sync(all_lanes, end, first - 1);
      }
      if (first < 32) {
        at.high = __shfl_sync(all_lanes, probe, first);
        at.behind = __shfl_sync(all_lanes, end, first);
      }
    }
    const std::size_t items = point - at.low * end_cost;
    const std::size_t most = at.behind < last_ ? (at.behind < first_ ? first_ : at.behind) : last_;
    return {at.low, items < most - first_ ? first_ + items : most};
  }

  const position* offsets_;
  std::size_t count_;
  position* seen_;
  std::size_t first_;  // the first item that belongs to a segment
  std::size_t last_;   // after the last one
  bool valid_;
};

/// Writes where the shares of a block's warps begin, and where the last one ends; false if that cannot be right. All
/// threads come here together.
template <unsigned Threads, class Offset>
__device__ bool cut_shares(const offset_segments<Offset>& segments, std::size_t count, std::size_t n,
                           std::size_t blocks, unsigned sharers, cut* cuts) {
  __shared__ std::size_t bounds[2];
  const cut_search<Offset, Threads> search(segments, count, n, shared_memory<position_of<Offset>>(), bounds);
  search.find({search.size(), blocks, sharers}, cuts);
  return search.valid();
}

/// Of segments of one size.
template <unsigned Threads>
__device__ bool cut_shares(const even_segments& segments, std::size_t count, std::size_t n, std::size_t blocks,
                           unsigned sharers, cut* cuts) {
  const std::size_t size = n + count * end_cost;
  if (threadIdx.x <= sharers) {
    const std::size_t point = equal_shares{size, blocks, sharers}.begin(threadIdx.x);
    const std::size_t full = point / (::min(segments.size, n) + end_cost);
    const std::size_t ended = point == size ? count : full < count ? full : count - 1;
    const std::size_t items = point - ended * end_cost;
    const std::size_t most = ended < count ? segments.end(ended) : n;
    cuts[threadIdx.x] = {ended, items < most ? items : most};
  }
  __syncthreads();
  return true;
}

}  // namespace peneira::detail
