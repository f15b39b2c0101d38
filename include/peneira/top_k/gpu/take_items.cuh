// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels that take the items below a bound and the first of those that equal it, in their order: the candidates
// of all items, by a bound from a sample, and then the k wanted ones. A tile marks its items and learns a turn later
// how many come before them.
#pragma once

#include "peneira/gpu/exchange/tile_pipeline.cuh"
#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/key_order.hpp"
#include "peneira/ops.hpp"
#include "peneira/top_k/gpu/select_sizes.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

struct join_select_counts {
  static constexpr bool commutative = true;
  template <class Count>
  PENEIRA_HD select_counts<Count> operator()(const select_counts<Count>& a, const select_counts<Count>& b) const {
    return {a.less + b.less, a.equal + b.equal};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return T{};
  }
};

/// Which items are taken: those whose ordered number is below the bound, and the first ones that equal it.
template <class U>
struct take_rule {
  key_order<U> by;
  U bound;
  std::uint64_t equals;
};

/// What a block keeps of a tile until it is written: marks of each thread's items, and items of the warps before.
struct tile_marks {
  std::uint32_t of_thread[tuning::select_steps][tuning::select_threads];
  std::uint32_t less_before[tuning::select_threads / 32];
  std::uint32_t equal_before[tuning::select_threads / 32];
};

/// A thread's part of the work on a tile, as tile_pipeline wants it. The part of a warp are neighbouring items, which
/// it goes through in some steps. An item has two marks, a bit each: it is below the bound; 16 bits on: it equals it.
template <class Count, class U, class V>
class take_work {
 public:
  using counts = select_counts<Count>;

  __device__ take_work(const view<const U, const V>& in, const view<U, V>& out, const take_rule<U>& rule,
                       std::uint32_t steps, std::uint32_t tiles, select_state* totals)
      : in_(in), out_(out), rule_(rule), steps_(steps), tiles_(tiles), totals_(totals), mine_(0, 0) {}

  __device__ void load(std::uint32_t tile) {
    first_ = warp_first(tile);
    whole_ = aligned_for<U, shape::group>(in_.keys) && (std::size_t{tile} + 1) * shape::step * steps_ <= in_.size;
    load_step(0);
  }
  __device__ counts rank() {
    std::uint32_t of_lane = 0;
#pragma unroll
    for (unsigned s = 0; s < tuning::select_steps; ++s) {
      marks_[s] = 0;
      if (s >= steps_) continue;
      marks_[s] = whole_ ? mark<true>() : mark<false>();
      if (s + 1 < steps_) load_step(s + 1);
      of_lane += counted(marks_[s]);
    }
    const std::uint32_t all = combine_lanes<plus>(of_lane);
    return {all & 0xFFFFU, all >> 16U};
  }
  __device__ void stage(unsigned half, const counts& before_warp, const counts& /*of_tile*/) {
    tile_marks& to = staged(half);
#pragma unroll
    for (unsigned s = 0; s < tuning::select_steps; ++s) to.of_thread[s][threadIdx.x] = marks_[s];
    if (threadIdx.x % 32 != 0) return;
    to.less_before[threadIdx.x / 32] = static_cast<std::uint32_t>(before_warp.less);
    to.equal_before[threadIdx.x / 32] = static_cast<std::uint32_t>(before_warp.equal);
  }
  __device__ void write(unsigned half, std::uint32_t tile, const counts& before, const counts& of_tile) {
    if (totals_ != nullptr && tile + 1 == tiles_ && threadIdx.x == 0) {
      totals_->less = before.less + of_tile.less;
      totals_->equal = before.equal + of_tile.equal;
    }
    if (of_tile.less + of_tile.equal == 0) return;
    const tile_marks& from = staged(half);
    counts at{before.less + from.less_before[threadIdx.x / 32], before.equal + from.equal_before[threadIdx.x / 32]};
    std::size_t first = warp_first(tile) + threadIdx.x % 32 * shape::group;
    for (unsigned s = 0; s < steps_; ++s, first += rows::items) {
      const std::uint32_t marks = from.of_thread[s][threadIdx.x];
      if (__any_sync(all_lanes, marks != 0) != 0) write_step(marks, first, at);
    }
  }

  /// Bits in which items that this thread marked differ from the bound.
  [[nodiscard]] __device__ U differing() const {
    return differing_;
  }

 private:
  using shape = select_shape<U>;
  using rows = warp_rows<shape::rows, shape::group>;
  static_assert(shape::rows * shape::group <= 16, "an item of a thread has two bits of a word");
  static constexpr std::uint32_t row_marks = ((1U << shape::group) - 1) * 0x10001U;

