// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The weights of a slice's items, added up by their bins.
#pragma once

#include <algorithm>

#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/cpu/scatter/count.hpp"
#include "peneira/histogram/problem.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Bins up to which there are several tables, so that sums of one bin do not wait for each other.
inline constexpr std::uint32_t most_bins_for_sums = tuning::cpu_weight_table_bins;

/// Sums that weigh_slice needs for its tables.
constexpr std::size_t weigh_scratch(std::uint32_t bins) {
  return bins <= most_bins_for_sums ? std::size_t{bins} * count_tables : 0;
}

template <unsigned Tables, class F, class K, class W, class Sum>
void weigh_into(const F& f, view<const K, const W> in, std::size_t first, Sum* sums) {
  const std::size_t bins = f.bins();
  const W* const weights = in.values;
  for_batches<true, batch, 4>(f, in.keys, first, in.size,
                              [=]<std::size_t Count, bool Run>(std::size_t i, const std::uint32_t* bin) {
                                if constexpr (Run) {
                                  Sum all{};
                                  for (std::size_t k = 0; k < Count; ++k) all += static_cast<Sum>(weights[i + k]);
                                  sums[bin[0]] += all;
                                } else {
                                  PENEIRA_UNROLL(8)
                                  for (std::size_t k = 0; k < Count; ++k) {
                                    sums[k % Tables * bins + bin[k]] += static_cast<Sum>(weights[i + k]);
                                  }
                                }
                              });
}

/// Adds up the weights of items, of which the first is item `first`, into sums. `scratch` is for their tables.
template <class F, class K, class W, class Sum>
void weigh_slice(const F& f, view<const K, const W> in, std::size_t first, Sum* scratch, Sum* sums) {
  const std::size_t bins = f.bins();
  if (bins > most_bins_for_sums) {
    std::fill_n(sums, bins, Sum{});
    return weigh_into<1>(f, in, first, sums);
  }
  std::fill_n(scratch, bins * count_tables, Sum{});
  weigh_into<count_tables>(f, in, first, scratch);
  for (std::size_t b = 0; b < bins; ++b) {
    Sum all = scratch[b];
    for (unsigned t = 1; t < count_tables; ++t) all += scratch[t * bins + b];
    sums[b] = all;
  }
}

}  // namespace peneira::detail
