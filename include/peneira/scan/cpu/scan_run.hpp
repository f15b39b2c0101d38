// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A run of items scanned by one thread: by packs where a register holds several of them, each first by itself, so that
// only one operation a pack waits for the pack before it; otherwise one by one.
//
//   pack     a  b  c  d   -->   a  ab  abc  abcd   -->  before each: what comes before the pack
//                                            abcd  -->  combined with that, it comes before the next
#pragma once

#include <array>
#include <utility>

#include "peneira/cpu/blocks.hpp"
#include "peneira/cpu/fold.hpp"
#include "peneira/cpu/simd/packs.hpp"
#include "peneira/ops.hpp"
#include "peneira/scan/reference.hpp"

namespace peneira::detail {

/// The lanes of two packs, one behind the other, from one of the first on: by Places, a function of lanes.
template <class T, class Places>
[[gnu::always_inline]] inline pack<T> lanes_of(pack<T> a, pack<T> b, Places /*places*/) {
  constexpr std::size_t lanes = pack<T>::lanes;
#if defined(__CUDACC__)  // which has no shuffles
  pack<T> moved;
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::size_t from = Places::of(l, lanes);
    moved.lane[l] = from < lanes ? a.lane[from] : b.lane[from - lanes];
  }
  return moved;
#else
  return [&]<std::size_t... L>(std::index_sequence<L...> /*lanes*/) {
    using places [[maybe_unused]] = typename pack<T>::mask;
    return pack<T>{PENEIRA_SHUFFLE(places, a.lane, b.lane, (Places::of(L, lanes))...)};
  }
  (std::make_index_sequence<lanes>{});
#endif
}
/// The last By lanes of a, and behind them the first ones of b.
template <std::size_t By>
struct moved_up {
  static constexpr std::size_t of(std::size_t lane, std::size_t lanes) { return lanes - By + lane; }
};
/// The last lane of a.
struct last_lane {
  static constexpr std::size_t of(std::size_t /*lane*/, std::size_t lanes) { return lanes - 1; }
};

/// The inclusive scan of a pack's lanes.
template <std::size_t By = 1, class T, class Op>
[[gnu::always_inline]] inline pack<T> scan_lanes(const Op& op, pack<T> identity, pack<T> x) {
  if constexpr (By >= pack<T>::lanes) {
    return x;
  } else {
    return scan_lanes<2 * By>(op, identity, pack<T>::combine(op, lanes_of(identity, x, moved_up<By>{}), x));
  }
}

/// Whether the grouping of items shows in a run that is scanned by registers. What comes before is then added to each
/// result last, so that a run combines to the same bits whether or not this is known.
template <class T, class Op>
inline constexpr bool scans_apart = packs_well<Op, T>&& rounds<Op, T>;

/// The items from begin to before end one by one, behind what was carried so far.
template <bool Inclusive, class T, class Op>
T scan_rest(const T* items, std::size_t begin, std::size_t end, const T& before, T carried, T* out, const Op& op) {
  for (std::size_t i = begin; i < end; ++i) {
    const T after = op(carried, items[i]);
    const T shown = Inclusive ? after : carried;
    out[i] = scans_apart<T, Op> ? op(before, shown) : shown;
    carried = after;
  }
  return carried;
}

/// The items from begin to before end by packs, and those behind one by one; returns what they combine to, and what is
/// before them, unless they are scanned apart.
template <bool Inclusive, class T, class Op>
T scan_packs(const T* items, std::size_t begin, std::size_t end, const T& before, T* out, const Op& op) {
  using part = pack<T>;
  constexpr bool apart = scans_apart<T, Op>;
  const part identity = part::all(op.template identity<T>());
  const part start = part::all(before);
  part carried = apart ? identity : start;
  const auto next = [&](std::size_t i) __attribute__((always_inline)) {
    ask_ahead<pack_bytes>(items + i);
    const part scanned = scan_lanes(op, identity, part::load(items + i));
    part shown = part::combine(op, carried, Inclusive ? scanned : lanes_of(identity, scanned, moved_up<1>{}));
    if constexpr (apart) shown = part::combine(op, start, shown);
    shown.store(out + i);
    carried = part::combine(op, carried, lanes_of(scanned, scanned, last_lane{}));
  };
  constexpr std::size_t together = 4;
  std::size_t i = begin;
  for (; end - i >= together * part::lanes; i += together * part::lanes) {
    PENEIRA_UNROLL(4)
    for (std::size_t k = 0; k < together; ++k) next(i + k * part::lanes);
  }
  for (; end - i >= part::lanes; i += part::lanes) next(i);
  return scan_rest<Inclusive>(items, i, end, before, T(carried.lane[0]), out, op);
}

