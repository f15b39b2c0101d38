// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The partition of items that memory does not hold: where the bins begin, and the split of one block of items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "peneira/bins.hpp"
#include "peneira/memory.hpp"
#include "tools/peneira/sort/binary/work_memory.hpp"

namespace peneira::tool {

/// Bins by rank. A bin of one rank alone needs no further split by it.
struct rank_bins {
  std::vector<std::uint64_t> splitters;  ///< the first rank of every bin but the first
  std::vector<bool> one_rank;            ///< by bin

  [[nodiscard]] std::size_t count() const { return one_rank.size(); }
};

/// About `wanted` bins of equal size, by the ranks of a sample; a rank that fills half of such a bin gets its own, so
/// that every bin of several ranks is smaller than the whole.
rank_bins choose_bins(std::vector<std::uint64_t> sample, std::size_t wanted, std::uint64_t highest_rank);

/// A stable split of the positions [0, n) by the bin of each: those of bin b stand in to[offsets[b]] and after.
void split_positions(const std::uint16_t* bin_of, const std::uint32_t* positions, std::uint32_t* to, std::size_t n,
                     std::size_t bins, std::vector<std::uint64_t>& offsets, unsigned team, memory& temporary);
/// The bytes that it takes from `temporary`.
std::size_t split_temporary(std::size_t n, std::size_t bins, unsigned team);

/// A block of items that is split into bins. Use: load them to data(); split(); fill() gives them bin by bin.
template <class Kind>
class split_block {
 public:
  static constexpr std::size_t most_bins = 1024;

  static std::size_t need(const Kind& kind, std::size_t n, std::size_t bins, unsigned team) {
    using pn::detail::workspace;
    return workspace::round_up(n * kind.bytes()) + workspace::footprint<std::uint16_t>(n) +
           2 * workspace::footprint<std::uint32_t>(n) + split_temporary(n, bins, team);
  }

  split_block(const Kind& kind, unsigned team, work_memory& memory, std::size_t most)
      : kind_(kind),
        team_(team),
        memory_(memory),
        items_(memory.take<char>(most * kind.bytes())),
        bin_of_(memory.take<std::uint16_t>(most)),
        from_(memory.take<std::uint32_t>(most)),
        to_(memory.take<std::uint32_t>(most)) {
    std::iota(from_, from_ + most, 0U);
  }

  char* data() { return items_; }

  /// Items [first, first + count) are there, and in the cache still.
  void loaded(std::size_t first, std::size_t count, const rank_bins& bins, std::size_t window) {
    constexpr std::size_t together = 8;  // searches at the same time
    const splitters<std::uint64_t> by(bins.splitters);
    std::uint64_t ranks[together] = {};
    std::uint32_t found[together] = {};
    for (std::size_t i = first; i < first + count; i += together) {
      const std::size_t some = std::min(together, first + count - i);
      for (std::size_t k = 0; k < some; ++k) ranks[k] = kind_.rank(items_ + (i + k) * kind_.bytes(), window);
      by.template many<together>(ranks, found);
      for (std::size_t k = 0; k < some; ++k) bin_of_[i + k] = static_cast<std::uint16_t>(found[k]);
    }
  }

  void split(std::size_t n, const rank_bins& bins, std::vector<std::uint64_t>& offsets) {
    n_ = n;
    spare_memory rest = memory_.rest();
    split_positions(bin_of_, from_, to_, n, bins.count(), offsets, team_, rest);
  }

  void fill(char* to, std::size_t first, std::size_t count) const { kind_.gather(to, items_, to_, n_, first, count); }

 private:
  const Kind& kind_;
  unsigned team_;
  work_memory& memory_;
  char* items_;
  std::uint16_t* bin_of_;
  std::uint32_t* from_;
  std::uint32_t* to_;
  std::size_t n_ = 0;
};

}  // namespace peneira::tool
