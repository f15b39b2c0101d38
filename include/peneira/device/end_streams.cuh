// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The ends of segments as a kernel meets them: where the blocks' shares begin, and chunk by chunk in shared memory.
// Items and ends make one stream, each end behind the items before it, of which every block gets an equal share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "peneira/device/pipeline.cuh"
#include "peneira/segmented_reduce/chunk_shape.hpp"
#include "peneira/segmented_reduce/problem.hpp"

namespace peneira::detail {

/// What an end takes of the stream, where an item takes 1.
inline constexpr std::size_t end_cost = tuning::segment_end_cost;

/// A point of the one stream: so many ends and items lie before.
struct cut {
  std::size_t segment;
  std::size_t item;
};

/// The ends that offsets give, chunk by chunk. In shared memory they are as wide as in the array; a round counts them
/// from where the block counts its items.
template <class Offset>
class offset_ends {
 public:
  using position = std::conditional_t<sizeof(Offset) == 4, std::uint32_t, std::uint64_t>;
  static constexpr unsigned size = tuning::ordered_threads * chunk_ends(sizeof(position));
  static constexpr std::size_t chunk_bytes = size * sizeof(position);

  /// What can be known without looking at every offset.
  struct bounds {
    const position* offsets;
    std::size_t count;
    std::size_t first;  ///< the first item that belongs to a segment
    std::size_t last;   ///< after the last one
    bool valid;

    __device__ bounds(const offset_segments<Offset>& s, std::size_t segments, std::size_t n)
        : offsets(reinterpret_cast<const position*>(s.offsets)), count(segments) {
      const std::size_t begin = offsets[0];
      const std::size_t end = offsets[count];
      last = end < n ? end : n;
      first = begin < last ? begin : last;
      valid = first == begin && last == end;
    }

    /// The cuts at two points of the stream, found by the whole block together: as many probes a turn as threads.
    __device__ void cut_at(const std::size_t (&at)[2], cut (&cuts)[2]) const {
      std::size_t low[2] = {0, 0};
      std::size_t high[2] = {count, count};
      while (low[0] < high[0] || low[1] < high[1]) {
        bool before[2];
        std::size_t part[2];
#pragma unroll
        for (int k = 0; k < 2; ++k) {  // each thread looks at the last end of its part
          part[k] = (high[k] - low[k] + blockDim.x - 1) / blockDim.x;
          const std::size_t probe = low[k] + (threadIdx.x + 1) * part[k] - 1;
          before[k] = part[k] != 0 && probe < high[k] && offsets[probe + 1] - first + (probe + 1) * end_cost <= at[k];
        }
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          const auto parts = static_cast<std::size_t>(__syncthreads_count(before[k] ? 1 : 0));
          if (part[k] == 0) continue;
          low[k] += parts * part[k];
          if (low[k] + part[k] - 1 < high[k]) high[k] = low[k] + part[k] - 1;
        }
      }
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const std::size_t items = at[k] - low[k] * end_cost;
        const std::size_t open = low[k] < count ? offsets[low[k] + 1] : last;  // where the next segment ends
        const std::size_t most = open < last ? (open < first ? first : open) : last;
        cuts[k] = {low[k], items < most - first ? first + items : most};
      }
    }
  };

  __device__ offset_ends(const offset_segments<Offset>& s, std::size_t count, const cut (&cuts)[2], std::size_t origin,
                         void* shared)
      : ring_(reinterpret_cast<const position*>(s.offsets) + 1, count, cuts[0].segment, cuts[1].segment, shared),
        offsets_(reinterpret_cast<const position*>(s.offsets)),
        origin_(static_cast<position>(origin)) {}

  [[nodiscard]] __device__ std::size_t base() const {
    return ring_.base();
  }
  [[nodiscard]] __device__ unsigned last() const {
    return ring_.last();
  }
  [[nodiscard]] __device__ unsigned begin() const {
    return ring_.begin();
  }
  __device__ void ask() {
    ring_.ask();
  }
  __device__ void advance() {
    ring_.advance();
  }
  /// End k of the present chunk.
  [[nodiscard]] __device__ unsigned at(unsigned k) const {
    return static_cast<unsigned>(ring_.chunk()[k] - origin_);
  }
  /// Whether this thread's part of the first `count` ends of the chunk is in order and within n items.
  [[nodiscard]] __device__ bool ascend(unsigned count, std::size_t n) const {
    bool right = true;
    for (unsigned k = threadIdx.x; k < count; k += tuning::ordered_threads) {
      const std::size_t segment = base() + begin() + k;
      if (segment + size < size) continue;  // before the array
      const position before = k > 0 && segment > 0 ? ring_.chunk()[k - 1] : offsets_[segment];
      right = right && before <= ring_.chunk()[k] && ring_.chunk()[k] <= n;
    }
    return right;
  }

 private:
  chunk_ring<position, size> ring_;
  const position* offsets_;
  position origin_;
};

/// The ends of segments of one size, which need no memory.
class even_ends {
 public:
  static constexpr unsigned size = tuning::ordered_threads * chunk_ends(sizeof(std::uint32_t));
  static constexpr std::size_t chunk_bytes = 0;

  struct bounds {
    even_segments segments;
    std::size_t count;
    std::size_t first = 0;
    std::size_t last;
    bool valid = true;

    __device__ bounds(const even_segments& s, std::size_t segment_count, std::size_t n)
        : segments(s), count(segment_count), last(n) {}

