// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The positions 0, 1, 2, ... of items, written by a kernel.
#pragma once

#include <algorithm>

#include "peneira/place.hpp"
#include "peneira/plan.hpp"

namespace peneira::detail {

/// The launch of number_items.
inline step number_items_step(std::size_t items, const device& machine) {
  constexpr std::size_t threads = 512;
  const std::size_t blocks = (items + threads - 1) / threads;
  return {"number_items", std::clamp<std::size_t>(blocks, 1, 4 * static_cast<std::size_t>(machine.sms)), threads};
}

#if defined(__CUDACC__)

/// *wanted says whether to; nullptr: yes.
template <class P>
__global__ void number_items(P* positions, std::size_t items, const std::uint32_t* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < items; i += stride) {
    positions[i] = static_cast<P>(i);
  }
}

#endif

}  // namespace peneira::detail
