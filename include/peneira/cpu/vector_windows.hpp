// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Short segments of mixed sizes by AVX-512: its masked loads leave out the lanes past a segment's end, so that a window
// is as many loads as it has vectors, and nothing has to be read in the place of others.
#pragma once

#include "peneira/cpu/avx512.hpp"

#if defined(PENEIRA_AVX512)

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "peneira/config.hpp"
#include "peneira/cpu/packs.hpp"
#include "peneira/ops.hpp"

namespace peneira::detail {

/// Whether there are masked windows for T and Op.
template <class T, class Op>
inline constexpr bool masks_windows = (sizeof(T) == 4 || sizeof(T) == 8) && is_one_of<Op, plus, min, max>;

/// The lanes of b combined with those of a. By reference, since a vector of 64 bytes is not handed over alike by
/// functions that are compiled for other processors.
template <std::size_t Bytes, class T, class Op>
PENEIRA_AVX512 [[gnu::always_inline]] inline void combine_into(const Op& /*op*/, pack<T, Bytes>& a,
                                                               const pack<T, Bytes>& b) {
  if constexpr (std::is_same_v<Op, plus>) a.lane += b.lane;
  if constexpr (std::is_same_v<Op, min>) a.lane = b.lane < a.lane ? b.lane : a.lane;
  if constexpr (std::is_same_v<Op, max>) a.lane = a.lane < b.lane ? b.lane : a.lane;
}

/// A segment of some size by windows of Packs vectors, combined into one small pack.
template <std::size_t Packs, class T, class Op>
PENEIRA_AVX512 [[gnu::always_inline]] inline void fold_masked(const T* items, std::size_t size, const Op& op,
                                                              const pack<T, 64>& identity, pack<T>& all) {
  using wide = pack<T, 64>;
  constexpr std::size_t lanes = Packs * wide::lanes;
  const std::size_t rest = size % lanes;
  const std::uint64_t ones = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(rest));
  wide sum = identity;
  PENEIRA_UNROLL(4)
  for (std::size_t k = 0; k < Packs; ++k) {
    const T* const from = items + k * wide::lanes;
    const auto none = reinterpret_cast<__m512i>(identity.lane);
    wide x;
    if constexpr (sizeof(T) == 4) {
      x.lane = reinterpret_cast<typename wide::vector>(
          _mm512_mask_loadu_epi32(none, static_cast<__mmask16>(ones >> (k * wide::lanes)), from));
    } else {
      x.lane = reinterpret_cast<typename wide::vector>(
          _mm512_mask_loadu_epi64(none, static_cast<__mmask8>(ones >> (k * wide::lanes)), from));
    }
    if (k == 0) {
      sum = x;
    } else {
      combine_into(op, sum, x);
    }
  }
  if (size >= lanes) [[unlikely]] {
    for (std::size_t i = rest; i < size; i += lanes) {
      PENEIRA_UNROLL(4)
      for (std::size_t k = 0; k < Packs; ++k) {
        wide x;
        __builtin_memcpy(&x.lane, items + i + k * wide::lanes, sizeof x.lane);
        combine_into(op, sum, x);
      }
    }
  }
  const auto whole = reinterpret_cast<__m512i>(sum.lane);
  using half = pack<T, 32>;
  half low;
  half high;
  low.lane = reinterpret_cast<typename half::vector>(_mm512_maskz_extracti64x4_epi64(0xFF, whole, 0));
  high.lane = reinterpret_cast<typename half::vector>(_mm512_maskz_extracti64x4_epi64(0xFF, whole, 1));
  combine_into(op, low, high);
  const auto both = reinterpret_cast<__m256i>(low.lane);
  pack<T> other;
  all.lane = reinterpret_cast<typename pack<T>::vector>(_mm256_castsi256_si128(both));
  other.lane = reinterpret_cast<typename pack<T>::vector>(_mm256_extracti128_si256(both, 1));
  combine_into(op, all, other);
}

/// The segments between neighbouring offsets, which are valid and not long, from four places in turns. Returns how
/// many: all but a few.
template <std::size_t Packs, class T, class Offset, class Op>
PENEIRA_AVX512 [[gnu::noinline]] std::size_t fold_by_masks(const T* items, const Offset* offsets, std::size_t count,
                                                           T* results, const Op& op) {
  using p = pack<T>;
  constexpr std::size_t places = 4;
  pack<T, 64> identity;
  for (std::size_t l = 0; l < pack<T, 64>::lanes; ++l) identity.lane[l] = op.template identity<T>();
  const std::size_t part = count / places / p::lanes * p::lanes;
  for (std::size_t s = 0; s < part; s += p::lanes) {
    for (std::size_t at = s; at < places * part; at += part) {
      std::array<p, p::lanes> x;
      PENEIRA_UNROLL(4)
      for (std::size_t l = 0; l < p::lanes; ++l) {
        const auto begin = static_cast<std::size_t>(offsets[at + l]);
        fold_masked<Packs>(items + begin, static_cast<std::size_t>(offsets[at + l + 1]) - begin, op, identity, x[l]);
      }
      fold_across(op, x).store(results + at);
    }
  }
  return places * part;
}

}  // namespace peneira::detail

#endif
