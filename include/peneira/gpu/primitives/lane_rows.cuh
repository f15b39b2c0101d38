// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Values in shared memory of which every lane of a warp owns some neighbouring ones, its row. The words of a row lie
// so that lanes which each read or write their first word, then each their second, never meet at a bank.
#pragma once

#include "peneira/gpu/primitives/vector_io.cuh"

namespace peneira::detail {

template <class T, unsigned Count>
class lane_rows {
 public:
  /// Values that one access moves.
  static constexpr int group = 16 % sizeof(T) != 0 ? 1 : Count * sizeof(T) < 16 ? Count : 16 / sizeof(T);

  __device__ explicit lane_rows(void* shared) : shared_(static_cast<unsigned char*>(shared)) {}

  /// Value k of all.
  [[nodiscard]] __device__ T* at(unsigned k) const {
    const unsigned byte = k * sizeof(T);
    const unsigned word = byte / 16;
    return reinterpret_cast<T*>(shared_ + (word ^ (word / 8 & (row_words - 1))) * 16 + byte % 16);
  }
  /// This lane's row.
  __device__ void load(T (&row)[Count]) const {
#pragma unroll
    for (unsigned k = 0; k < Count; k += group) copy_group<group>(row + k, at(threadIdx.x % 32 * Count + k));
  }
  __device__ void store(const T (&row)[Count]) const {
#pragma unroll
    for (unsigned k = 0; k < Count; k += group) copy_group<group>(at(threadIdx.x % 32 * Count + k), row + k);
  }
  /// Which of all values this lane has at place k if the warp loads them side by side, group after group.
  [[nodiscard]] __device__ static unsigned striped(unsigned k) {
    return (k / group * 32 + threadIdx.x % 32) * group + k % group;
  }
  /// Stores values that lanes have so.
  __device__ void store_striped(const T (&values)[Count]) const {
#pragma unroll
    for (unsigned k = 0; k < Count; k += group) copy_group<group>(at(striped(k)), values + k);
  }

 private:
  static constexpr unsigned row_words = group > 1 && Count > group ? Count / group : 1;

  unsigned char* shared_;
};

}  // namespace peneira::detail
