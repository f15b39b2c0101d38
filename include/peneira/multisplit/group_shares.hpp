// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How blocks share out the items of all groups: evenly, where every group counts as so many items more, which is what
// its first tile costs however little is in it. Thousands of small groups then do not end up with one block. A group is
// cut between whole tiles, since a part of one costs as much.
//
//   groups   |--- 0 ---|- 1 -|2|3|-------- 4 --------|       o: what a group costs beside its items
//   shared   |oo---0---|oo-1-|oo2|oo3|oo-------4-----|
//   blocks   |    0    |    1    |    2    |    3    |
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/columns.cuh"

namespace peneira::detail {

class group_shares {
 public:
  PENEIRA_HD group_shares(std::uint64_t items, std::uint32_t groups, std::uint32_t blocks, std::uint32_t tile)
      : tile_(tile), cost_(groups == 1 ? 0 : tile), share_((items + groups * cost_ + blocks - 1) / blocks) {}

  /// Whether a group that begins at this item begins up to the share of block k, or of one before.
  [[nodiscard]] PENEIRA_HD bool begins_by(std::uint32_t group, std::uint64_t start, std::uint64_t k) const {
    return start + group * cost_ <= k * share_;
  }
  /// What block k has of a group, of the items from start to before end; nothing: an empty range.
  [[nodiscard]] PENEIRA_HD item_range piece(std::uint64_t k, std::uint32_t group, std::uint64_t start,
                                            std::uint64_t end) const {
    return {cut(k * share_, group, start, end), cut((k + 1) * share_, group, start, end)};
  }

 private:
  static constexpr std::uint64_t grain = 16;  // at which tiles are aligned

  [[nodiscard]] PENEIRA_HD std::size_t cut(std::uint64_t at, std::uint32_t group, std::uint64_t start,
                                           std::uint64_t end) const {
    const std::uint64_t first = start + (std::uint64_t{group} + 1) * cost_;  // where its items begin in the shares
    if (at <= first) return start;
    const std::uint64_t aligned = (start + grain - 1) / grain * grain;
    const std::uint64_t beyond = start + (at - first) > aligned ? start + (at - first) - aligned : 0;
    const std::uint64_t here = aligned + (beyond + tile_ - 1) / tile_ * tile_;
    return here < end ? here : end;
  }

  std::uint64_t tile_;
  std::uint64_t cost_;
  std::uint64_t share_;
};

}  // namespace peneira::detail
