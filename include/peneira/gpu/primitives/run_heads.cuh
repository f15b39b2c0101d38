// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where runs of equal neighbours begin among the items of a warp.
#pragma once

#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/group_keys.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Which of this lane's items in a row are heads, a bit each. `ahead` is the item before the first one of the warp, as
/// its first lane knows it.
template <unsigned Rows, unsigned Group, class K>
__device__ void find_heads(const warp_rows<Rows, Group>& mine, const K (&loaded)[Rows][Group], const K& ahead,
                           std::uint32_t (&heads)[Rows]) {
  const unsigned lane = threadIdx.x % 32;
  K of_row_before = ahead;
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    const K neighbour = shuffled<direction::to_all>(loaded[r][Group - 1], (lane + 31) % 32);
    const K before = lane == 0 ? of_row_before : neighbour;
    of_row_before = neighbour;  // in the first lane, the last item of this row
    heads[r] = 0;
#pragma unroll
    for (unsigned k = 0; k < Group; ++k) {
      const bool is_first = k == 0 && r == 0 && mine.at(0) == 0;
      const bool is_same = same_group(k == 0 ? before : loaded[r][k == 0 ? 0 : k - 1], loaded[r][k]);
      if (mine.has(r, k) && (is_first || !is_same)) heads[r] |= 1U << k;
    }
  }
}

}  // namespace peneira::detail

#endif
