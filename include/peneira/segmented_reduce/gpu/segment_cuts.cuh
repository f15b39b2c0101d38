// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The merge-path search: where the shares of warps begin. The merge path has all items and segment ends, each end
// behind the items before it; every warp gets an equal share of it.
#pragma once

#include <type_traits>

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/tuning/gpu_reduce.hpp"

namespace peneira::detail {

/// The length of an end on the merge path, where an item has 1.
inline constexpr std::size_t end_cost = tuning::segment_end_cost;

/// A point of the merge path: so many ends and items lie before.
struct cut {
  std::size_t segment;
  std::size_t item;
};

/// Equal shares of the merge path, if all n items lie in segments, which is mostly so.
struct equal_shares {
  std::size_t count;      ///< of shares
  std::size_t size;       ///< of each
  std::size_t step;       ///< ends from one to the next, if a thread of a block each looks at one
  float ends_in_a_point;  ///< on average

  PENEIRA_HD equal_shares(std::size_t n, std::size_t segments, std::size_t shares, unsigned threads)
      : count(shares),
        size((n + segments * end_cost + shares - 1) / shares),
        step((segments + threads - 1) / threads),
        ends_in_a_point(static_cast<float>(segments) / static_cast<float>(n + segments * end_cost)) {}
};

/// Offsets are compared and subtracted as these.
template <class Offset>
using position_of = std::conditional_t<sizeof(Offset) == 4, std::uint32_t, std::uint64_t>;

/// Finds cuts among offsets. Half a warp looks for one, at ends side by side around where it should be if segments were
/// alike, which is all that most need; at the same time the block looks at one end a thread, spread over all, in case
/// some are not. Ends that many want are read by few: a cache line that every warp of the device asks for at once keeps
/// them waiting for microseconds, and so do lanes that each ask for another line.
template <class Offset, unsigned Threads>
class cut_search {
  using position = position_of<Offset>;
  static constexpr unsigned lanes = 16;
  static constexpr unsigned looks = 4;  // of each lane at a time
  static constexpr unsigned probes = lanes * looks;

 public:
  __device__ cut_search(const offset_segments<Offset>& s, std::size_t count, std::size_t n, const equal_shares& shares)
      : segments_(s), count_(count), n_(n), shares_(shares) {}

  /// Whether the offsets are in order, as far as the first and the last one tell.
  [[nodiscard]] __device__ bool valid() const { return valid_; }

  /// Where a share begins. All half warps of the block come here together, each for its own share. Those that look for
  /// the same one find the same, even among wrong offsets.
  __device__ cut find(std::size_t index) {
    auto* const seen = shared_memory<position>();
    const std::size_t begin = segments_.begin(0);
    const std::size_t end = segments_.end(count_ - 1);
    const position spread = end_at(probe_of(threadIdx.x));
    const std::size_t guess =
        static_cast<std::size_t>(static_cast<float>(index * shares_.size) * shares_.ends_in_a_point);
    const bracket all{0, count_};
    const pattern near = around(guess, 1, all);
    position ends[looks];
    look(near, all, ends);
    seen[threadIdx.x] = spread;
    last_ = ::min(end, n_);
    first_ = ::min(begin, last_);
    valid_ = first_ == begin && last_ == end;
    const std::size_t size = last_ - first_ + count_ * end_cost;
    const std::size_t share = last_ - first_ == n_ ? shares_.size : (size + shares_.count - 1) / shares_.count;
    const std::size_t point = ::min(index * share, size);
    bracket at = narrowed(all, near, ends, point);
    if (__syncthreads_or(at.low < at.high ? 1 : 0) != 0) {
      at = find_slowly(at, point);
      __syncthreads();  // `seen` is free again
    }
    if (point == 0) return {0, first_};  // whatever the offsets are, nothing is left out
    if (point >= size) return {count_, last_};
    const std::size_t items = point - at.low * end_cost;
    const std::size_t next = at.low < count_ ? std::size_t{end_at(at.low)} : last_;
    const std::size_t most = ::max(::min(next, last_), first_);
    return {at.low, items < most - first_ ? first_ + items : most};
  }

 private:
  /// A cut has at least `low` and at most `high` ends before it.
  struct bracket {
    std::size_t low;
    std::size_t high;
  };
  /// Ends that half a warp looks at, so many from one to the next.
  struct pattern {
    std::size_t first;
    std::size_t step;
  };

  [[nodiscard]] __device__ position end_at(std::size_t segment) const {
    return reinterpret_cast<const position*>(segments_.offsets)[segment + 1];
  }
  /// Whether an end lies before a point of the merge path.
  [[nodiscard]] __device__ bool is_before(position end, std::size_t segment, std::size_t point) const {
    return end - first_ + (segment + 1) * end_cost <= point;
  }
  /// Which end thread t looks at, if each looks at one.
  [[nodiscard]] __device__ std::size_t probe_of(unsigned t) const { return ::min((t + 1) * shares_.step, count_) - 1; }

