// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of numbers that fit a cache, by AVX-512 or AVX2: a quicksort, and a network of registers for what is left
// (register_sort.hpp).
//
//   numbers  --vectors, those below the pivot compressed, and the others--> |below|  |others|  --each part again-->
//   few of them  --up to 32 registers, whose lanes are compared--> sorted
//
// One of the two parts goes to another array, and the other stays, on top of what was read: there, whole vectors may be
// stored. No branch of a loop depends on a number. The pivot is the median of eight or sixteen numbers from all over;
// where nothing is below it, its equals are put aside. Parts that many pivots divided badly are handed to another sort.
#pragma once

#include "peneira/sort/cpu/register_sort.hpp"

#if defined(PENEIRA_AVX512)

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace peneira::detail {

namespace avx512 {
#define PENEIRA_VECTORS PENEIRA_AVX512
#include "peneira/sort/cpu/quick_sort.hpp"
#undef PENEIRA_VECTORS
}  // namespace avx512

namespace avx2 {
#define PENEIRA_VECTORS PENEIRA_AVX2
#include "peneira/sort/cpu/quick_sort.hpp"
#undef PENEIRA_VECTORS
}  // namespace avx2

/// Calls use(sort) with the quicksort of this processor's vectors, which has one of the two kinds.
template <class U, class Otherwise, class Use>
void with_quick_sort(const key_order<U>& written, const Otherwise& otherwise, const Use& use) {
  if (has_avx512()) {
    use(avx512::quick_sort<U, Otherwise>(written, otherwise));
  } else {
    use(avx2::quick_sort<U, Otherwise>(written, otherwise));
  }
}

}  // namespace peneira::detail

#endif
