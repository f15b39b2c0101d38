// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs: a few items of one type in a vector register, combined lane by lane. Spelled with the compilers' vector types,
// since what they find by themselves changes with the code around it: the same eight masked lanes of a float sum became
// six vector instructions in one loop and a chain of eight branches in the next.
#pragma once

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "peneira/bins.hpp"
#include "peneira/ops.hpp"
#include "peneira/tuning/cpu.hpp"

#if defined(PENEIRA_NEON)
#include <arm_neon.h>
#endif

namespace peneira::detail {

/// Bytes of a pack: what every x86 and ARM processor has.
inline constexpr std::size_t pack_bytes = 16;

/// Bytes of the widest packs, of which only those may be combined whose grouping cannot show: what the program is
/// compiled for.
#if defined(__AVX512F__) && defined(__AVX512BW__)
inline constexpr std::size_t wide_pack_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t wide_pack_bytes = 32;
#else
inline constexpr std::size_t wide_pack_bytes = pack_bytes;
#endif

template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

/// Whether a pack may hold T, and Op combines packs of T as it combines each of their lanes.
template <class Op, class T>
inline constexpr bool packs_well = (is_one_of<T, float, double> && is_one_of<Op, plus, multiplies, min, max>) ||
                                   (std::is_integral_v<T> &&
                                    !is_one_of<T, bool, wchar_t, char8_t, char16_t, char32_t> && sizeof(T) <= 8 &&
                                    is_one_of<Op, plus, multiplies, min, max, bit_and, bit_or, bit_xor>);

/// Whether the way that items are grouped may show in more than the sign of a zero, as in sums of floats.
template <class Op, class T>
inline constexpr bool rounds = !std::is_integral_v<T> && !is_one_of<Op, min, max, arg_min, arg_max>;

/// Calls use(k) for each k below Count: a loop that is spelled out, or packs in an array are in memory where a compiler
/// does not unroll loops of its own accord, as at -O2.
template <std::size_t Count, class Use>
[[gnu::always_inline]] inline void for_each_of(const Use& use) {
  [&use]<std::size_t... K>(std::index_sequence<K...>) __attribute__((always_inline)) {
    (use(K), ...);
  }
  (std::make_index_sequence<Count>{});
}

/// The lanes of one register.
template <class T, std::size_t Bytes = pack_bytes>
struct pack {
  static constexpr std::size_t lanes = Bytes / sizeof(T);
  using bits = bits_of<T>;
  // NOLINTBEGIN(modernize-use-using): an alias would drop the attribute from a type that depends on T
  typedef T vector __attribute__((vector_size(Bytes)));
  typedef bits mask __attribute__((vector_size(Bytes)));
  // NOLINTEND(modernize-use-using)

  vector lane;

  [[gnu::always_inline]] static pack load(const T* from) {
    pack loaded;
    std::memcpy(&loaded.lane, from, Bytes);
    return loaded;
  }
  [[gnu::always_inline]] void store(T* to) const { std::memcpy(to, &lane, Bytes); }
  [[gnu::always_inline]] static pack all(T value) { return {value - vector{}}; }
  /// Each lane of a where the mask has ones, and of b where it has zeros.
  [[gnu::always_inline]] static pack select(mask ones, pack a, pack b) {
    return {(vector)(((mask)a.lane & ones) | ((mask)b.lane & ~ones))};
  }

  /// Ones in the lanes where a comparison holds. nvcc knows no conversion from what comparing vectors gives.
  template <class Compared>
  [[gnu::always_inline]] static mask ones_of(const Compared& compared) {
    static_assert(sizeof compared == Bytes);
    mask ones;
    std::memcpy(&ones, &compared, Bytes);
    return ones;
  }
  /// Ones in the lanes where a is less than b.
  [[gnu::always_inline]] static mask less(pack a, pack b) { return ones_of(a.lane < b.lane); }
  /// Each lane of b where it is better or NaN, and otherwise of a, which then stays if it is NaN.
  [[gnu::always_inline]] static pack better_of(mask better, pack a, pack b) {
    if constexpr (std::is_floating_point_v<T>) better |= ones_of(b.lane != b.lane);
    return select(better, b, a);
  }

