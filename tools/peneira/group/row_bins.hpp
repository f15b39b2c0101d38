// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The two ways that `peneira group` splits rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "peneira/bins.hpp"

namespace peneira::tool {

/// The bins of rows by 64 bits of each: by the highest, or between splitters. One type for both, so that multisplit is
/// compiled once.
class row_bins {
 public:
  explicit row_bins(unsigned bits) : splitters_(nullptr, 0), highest_(64 - bits, bits), bins_(highest_.bins()) {}
  explicit row_bins(const std::vector<std::uint64_t>& pivots)
      : splitters_(pivots), highest_(0, 1), bins_(splitters_.bins()), between_(true) {}

  [[nodiscard]] std::uint32_t bins() const { return bins_; }
  template <std::size_t Count>
  void many(const std::uint64_t* keys, std::uint32_t* to) const {
    if (between_) return splitters_.many<Count>(keys, to);
    for (std::size_t k = 0; k < Count; ++k) to[k] = highest_(keys[k]);
  }
  std::uint32_t operator()(std::uint64_t key) const { return between_ ? splitters_(key) : highest_(key); }

 private:
  splitters<std::uint64_t> splitters_;
  digit highest_;
  std::uint32_t bins_;
  bool between_ = false;
};

}  // namespace peneira::tool

namespace peneira::detail {
template <>
inline constexpr bool never_misses<tool::row_bins> = true;
}  // namespace peneira::detail
