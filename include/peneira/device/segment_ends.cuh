// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The ends of segments as a warp meets them: where its share begins and ends, and one after the other within it. Items
// and ends make one stream, each end behind the items before it, of which every warp gets an equal share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "peneira/device/combine.cuh"
#include "peneira/device/pipeline.cuh"
#include "peneira/segmented_reduce/problem.hpp"

namespace peneira::detail {

/// What an end takes of the stream, where an item takes 1.
inline constexpr std::size_t end_cost = tuning::segment_end_cost;

/// A point of the one stream: so many ends and items lie before.
struct cut {
  std::size_t segment;
  std::size_t item;
};

/// Offsets are compared and subtracted as these.
template <class Offset>
using position_of = std::conditional_t<sizeof(Offset) == 4, std::uint32_t, std::uint64_t>;

/// All segments of a call, as far as can be known without looking at every offset. All lanes come to each call
/// together.
template <class Segments>
class segment_stream;

template <class Offset>
class segment_stream<offset_segments<Offset>> {
  using position = position_of<Offset>;

 public:
  __device__ segment_stream(const offset_segments<Offset>& s, std::size_t count, std::size_t n)
      : offsets_(reinterpret_cast<const position*>(s.offsets)), count_(count) {
    part_ = (count + 31) / 32;
    spread_ = end_at(::min((threadIdx.x % 32 + 1) * part_, count) - 1);  // under way with the other two
    const std::size_t begin = offsets_[0];
    const std::size_t end = offsets_[count];
    last_ = end < n ? end : n;
    first_ = begin < last_ ? begin : last_;
    valid_ = first_ == begin && last_ == end;
  }
  /// Items and ends together, as they are counted.
  [[nodiscard]] __device__ std::size_t size() const { return last_ - first_ + count_ * end_cost; }
  [[nodiscard]] __device__ bool valid() const { return valid_; }

  /// The cut at a point of the stream. Every look is at 32 ends: first at some of all, then at some around where the
  /// cut should be, were the segments between two of those of one size, then at some of what is left.
  [[nodiscard]] __device__ cut cut_at(std::size_t point) const {
    if (point == 0) return {0, first_};  // whatever the offsets are, nothing is left out
    if (point >= size()) return {count_, last_};
    const unsigned lane = threadIdx.x % 32;
    bracket at{0, count_, first_, last_};
    at = narrowed(at, point, ::min((lane + 1) * part_, count_) - 1, spread_);
    bool guessed = false;
    while (at.low < at.high) {
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
      at = narrowed(at, point, probe, end_at(probe));
      guessed = true;
    }
    const std::size_t items = point - at.low * end_cost;
    const std::size_t most = at.behind < last_ ? (at.behind < first_ ? first_ : at.behind) : last_;
    return {at.low, items < most - first_ ? first_ + items : most};
  }

 private:
  /// The cut has at least `low` and at most `high` ends before it, which lie `before`; the next end lies `behind`.
  struct bracket {
    std::size_t low;
    std::size_t high;
    std::size_t before;
    std::size_t behind;
  };
  [[nodiscard]] __device__ position end_at(std::size_t segment) const { return offsets_[segment + 1]; }
  /// After a look at ends which the lanes chose, in their order, within the bracket.
  [[nodiscard]] __device__ bracket narrowed(const bracket& at, std::size_t point, std::size_t probe,
                                            position end) const {
    const bool passed = end - first_ + (probe + 1) * end_cost <= point;
    const unsigned others = ~__ballot_sync(all_lanes, passed);
    const unsigned first = others == 0 ? 32 : __ffs(others) - 1;  // the first lane whose end is not before the cut
    bracket now = at;
    if (first > 0) {
      now.low = __shfl_sync(all_lanes, probe, first - 1) + 1;
      now.before = __shfl_sync(all_lanes, end, first - 1);
    }
    if (first < 32) {
      now.high = __shfl_sync(all_lanes, probe, first);
      now.behind = __shfl_sync(all_lanes, end, first);
    }
    return now;
  }

  const position* offsets_;
  std::size_t count_;
  std::size_t part_;
  position spread_;    // every lane's of 32 ends spread over all
  std::size_t first_;  // the first item that belongs to a segment
  std::size_t last_;   // after the last one
  bool valid_;
};

template <>
class segment_stream<even_segments> {
 public:
  __device__ segment_stream(const even_segments& s, std::size_t count, std::size_t n)
      : segments_(s), count_(count), last_(n) {}

