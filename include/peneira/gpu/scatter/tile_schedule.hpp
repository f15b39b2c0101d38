// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Which tiles a block takes. Where their runs go is another question: run_allocators.cuh.
#pragma once

#include <string_view>

namespace peneira::detail {

/// slices: each block has one contiguous slice of the items. round_robin: of n blocks, block k takes tiles k, k + n,
/// k + 2n, ... dynamic: blocks take the next tile from an atomic counter. By the last two, tiles that are written at
/// the same time are neighbours.
enum class tile_schedule { slices, round_robin, dynamic };

constexpr std::string_view name_of(tile_schedule by) {
  return by == tile_schedule::slices ? "slices" : by == tile_schedule::round_robin ? "round robin" : "dynamic";
}

}  // namespace peneira::detail