    __device__ void cut_at(const std::size_t (&at)[2], cut (&cuts)[2]) const {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const std::size_t a_segment = segments.size + end_cost;
        const std::size_t full = at[k] / a_segment;
        const std::size_t ended = at[k] == last + count * end_cost ? count : full < count ? full : count - 1;
        const std::size_t items = at[k] - ended * end_cost;
        const std::size_t most = ended < count ? segments.end(ended) : last;
        cuts[k] = {ended, items < most ? items : most};
      }
    }
  };

  __device__ even_ends(const even_segments& s, std::size_t /*count*/, const cut (&cuts)[2], std::size_t origin,
                       void* /*shared*/)
      : base_(cuts[0].segment),
        last_(static_cast<unsigned>(cuts[1].segment - cuts[0].segment)),
        first_(static_cast<unsigned>(s.begin(cuts[0].segment) + s.size - origin)),
        step_(static_cast<unsigned>(s.size)),
        most_(static_cast<unsigned>(cuts[1].item - origin)) {}

  [[nodiscard]] __device__ std::size_t base() const {
    return base_;
  }
  [[nodiscard]] __device__ unsigned last() const {
    return last_;
  }
  [[nodiscard]] __device__ unsigned begin() const {
    return begin_;
  }
  __device__ void ask() {}
  __device__ void advance() {
    begin_ += size;
  }
  [[nodiscard]] __device__ unsigned at(unsigned k) const {
    return ::min(first_ + (begin_ + k) * step_, most_);
  }
  [[nodiscard]] __device__ static bool ascend(unsigned /*count*/, std::size_t /*n*/) {
    return true;
  }

 private:
  std::size_t base_;
  unsigned last_;
  unsigned first_;
  unsigned step_;
  unsigned most_;  // where the block's share of items ends, and so at most its last segment
  unsigned begin_ = 0;
};

/// The borders of the parts of segments in a block's share, counted from its first item: border k is where part k
/// begins and part k - 1 ends. What is read of them is `raw` until it is counted, so that loads can run ahead.
template <class Offset>
class offset_borders {
 public:
  using raw = std::conditional_t<sizeof(Offset) == 4, std::uint32_t, std::uint64_t>;
  static constexpr std::size_t staged_bytes = sizeof(raw);  // in shared memory, of a border

  __device__ offset_borders(const offset_segments<Offset>& s, const cut (&cuts)[2])
      : offsets_(reinterpret_cast<const raw*>(s.offsets) + cuts[0].segment),
        origin_(static_cast<raw>(cuts[0].item)),
        end_(static_cast<raw>(cuts[1].item)),
        parts_(static_cast<unsigned>(cuts[1].segment - cuts[0].segment) + 1) {}

  [[nodiscard]] __device__ unsigned parts() const { return parts_; }
  [[nodiscard]] __device__ raw read(unsigned border) const {
    return border == 0 ? origin_ : border == parts_ ? end_ : offsets_[border];
  }
  [[nodiscard]] __device__ unsigned counted(raw border) const {
    const raw distance = border - origin_;
    return distance < 0xFFFFFFFFU ? static_cast<unsigned>(distance) : 0xFFFFFFFFU;
  }
  /// Begins to bring the borders from `first` on to shared memory, where staged(to, k) then finds border first + k.
  __device__ void stage(void* to, unsigned first, unsigned count) const {
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) {
      raw* const at = static_cast<raw*>(to) + k;
      if (first + k == 0) {
        *at = origin_;
      } else if (first + k == parts_) {
        *at = end_;
      } else {
        copy_later(at, offsets_ + first + k);
      }
    }
  }
  [[nodiscard]] __device__ unsigned staged(const void* to, unsigned /*first*/, unsigned k) const {
    return counted(static_cast<const raw*>(to)[k]);
  }

 private:
  const raw* offsets_;  // from the share's first segment on
  raw origin_;
  raw end_;
  unsigned parts_;
};
class even_borders {
 public:
  using raw = std::uint32_t;
  static constexpr std::size_t staged_bytes = 0;

  __device__ even_borders(const even_segments& s, const cut (&cuts)[2])
      : first_(static_cast<unsigned>(s.begin(cuts[0].segment) - cuts[0].item)),
        size_(static_cast<unsigned>(s.size)),
        end_(static_cast<unsigned>(cuts[1].item - cuts[0].item)),
        parts_(static_cast<unsigned>(cuts[1].segment - cuts[0].segment) + 1) {}

  [[nodiscard]] __device__ unsigned parts() const { return parts_; }
  [[nodiscard]] __device__ raw read(unsigned border) const {
    return border == 0 ? 0 : border == parts_ ? end_ : ::min(first_ + border * size_, end_);
  }
  [[nodiscard]] __device__ static unsigned counted(raw border) { return border; }
  __device__ static void stage(void* /*to*/, unsigned /*first*/, unsigned /*count*/) {}
  [[nodiscard]] __device__ unsigned staged(const void* /*to*/, unsigned first, unsigned k) const {
    return read(first + k);
  }

 private:
  unsigned first_;  // where the share's first segment begins, perhaps before the share
  unsigned size_;
  unsigned end_;
  unsigned parts_;
};

/// What the kernels take for either kind of segments.
template <class Segments>
struct ends_of;
template <class Offset>
struct ends_of<offset_segments<Offset>> {
  using type = offset_ends<Offset>;
  using bounds = typename type::bounds;
  using borders = offset_borders<Offset>;
};
template <>
struct ends_of<even_segments> {
  using type = even_ends;
  using bounds = even_ends::bounds;
  using borders = even_borders;
};

}  // namespace peneira::detail
