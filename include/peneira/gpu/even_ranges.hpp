// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// ranges as kernels had better evaluate them: where the width is a power of two, one multiplication gives the bin. A
// GPU's multiplications of 32 bits are slow, and each item's bin is asked for three times: 256 Mi u32 keys take 952 us
// instead of 1,013 into 2 bins, and 892 instead of 1,009 into 32 in any order.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/bits.hpp"

namespace peneira::detail {

template <class Key>
class even_ranges {
 public:
  /// The same function, if its width is a power of two and above the number of bins.
  static std::optional<even_ranges> of(const ranges<Key>& f) {
    if (f.width_bits_ == 0) return std::nullopt;
    return even_ranges(f);
  }

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return bins_; }

  PENEIRA_HD std::uint32_t operator()(Key key) const {
    auto offset = static_cast<offset_type>(static_cast<offset_type>(key) - static_cast<offset_type>(lo_));
    offset = key < lo_ ? 0 : offset;
    offset = (offset > most_ ? most_ : offset) << shift_;
    if constexpr (sizeof(Key) <= 4) {
      return multiply_high_half(offset, bins_);
    } else {
      return multiply_high_32(bins_, offset);
    }
  }

 private:
  using offset_type = std::conditional_t<sizeof(Key) <= 4, std::uint32_t, std::uint64_t>;

  explicit even_ranges(const ranges<Key>& f)
      : bins_(f.bins_),
        lo_(f.lo_),
        most_(static_cast<offset_type>(static_cast<offset_type>(f.hi_) - static_cast<offset_type>(f.lo_))),
        shift_(8 * static_cast<unsigned>(sizeof(offset_type)) - f.width_bits_) {}

  std::uint32_t bins_;
  Key lo_;
  offset_type most_;
  unsigned shift_;  ///< brings an offset's highest bit to the top
};

template <class Key>
inline constexpr bool never_misses<even_ranges<Key>> = true;

/// Calls run(g) with the form of a bin function that kernels had better evaluate: even_ranges, or f itself.
template <class F, class Run>
void with_fast_form(const F& f, Run&& run) {
  run(f);
}
template <std::integral Key, class Run>
void with_fast_form(const ranges<Key>& f, Run&& run) {
#if !defined(PENEIRA_ONE_FORM)  // ./run defines it where kernels only have to compile
  if (const auto even = even_ranges<Key>::of(f)) return run(*even);
#endif
  run(f);
}

}  // namespace peneira::detail