  template <class Op>
  [[gnu::always_inline]] static pack combine(const Op& /*op*/, pack a, pack b) {
    if constexpr (std::is_integral_v<T>) {  // without a sign, so that they wrap around
      if constexpr (std::is_same_v<Op, plus>) return {(vector)((mask)a.lane + (mask)b.lane)};
      if constexpr (std::is_same_v<Op, multiplies>) return {(vector)((mask)a.lane * (mask)b.lane)};
    } else {
      if constexpr (std::is_same_v<Op, plus>) return {a.lane + b.lane};
      if constexpr (std::is_same_v<Op, multiplies>) return {a.lane * b.lane};
    }
#if !defined(__CUDACC__)  // where a comparison that chooses becomes one instruction
    if constexpr (std::is_integral_v<T> && std::is_same_v<Op, min>) return {b.lane < a.lane ? b.lane : a.lane};
    if constexpr (std::is_integral_v<T> && std::is_same_v<Op, max>) return {a.lane < b.lane ? b.lane : a.lane};
#endif
#if defined(PENEIRA_NEON)  // which has instructions that keep NaN
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Op, min>)
      return {(vector)vminq_f32((float32x4_t)a.lane, (float32x4_t)b.lane)};
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Op, max>)
      return {(vector)vmaxq_f32((float32x4_t)a.lane, (float32x4_t)b.lane)};
    if constexpr (std::is_same_v<T, double> && std::is_same_v<Op, min>)
      return {(vector)vminq_f64((float64x2_t)a.lane, (float64x2_t)b.lane)};
    if constexpr (std::is_same_v<T, double> && std::is_same_v<Op, max>)
      return {(vector)vmaxq_f64((float64x2_t)a.lane, (float64x2_t)b.lane)};
#endif
    if constexpr (std::is_same_v<Op, min>) return better_of(less(b, a), a, b);
    if constexpr (std::is_same_v<Op, max>) return better_of(less(a, b), a, b);
    if constexpr (std::is_same_v<Op, bit_and>) return {a.lane & b.lane};
    if constexpr (std::is_same_v<Op, bit_or>) return {a.lane | b.lane};
    if constexpr (std::is_same_v<Op, bit_xor>) return {a.lane ^ b.lane};
  }

  /// The lanes of a pack combined, halves first.
  template <class Op>
  [[nodiscard, gnu::always_inline]] T fold(const Op& op) const {
    std::array<T, lanes> one;
    PENEIRA_UNROLL(16)
    for (std::size_t l = 0; l < lanes; ++l) one[l] = lane[l];
    for (std::size_t half = lanes / 2; half != 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) one[l] = op(one[l], one[l + half]);
    }
    return one[0];
  }
};

/// Several packs combined lane by lane, halves first: each with the one half as many behind it, from First on by Step.
/// Spelled out, since gcc may keep a loop, and then also the packs in memory.
template <std::size_t First = 0, std::size_t Step = 1, class T, std::size_t Bytes, std::size_t Packs, class Op>
[[gnu::always_inline]] inline pack<T, Bytes> combine_packs(const Op& op, const std::array<pack<T, Bytes>, Packs>& x) {
  if constexpr (Step == Packs) {
    return x[First];
  } else {
    return pack<T, Bytes>::combine(op, combine_packs<First, 2 * Step>(op, x),
                                   combine_packs<First + Step, 2 * Step>(op, x));
  }
}

/// The halves of a wide pack combined lane by lane, and theirs, until it is a pack.
template <class T, std::size_t Bytes, class Op>
[[gnu::always_inline]] inline pack<T> narrow(const Op& op, const pack<T, Bytes>& wide) {
  if constexpr (Bytes == pack_bytes) {
    return wide;
  } else {
    std::array<pack<T, Bytes / 2>, 2> halves;
    std::memcpy(&halves, &wide.lane, Bytes);
    return narrow(op, pack<T, Bytes / 2>::combine(op, halves[0], halves[1]));
  }
}

/// Several packs combined, and their lanes.
template <class T, std::size_t Packs, class Op>
[[gnu::always_inline]] inline T fold(const Op& op, const std::array<pack<T>, Packs>& x) {
  return combine_packs(op, x).fold(op);
}

/// Lanes of ones and behind them as many of zeros: read from Lanes - k on, the first k lanes are ones.
template <class T, std::size_t Lanes>
struct mask_table {
  using bits = typename pack<T>::bits;
  bits lane[2 * Lanes] = {};
  constexpr mask_table() {
    for (std::size_t l = 0; l < Lanes; ++l) lane[l] = static_cast<bits>(~bits{0});
  }
};
template <class T, std::size_t Lanes>
inline constexpr mask_table<T, Lanes> masks{};

