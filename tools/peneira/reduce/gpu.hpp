// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU half of `peneira reduce`: chunks of a file, whatever its size. All operators whose results do not depend on
// how items are grouped are one type for each width of items, so that nvcc compiles few kernels.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "peneira/key_order.hpp"
#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/reduce/folds.hpp"

namespace peneira::tool {

enum class gpu_fold_kind { sum, product, greatest, least, all, any, odd };

/// What is done to items of a width. Sums are exact in 128 bits; products are modulo 2^64.
template <std::unsigned_integral U>
struct gpu_operator {
  static constexpr bool commutative = true;
  gpu_fold_kind kind;
  U sign = 0;                     ///< the bit of an item that says so, or none: of sums and products
  pn::detail::key_order<U> by{};  ///< of the greatest and the least

  [[nodiscard]] PENEIRA_HD uint128 lift(U item, std::uint64_t /*index*/) const {
    if (kind == gpu_fold_kind::greatest || kind == gpu_fold_kind::least) return by(item);
    return uint128{static_cast<U>(item ^ sign)} - sign;
  }
  PENEIRA_HD uint128 operator()(uint128 a, uint128 b) const {
    switch (kind) {
      case gpu_fold_kind::sum:
        return a + b;
      case gpu_fold_kind::product:
        return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
      case gpu_fold_kind::greatest:
        return a < b ? b : a;
      case gpu_fold_kind::least:
        return b < a ? b : a;
      case gpu_fold_kind::all:
        return a & b;
      case gpu_fold_kind::any:
        return a | b;
      case gpu_fold_kind::odd:
        break;
    }
    return a ^ b;
  }
  template <class>
  [[nodiscard]] PENEIRA_HD uint128 identity() const {
    if (kind == gpu_fold_kind::product) return 1;
    return kind == gpu_fold_kind::least || kind == gpu_fold_kind::all ? ~uint128{0} : uint128{0};
  }
};

#if defined(PENEIRA_WITH_CUDA)

/// Results of segments.
template <std::unsigned_integral U>
std::vector<uint128> gpu_fold(const fold_call& call, item_row<U> row, const gpu_operator<U>& op, phase_times& times);

#else

template <std::unsigned_integral U>
std::vector<uint128> gpu_fold(const fold_call& /*call*/, item_row<U> /*row*/, const gpu_operator<U>& /*op*/,
                              phase_times& /*times*/) {
  throw std::logic_error("gpu_fold: this program was built without CUDA");
}

#endif

}  // namespace peneira::tool
