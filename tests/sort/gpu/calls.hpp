// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU's sorts that the tests call. Kernels take long to compile: keys.cu, pairs.cu and odd_pairs.cu do so
// once for each combination, and most tests themselves need no nvcc.
//
//   keys    u8, i16, u32, f32, i64, u64, f64
//   pairs   u32, f32 + u32; i64, u64, f64 + u64; u32 + 16 bytes; u8 + u8
//   argsort of u32 and f32 to u32 positions, of f64 to u64 positions
#pragma once

#include <cstdint>

#include "peneira/sort.hpp"

namespace peneira::test {

template <class K, class V>
void call_sort(const gpu& on, view<const K, const V> in, view<K, V> out, const sort_options& options);

template <class K, class P>
void call_argsort(const gpu& on, view<const K> keys, view<P> positions, const sort_options& options);

}  // namespace peneira::test
