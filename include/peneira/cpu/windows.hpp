// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Short segments of mixed sizes. A loop a segment spends its time on mispredicted ends, so they go through windows of a
// fixed number of lanes, without a branch that depends on them:
//
//   items     a a a a a b c c c c c c ...
//   windows   [a a a a][a - - -][b - - -][c c c c][c c - -]     lanes past the segment's end count as the identity
//
// Each window is folded into one pack and combined with what its segment had so far, and that pack is written every
// time; the next window starts where this one or the segment ended. Only when a hundred or so segments are finished are
// the lanes of their packs combined, some segments side by side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "peneira/cpu/fold.hpp"
#include "peneira/cpu/packs.hpp"
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

/// What a window of some packs takes of a segment, by how many items are left of it: a row of masks for each number of
/// items up to all of the window, and one for more. Behind the window's masks stands one that is ones for more.
template <class T, std::size_t Packs>
struct window_masks {
  using bits = typename pack<T>::bits;
  static constexpr std::size_t lanes = Packs * pack<T>::lanes;
  static constexpr std::size_t stride = 2 * lanes;
  alignas(64) bits row[lanes + 2][stride] = {};
  constexpr window_masks() {
    for (std::size_t r = 0; r <= lanes + 1; ++r) {
      const std::size_t ones = r <= lanes ? r : stride;
      for (std::size_t l = 0; l < ones; ++l) row[r][l] = static_cast<bits>(~bits{0});
    }
  }
};
template <class T, std::size_t Packs>
inline constexpr window_masks<T, Packs> window_rows{};

/// Goes through segments window by window.
template <std::size_t Packs, class T, class Offset, class Op>
struct window_cursor {
  using p = pack<T>;
  static constexpr std::size_t lanes = Packs * p::lanes;

  std::size_t at;     ///< the next item
  const Offset* end;  ///< of the segment that it is in
  p* to;              ///< where that segment's items are combined
  p so_far;

  [[gnu::always_inline]] void take_window(const T* items, const Op& op, p identity) {
    const std::size_t r = std::min(static_cast<std::size_t>(*end) - at, lanes + 1);
    const std::size_t more = (r + lanes - 1) / (2 * lanes);  // whether r > lanes; a comparison might become a branch
    const auto* const row = window_rows<T, Packs>.row[r];
    const auto mask = [row](std::size_t k) {
      typename p::mask ones;
      std::memcpy(&ones, row + k * p::lanes, pack_bytes);
      return ones;
    };
    std::array<p, Packs> x;
    for (std::size_t k = 0; k < Packs; ++k) x[k] = p::select(mask(k), p::load(items + at + k * p::lanes), identity);
    for (std::size_t half = Packs / 2; half != 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) x[k] = p::combine(op, x[k], x[k + half]);
    }
    const p now = p::combine(op, so_far, x[0]);
    *to = now;
    so_far = p::select(mask(Packs), now, identity);
    at += r - more;
    to += 1 - more;
    end += 1 - more;
  }
};

/// The packs that a cursor has left for finished segments, as their results.
template <class T, class Op>
void fold_finished(const pack<T>* from, std::size_t count, T* results, const Op& op) {
  using p = pack<T>;
  std::size_t k = 0;
  for (; k + p::lanes <= count; k += p::lanes) {
    std::array<p, p::lanes> some;
    for (std::size_t l = 0; l < p::lanes; ++l) some[l] = from[k + l];
    fold_across(op, some).store(results + k);
  }
  for (; k < count; ++k) results[k] = from[k].fold(op);
}

/// The segments from s to before stop, which are valid and not long, by windows of some packs. A window waits for the
/// one before it, so several parts are gone through at the same time.
template <std::size_t Packs, std::size_t Cursors, class T, class Segments, class Op>
[[gnu::noinline]] void fold_by_windows(const segment_work<T, Segments, T, Op>& given, std::size_t s, std::size_t stop) {
  using p = pack<T>;
  using cursor = window_cursor<Packs, T, std::remove_cvref_t<decltype(*given.segments.offsets)>, Op>;
  constexpr std::size_t room = tuning::cpu_window_room;
  const segment_work<T, Segments, T, Op> work = given;
  const p identity = p::all(work.identity());
  std::array<std::array<p, room>, Cursors> sums;
  std::array<cursor, Cursors> all;
  std::array<std::size_t, Cursors> first;  // the segment of a cursor's first pack
  std::array<std::size_t, Cursors> last;
  for (std::size_t c = 0; c < Cursors; ++c) {
    first[c] = s + (stop - s) * c / Cursors;
    last[c] = s + (stop - s) * (c + 1) / Cursors;
    if (first[c] == last[c]) continue;
    all[c] = {work.segments.begin(first[c]), work.segments.offsets + first[c] + 1, sums[c].data(), identity};
  }
  const auto flush = [&](std::size_t c) {
    const auto done = static_cast<std::size_t>(all[c].to - sums[c].data());
    fold_finished(sums[c].data(), done, work.results + first[c], work.op);
    first[c] += done;
    all[c].to = sums[c].data();
  };
  for (;;) {
    std::size_t sure = room - 1;  // windows that each cursor has left: one finishes no more than a segment
    for (std::size_t c = 0; c < Cursors; ++c) sure = std::min(sure, last[c] - first[c]);
    if (sure == 0) break;
    for (; sure != 0; --sure) {
      for (cursor& one : all) one.take_window(work.items, work.op, identity);
    }
    for (std::size_t c = 0; c < Cursors; ++c) flush(c);
  }
  for (std::size_t c = 0; c < Cursors; ++c) {
    while (first[c] != last[c]) {
      for (std::size_t k = std::min(room - 1, last[c] - first[c]); k != 0; --k) {
        all[c].take_window(work.items, work.op, identity);
      }
      flush(c);
    }
  }
}

}  // namespace peneira::detail
