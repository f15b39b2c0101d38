// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Short segments of mixed sizes. A loop a segment spends its time on mispredicted ends, so each begins with a window of
// a fixed number of packs, without a branch that depends on its size:
//
//   size 22, packs of 4   [ 4 packs ][ none ][ 1 pack ][ 2 lanes ]     22 = 16 + 0 + 4 + 2
//
// The bits of the size say which blocks of 8, 4, 2 and 1 packs it has. One that it lacks is read from a row of
// identities instead, and the lanes past its end count as the identity. What is left of a segment that is longer than
// all blocks are whole windows; few have some, where the window suits the sizes, so that the branch is predicted.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "peneira/cpu/fold.hpp"
#include "peneira/cpu/simd/packs.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// What one thread's segments have in common.
template <class T, class Segments, class Result, class Op>
struct segment_work {
  const T* items;
  std::size_t n;
  Segments segments;
  std::size_t count;  ///< of all segments
  Result* results;
  const Op& op;
  std::size_t first = 0;     ///< of the thread's own segments
  std::size_t stop = count;  ///< before which they end

  /// The thread's own of the segments from one to before another.
  [[nodiscard]] std::pair<std::size_t, std::size_t> own_of(std::size_t from, std::size_t to) const {
    return {std::clamp(from, first, stop), std::clamp(to, first, stop)};
  }
  [[nodiscard]] Result fold(std::size_t begin, std::size_t end) const {
    return fold_items<Result>(items, begin, end, op);
  }
  [[nodiscard]] Result identity() const { return op.template identity<Result>(); }
};

/// Masks of the first so many lanes of a pack. The place of a row takes less to find than that of a part of one row.
template <class T>
struct lane_masks {
  using bits = typename pack<T>::bits;
  static constexpr std::size_t lanes = pack<T>::lanes;
  alignas(64) bits row[lanes][lanes] = {};
  constexpr lane_masks() {
    for (std::size_t r = 0; r < lanes; ++r) {
      for (std::size_t l = 0; l < r; ++l) row[r][l] = static_cast<bits>(~bits{0});
    }
  }
};
template <class T>
inline constexpr lane_masks<T> first_lanes{};

/// One of two addresses, by a conditional move. On x86 gcc would rather branch around what finds the first, unless it
/// is at hand; on ARM it is as wanted, and slower so: 4.5 cycles a segment of 2 items, 4.1 without (V1).
template <class T>
[[gnu::always_inline]] inline const T* either(bool first, const T* a, const T* b) {
#if defined(__x86_64__)
  asm("" : "+r"(a));
#endif
  return __builtin_expect_with_probability(first ? 1 : 0, 1, 0.5) != 0 ? a : b;
}

/// Items of the longest segments that windows combine, by so many accumulators. Of floats that are added these are rows
/// of so many steps, of which there are as many at most, so that a sum is as close as a pairwise one.
template <class Op, class T, std::size_t Lanes>
inline constexpr std::size_t most_in_windows = Lanes*(rounds<Op, T>
                                                          ? tuning::cpu_rounding_steps* tuning::cpu_rounding_steps
                                                          : tuning::cpu_long_segment_bytes / (Lanes * sizeof(T)));

/// Offsets of fewer segments than there are lanes, and behind them those of empty ones.
template <std::size_t Lanes, class Offset>
struct few_segments {
  std::array<Offset, Lanes + 1> offsets;

  few_segments(const Offset* from, std::size_t count) {
    std::copy_n(from, count + 1, offsets.begin());
    std::fill(offsets.begin() + count + 1, offsets.end(), from[count]);
  }
};

/// Windows of 2^Levels packs.
template <std::size_t Levels, class T, class Op>
class window {
  using p = pack<T>;
  static constexpr std::size_t lanes_of(std::size_t levels) { return p::lanes << levels; }
  static constexpr std::size_t lanes = lanes_of(Levels);
  static constexpr std::size_t accumulators = 4;  ///< of whole windows

 public:
  /// Items of the longest segments that are combined; those of longer ones are left out.
  static constexpr std::size_t most = most_in_windows<Op, T, accumulators * p::lanes>;

  explicit window(const Op& op) : identity_(p::all(op.template identity<T>())), op_(op) {
    identities_.fill(op.template identity<T>());
  }

  /// A segment of some size, combined into one pack. Reads up to a pack past it.
  [[gnu::always_inline]] p fold(const T* items, std::size_t size) const {
    const p rest = fold_rest<Levels>(items, size);
    if (size >= lanes) [[unlikely]]
      return fold_whole(items, size, rest);
    return rest;
  }