/// Neighbouring lanes of two packs combined: those of a, then those of b.
template <class T, class Op>
[[gnu::always_inline]] inline pack<T> halve(const Op& op, pack<T> a, pack<T> b) {
#if defined(__CUDACC__)  // which has no shuffles
  pack<T> even;
  pack<T> odd;
  for (std::size_t l = 0; l < pack<T>::lanes; ++l) {
    const pack<T>& from = 2 * l < pack<T>::lanes ? a : b;
    even.lane[l] = from.lane[2 * l % pack<T>::lanes];
    odd.lane[l] = from.lane[2 * l % pack<T>::lanes + 1];
  }
  return pack<T>::combine(op, even, odd);
#else
  return [&]<std::size_t... L>(std::index_sequence<L...> /*lanes*/) {
    using places [[maybe_unused]] = typename pack<T>::mask;
    return pack<T>::combine(op, pack<T>{PENEIRA_SHUFFLE(places, a.lane, b.lane, (2 * L)...)},
                            pack<T>{PENEIRA_SHUFFLE(places, a.lane, b.lane, (2 * L + 1)...)});
  }
  (std::make_index_sequence<pack<T>::lanes>{});
#endif
}

/// As many packs as one has lanes, each combined into one lane.
template <class T, class Op>
[[gnu::always_inline]] inline pack<T> fold_across(const Op& op, std::array<pack<T>, pack<T>::lanes> x) {
  PENEIRA_UNROLL(4)
  for (std::size_t half = pack<T>::lanes / 2; half != 0; half /= 2) {
    PENEIRA_UNROLL(8)
    for (std::size_t k = 0; k < half; ++k) x[k] = halve(op, x[2 * k], x[2 * k + 1]);
  }
  return x[0];
}

/// Asks for what lies some way behind some items, of so many bytes, that are being read.
template <std::size_t Bytes, class T>
[[gnu::always_inline]] inline void ask_ahead(const T* items) {
  if constexpr (tuning::cpu_fold_ahead_bytes != 0) {
    PENEIRA_UNROLL(8)
    for (std::size_t at = 0; at < Bytes; at += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(items) + tuning::cpu_fold_ahead_bytes + at);
    }
  }
}

/// Combines the first items with a pack, as many as wide packs take, where the grouping cannot show. Returns how many.
template <class T, class Op>
[[gnu::always_inline]] inline std::size_t take_wide(const Op& op, const T* items, std::size_t count, pack<T>& all) {
  using p = pack<T, wide_pack_bytes>;
  constexpr std::size_t packs = 4;
  constexpr std::size_t step = packs * p::lanes;
  if (wide_pack_bytes == pack_bytes || count < 2 * step) return 0;
  std::array<p, packs> x;
  for_each_of<packs>([&](std::size_t k) __attribute__((always_inline)) { x[k] = p::load(items + k * p::lanes); });
  std::size_t i = step;
  for (; count - i >= step; i += step) {
    ask_ahead<step * sizeof(T)>(items + i);
    for_each_of<packs>([&](std::size_t k) __attribute__((always_inline)) {
      x[k] = p::combine(op, x[k], p::load(items + i + k * p::lanes));
    });
  }
  all = pack<T>::combine(op, all, narrow(op, combine_packs(op, x)));
  return i;
}

/// The first `count` items combined by Packs accumulators. Reads less than as many lanes past them.
template <std::size_t Packs, class T, class Op>
[[gnu::always_inline]] inline T fold_short(const T* items, std::size_t count, const Op& op) {
  using p = pack<T>;
  constexpr std::size_t lanes = Packs * p::lanes;
  const p identity = p::all(op.template identity<T>());
  std::array<p, Packs> all;
  all.fill(identity);
  std::size_t i = 0;
  if constexpr (!rounds<Op, T>) i = take_wide(op, items, count, all[0]);
  for (; count - i >= lanes; i += lanes) {
    ask_ahead<Packs * pack_bytes>(items + i);
    for_each_of<Packs>([&](std::size_t k) __attribute__((always_inline)) {
      all[k] = p::combine(op, all[k], p::load(items + i + k * p::lanes));
    });
  }
  if (i < count) {
    const typename p::bits* const ones = masks<T, lanes>.lane + (lanes - (count - i));
    for_each_of<Packs>([&](std::size_t k) __attribute__((always_inline)) {
      typename p::mask chosen;
      std::memcpy(&chosen, ones + k * p::lanes, pack_bytes);
      all[k] = p::combine(op, all[k], p::select(chosen, p::load(items + i + k * p::lanes), identity));
    });
  }
  return fold(op, all);
}

}  // namespace peneira::detail
