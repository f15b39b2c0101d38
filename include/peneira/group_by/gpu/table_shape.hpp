// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many groups the table of a block holds, known from the size of what a group gathers and from the device.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "peneira/place.hpp"
#include "peneira/tuning/gpu_group.hpp"

namespace peneira::detail {

/// States of a group that a warp has while groups are few: one for each lane; and so many at least, if not one.
inline constexpr std::size_t table_copies = 32;
inline constexpr std::size_t table_least_copies = 4;

/// Sizes of a block's table. The groups' keys are shared by its warps; each warp has states of its own.
struct block_table_shape {
  std::uint32_t groups = 0;  ///< at most
  std::uint32_t heads = 0;   ///< of lists of groups; a hash names one
  std::uint32_t warps = 0;   ///< 0: it does not fit
  std::size_t key_bytes = 0;
  std::size_t state_bytes = 0;  ///< 0: groups gather nothing

  /// Bytes of the states of a warp.
  [[nodiscard]] PENEIRA_HD constexpr std::size_t warp_bytes() const { return rounded(groups * state_bytes); }
  /// Bytes of the groups' keys and the lists of them.
  [[nodiscard]] constexpr std::size_t set_bytes() const {
    return rounded((groups + 1) * key_bytes) + rounded((groups + heads) * sizeof(std::uint16_t));
  }
  [[nodiscard]] constexpr std::size_t shared() const { return warps * warp_bytes() + set_bytes(); }

  static constexpr block_table_shape of(std::size_t key_bytes, std::size_t state_bytes, const device& machine,
                                        std::size_t warp_bytes = tuning::tables_warp_bytes) {
    constexpr std::size_t own = 1024;  // that the kernel declares itself
    const std::size_t room = machine.shared_per_block - own;
    block_table_shape s;
    s.key_bytes = std::max(key_bytes, sizeof(std::uint32_t));
    s.state_bytes = state_bytes;
    for (std::size_t bytes = warp_bytes; bytes >= warp_bytes / 8; bytes /= 2) {
      const std::size_t most = tuning::tables_most_groups * bytes / tuning::tables_warp_bytes;
      const std::size_t fit = state_bytes == 0 ? most : bytes / state_bytes / table_copies * table_copies;
      s.groups = static_cast<std::uint32_t>(std::min(most, fit));
      s.heads = std::bit_ceil(s.groups + s.groups / 2);
      if (s.groups == 0 || s.set_bytes() >= room) continue;
      const std::size_t warps = state_bytes == 0 ? tuning::tables_most_warps : (room - s.set_bytes()) / s.warp_bytes();
      s.warps = static_cast<std::uint32_t>(std::min<std::size_t>(warps, tuning::tables_most_warps));
      if (s.warps >= tuning::tables_least_warps) return s;
    }
    s.warps = 0;
    return s;
  }

 private:
  PENEIRA_HD static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
};

/// Rows of items that a warp has on its way at a time.
PENEIRA_HD constexpr unsigned table_rows(std::size_t state_bytes) {
  return state_bytes <= 16 ? tuning::tables_rows : tuning::tables_few_rows;
}

}  // namespace peneira::detail