  __device__ static tile_marks& staged(unsigned half) {
    return shared_memory<tile_marks>()[half];
  }
  /// Items of either kind, those that equal the bound from bit 16 on.
  __device__ static std::uint32_t counted(std::uint32_t marks) {
    const auto equals = static_cast<std::uint32_t>(__popc(marks >> 16U));
    return static_cast<std::uint32_t>(__popc(marks)) - equals + (equals << 16U);
  }
  [[nodiscard]] __device__ std::size_t warp_first(std::uint32_t tile) const {
    return (std::size_t{tile} * (tuning::select_threads / 32) + threadIdx.x / 32) * steps_ * rows::items;
  }
  __device__ void load_step(unsigned s) {
    mine_ = rows(first_ + s * rows::items, in_.size);
    mine_.load(loaded_, in_.keys, whole_);
  }
  /// The marks of what is loaded.
  template <bool Whole>
  __device__ std::uint32_t mark() const {
    std::uint32_t marks = 0;
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
#pragma unroll
      for (unsigned k = 0; k < shape::group; ++k) {
        if (!Whole && !mine_.has(r, k)) continue;
        const U ordered = rule_.by(loaded_[r][k]);
        const unsigned item = r * shape::group + k;
        if (ordered <= rule_.bound) marks |= ordered == rule_.bound ? 0x10000U << item : 1U << item;
      }
    }
    return marks;
  }
  /// Writes the marked items of a step, whose first one of this lane is given, and goes on behind them.
  __device__ void write_step(std::uint32_t marks, std::size_t first, counts& at) {
    std::uint32_t of_rows[shape::rows][1];
    std::uint32_t before[shape::rows];
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) of_rows[r][0] = counted(marks >> (r * shape::group) & row_marks);
    const std::uint32_t all = scan_rows(of_rows, before, plus{});
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
      const std::uint32_t of_row = marks >> (r * shape::group) & row_marks;
      if (of_row == 0) continue;
      alignas(16) U keys[shape::group];
      load_marked(keys, first + r * 32 * shape::group, of_row);
      Count less = at.less + (before[r] & 0xFFFFU);
      Count equal = at.equal + (before[r] >> 16U);
#pragma unroll
      for (unsigned k = 0; k < shape::group; ++k) {
        if ((of_row >> k & 0x10001U) == 0) continue;
        const bool equals = (of_row >> (16 + k) & 1U) != 0;
        write_item(first + r * 32 * shape::group + k, keys[k], equals, less, equal);
        (equals ? equal : less) += 1;
      }
    }
    at.less += all & 0xFFFFU;
    at.equal += all >> 16U;
  }
  /// Loads a group again that has marks: together, where it can be.
  __device__ void load_marked(U (&keys)[shape::group], std::size_t first, std::uint32_t marks) const {
    if (aligned_for<U, shape::group>(in_.keys) && first + shape::group <= in_.size) {
      return copy_group<static_cast<int>(shape::group)>(keys, in_.keys + first);
    }
#pragma unroll
    for (unsigned k = 0; k < shape::group; ++k) {
      if ((marks >> k & 0x10001U) != 0) keys[k] = in_.keys[first + k];
    }
  }
  /// Writes an item, before which there are so many marked ones of either kind, if it is taken.
  __device__ void write_item(std::size_t item, U key, bool equals, Count less, Count equal) {
    if (equals && equal >= rule_.equals) return;
    const std::uint64_t at = less + ::min(std::uint64_t{equal}, rule_.equals);
    if (at >= out_.size) return;
    differing_ = static_cast<U>(differing_ | (rule_.by(key) ^ rule_.bound));
    out_.keys[at] = key;
    if constexpr (view<U, V>::has_values) out_.values[at] = in_.values[item];
  }

  view<const U, const V> in_;
  view<U, V> out_;
  take_rule<U> rule_;
  std::uint32_t steps_;
  std::uint32_t tiles_;
  select_state* totals_;   ///< which counts of all items go to, or nullptr
  std::size_t first_ = 0;  ///< of the warp, in the tile that is loaded
  bool whole_ = false;
  rows mine_;
  alignas(16) U loaded_[shape::rows][shape::group];
  std::uint32_t marks_[tuning::select_steps];
  U differing_ = 0;
};

/// Takes all items up to the bound, of those that equal it no more than k, and says how many there are.
template <class Count, class U, class V>
__global__ void __launch_bounds__(tuning::select_threads, select_counts<Count>::blocks)
    collect_candidates(view<const U, const V> in, std::size_t k, view<U, V> candidates, key_order<U> by,
                       select_header header, select_tiles cut, std::uint32_t tiles) {
  __shared__ tile_pipeline<select_counts<Count>, tuning::select_threads> pipeline;
  wait_for_kernels_before();
  let_next_kernel_start();
  select_state* const state = header.state();
  take_work<Count, U, V> mine(in, candidates, {by, static_cast<U>(state->bound), k}, cut.steps, tiles, state);
  pipeline.run(cut.words, tiles, join_select_counts{}, mine);
  const std::uint64_t differing = bits_of_lanes(mine.differing());
  if (threadIdx.x % 32 == 0 && differing != 0) atomicOr(&state->differing, static_cast<unsigned long long>(differing));
}

/// Takes the k wanted items, of the candidates or of all.
template <class Count, class U, class V>
__global__ void __launch_bounds__(tuning::select_threads, tuning::take_blocks)
    take_wanted(view<const U, const V> in, view<const U, const V> candidates, view<U, V> out, key_order<U> by,
                select_header header, select_tiles cut) {
  __shared__ tile_pipeline<select_counts<Count>, tuning::select_threads> pipeline;
  wait_for_kernels_before();
  let_next_kernel_start();
  const select_state& found = *header.state();
  view<const U, const V> from = found.from_candidates != 0 ? candidates : in;
  from.size = found.items;
  const std::uint32_t steps = found.from_candidates != 0 ? 1 : cut.steps;
  const std::uint32_t tiles = select_shape<U>::tiles(from.size, steps);
  if (tiles == 1 && blockIdx.x != 0) return;
  take_work<Count, U, V> mine(from, out, {by, static_cast<U>(found.threshold), found.equal_taken}, steps, tiles,
                              nullptr);
  pipeline.run(cut.words, tiles, join_select_counts{}, mine);
}

}  // namespace peneira::detail

#endif