/// The same for items of which a register holds but two: four at a time, of which one operation waits for those before.
template <bool Inclusive, class T, class Op>
T scan_fours(const T* items, std::size_t begin, std::size_t end, const T& before, T* out, const Op& op) {
  constexpr bool apart = scans_apart<T, Op>;
  const auto show = [&](const T& x) __attribute__((always_inline)) {
    return apart ? op(before, x) : x;
  };
  T carried = apart ? op.template identity<T>() : before;
  std::size_t i = begin;
  for (; end - i >= 4; i += 4) {
    const T a = items[i];
    const T ab = op(a, items[i + 1]);
    const T c = items[i + 2];
    const T cd = op(c, items[i + 3]);
    const T after[] = {op(carried, a), op(carried, ab), op(carried, op(ab, c)), op(carried, op(ab, cd))};
    out[i] = show(Inclusive ? after[0] : carried);
    for (std::size_t k = 1; k < 4; ++k) out[i + k] = show(after[Inclusive ? k : k - 1]);
    carried = after[3];
  }
  return scan_rest<Inclusive>(items, i, end, before, carried, out, op);
}

/// What scan_packs or scan_fours returns of items that are scanned apart, and the same bits.
template <class T, class Op>
T fold_apart(const T* items, std::size_t begin, std::size_t end, const Op& op) {
  using part = pack<T>;
  T carried = op.template identity<T>();
  std::size_t i = begin;
  if constexpr (part::lanes > 2) {
    constexpr std::size_t lanes = part::lanes;
    for (; end - i >= lanes * lanes; i += lanes * lanes) {
      std::array<part, lanes> some;
      for (std::size_t k = 0; k < lanes; ++k) some[k] = part::load(items + i + k * lanes);
      const part each = fold_across(op, some);
      for (std::size_t k = 0; k < lanes; ++k) carried = op(carried, T(each.lane[k]));
    }
    const part identity = part::all(carried);  // of lanes that are not looked at
    for (; end - i >= lanes; i += lanes) {
      carried = op(carried, T(scan_lanes(op, identity, part::load(items + i)).lane[lanes - 1]));
    }
  } else {
    for (; end - i >= 4; i += 4) carried = op(carried, op(op(items[i], items[i + 1]), op(items[i + 2], items[i + 3])));
  }
  for (; i < end; ++i) carried = op(carried, items[i]);
  return carried;
}

/// What a scan reads and writes.
template <class T, class Result, class Op>
struct scan_arrays {
  const T* items;
  Result* out;
  const Op& op;
  bool inclusive;

  static constexpr bool by_packs = folds_packs<Result, T, Op>;
  /// Whether a run combines to what scanning it returns, so that one thread need not combine it before.
  static constexpr bool apart = by_packs && scans_apart<Result, Op>;

  [[nodiscard]] Result identity() const { return op.template identity<Result>(); }
  [[nodiscard]] Result fold(std::size_t begin, std::size_t end) const {
    if constexpr (apart) {
      return fold_apart(items, begin, end, op);
    } else {
      return fold_items<Result>(items, begin, end, op);
    }
  }
  /// Scans the items of a run; returns what comes before the next.
  Result scan(std::size_t begin, std::size_t end, const Result& before) const {
    const Result all = inclusive ? scan<true>(begin, end, before) : scan<false>(begin, end, before);
    return apart ? op(before, all) : all;
  }

 private:
  template <bool Inclusive>
  [[nodiscard]] Result scan(std::size_t begin, std::size_t end, const Result& before) const {
    if constexpr (!by_packs) {
      return reference::scan(items, begin, end, before, out, op, Inclusive);
    } else if constexpr (pack<T>::lanes > 2) {
      return scan_packs<Inclusive>(items, begin, end, before, out, op);
    } else {
      return scan_fours<Inclusive>(items, begin, end, before, out, op);
    }
  }
};

}  // namespace peneira::detail
