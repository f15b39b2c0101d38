// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Which windows suit segments of mixed sizes: those that cost least for the sizes that they have, of which some are
// looked at. Their average says little: where one in a hundred has most of the items, the others still want small ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "peneira/cpu/simd/packs.hpp"
#include "peneira/segmented_reduce/cpu/vector_windows.hpp"
#include "peneira/segmented_reduce/cpu/windows.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// Some segments by their sizes.
struct sampled_sizes {
  std::size_t seen = 0;                                          ///< segments that were looked at
  std::array<std::size_t, tuning::cpu_window_levels> outgrow{};  ///< those that windows of 2, 4, ... packs cannot hold
  std::size_t large = 0;                                         ///< those that no window suits

  /// The levels of the windows that take the least time.
  [[nodiscard]] std::size_t best_levels() const {
    std::size_t best = 0;
    std::size_t least = ~std::size_t{0};
    for (std::size_t l = 0; l < outgrow.size(); ++l) {
      const std::size_t cost = seen * tuning::cpu_window_costs[l] + outgrow[l] * tuning::cpu_outgrown_cost;
      if (cost >= least) continue;
      best = l + 1;
      least = cost;
    }
    return best;
  }
  /// Whether so few outgrow windows of so many levels that a processor mostly predicts that none does.
  [[nodiscard]] bool few_outgrow(std::size_t levels) const {
    return outgrow[levels - 1] * tuning::cpu_few_segments <= seen;
  }
  [[nodiscard]] bool most_are_large() const { return 2 * large > seen; }
};

/// What the offsets of some segments say of their sizes, of which there is at least one.
template <class T, class Offset>
sampled_sizes sample_sizes(const Offset* offsets, std::size_t count) {
  const std::size_t step = std::min(count / tuning::cpu_least_sample, tuning::cpu_sampled_step) | 1U;
  sampled_sizes found;
  for (std::size_t k = 0; k < count; k += step) {
    const std::size_t bytes = static_cast<std::size_t>(offsets[k + 1] - offsets[k]) * sizeof(T);
    ++found.seen;
    for (std::size_t l = 0; l < found.outgrow.size(); ++l) found.outgrow[l] += bytes >= (2 * pack_bytes) << l ? 1 : 0;
    found.large += bytes > tuning::cpu_windowed_bytes ? 1 : 0;
  }
  return found;
}

/// A kind of windows: how it combines segments, and the items of the longest ones.
template <class T, class Offset, class Op>
struct window_kind {
  void (*fold)(const T* items, const Offset* offsets, std::size_t count, T* results, const Op& op);
  std::size_t most;
};

#if defined(PENEIRA_AVX512)
/// The masked windows that suit some segments: their vectors are as long as windows of four packs.
template <class T, class Op, class Offset>
window_kind<T, Offset, Op> masked_windows_for(const sampled_sizes& sizes) {
  constexpr std::size_t most = masked_window<1, T, Op>::most;
  if (sizes.few_outgrow(2)) return {fold_by_masks<1, T, Offset, Op>, most};
  if (sizes.few_outgrow(3)) return {fold_by_masks<2, T, Offset, Op>, most};
  return {fold_by_masks<4, T, Offset, Op>, most};
}
#endif

/// The windows of packs that do.
template <class T, class Op, class Offset>
window_kind<T, Offset, Op> pack_windows_for(const sampled_sizes& sizes) {
  switch (sizes.best_levels()) {
    case 1:
      return {fold_by_windows<1, T, Offset, Op>, window<1, T, Op>::most};
    case 2:
      return {fold_by_windows<2, T, Offset, Op>, window<2, T, Op>::most};
    case 3:
      return {fold_by_windows<3, T, Offset, Op>, window<3, T, Op>::most};
    default:
      return {fold_by_windows<4, T, Offset, Op>, window<4, T, Op>::most};
  }
}

/// The windows that suit some segments, by what the processor has.
template <class T, class Op, class Offset>
window_kind<T, Offset, Op> windows_for(const sampled_sizes& sizes) {
#if defined(PENEIRA_AVX512)
  if constexpr (masks_windows<T, Op>) {
    if (always_avx512 || has_avx512()) return masked_windows_for<T, Op, Offset>(sizes);
  }
  if constexpr (!masks_windows<T, Op> || !always_avx512)
#endif
    return pack_windows_for<T, Op, Offset>(sizes);
}

}  // namespace peneira::detail
