// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a run of items, each combined by several accumulators at once, since an addition of floats waits for the
// one before it. There are three kinds, which fold.hpp takes alike: items of a register, items one by one, and the
// search for the least or the greatest.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "peneira/cpu/simd/packs.hpp"
#include "peneira/ops.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// Whether a run of T combines as packs.
template <class Result, class T, class Op>
inline constexpr bool folds_packs = std::is_same_v<Result, T>&& packs_well<Op, T>;

/// The blocks of a run from `begin` to before `end` by packs, whose lanes stay apart to the last; by wide ones where
/// the grouping cannot show.
template <class T, class Op>
struct pack_blocks {
  using part = pack<T>;
  using wide = pack<T, rounds<Op, T> ? pack_bytes : wide_pack_bytes>;
  static constexpr std::size_t packs = 4;
  static constexpr std::size_t step = packs * wide::lanes;
  static constexpr std::size_t size =
      packs * part::lanes * (rounds<Op, T> ? tuning::cpu_rounding_steps : tuning::cpu_exact_steps);
  static constexpr std::size_t streams = 4;  ///< places that long runs are read from, since one keeps no memory busy

  const T* items;
  std::size_t begin;
  std::size_t end;
  const Op& op;

  /// One whole block from each of some places, `distance` blocks from one to the next, all at the same time.
  template <std::size_t Streams>
  [[gnu::always_inline]] std::array<part, Streams> whole(std::size_t block, std::size_t distance) const {
    std::array<wide, Streams * packs> all;
    const T* const first = items + begin + block * size;
    const auto next = [&](std::size_t i, std::size_t k) __attribute__((always_inline)) {
      return wide::load(first + k / packs * distance * size + i + k % packs * wide::lanes);
    };
    const auto ask = [&](std::size_t i) __attribute__((always_inline)) {
      for (std::size_t s = 0; s < Streams; ++s) ask_ahead<step * sizeof(T)>(first + s * distance * size + i);
    };
    ask(0);
    for_each_of<Streams * packs>([&](std::size_t k) __attribute__((always_inline)) { all[k] = next(0, k); });
    for (std::size_t i = step; i < size; i += step) {
      ask(i);
      for_each_of<Streams * packs>([&](std::size_t k) __attribute__((always_inline)) {
        all[k] = wide::combine(op, all[k], next(i, k));
      });
    }
    std::array<part, Streams> parts;
    PENEIRA_UNROLL(16)
    for (std::size_t s = 0; s < Streams; ++s) {
      std::array<wide, packs> one;
      std::copy_n(all.begin() + s * packs, packs, one.begin());
      parts[s] = narrow(op, combine_packs(op, one));
    }
    return parts;
  }

  /// The last block, which need not be whole.
  [[nodiscard]] part last(std::size_t block) const {
    const T* const from = items + begin + block * size;
    const std::size_t count = end - begin - block * size;
    std::array<part, packs> all;
    all.fill(part::all(op.template identity<T>()));
    std::size_t i = 0;
    if constexpr (!rounds<Op, T>) i = take_wide(op, from, count, all[packs - 1]);
    for (; count - i >= packs * part::lanes; i += packs * part::lanes) {
      for_each_of<packs>([&](std::size_t k) __attribute__((always_inline)) {
        all[k] = part::combine(op, all[k], part::load(from + i + k * part::lanes));
      });
    }
    // One by one, and not by a loop, which would have the packs in memory.
    static_assert(packs == 4);
    const auto take = [&](std::size_t k) __attribute__((always_inline)) {
      if (count - i < part::lanes) return;
      all[k] = part::combine(op, all[k], part::load(from + i));
      i += part::lanes;
    };
    take(0), take(1), take(2);
    if (i < count) all[packs - 1] = part::combine(op, all[packs - 1], rest(from + i, count - i));
    return combine_packs(op, all);
  }

  /// The last few items, fewer than there are lanes; the other lanes are the identity.
  [[nodiscard]] part rest(const T* from, std::size_t count) const {
    const part identity = part::all(op.template identity<T>());
    if (end - begin >= part::lanes) {  // those before them may be read, too
      typename part::mask before;
      std::memcpy(&before, masks<T, part::lanes>.lane + count, pack_bytes);
      return part::select(before, identity, part::load(from + count - part::lanes));
    }
    part few = identity;
    for (std::size_t l = 0; l < count; ++l) few.lane[l] = from[l];
    return few;
  }

  [[nodiscard]] part combine(const part& a, const part& b) const { return part::combine(op, a, b); }
  [[nodiscard]] T result(const part& all) const { return op(op.template identity<T>(), all.fold(op)); }
};

/// The blocks of any other run: item i by the accumulator i mod Lanes where their order does not matter, and otherwise
/// by as many accumulators as the block has parts, one behind the other.
template <class Result, class T, class Op>
struct item_blocks {
  using part = Result;
  static constexpr std::size_t lanes = !is_commutative<Op> ? 8 : sizeof(T) == 1 ? 32 : 16;
  static constexpr std::size_t size = lanes * (rounds<Op, Result> ? tuning::cpu_short_steps : tuning::cpu_exact_steps);
  static constexpr std::size_t streams = 1;

