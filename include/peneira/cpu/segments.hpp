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
  bool ascend;
  bool equal;
};

template <class Offset>
block_sizes sizes_of(const Offset* offsets, std::size_t count) {
  using word = std::make_unsigned_t<Offset>;  // a negative offset becomes a great one, which the last then is too
  const auto first = static_cast<word>(static_cast<word>(offsets[1]) - static_cast<word>(offsets[0]));
  word differ = 0;
  word descend = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto begin = static_cast<word>(offsets[k]);
    const auto end = static_cast<word>(offsets[k + 1]);
    differ |= static_cast<word>(end - begin) ^ first;
    descend |= end < begin ? 1 : 0;
  }
  return {descend == 0, differ == 0};
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

/// Goes through segments window by window.
template <std::size_t Packs, class T, class Segments, class Op>
class window_cursor {
 public:
  using shared = segment_work<T, Segments, T, Op>;

  /// The segments from s to before stop, which are valid.
  window_cursor(const shared& work, std::size_t s, std::size_t stop)
      : s_(s),
        last_(stop - 1),
        at_(work.segments.begin(s)),
        left_(work.segments.end(s) - at_),
        so_far_(work.identity()) {}

  /// Whether the next window can be taken without a second thought.
  [[nodiscard]] bool easy(const shared& work) const {
    return (s_ < last_) & (left_ <= longest) & (work.n - at_ >= lanes);
  }
  [[gnu::always_inline]] void take_window(const shared& work, T identity) {
    const std::size_t count = std::min(left_, lanes);
    const T now = work.op(so_far_, fold_window<lanes>(work.items + at_, count, work.op));
    const bool done = left_ <= lanes;
    work.results[s_] = now;
    so_far_ = pick(done, identity, now);
    at_ += count;
    s_ += done ? 1 : 0;
    left_ = work.segments.end(s_) - at_;
  }
  /// The rest of one segment. Returns whether there are more.
  bool take_segment(const shared& work) {
    work.results[s_] = work.op(so_far_, work.fold(at_, at_ + left_));
    if (s_ == last_) return false;
    so_far_ = work.identity();
    at_ += left_;
    left_ = work.segments.end(++s_) - at_;
    return true;
  }

 private:
  static constexpr std::size_t lanes = Packs * pack<T>::lanes;
  static constexpr std::size_t longest = tuning::cpu_long_segment_bytes / sizeof(T);

  std::size_t s_;
  std::size_t last_;
  std::size_t at_;
  std::size_t left_;
  T so_far_;  ///< of the segment that the cursor is in
};

/// The segments from s to before stop, which are valid, by windows of some packs. Small windows go through two halves
/// at the same time, since each waits for the one before it.
template <std::size_t Packs, class T, class Segments, class Op>
void fold_by_windows(const segment_work<T, Segments, T, Op>& given, std::size_t s, std::size_t stop) {
  const segment_work<T, Segments, T, Op> work = given;
  using cursor = window_cursor<Packs, T, Segments, Op>;
  const T identity = work.identity();
  const auto finish = [&work, identity](cursor rest) {
    do {
      while (rest.easy(work)) rest.take_window(work, identity);
    } while (rest.take_segment(work));
  };
  const std::size_t middle = s + (stop - s) / 2;
  if (Packs > 4 || middle == s) return finish(cursor(work, s, stop));
  cursor a(work, s, middle);
  cursor b(work, middle, stop);
  for (bool more = true; more;) {
    while ((static_cast<unsigned>(a.easy(work)) & static_cast<unsigned>(b.easy(work))) != 0) {  // one branch, not two
      a.take_window(work, identity);
      b.take_window(work, identity);
    }
    if (!a.easy(work)) {
      more = a.take_segment(work);
      if (!more) finish(b);
    } else {
      more = b.take_segment(work);
      if (!more) finish(a);
    }
  }
}

