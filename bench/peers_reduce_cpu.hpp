// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a programmer would write for a reduce without a library, and what the standard library offers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#if defined(PENEIRA_WITH_TBB)
#include <tbb/global_control.h>

#include <execution>
#include <numeric>
#endif

#include "peneira/ops.hpp"

namespace peneira::bench {

/// One segment as anybody would write it.
template <class T, class Offset, class Op>
T plain_segment(const T* items, const Offset* offsets, std::size_t s, const Op& op) {
  auto all = op.template identity<T>();
  for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) all = op(all, items[i]);
  return all;
}

#if defined(_OPENMP)
/// One loop with OpenMP's reduction.
template <class T>
T openmp_reduce(unsigned threads, const T* items, std::size_t n, plus /*op*/) {
  T all = 0;
#pragma omp parallel for simd num_threads(static_cast <int>(threads)) reduction(+ : all)
  for (std::size_t i = 0; i < n; ++i) all += items[i];
  return all;
}
template <class T>
T openmp_reduce(unsigned threads, const T* items, std::size_t n, max op) {
  auto all = op.identity<T>();
#pragma omp parallel for simd num_threads(static_cast <int>(threads)) reduction(max : all)
  for (std::size_t i = 0; i < n; ++i) all = all < items[i] ? items[i] : all;
  return all;
}

/// A loop over the segments, dealt out beforehand.
template <class T, class Offset, class Op>
void openmp_segments_static(unsigned threads, const T* items, const Offset* offsets, std::size_t count, T* results,
                            const Op& op) {
#pragma omp parallel for schedule(static) num_threads(static_cast <int>(threads))
  for (std::size_t s = 0; s < count; ++s) results[s] = plain_segment(items, offsets, s, op);
}

/// The same, dealt out in chunks as threads become free.
template <class T, class Offset, class Op>
void openmp_segments_dynamic(unsigned threads, const T* items, const Offset* offsets, std::size_t count, T* results,
                             const Op& op) {
  const auto chunk = static_cast<int>(std::clamp<std::size_t>(count / (std::size_t{64} * threads), 1, 1024));
#pragma omp parallel for schedule(dynamic, chunk) num_threads(static_cast <int>(threads))
  for (std::size_t s = 0; s < count; ++s) results[s] = plain_segment(items, offsets, s, op);
}
#endif

#if defined(PENEIRA_WITH_TBB)
/// The standard library's, which stands on TBB.
template <class T, class Op>
T std_reduce(unsigned threads, const T* items, std::size_t n, const Op& op) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  return std::reduce(std::execution::par_unseq, items, items + n, op.template identity<T>(), op);
}
#endif

}  // namespace peneira::bench
