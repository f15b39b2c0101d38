// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One thread combines many segments. Where they are short, a loop a segment spends its time on mispredicted ends, so
// segments of mixed sizes go through windows of a fixed number of lanes instead, without a branch that depends on them:
//
//   items     a a a a a b c c c c c c ...
//   windows   [a a a a][a - - -][b - - -][c c c c][c c - -]     lanes past the segment's end count as the identity
//
// Each window is folded and combined with what its segment had so far, and the result is written every time; the next
// window starts where this one or the segment ended. Segments of one size, which a processor predicts, and long ones
// get loops of their own.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "peneira/config.hpp"
#include "peneira/cpu/fold.hpp"
#include "peneira/ops.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// What one thread's segments have in common.
template <class T, class Segments, class Result, class Op>
struct segment_work {
  const T* items;
  std::size_t n;
  Segments segments;
  Result* results;
  const Op& op;

  [[nodiscard]] Result fold(std::size_t begin, std::size_t end) const {
    return fold_items<Result>(items, begin, end, op);
  }
  [[nodiscard]] Result identity() const { return op.template identity<Result>(); }
};

/// What the offsets of a block of segments say of their sizes.
struct block_sizes {
  std::size_t least;
  std::size_t most;
  bool ascend;
};

template <class Offset>
block_sizes sizes_of(const Offset* offsets, std::size_t count) {
  using word = std::make_unsigned_t<Offset>;  // a negative offset becomes a great one, which the last then is too
  word least = static_cast<word>(~word{0});
  word most = 0;
  word descends = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto begin = static_cast<word>(offsets[k]);
    const auto end = static_cast<word>(offsets[k + 1]);
    least = std::min<word>(least, end - begin);
    most = std::max<word>(most, end - begin);
    descends |= end < begin ? 1 : 0;
  }
  return {least, most, descends == 0};
}

/// a or b, without a branch.
template <class T>
[[gnu::always_inline]] inline T pick(bool first, T a, T b) {
  using bits = bits_of<T>;
  const auto mask = static_cast<bits>(bits{0} - static_cast<bits>(first));
  const auto x = std::bit_cast<bits>(a);
  const auto y = std::bit_cast<bits>(b);
  return std::bit_cast<T>(static_cast<bits>(y ^ ((x ^ y) & mask)));
}

/// The segments from s to before stop, which are valid, by windows of some packs.
template <std::size_t Packs, class T, class Segments, class Op>
void fold_by_windows(const segment_work<T, Segments, T, Op>& work, std::size_t s, std::size_t stop) {
  constexpr std::size_t lanes = Packs * pack<T>::lanes;
  constexpr std::size_t longest = tuning::cpu_long_segment_bytes / sizeof(T);
  const T* const items = work.items;
  const std::size_t n = work.n;
  const Segments segments = work.segments;
  T* const results = work.results;
  const Op op = work.op;
  const T identity = work.identity();
  T so_far = identity;
  std::size_t at = segments.begin(s);
  std::size_t end = segments.end(s);
  const std::size_t last = stop - 1;
  while (s < last) {
    const std::size_t left = end - at;
    if (left > longest || n - at < lanes) [[unlikely]] {
      results[s] = op(so_far, work.fold(at, end));
      so_far = identity;
      at = end;
      end = segments.end(++s);
      continue;
    }
    const std::size_t count = std::min(left, lanes);
    const T now = op(so_far, fold_window<lanes>(items + at, count, op));
    const bool done = left <= lanes;
    results[s] = now;
    so_far = pick(done, identity, now);
    at += count;
    s += done ? 1 : 0;
    end = segments.end(s);
  }
  results[last] = op(so_far, work.fold(at, end));
}

/// The segments from s to before stop, all of Size items.
template <std::size_t Size, class T, class Segments, class Result, class Op>
void fold_small(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop) {
  const std::size_t first = work.segments.begin(s);
  const T* const items = work.items;
  Result* const results = work.results + s;
  const Op& op = work.op;
  for (std::size_t k = 0; k < stop - s; ++k) {
    auto all = op.template identity<Result>();
    for (std::size_t i = first + k * Size; i < first + (k + 1) * Size; ++i) {
      all = op(all, lifted<Result>(op, items[i], i));
    }
    results[k] = all;
  }
}

/// The segments from s to before stop, all of one size.
template <class T, class Segments, class Result, class Op>
void fold_equal(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop, std::size_t size) {
  if (size == 1) return fold_small<1>(work, s, stop);
  if (size == 2) return fold_small<2>(work, s, stop);
  if (size == 3) return fold_small<3>(work, s, stop);
  if (size == 4) return fold_small<4>(work, s, stop);
  std::size_t at = work.segments.begin(s);
  if constexpr (folds_packs<Result, T, Op>) {
    constexpr std::size_t lanes = 2 * pack<T>::lanes;
    if (size * sizeof(T) <= tuning::cpu_long_segment_bytes) {
      for (; s < stop && work.n - at >= size + lanes; ++s, at += size) {
        work.results[s] = fold_short<2>(work.items + at, size, work.op);
      }
    }
  }
  for (; s < stop; ++s, at += size) work.results[s] = work.fold(at, at + size);
}

/// A block of segments, which are valid, by what suits their sizes.
template <class T, class Segments, class Result, class Op>
void fold_block(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop, std::size_t least,
                std::size_t most) {
  if (least == most) return fold_equal(work, s, stop, least);
  if constexpr (folds_packs<Result, T, Op>) {
    const std::size_t bytes = (work.segments.begin(stop - 1) - work.segments.begin(s)) * sizeof(T);
    const std::size_t count = stop - s;
    if (bytes <= count * tuning::cpu_window2_bytes) return fold_by_windows<2>(work, s, stop);
    if (bytes <= count * tuning::cpu_window4_bytes) return fold_by_windows<4>(work, s, stop);
    if (bytes <= count * tuning::cpu_window8_bytes) return fold_by_windows<8>(work, s, stop);
  }
  for (; s < stop; ++s) work.results[s] = work.fold(work.segments.begin(s), work.segments.end(s));
}

/// The segments from s to before stop. Returns false at the first block with one that ends before it begins or past the
/// items; no item outside the array is read.
template <class T, class Segments, class Result, class Op>
[[nodiscard]] bool fold_segments(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop) {
  if constexpr (Segments::regular) {
    const std::size_t whole = std::min(stop, work.n / work.segments.size);  // the very last one may be shorter
    if (s < whole) fold_equal(work, s, whole, work.segments.size);
    for (s = std::max(s, whole); s < stop; ++s) {
      work.results[s] = work.fold(work.segments.begin(s), work.segments.end(s));
    }
    return true;
  } else {
    for (std::size_t next = 0; s < stop; s = next) {
      next = stop - s < tuning::cpu_segment_block ? stop : s + tuning::cpu_segment_block;
      const auto sizes = sizes_of(work.segments.offsets + s, next - s);
      if (!sizes.ascend || work.segments.end(next - 1) > work.n) return false;
      fold_block(work, s, next, sizes.least, sizes.most);
    }
    return true;
  }
}

}  // namespace peneira::detail
