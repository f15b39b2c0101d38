// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The ends of segments as a warp meets them within its share, one after the other.
#pragma once

#include "peneira/gpu/primitives/async_copy.cuh"
#include "peneira/segmented_reduce/gpu/segment_cuts.cuh"
#include "peneira/segmented_reduce/problem.hpp"

namespace peneira::detail {

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
      const bool wanted = first < last_;  // many who ask for the same few that they do not need wait for each other
      if (wanted && first >= whole_begin_ && first + word <= whole_end_) {
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
        most_(static_cast<unsigned>(last.item - origin)),
        first_(static_cast<unsigned>(::min(s.end(first.segment) - origin, std::size_t{most_}))),
        step_(static_cast<unsigned>(::min(s.size, std::size_t{most_}))) {}

  [[nodiscard]] __device__ unsigned count() const { return count_; }
  [[nodiscard]] __device__ unsigned asked() const { return count_; }
  __device__ void ask(unsigned /*done*/) {}
  [[nodiscard]] __device__ unsigned at(unsigned k) const { return ::min(first_ + k * step_, most_); }

 private:
  unsigned count_;
  unsigned most_;  // where the share's items end, and so at most its last segment
  unsigned first_;
  unsigned step_;
};

}  // namespace peneira::detail