/// The segments from s to before stop, all of Size items.
template <std::size_t Size, class T, class Segments, class Result, class Op>
void fold_small(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop) {
  const std::size_t first = work.segments.begin(s);
  const T* const __restrict items = work.items + first;
  Result* const __restrict results = work.results + s;
  const std::size_t count = stop - s;
  const Op& op = work.op;
  for (std::size_t k = 0; k < count; ++k) {
    auto all = lifted<Result>(op, items[k * Size], first + k * Size);
    for (std::size_t i = 1; i < Size; ++i) {
      all = op(all, lifted<Result>(op, items[k * Size + i], first + k * Size + i));
    }
    results[k] = all;
  }
}

/// One segment, which is valid, by Packs accumulators if it is not long.
template <std::size_t Packs, class T, class Segments, class Result, class Op>
[[gnu::always_inline]] inline Result fold_segment(const segment_work<T, Segments, Result, Op>& work, std::size_t begin,
                                                  std::size_t end) {
  if constexpr (folds_packs<Result, T, Op>) {
    const std::size_t size = end - begin;
    const bool is_short = size <= tuning::cpu_stream_run_bytes / sizeof(T);
    if (is_short && work.n - begin >= size + Packs * pack<T>::lanes) {
      return fold_short<Packs>(work.items + begin, size, work.op);
    }
  }
  return work.fold(begin, end);
}

/// Calls one(s) for the segments from s to before stop: in turns from the first half and from the second, since two
/// streams keep the memory busier than one.
template <class One>
[[gnu::always_inline]] inline void in_turns(std::size_t s, std::size_t stop, One&& one) {
  const std::size_t half = (stop - s) / 2;
  for (std::size_t k = s; k < s + half; ++k) {
    one(k);
    one(k + half);
  }
  if (s + 2 * half < stop) one(stop - 1);
}

/// The segments from s to before stop, all of one size.
template <class T, class Segments, class Result, class Op>
void fold_equal(const segment_work<T, Segments, Result, Op>& given, std::size_t s, std::size_t stop, std::size_t size) {
  const segment_work<T, Segments, Result, Op> work = given;
  if (size == 1) return fold_small<1>(work, s, stop);
  if (size == 2) return fold_small<2>(work, s, stop);
  if (size == 3) return fold_small<3>(work, s, stop);
  if (size == 4) return fold_small<4>(work, s, stop);
  if (size == 0) return std::fill(work.results + s, work.results + stop, work.identity());
  const T* const items = work.items + work.segments.begin(s);
  const std::size_t first = s;
  if constexpr (folds_packs<Result, T, Op>) {
    constexpr std::size_t lanes = 2 * pack<T>::lanes;  // that may be read past a segment, but not past the items
    if (size <= tuning::cpu_stream_run_bytes / sizeof(T)) {
      const std::size_t follow =
          (work.n - work.segments.begin(s)) / size;  // segments of this size up to the items' end
      const std::size_t sure = std::min(stop - s, follow - std::min(follow, lanes / size + 1));
      in_turns(s, s + sure,
               [&](std::size_t k) { work.results[k] = fold_short<2>(items + (k - first) * size, size, work.op); });
      s += sure;
    }
  }
  const std::size_t at = work.segments.begin(first);
  in_turns(s, stop,
           [&](std::size_t k) { work.results[k] = work.fold(at + (k - first) * size, at + (k - first + 1) * size); });
}

/// A block of segments, which are valid, by what suits their sizes.
template <class T, class Segments, class Result, class Op>
void fold_block(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop, bool equal) {
  if (equal) return fold_equal(work, s, stop, work.segments.end(s) - work.segments.begin(s));
  if constexpr (folds_packs<Result, T, Op>) {
    const std::size_t bytes = (work.segments.begin(stop - 1) - work.segments.begin(s)) * sizeof(T);
    const std::size_t count = stop - s;
    if (bytes <= count * tuning::cpu_window2_bytes) return fold_by_windows<2>(work, s, stop);
    if (bytes <= count * tuning::cpu_window4_bytes) return fold_by_windows<4>(work, s, stop);
    if (bytes <= count * tuning::cpu_window8_bytes) return fold_by_windows<8>(work, s, stop);
  }
  in_turns(s, stop, [&work](std::size_t k) {
    work.results[k] = fold_segment<4>(work, work.segments.begin(k), work.segments.end(k));
  });
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
      fold_block(work, s, next, sizes.equal);
    }
    return true;
  }
}

}  // namespace peneira::detail