 private:
  /// The first size mod lanes items, of which these are the last 2^Level packs: those that one bit of the size speaks
  /// of, and those that the lower bits do.
  template <std::size_t Level>
  [[gnu::always_inline]] p fold_rest(const T* items, std::size_t size) const {
    if constexpr (Level == 0) {
      typename p::mask ones;
      std::memcpy(&ones, first_lanes<T>.row[size % p::lanes], pack_bytes);
      return p::select(ones, p::load(items + (size & (lanes - p::lanes))), identity_);
    } else {
      constexpr std::size_t bit = lanes_of(Level - 1);
      const T* const from = either((size & bit) != 0, items + (size & (lanes - 2 * bit)), identities_.data());
      return p::combine(op_, fold_packs<Level - 1>(from), fold_rest<Level - 1>(items, size));
    }
  }

  /// 2^Level packs. No loop, which gcc might keep, and with it the packs in memory.
  template <std::size_t Level>
  [[gnu::always_inline]] p fold_packs(const T* items) const {
    if constexpr (Level == 0) {
      return p::load(items);
    } else {
      return p::combine(op_, fold_packs<Level - 1>(items), fold_packs<Level - 1>(items + lanes_of(Level - 1)));
    }
  }

  /// The whole windows of a segment, and what was combined of it before. A function of its own, so that segments
  /// without any, which are most, have the registers for themselves.
  [[gnu::noinline]] p fold_whole(const T* items, std::size_t size, p all) const {
    if (size > most) return all;
    constexpr std::size_t step = accumulators * p::lanes;
    constexpr std::size_t row = rounds<Op, T> ? tuning::cpu_rounding_steps * step : most;
    std::size_t i = size % lanes;
    if constexpr (lanes < step) {
      static_assert(2 * lanes == step);
      if (size & lanes) {
        all = p::combine(op_, all, fold_packs<Levels>(items + i));
        i += lanes;
      }
    }
    while (i != size) {
      const std::size_t until = std::min(size, i + row);
      std::array<p, accumulators> x;
      for_each_of<accumulators>([&](std::size_t k)
                                    __attribute__((always_inline)) { x[k] = p::load(items + i + k * p::lanes); });
      for (i += step; i != until; i += step) {
        for_each_of<accumulators>([&](std::size_t k) __attribute__((always_inline)) {
          x[k] = p::combine(op_, x[k], p::load(items + i + k * p::lanes));
        });
      }
      all = p::combine(op_, all, combine_packs(op_, x));
    }
    return all;
  }

  alignas(64) std::array<T, lanes / 2> identities_;
  p identity_;
  Op op_;
};

/// As many neighbouring segments as a pack has lanes.
template <std::size_t Levels, class T, class Offset, class Op>
[[gnu::always_inline]] inline pack<T> fold_lanes(const window<Levels, T, Op>& by, const T* items, const Offset* offsets,
                                                 const Op& op) {
  using p = pack<T>;
  std::array<p, p::lanes> x;
  constexpr std::size_t unrolled = std::min<std::size_t>(p::lanes, 4);
  for (std::size_t l = 0; l < p::lanes; l += unrolled) {
    [&]<std::size_t... K>(std::index_sequence<K...> /*next*/) __attribute__((always_inline)) {
      const auto offset = [&](std::size_t k) { return static_cast<std::size_t>(offsets[l + k]); };
      ((x[l + K] = by.fold(items + offset(K), offset(K + 1) - offset(K))), ...);
    }
    (std::make_index_sequence<unrolled>{});
  }
  return fold_across(op, x);
}

/// The segments between neighbouring offsets, which are valid and not long: some at a time from the first half, then
/// some from the second, since two streams keep the memory busier than one. A segment's result does not depend on where
/// among the others it lies, and of one that is longer than windows take it means nothing. Reads up to a pack past
/// them.
template <std::size_t Levels, class T, class Offset, class Op>
[[gnu::noinline]] void fold_by_windows(const T* items, const Offset* offsets, std::size_t count, T* results,
                                       const Op& op) {
  using p = pack<T>;
  const window<Levels, T, Op> by(op);
  const std::size_t half = count / 2 / p::lanes * p::lanes;
  for (std::size_t s = 0; s < half; s += p::lanes) {
    for (std::size_t at = s; at < 2 * half; at += half) fold_lanes(by, items, offsets + at, op).store(results + at);
  }
  for (std::size_t at = 2 * half; at < count; at += p::lanes) {
    const std::size_t left = std::min(count - at, p::lanes);
    const few_segments<p::lanes, Offset> last(offsets + at, left);
    std::array<T, p::lanes> found;
    fold_lanes(by, items, last.offsets.data(), op).store(found.data());
    std::copy_n(found.begin(), left, results + at);
  }
}

}  // namespace peneira::detail
