// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What bin functions have in common, and the one of equal ranges. bins.hpp has the others.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/bits.hpp"
#include "peneira/error.hpp"
#include "peneira/key_fit.hpp"

namespace peneira {

namespace detail {

/// What a bin function may return.
template <class T>
concept bin_number = is_integer<std::remove_cvref_t<T>>;
/// What digit takes.
template <class T>
concept digit_key = is_integer<T> || std::same_as<T, float> || std::same_as<T, double>;
/// What hashed takes.
template <class T>
concept hashed_key = std::has_unique_object_representations_v<T> || std::same_as<T, float> || std::same_as<T, double>;
/// What bounds of ranges are.
template <class T>
concept range_bound = is_float<T> ||(is_integer<T> && !std::is_enum_v<T>);

}  // namespace detail

/// What multisplit partitions by: bins() tells how many bins there are, and f(key), an integer or an enum, which of
/// them a key belongs to, from 0 on. A function must be pure: it may be asked several times about an item. digit,
/// ranges, splitters and hashed can not miss; a function of yours, in binned, is watched.
template <class F, class Key>
concept bin_function = requires(const F f, const Key key) {
  { f.bins() } -> std::convertible_to<std::uint64_t>;
  { f(key) } -> detail::bin_number;
};

namespace detail {

/// `bins` as the functions hold it, or an error that names it.
template <std::integral Count>
std::uint32_t require_bins(std::string_view function, Count bins) {
  if (bins < 1 || static_cast<std::uint64_t>(bins) > 0xFFFFFFFFU) {
    reject(function, "bins", "must be from 1 to 4294967295, but is " + std::to_string(bins));
  }
  return static_cast<std::uint32_t>(bins);
}

/// Bin functions of peneira say so here: what they return is always below bins().
template <class F>
inline constexpr bool never_misses = false;
/// Whether it asks a function of the caller's.
template <class F>
inline constexpr bool asks_caller = !never_misses<F>;

template <class Key>
class even_ranges;
template <class F>
struct word_ranges;

}  // namespace detail

/// Equal ranges of keys. Integers from lo to hi, both included: bin = floor((key - lo) * bins / (hi - lo + 1)),
/// exactly; with lo = 0 and hi = max this is the f of the multisplit papers. Floating-point keys from lo to below hi.
/// Keys below lo fall into bin 0; integers above hi, floating-point keys from hi on and NaN into bin bins - 1.
///
/// Keys may be of another type than lo and hi. Integers and enums of any two types are compared as the numbers that
/// they are: -5 is below 0U. Floating-point keys need lo and hi of their type, or of a wider one; integers go with
/// floating-point bounds that can hold all of them. What would have to be rounded does not compile.
///
/// ```cpp
/// pn::ranges{10, 0U, 99U};                                        // by tens
/// pn::ranges{361, 0.0F, 1.0F};                                    // 361 equal parts of [0, 1)
/// ```
template <detail::range_bound Key>
class ranges {
 public:
  /// Throws std::invalid_argument for bins out of range, or hi below lo (for floats: not above it).
  ranges(std::integral auto bins, Key lo, Key hi) : bins_(detail::require_bins("ranges", bins)), lo_(lo), hi_(hi) {
    if (!(lo <= hi)) {
      detail::reject("ranges", "hi", "must not be below lo: " + std::to_string(hi) + " < " + std::to_string(lo));
    }
    if constexpr (std::is_floating_point_v<Key>) {
      if (!(lo < hi) || !(hi - lo <= std::numeric_limits<Key>::max())) {
        detail::reject("ranges", "hi", "must be above lo by a finite amount: " + std::to_string(hi));
      }
      scale_ = std::min(static_cast<Key>(bins_) / (hi - lo), std::numeric_limits<Key>::max());
    } else {
      const detail::uint128 width =
          static_cast<detail::uint128>(static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo)) + 1;
      const detail::uint128 scaled = static_cast<detail::uint128>(bins_) << 64U;
      constexpr bool round_up = sizeof(Key) <= 4;  // see operator()
      const detail::uint128 quotient = (scaled + (round_up ? width - 1 : 0)) / width;
      whole_ = static_cast<std::uint64_t>(quotient >> 64U);
      part_ = static_cast<std::uint64_t>(quotient);
      exact_ = whole_ == 0 && scaled % width == 0;
      if constexpr (!round_up) rest_ = static_cast<std::uint64_t>(((scaled % width << 64U) + (width - 1)) / width);
      inside_ = whole_ == 0 ? static_cast<std::uint64_t>(width) : 0;
      if (width > bins_ && (width & (width - 1)) == 0) {
        width_bits_ = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(width - 1)));
        if (sizeof(Key) <= 4) {
          easy_ = inside_;
          easy_factor_ = bins_ << (32U - width_bits_);
          all_easy_ = lo == std::numeric_limits<Key>::min() && hi == std::numeric_limits<Key>::max();
        }
      }
    }
  }

  /// The same of enums, as the numbers that they are.
  template <class Enum>
  requires std::is_enum_v<Enum> && std::same_as<std::underlying_type_t<Enum>, Key> ranges(std::integral auto bins,
                                                                                          Enum lo, Enum hi)
      : ranges(bins, static_cast<Key>(lo), static_cast<Key>(hi)) {}

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return bins_; }

  template <class T>
  PENEIRA_HD std::uint32_t operator()(const T& key) const {
    using fit = detail::range_key<T, Key>;
    if constexpr (fit::converts) {
      return bin_of(static_cast<Key>(key));
    } else if constexpr (fit::good) {  // integers, of which not all are a Key
      const auto number = detail::as_number(key);
      if (detail::number_less(number, lo_)) return 0;
      return detail::number_less(hi_, number) ? bins_ - 1 : bin_of(static_cast<Key>(number));
    } else {
      return 0;
    }
  }

  /// The bins of Count keys, with one test for all of them whether they lie inside.
  template <std::size_t Count>
  [[gnu::always_inline]] void many(const Key* keys, std::uint32_t* bins) const
      requires(std::is_integral_v<Key> && sizeof(Key) <= 4) {  // inline, so that the bins stay in registers
    if (all_easy_) [[likely]] {
      PENEIRA_UNROLL(8)
      for (std::size_t k = 0; k < Count; ++k) {
        const auto offset = static_cast<offset_type>(static_cast<offset_type>(keys[k]) -
                                                     static_cast<offset_type>(std::numeric_limits<Key>::min()));
        bins[k] = static_cast<std::uint32_t>((std::uint64_t{offset} * easy_factor_) >> 32U);
      }
      return;
    }
    if constexpr (Count >= 16) {  // vectors
      offset_type farthest = 0;
      for (std::size_t k = 0; k < Count; ++k) farthest = std::max(farthest, offset_of(keys[k]));
      if (farthest < inside_) [[likely]] {
        for (std::size_t k = 0; k < Count; ++k) {
          bins[k] = detail::multiply_high_32_in_halves(offset_of(keys[k]), part_);
        }
      } else {
        for (std::size_t k = 0; k < Count; ++k) bins[k] = bin_of_any(keys[k]);
      }
    } else if constexpr (Count > 4) {  // runs: with sums of eight tests a sorted input took a fifth longer (V1)
      PENEIRA_UNROLL(8)
      for (std::size_t k = 0; k < Count; ++k) bins[k] = (*this)(keys[k]);
    } else {
      std::uint64_t beyond = 0;  // its sign tells whether an offset reached inside_
      PENEIRA_UNROLL(4)
      for (std::size_t k = 0; k < Count; ++k) beyond |= inside_ - 1 - offset_of(keys[k]);
      if (static_cast<std::int64_t>(beyond) >= 0) [[likely]] {
        PENEIRA_UNROLL(4)
        for (std::size_t k = 0; k < Count; ++k) bins[k] = detail::multiply_high_32(offset_of(keys[k]), part_);
      } else {
        for (std::size_t k = 0; k < Count; ++k) bins[k] = bin_of_any(keys[k]);
      }
    }
  }

 private:
  using offset_type = std::conditional_t<sizeof(Key) <= 4, std::uint32_t, std::uint64_t>;

  [[nodiscard]] PENEIRA_HD std::uint32_t bin_of(Key key) const {
    if constexpr (std::is_floating_point_v<Key>) {
      if (key < lo_) return 0;
      if (!(key < hi_)) return bins_ - 1;
      const auto bin = static_cast<std::uint64_t>((key - lo_) * scale_);
      return bin < bins_ ? static_cast<std::uint32_t>(bin) : bins_ - 1;
    } else {
#if !defined(__CUDA_ARCH__)  // a GPU is better off without the branches
      const offset_type offset = offset_of(key);
      if constexpr (sizeof(Key) <= 4) {
        if (offset < easy_) [[likely]]
          return static_cast<std::uint32_t>((std::uint64_t{offset} * easy_factor_) >> 32U);
        // One multiplication by bins / width in 64 fractional bits, rounded up: the error, below offset * 2^-64 <= 1 /
        // width, cannot reach the next bin.
        if (offset < inside_) [[likely]]
          return detail::multiply_high_32(offset, part_);
      } else if (whole_ == 0 && offset <= static_cast<offset_type>(hi_) - static_cast<offset_type>(lo_)) [[likely]] {
        if (exact_) return static_cast<std::uint32_t>(detail::multiply_high(offset, part_));
        // The same with 128 fractional bits: the error is below offset * 2^-128 <= 1 / width.
        const detail::uint128 product =
            static_cast<detail::uint128>(offset) * part_ + detail::multiply_high(offset, rest_);
        return static_cast<std::uint32_t>(product >> 64U);
      }
#endif
      return bin_of_any(key);
    }
  }

  [[nodiscard]] PENEIRA_HD offset_type offset_of(Key key) const {
    return static_cast<offset_type>(static_cast<offset_type>(key) - static_cast<offset_type>(lo_));
  }

  /// Keys outside, on a GPU keys of 64 bits (whose factor is rounded down, and the bin put right), and more bins than
  /// keys. Only then hi is not in the last bin, where keys above it belong.
  /// Out of line, so that the loops around the common case keep their registers.
