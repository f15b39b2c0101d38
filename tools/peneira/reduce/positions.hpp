// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the least or the greatest item of each segment is: what it is comes first, of pieces of the segments, and then
// one piece of each segment is searched for it. Reads every item once, and those of a piece a second time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "peneira/ops.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/reduce/folds.hpp"

namespace peneira::tool {

/// Segments, of which long ones are cut into pieces that are searched fast.
class piece_table {
 public:
  explicit piece_table(const std::vector<std::uint64_t>& offsets) : segments_(offsets) {
    std::uint64_t longest = 0;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) longest = std::max(longest, offsets[s + 1] - offsets[s]);
    if (longest <= most) return;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      first_.push_back(pieces_.size());
      pieces_.push_back(offsets[s]);
      for (std::uint64_t at = offsets[s]; offsets[s + 1] - at > most;) pieces_.push_back(at += most);
    }
    first_.push_back(pieces_.size());
    pieces_.push_back(offsets.back());
  }

  [[nodiscard]] const std::vector<std::uint64_t>& offsets() const { return first_.empty() ? segments_ : pieces_; }
  /// The first piece of a segment, which has at least one.
  [[nodiscard]] std::size_t first(std::size_t segment) const { return first_.empty() ? segment : first_[segment]; }

 private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 16U;  ///< items of a piece
  const std::vector<std::uint64_t>& segments_;
  std::vector<std::uint64_t> pieces_;  ///< empty, as first_, where no segment is cut
  std::vector<std::size_t> first_;
};

/// Whether a comes before b; NaN comes before any number.
template <class T>
bool is_better(T a, T b, bool greatest) {
  return (greatest ? b < a : a < b) || (peneira::detail::is_nan(a) && !peneira::detail::is_nan(b));
}

/// The first item from one on that is equal to a value, or like it NaN; there is one before the end.
template <class T>
std::size_t find_item(item_row<T> row, std::size_t i, T value) {
  const auto is_it = [=](T x) { return peneira::detail::is_nan(value) ? peneira::detail::is_nan(x) : x == value; };
  constexpr std::size_t some = 64;
  for (unsigned any = 0; row.size - i >= some; i += some) {
    for (std::size_t k = 0; k < some; ++k) any |= is_it(row.data[i + k]) ? 1U : 0U;
    if (any != 0) break;
  }
  while (!is_it(row.data[i])) ++i;
  return i;
}

/// The position of the first of each segment's least items, or greatest; of an empty one indexed<T>::none.
/// extremes(offsets) gives the least or greatest items of pieces.
template <class T, class Extremes>
std::vector<std::uint64_t> find_positions(const fold_call& call, item_row<T> row, bool greatest,
                                          const Extremes& extremes) {
  const piece_table pieces(call.offsets);
  const std::vector<std::uint64_t>& offsets = pieces.offsets();
  const std::vector<T> best = extremes(offsets);
  std::vector<std::uint64_t> positions(call.offsets.size() - 1, indexed<T>::none);
  on_slices(team_of(call.threads), positions.size(), [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      if (call.offsets[s] == call.offsets[s + 1]) continue;
      std::size_t piece = pieces.first(s);
      for (std::size_t p = piece + 1; p < pieces.first(s + 1); ++p) {
        if (is_better(best[p], best[piece], greatest)) piece = p;
      }
      positions[s] = find_item(row, offsets[piece], best[piece]);
    }
  });
  return positions;
}

}  // namespace peneira::tool
