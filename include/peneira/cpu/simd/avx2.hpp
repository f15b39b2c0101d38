// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// AVX2 where the processor has it, whatever the program is compiled for: functions that carry PENEIRA_AVX2 are compiled
// for it, with all that is inlined into them, and called only where has_avx2() says so.
#pragma once

#include "peneira/config.hpp"

#if defined(PENEIRA_AVX2)
#include <immintrin.h>
#endif

namespace peneira::detail {

/// Whether functions with PENEIRA_AVX2 may be called.
inline bool has_avx2() {
#if defined(PENEIRA_AVX2)
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
                          __builtin_cpu_supports("popcnt") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace peneira::detail
