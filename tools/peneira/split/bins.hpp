// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The bin functions that `peneira split` offers for binary items, at either place.
#pragma once

#include <cstdint>
#include <vector>

#include "peneira/bins.hpp"

namespace peneira::tool {

enum class bin_kind { range, hash, digit, splitters };

/// All that any of them needs.
template <class T>
struct bin_request {
  bin_kind kind = bin_kind::range;
  std::uint32_t bins = 1;
  T lo{};
  T hi{};
  unsigned shift = 0;
  unsigned bits = 8;
  std::vector<T> splitters;
};

/// The bin function that was asked for. One type for all kinds: a predictable switch an item costs a file's split
/// nothing, and the engines are compiled once for each type of item instead of four times.
template <class T>
class file_bins {
 public:
  /// `sorted` are by.splitters where the function will run.
  file_bins(const bin_request<T>& by, const T* sorted)
      : kind_(by.kind),
        bins_(by.bins),
        range_(by.bins, by.lo, by.kind == bin_kind::range ? by.hi : T(by.lo + 1)),
        hash_(by.bins),
        digit_(by.shift, by.bits),
        splitters_(sorted, by.splitters.size()) {}

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return bins_; }
  PENEIRA_HD std::uint32_t operator()(T key) const {
    switch (kind_) {
      case bin_kind::range:
        return range_(key);
      case bin_kind::hash:
        return hash_(key);
      case bin_kind::digit:
        return digit_(key);
      case bin_kind::splitters:
        break;
    }
    return splitters_(key);
  }

 private:
  bin_kind kind_;
  std::uint32_t bins_;
  ranges<T> range_;
  hashed hash_;
  digit digit_;
  peneira::splitters<T> splitters_;
};

}  // namespace peneira::tool

namespace peneira::detail {
template <class T>
inline constexpr bool never_misses<tool::file_bins<T>> = true;
}  // namespace peneira::detail
