// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bin functions: from a key to a bin in [0, bins()). Each is pure: it may be asked several times about an item and must
// say the same. The ones of peneira cannot miss; a caller's own function, in binned, is watched.
#pragma once

#include <algorithm>
#include <concepts>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include "peneira/bits.hpp"
#include "peneira/error.hpp"
#include "peneira/hash.hpp"
#include "peneira/key_fit.hpp"
#include "peneira/ranges.hpp"

namespace peneira {

/// `bits` bits of a key's representation from bit `shift` on: a digit of a radix sort. There are 2^bits bins, and bits
/// is from 1 to 31: `digit{24, 8}` is the highest byte of a 32-bit key. Keys are integers and enums, in two's
/// complement, so that negative ones come behind the others; or float and double, as IEEE 754 stores them.
class digit {
 public:
  /// Throws std::invalid_argument for bits or a shift out of range.
  digit(unsigned shift, unsigned bits) : shift_(shift), bits_(bits) {
    if (bits == 0 || bits > 31) detail::reject("digit", "bits", "must be from 1 to 31, but is " + std::to_string(bits));
    if (shift > 63) detail::reject("digit", "shift", "must be below 64, but is " + std::to_string(shift));
  }
  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return 1U << bits_; }
  template <detail::digit_key Key>
  PENEIRA_HD std::uint32_t operator()(Key key) const {
    const auto raw = __builtin_bit_cast(detail::bits_of<Key>, key);
    if (shift_ >= 8 * sizeof(Key)) return 0;
    return static_cast<std::uint32_t>(raw >> shift_) & ((1U << bits_) - 1);
  }

 private:
  unsigned shift_;
  unsigned bits_;
};

/// Bins between ascending keys: a key's bin is the number of splitters not above it, so there is one bin more than
/// splitters. Does not own them; for a GPU call they must be in device memory, where nobody looks whether they ascend.
/// Numbers of another type than the keys are compared as numbers, exactly, or do not compile.
///
/// ```cpp
/// const std::array<int, 3> borders{13, 20, 64};                   // children, teenagers, adults, seniors
/// pn::splitters by_age{borders};                                  // a key on a border belongs to the bin above it
/// ```
template <class Key>
class splitters {
 public:
  /// `count` ascending keys at `sorted`.
  splitters(const Key* sorted, std::size_t count)
      : sorted_(sorted), count_(detail::require_bins("splitters", count + 1) - 1) {}
  /// The ascending keys of a range.
  template <std::ranges::contiguous_range Range>
  explicit splitters(const Range& sorted) : splitters(std::ranges::data(sorted), std::ranges::size(sorted)) {}

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return count_ + 1; }

  template <class T>
  PENEIRA_HD std::uint32_t operator()(const T& key) const {
    std::uint32_t bin = 0;
    many<1>(&key, &bin);
    return bin;
  }

  /// The bins of Count keys, their searches interleaved so that the loads overlap. No branch depends on a key.
  template <std::size_t Count, class T>
  PENEIRA_HD void many(const T* keys, std::uint32_t* bins) const {
    std::uint32_t found[Count] = {};
    std::uint32_t left = count_;
    while (left > 0) {
      const std::uint32_t half = left - left / 2;
      for (std::size_t k = 0; k < Count; ++k) {
        found[k] += is_before(keys[k], sorted_[found[k] + half - 1]) ? 0 : half;
      }
      left -= half;
    }
    for (std::size_t k = 0; k < Count; ++k) bins[k] = found[k];
  }

  /// The splitters.
  [[nodiscard]] PENEIRA_HD const Key* data() const { return sorted_; }

 private:
  template <class T>
  PENEIRA_HD static bool is_before(const T& key, const Key& splitter) {
    using fit = detail::splitter_key<T, Key>;
    if constexpr (fit::is_number && !std::is_same_v<T, Key>) {
      return detail::number_less(detail::as_number(key), detail::as_number(splitter));
    } else if constexpr (fit::good) {
      return key < splitter;
    } else {
      return false;
    }
  }

  const Key* sorted_;
  std::uint32_t count_;
};
template <std::ranges::contiguous_range Range>
splitters(const Range&) -> splitters<std::ranges::range_value_t<Range>>;

/// Equal keys to equal bins, different keys spread evenly; the same on every run, place and machine of one byte order.
/// It hashes a key's bytes: equal numbers of types of different sizes are different keys, and so are two NaNs of
/// different bits. Both zeros are one key.
class hashed {
 public:
  explicit hashed(std::integral auto bins) : bins_(detail::require_bins("hashed", bins)) {}
  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return bins_; }
  template <detail::hashed_key Key>
  PENEIRA_HD std::uint32_t operator()(const Key& key) const {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(hash32(key)) * bins_) >> 32U);
  }

 private:
  std::uint32_t bins_;
};

/// Any function of a key that returns an integer or an enum. On the CPU a bin out of range is an error that names the
/// item and the bin; on the GPU the item is left out.
///
/// ```cpp
/// pn::binned{361, [] PENEIRA_HD (float x) { return static_cast<unsigned>(x * 361); }};
/// pn::binned{2, [](std::uint32_t key) { return key % 2; }};       // on the CPU PENEIRA_HD is not needed
/// ```
template <class F>
class binned {
 public:
  binned(std::integral auto bins, F f) : bins_(detail::require_bins("binned", bins)), f_(std::move(f)) {}
  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return bins_; }
  template <class Key>
  PENEIRA_HD auto operator()(const Key& key) const {
    return f_(key);
  }

 private:
  std::uint32_t bins_;
  F f_;
};

namespace detail {

template <>
inline constexpr bool never_misses<digit> = true;
template <class Key>
inline constexpr bool never_misses<ranges<Key>> = true;
template <class Key>
inline constexpr bool never_misses<splitters<Key>> = true;
template <>
inline constexpr bool never_misses<hashed> = true;

/// ranges for keys of another type than its bounds: what is fast for its own keys would be wrong for these.
template <class Bound>
struct ranges_of_others {
  ranges<Bound> f;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return f.bins(); }
  template <class Key>
  PENEIRA_HD std::uint32_t operator()(const Key& key) const {
    return f(key);
  }
};
template <class Bound>
inline constexpr bool never_misses<ranges_of_others<Bound>> = true;

/// A bin function as the engines take it for items whose keys lie at an address.
template <class Key, class F>
const F& for_items(const F& f, const Key* /*keys*/) {
  return f;
}
template <class Key, class Bound>
requires(!std::is_same_v<Key, Bound>) ranges_of_others<Bound> for_items(const ranges<Bound>& f, const Key* /*keys*/) {
  return {f};
}

/// A bin as the engines hold it. A caller's function may return anything integral: what does not fit becomes the one
/// number that no bin has.
template <class Returned>
PENEIRA_HD std::uint32_t as_bin(const Returned& returned) {
  const auto bin = as_number(returned);
  if constexpr (sizeof(bin) > 4) {
    return static_cast<std::uint64_t>(bin) > 0xFFFFFFFFU ? 0xFFFFFFFFU : static_cast<std::uint32_t>(bin);
  } else {
    return static_cast<std::uint32_t>(bin);
  }
}
template <class F, class Key>
PENEIRA_HD std::uint32_t bin_of(const F& f, const Key& key) {
  return as_bin(f(key));
}

}  // namespace detail
}  // namespace peneira