  const T* items;
  std::size_t begin;
  std::size_t end;
  const Op& op;

  template <std::size_t Streams>
  [[gnu::always_inline]] std::array<part, 1> whole(std::size_t block, std::size_t /*distance*/) const {
    static_assert(Streams == 1);
    return {fold(begin + block * size, begin + (block + 1) * size)};
  }
  [[nodiscard]] part last(std::size_t block) const { return fold(begin + block * size, end); }
  [[nodiscard]] part combine(const part& a, const part& b) const { return op(a, b); }
  [[nodiscard]] Result result(const part& all) const { return op(op.template identity<Result>(), all); }

 private:
  [[nodiscard, gnu::always_inline]] Result item(std::size_t i) const { return lifted<Result>(op, items[i], i); }

  [[nodiscard, gnu::always_inline]] Result fold(std::size_t from, std::size_t to) const {
    std::array<Result, lanes> all;
    if (to - from < lanes) {
      Result one = item(from);
      while (++from < to) one = op(one, item(from));
      return one;
    }
    if constexpr (is_commutative<Op>) {
      for (std::size_t l = 0; l < lanes; ++l) all[l] = item(from + l);
      for (from += lanes; to - from >= lanes; from += lanes) {
        for (std::size_t l = 0; l < lanes; ++l) all[l] = op(all[l], item(from + l));
      }
      for (std::size_t l = 0; from < to; ++from, ++l) all[l] = op(all[l], item(from));
      PENEIRA_UNROLL(8)
      for (std::size_t half = lanes / 2; half != 0; half /= 2) {
        for (std::size_t l = 0; l < half; ++l) all[l] = op(all[l], all[l + half]);
      }
      return all[0];
    } else {
      const std::size_t share = (to - from) / lanes;
      for (std::size_t l = 0; l < lanes; ++l) all[l] = item(from + l * share);
      for (std::size_t i = from + 1; i < from + share; ++i) {
        for (std::size_t l = 0; l < lanes; ++l) all[l] = op(all[l], item(i + l * share));
      }
      PENEIRA_UNROLL(8)
      for (std::size_t half = lanes / 2; half != 0; half /= 2) {
        for (std::size_t l = 0; l < half; ++l) all[l] = op(all[2 * l], all[2 * l + 1]);
      }
      for (std::size_t i = from + lanes * share; i < to; ++i) all[0] = op(all[0], item(i));
      return all[0];
    }
  }
};

/// Whether a run of T is searched for its least or greatest item as packs.
template <class Result, class T, class Op>
inline constexpr bool finds_packs =
    std::is_same_v<Result, indexed<T>>&& is_one_of<Op, arg_min, arg_max>&& packs_well<min, T>;

/// The blocks of a run whose least or greatest item is looked for, with its position: first what it is, by packs, then
/// where it is, while the block is in a cache.
template <class T, class Op>
struct arg_blocks {
  using part = indexed<T>;
  using values = pack_blocks<T, std::conditional_t<std::is_same_v<Op, arg_min>, min, max>>;
  static constexpr std::size_t size = values::size;
  static constexpr std::size_t streams = 1;

  const T* items;
  std::size_t begin;
  std::size_t end;
  const Op& op;

  template <std::size_t Streams>
  std::array<part, 1> whole(std::size_t block, std::size_t /*distance*/) const {
    static_assert(Streams == 1);
    const values by{items, begin, end, {}};
    return {find(begin + block * size, by.result(by.template whole<1>(block, 0)[0]))};
  }
  [[nodiscard]] part last(std::size_t block) const {
    const values by{items, begin, end, {}};
    return find(begin + block * size, by.result(by.last(block)));
  }
  [[nodiscard]] part combine(const part& a, const part& b) const { return op(a, b); }
  [[nodiscard]] part result(const part& all) const { return all; }

 private:
  /// The first item from one on that is equal to a value, or like it NaN; there is one.
  [[nodiscard]] part find(std::size_t i, T value) const {
    const auto is_it = [=](T x) { return is_nan(value) ? is_nan(x) : x == value; };
    constexpr std::size_t some = 64;
    for (unsigned any = 0; end - i >= some; i += some) {
      for (std::size_t k = 0; k < some; ++k) any |= is_it(items[i + k]) ? 1U : 0U;
      if (any != 0) break;
    }
    while (!is_it(items[i])) ++i;
    return {items[i], i};
  }
};

template <class Result, class T, class Op>
using blocks_of =
    std::conditional_t<folds_packs<Result, T, Op>, pack_blocks<T, Op>,
                       std::conditional_t<finds_packs<Result, T, Op>, arg_blocks<T, Op>, item_blocks<Result, T, Op>>>;

}  // namespace peneira::detail