  [[nodiscard]] __device__ std::size_t size() const { return last_ + count_ * end_cost; }
  [[nodiscard]] __device__ static bool valid() { return true; }
  [[nodiscard]] __device__ cut cut_at(std::size_t point) const {
    const std::size_t full = point / (segments_.size + end_cost);
    const std::size_t ended = point == size() ? count_ : full < count_ ? full : count_ - 1;
    const std::size_t items = point - ended * end_cost;
    const std::size_t most = ended < count_ ? segments_.end(ended) : last_;
    return {ended, items < most ? items : most};
  }

 private:
  even_segments segments_;
  std::size_t count_;
  std::size_t last_;
};

/// The ends of a share one after the other, counted from its first segment; where they lie is counted from `origin`.
/// All lanes come to each call together.
template <class Segments>
class share_ends;

/// Offsets come through a ring in shared memory, ahead of time.
template <class Offset>
class share_ends<offset_segments<Offset>> {
  using position = position_of<Offset>;
  static constexpr unsigned size = tuning::segment_ring_bytes / sizeof(position);
  static constexpr unsigned word = 16 / sizeof(position);
  static constexpr unsigned chunk = 32 * word;  // that are asked for together
  static_assert(size % chunk == 0 && (size & (size - 1)) == 0);

 public:
  __device__ share_ends(const offset_segments<Offset>& s, std::size_t count, const cut& first, const cut& last,
                        std::size_t origin, void* shared)
      : ring_(static_cast<position*>(shared)), origin_(static_cast<position>(origin)) {
    const auto* const offsets = reinterpret_cast<const position*>(s.offsets);
    const position* const ends = offsets + first.segment + 1;
    skew_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(ends) % 16 / sizeof(position));
    from_ = ends - skew_;
    last_ = static_cast<unsigned>(last.segment - first.segment) + skew_;
    const std::size_t before = first.segment + 1;  // offsets that may be read before and after
    const std::size_t after = count - first.segment;
    whole_begin_ = before < skew_ ? 1 : 0;
    whole_end_ = static_cast<unsigned>(::min(after + skew_, std::size_t{0xFFFFFFFFU}));
  }
  /// How many there are.
  [[nodiscard]] __device__ unsigned count() const { return last_ - skew_; }
  /// How many can be looked at once all copies that were begun before have arrived.
  [[nodiscard]] __device__ unsigned asked() const { return ::min(asked_, last_) - ::min(skew_, ::min(asked_, last_)); }
  /// Begins to bring as many as there is room for, if all before `done` are done with.
  __device__ void ask(unsigned done) {
    while (asked_ < last_ && asked_ + chunk - (skew_ + done) <= size) {
      const unsigned first = asked_ + threadIdx.x % 32 * word;
      position* const to = ring_ + first % size;
      if (first >= whole_begin_ && first + word <= whole_end_) {
        copy_later(reinterpret_cast<uint4*>(to), reinterpret_cast<const uint4*>(from_ + first));
      } else {
        for (unsigned k = 0; k < word; ++k) {
          if (first + k >= skew_ && first + k < last_) to[k] = from_[first + k];
        }
      }
      asked_ += chunk;
    }
  }
  /// Where an end lies.
  [[nodiscard]] __device__ unsigned at(unsigned k) const {
    const position distance = ring_[(skew_ + k) % size] - origin_;
    return distance < 0xFFFFFFFFU ? static_cast<unsigned>(distance) : 0xFFFFFFFFU;
  }

 private:
  position* ring_;
  position origin_;
  const position* from_;  // a multiple of 16 bytes, `skew` ends before the first
  unsigned skew_;
  unsigned last_;
  unsigned whole_begin_;  // words from here on lie within the offsets,
  unsigned whole_end_;    // up to here
  unsigned asked_ = 0;
};

template <>
class share_ends<even_segments> {
 public:
  __device__ share_ends(const even_segments& s, std::size_t /*count*/, const cut& first, const cut& last,
                        std::size_t origin, void* /*shared*/)
      : count_(static_cast<unsigned>(last.segment - first.segment)),
        first_(static_cast<unsigned>(s.begin(first.segment) + s.size - origin)),
        step_(static_cast<unsigned>(s.size)),
        most_(static_cast<unsigned>(last.item - origin)) {}

  [[nodiscard]] __device__ unsigned count() const { return count_; }
  [[nodiscard]] __device__ unsigned asked() const { return count_; }
  __device__ void ask(unsigned /*done*/) {}
  [[nodiscard]] __device__ unsigned at(unsigned k) const { return ::min(first_ + k * step_, most_); }

 private:
  unsigned count_;
  unsigned first_;
  unsigned step_;
  unsigned most_;  // where the share's items end, and so at most its last segment
};

}  // namespace peneira::detail