  /// Around a guess, within a bracket if that has enough.
  [[nodiscard]] __device__ static pattern around(std::size_t guess, std::size_t step, const bracket& at) {
    const std::size_t all = probes * step;
    const std::size_t most = at.high - at.low > all ? at.high - all : at.low;
    return {::min(::max(guess, at.low + all / 2) - all / 2, most), step};
  }
  /// The one that is looked at as number i, within a bracket that is not empty.
  [[nodiscard]] __device__ static std::size_t probe_of(const pattern& p, const bracket& at, unsigned i) {
    return ::min(p.first + i * p.step, at.high - 1);
  }
  __device__ void look(const pattern& p, const bracket& at, position (&ends)[looks]) const {
#pragma unroll
    for (unsigned k = 0; k < looks; ++k) ends[k] = end_at(probe_of(p, at, k * lanes + threadIdx.x % lanes));
  }
  /// What is left of a bracket by what the half warp saw.
  [[nodiscard]] __device__ bracket narrowed(const bracket& at, const pattern& p, const position (&ends)[looks],
                                            std::size_t point) const {
    const unsigned half = 0xFFFFU << (threadIdx.x & lanes);
    unsigned before = 0;
#pragma unroll
    for (unsigned k = 0; k < looks; ++k) {
      const bool mine = is_before(ends[k], probe_of(p, at, k * lanes + threadIdx.x % lanes), point);
      before += __popc(__ballot_sync(all_lanes, mine) & half);
    }
    const std::size_t low = before == 0 ? at.low : probe_of(p, at, before - 1) + 1;
    return {low, ::max(low, before == probes ? at.high : probe_of(p, at, before))};
  }

  /// The cut where the first guess was wrong.
  [[nodiscard]] __device__ bracket find_slowly(bracket at, std::size_t point) const {
    const auto* const seen = shared_memory<position>();
    unsigned first = 0;  // that does not lie before the point
    for (unsigned left = Threads; left > 0;) {
      const unsigned half = left / 2;
      const bool before = is_before(seen[first + half], probe_of(first + half), point);
      first += before ? half + 1 : 0;
      left = before ? left - half - 1 : half;
    }
    const std::size_t low = first == 0 ? 0 : probe_of(first - 1) + 1;
    const std::size_t high = first == Threads ? count_ : probe_of(first);
    const std::size_t before = first == 0 ? 0 : seen[first - 1] - first_ + low * end_cost;
    const std::size_t behind = (first == Threads ? last_ : seen[first]) - first_ + (high + 1) * end_cost;
    if (at.low < at.high) at = {low, ::max(low, high)};
    // Where it is as crowded as elsewhere, a guess is near; otherwise there is a long segment or many empty ones.
    const float part = static_cast<float>(point - before) / static_cast<float>(behind - before);
    const bool regular = static_cast<float>(behind - before) * shares_.ends_in_a_point <
                         2 * static_cast<float>(at.high - at.low) + probes;
    for (bool guesses = regular; __any_sync(all_lanes, at.low < at.high); guesses = false) {
      const std::size_t left = at.high - at.low;
      const std::size_t step = (left + probes - 1) / probes;
      pattern p{at.low + step - 1, step};
      if (guesses && step > 1) {  // of sizes that differ at random, sums are off by the root of their number
        const auto many = static_cast<float>(left);
        const auto guess = static_cast<std::size_t>(many * ::min(::max(part, 0.0F), 1.0F));
        p = around(at.low + guess, 1 + static_cast<std::size_t>(sqrtf(many) / (probes / 4)), at);
      }
      position ends[looks] = {};
      if (left != 0) look(p, at, ends);
      const bracket now = narrowed(at, p, ends, point);
      if (left != 0) at = now;
    }
    return at;
  }

  const offset_segments<Offset>& segments_;
  std::size_t count_;
  std::size_t n_;
  const equal_shares& shares_;
  std::size_t first_ = 0;  // the first item that belongs to a segment
  std::size_t last_ = 0;   // after the last one
  bool valid_ = true;
};

/// Of segments of one size.
class even_cuts {
 public:
  __device__ even_cuts(const even_segments& segments, std::size_t count, std::size_t n, const equal_shares& shares)
      : segments_(segments), count_(count), n_(n), shares_(shares) {}

  [[nodiscard]] __device__ static bool valid() { return true; }
  [[nodiscard]] __device__ cut find(std::size_t index) const {
    const std::size_t size = n_ + count_ * end_cost;
    const std::size_t point = ::min(index * shares_.size, size);
    const std::size_t full = point / (::min(segments_.size, n_) + end_cost);
    const std::size_t ended = point == size ? count_ : full < count_ ? full : count_ - 1;
    const std::size_t items = point - ended * end_cost;
    const std::size_t most = ended < count_ ? segments_.end(ended) : n_;
    return {ended, items < most ? items : most};
  }

 private:
  const even_segments& segments_;
  std::size_t count_;
  std::size_t n_;
  const equal_shares& shares_;
};

template <class Segments, unsigned Threads>
struct cuts_among;
template <class Offset, unsigned Threads>
struct cuts_among<offset_segments<Offset>, Threads> {
  using type = cut_search<Offset, Threads>;
};
template <unsigned Threads>
struct cuts_among<even_segments, Threads> {
  using type = even_cuts;
};

}  // namespace peneira::detail
