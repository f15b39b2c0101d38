// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The bin function that was asked for, of keys as their bits. One type for all, so that the engines are compiled once a
// width; it looks once a batch of keys which function it is.
#pragma once

#include <peneira/bins.hpp>
#include <peneira/place.hpp>
#include <type_traits>
#include <vector>

#include "multisplit.hpp"

namespace peneira::python {

/// The floating-point type as wide as U; of fewer than 32 bits there is none, and U stands in.
template <class U>
using float_of = std::conditional_t<sizeof(U) == 4, float, std::conditional_t<sizeof(U) == 8, double, U>>;

template <class U>
class key_bins {
  using number = float_of<U>;

 public:
  /// `flipped` is the compared_table of the call, which outlives this.
  key_bins(const split_call& call, const U* flipped)
      : by_(call.by),
        bins_(call.bins),
        is_float_(call.of == type::f32 || call.of == type::f64),
        flip_(flip_of(call.of)),
        digit_(call.shift, call.by == bins_by::digit ? static_cast<unsigned>(std::bit_width(call.bins) - 1) : 1),
        hashed_(call.bins),
        integers_(ranges_of(call, flipped, !is_float_)),
        numbers_(ranges_of(call, static_cast<const number*>(call.table), is_float_)),
        splitters_(flipped, call.table_size),
        number_splitters_(static_cast<const number*>(call.table), call.table_size) {}

  /// What is flipped in keys of a type, so that they are in the order of unsigned ones.
  static U flip_of(type of) { return of <= type::i64 ? static_cast<U>(U{1} << (8 * sizeof(U) - 1)) : U{0}; }

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return bins_; }

  PENEIRA_HD [[gnu::always_inline]] std::uint32_t operator()(U key) const {
#if defined(__CUDA_ARCH__)
    return one(key);
#else
    std::uint32_t bin = 0;
    many<1>(&key, &bin);
    return bin;
#endif
  }

#if defined(__CUDACC__)
  /// The same as a function that is called: kernels ask for the bins of many keys, and would have all functions for
  /// each.
  __device__ __noinline__ std::uint32_t one(U key) const {
    std::uint32_t bin = 0;
    many<1>(&key, &bin);
    return bin;
  }
#endif

  template <std::size_t Count>
  PENEIRA_HD [[gnu::always_inline]] void many(const U* keys,
                                              std::uint32_t* bins) const {  // so that the bins stay in registers
    switch (by_) {
      case bins_by::ranges:
        if (is_float_) return each<Count>(keys, bins, [this](U key) { return numbers_(as_number(key)); });
        return many_ranges<Count>(keys, bins);
      case bins_by::label:
        return each<Count>(keys, bins, [](U key) { return static_cast<std::uint32_t>(key); });
      case bins_by::digit:
        return each<Count>(keys, bins, [this](U key) { return digit_(key); });
      case bins_by::hashed:
        if (is_float_) return each<Count>(keys, bins, [this](U key) { return hashed_(as_number(key)); });
        return each<Count>(keys, bins, [this](U key) { return hashed_(key); });
      case bins_by::splitters:
        break;
    }
    search<Count>(keys, bins);
  }

 private:
  template <std::size_t Count, class F>
  PENEIRA_HD [[gnu::always_inline]] static void each(const U* keys, std::uint32_t* bins, const F& f) {
    PENEIRA_UNROLL(8)
    for (std::size_t k = 0; k < Count; ++k) bins[k] = f(keys[k]);
  }

  template <std::size_t Count>
  PENEIRA_HD [[gnu::always_inline]] void many_ranges(const U* keys, std::uint32_t* bins) const {
    if constexpr (sizeof(U) <= 4 && Count > 1) {
      U in_order[Count];
      for (std::size_t k = 0; k < Count; ++k) in_order[k] = flipped_key(keys[k]);
      integers_.template many<Count>(in_order, bins);
    } else {
      each<Count>(keys, bins, [this](U key) { return integers_(flipped_key(key)); });
    }
  }

  template <std::size_t Count>
  PENEIRA_HD void search(const U* keys, std::uint32_t* bins) const {
    if (is_float_) {
      number as_numbers[Count];
      for (std::size_t k = 0; k < Count; ++k) as_numbers[k] = as_number(keys[k]);
      return number_splitters_.template many<Count>(as_numbers, bins);
    }
    U in_order[Count];
    for (std::size_t k = 0; k < Count; ++k) in_order[k] = flipped_key(keys[k]);
    splitters_.template many<Count>(in_order, bins);
  }

  [[nodiscard]] PENEIRA_HD U flipped_key(U key) const {
    return static_cast<U>(key ^ flip_);
  }
  [[nodiscard]] PENEIRA_HD static number as_number(U key) {
    return __builtin_bit_cast(number, key);
  }

  /// The ranges that were asked for, or any at all where others will be used.
  template <class T>
  static ranges<T> ranges_of(const split_call& call, const T* table, bool used) {
    if (used && call.by == bins_by::ranges) return {call.bins, table[0], table[1]};
    return {1U, T{0}, T{1}};
  }

  bins_by by_;
  std::uint32_t bins_;
  bool is_float_;
  U flip_;
  digit digit_;
  hashed hashed_;
  ranges<U> integers_;
  ranges<number> numbers_;
  splitters<U> splitters_;
  splitters<number> number_splitters_;
};

/// The table of a call with signed integers in the order of unsigned ones, as key_bins compares them.
template <class U, class Place>
class compared_table {
 public:
  explicit compared_table(const split_call& call) : given_(static_cast<const U*>(call.table)) {
    if (is_flipped_already(call)) return;
    flipped_.assign(given_, given_ + call.table_size);
    for (U& key : flipped_) key = static_cast<U>(key ^ key_bins<U>::flip_of(call.of));
    given_ = flipped_.data();
  }
  compared_table(const compared_table&) = delete;
  compared_table& operator=(const compared_table&) = delete;
  compared_table(compared_table&&) = delete;
  compared_table& operator=(compared_table&&) = delete;
  ~compared_table() = default;

  [[nodiscard]] const U* data() const { return given_; }

 private:
  static bool is_flipped_already(const split_call& call) {
    return std::is_same_v<Place, gpu> && call.by == bins_by::splitters;
  }

  const U* given_;
  std::vector<U> flipped_;
};

}  // namespace peneira::python

namespace peneira::detail {
template <class U>
inline constexpr bool never_misses<python::key_bins<U>> = true;
}  // namespace peneira::detail
