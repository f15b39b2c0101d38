// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One thread combines a run of items that lie side by side, faster than one accumulator could: each addition of floats
// waits for the one before it. How items are grouped depends on their number and type alone, so the same run gives the
// same bits every time.
//
// A float sum of n items that way is off by at most about (n / a + a) * epsilon / 2 * (the sum of magnitudes), where a
// is the number of accumulators, 8 to 64: each adds up n / a items, then they are added in pairs, then the last few
// items one by one. A plain loop's bound is n * epsilon / 2.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "peneira/config.hpp"
#include "peneira/cpu/packs.hpp"
#include "peneira/ops.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// Whether a run of T combines as packs.
template <class Result, class T, class Op>
inline constexpr bool folds_packs = std::is_same_v<Result, T>&& packs_well<Op, T>;

/// Streams of a run, one behind the other, each combined by Packs accumulators, all of them at the same time; `share`
/// items a stream.
template <std::size_t Streams, std::size_t Packs, class T, class Op>
T fold_streams(const T* items, std::size_t share, const Op& op) {
  using p = pack<T>;
  const p identity = p::all(op.template identity<T>());
  std::array<p, Streams * Packs> all;
  all.fill(identity);
  for (std::size_t i = 0; i < share; i += Packs * p::lanes) {
    for (std::size_t s = 0; s < Streams; ++s) {
      if constexpr (Streams > 1) ask_ahead<Packs * pack_bytes>(items + s * share + i);  // one is mostly in a cache
      for (std::size_t k = 0; k < Packs; ++k) {
        all[s * Packs + k] = p::combine(op, all[s * Packs + k], p::load(items + s * share + i + k * p::lanes));
      }
    }
  }
  return fold(op, all);
}

/// A run by packs: four streams where it is long, then one, then item by item.
template <class T, class Op>
T fold_packs(const T* items, std::size_t n, const Op& op) {
  using p = pack<T>;
  constexpr std::size_t step = 4 * p::lanes;
  auto all = op.template identity<T>();
  if (n >= tuning::cpu_stream_run_bytes / sizeof(T)) {
    const std::size_t share = n / 4 / step * step;
    all = fold_streams<4, 4>(items, share, op);
    items += 4 * share;
    n -= 4 * share;
  }
  if (n >= step) {
    const std::size_t most = n / step * step;
    all = op(all, fold_streams<1, 4>(items, most, op));
    items += most;
    n -= most;
  }
  for (std::size_t i = 0; i < n; ++i) all = op(all, items[i]);
  return all;
}

/// A run by as many accumulators as there are lanes, item i by the lane i mod Lanes.
template <class Result, std::size_t Lanes, class T, class Op>
Result fold_lanes(const T* items, std::size_t begin, std::size_t end, const Op& op) {
  std::array<Result, Lanes> all;
  all.fill(op.template identity<Result>());
  for (; end - begin >= Lanes; begin += Lanes) {
    for (std::size_t l = 0; l < Lanes; ++l) all[l] = op(all[l], lifted<Result>(op, items[begin + l], begin + l));
  }
  for (std::size_t l = 0; begin < end; ++begin, ++l) all[l] = op(all[l], lifted<Result>(op, items[begin], begin));
  for (std::size_t half = Lanes / 2; half != 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) all[l] = op(all[l], all[l + half]);
  }
  return all[0];
}

/// A run in four parts at the same time, whose results are combined in order.
template <class Result, class T, class Op>
Result fold_parts(const T* items, std::size_t begin, std::size_t end, const Op& op) {
  constexpr std::size_t parts = 4;
  const std::size_t share = (end - begin) / parts;
  std::array<Result, parts> all;
  all.fill(op.template identity<Result>());
  for (std::size_t i = begin; i < begin + share; ++i) {
    for (std::size_t p = 0; p < parts; ++p) {
      all[p] = op(all[p], lifted<Result>(op, items[i + p * share], i + p * share));
    }
  }
  for (std::size_t p = 1; p < parts; ++p) all[0] = op(all[0], all[p]);
  for (std::size_t i = begin + parts * share; i < end; ++i) all[0] = op(all[0], lifted<Result>(op, items[i], i));
  return all[0];
}

/// The items from begin to before end, combined; none give the identity.
template <class Result, class T, class Op>
Result fold_items(const T* items, std::size_t begin, std::size_t end, const Op& op) {
  if constexpr (folds_packs<Result, T, Op>) {
    return fold_packs(items + begin, end - begin, op);
  } else {
    constexpr std::size_t lanes = sizeof(T) == 1 ? 32 : 16;
    if (end - begin >= 2 * lanes) {
      if constexpr (is_commutative<Op>) return fold_lanes<Result, lanes>(items, begin, end, op);
      return fold_parts<Result>(items, begin, end, op);
    }
    auto all = op.template identity<Result>();
    for (std::size_t i = begin; i < end; ++i) all = op(all, lifted<Result>(op, items[i], i));
    return all;
  }
}

}  // namespace peneira::detail