#if !defined(__CUDACC__)
  [[gnu::noinline]]
#endif
  [[nodiscard]] PENEIRA_HD std::uint32_t
  bin_of_any(Key key) const {
    const auto most = static_cast<offset_type>(static_cast<offset_type>(hi_) - static_cast<offset_type>(lo_));
    offset_type offset = offset_of(key);
    offset = key < lo_ ? 0 : offset;
    offset = offset > most ? most : offset;
    if constexpr (sizeof(Key) <= 4) {
      const std::uint32_t bin = detail::multiply_high_32(offset, part_);
      if (whole_ == 0) return bin;
      return key > hi_ ? bins_ - 1 : bin + offset * static_cast<std::uint32_t>(whole_);
    } else {
      if (whole_ != 0 && key > hi_) return bins_ - 1;
      auto bin = static_cast<std::uint32_t>(detail::multiply_high(offset, part_));
      if (whole_ != 0) bin += static_cast<std::uint32_t>(offset * whole_);
      if (exact_) return bin;
      // offset * bins - bin * width is below width, or bin is one too low. A width of 2^64 is exact.
      return detail::product_below(offset, bins_, most + 1, bin + 1) ? bin : bin + 1;
    }
  }

  friend class detail::even_ranges<Key>;
  friend struct detail::word_ranges<ranges<Key>>;

  std::uint32_t bins_;
  Key lo_;
  Key hi_;
  Key scale_{};
  std::uint64_t whole_ = 0;   ///< not 0 where there are no fewer bins than keys
  std::uint64_t inside_ = 0;  ///< keys of up to 32 bits: offsets below this need part_ alone
  std::uint64_t easy_ = 0;    ///< the same, where the width is a power of two and 32 bits of a factor are exact
  std::uint32_t easy_factor_ = 0;
  bool all_easy_ = false;    ///< and there is no key outside
  bool exact_ = false;       ///< keys of 64 bits: part_ needed no rounding
  unsigned width_bits_ = 0;  ///< where the width is 2 to the power of this, and above bins; otherwise 0
  std::uint64_t part_ = 0;
  std::uint64_t rest_ = 0;  ///< keys of 64 bits: further fractional bits of the factor, rounded up; not for a GPU
};

template <std::integral Bins, class Enum>
requires std::is_enum_v<Enum> ranges(Bins, Enum, Enum)
->ranges<std::underlying_type_t<Enum>>;

}  // namespace peneira
