// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The bin function that was asked for, of keys as their bits. One type for all, so that the engines are compiled once a
// width; it looks once a batch of keys which function it is.
#pragma once

#include <peneira/bins.hpp>
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
  explicit key_bins(const split_call& call)
      : by_(call.by),
        bins_(call.bins),
        is_float_(call.of == type::f32 || call.of == type::f64),
        flip_(call.of <= type::i64 ? static_cast<U>(U{1} << (8 * sizeof(U) - 1)) : U{0}),
        digit_(call.shift, call.by == bins_by::digit ? static_cast<unsigned>(std::bit_width(call.bins) - 1) : 1),
        hashed_(call.bins),
        flipped_(flipped_table(call)),
        integers_(ranges_of(call, flipped_.data(), !is_float_)),
        numbers_(ranges_of(call, static_cast<const number*>(call.table), is_float_)),
        splitters_(flipped_.data(), flipped_.size()),
        number_splitters_(static_cast<const number*>(call.table), call.table_size) {}

  [[nodiscard]] std::uint32_t bins() const { return bins_; }

  std::uint32_t operator()(U key) const {
    std::uint32_t bin = 0;
    many<1>(&key, &bin);
    return bin;
  }

  template <std::size_t Count>
  void many(const U* keys, std::uint32_t* bins) const {
    switch (by_) {
      case bins_by::label:
        return each<Count>(keys, bins, [](U key) { return static_cast<std::uint32_t>(key); });
      case bins_by::digit:
        return each<Count>(keys, bins, [this](U key) { return digit_(key); });
      case bins_by::hashed:
        if (is_float_) return each<Count>(keys, bins, [this](U key) { return hashed_(as_number(key)); });
        return each<Count>(keys, bins, [this](U key) { return hashed_(key); });
      case bins_by::ranges:
        if (is_float_) return each<Count>(keys, bins, [this](U key) { return numbers_(as_number(key)); });
        return each<Count>(keys, bins, [this](U key) { return integers_(flipped(key)); });
      case bins_by::splitters:
        break;
    }
    search<Count>(keys, bins);
  }

 private:
  template <std::size_t Count, class F>
  static void each(const U* keys, std::uint32_t* bins, const F& f) {
    for (std::size_t k = 0; k < Count; ++k) bins[k] = f(keys[k]);
  }

  template <std::size_t Count>
  void search(const U* keys, std::uint32_t* bins) const {
    if (is_float_) {
      number as_numbers[Count];
      for (std::size_t k = 0; k < Count; ++k) as_numbers[k] = as_number(keys[k]);
      return number_splitters_.template many<Count>(as_numbers, bins);
    }
    U in_order[Count];
    for (std::size_t k = 0; k < Count; ++k) in_order[k] = flipped(keys[k]);
    splitters_.template many<Count>(in_order, bins);
  }

  /// Signed integers in the order of unsigned ones.
  [[nodiscard]] U flipped(U key) const { return static_cast<U>(key ^ flip_); }
  [[nodiscard]] static number as_number(U key) { return __builtin_bit_cast(number, key); }

  [[nodiscard]] std::vector<U> flipped_table(const split_call& call) const {
    const auto* const table = static_cast<const U*>(call.table);
    std::vector<U> all(table, table + call.table_size);
    for (U& key : all) key = flipped(key);
    return all;
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
  std::vector<U> flipped_;
  ranges<U> integers_;
  ranges<number> numbers_;
  splitters<U> splitters_;
  splitters<number> number_splitters_;
};

/// What the engines take: small enough to be copied for each thread.
template <class U>
struct key_bins_view {
  const key_bins<U>* f;

  [[nodiscard]] std::uint32_t bins() const { return f->bins(); }
  std::uint32_t operator()(U key) const { return (*f)(key); }
  template <std::size_t Count>
  void many(const U* keys, std::uint32_t* to) const {
    f->template many<Count>(keys, to);
  }
};

}  // namespace peneira::python

namespace peneira::detail {
template <class U>
inline constexpr bool never_misses<python::key_bins_view<U>> = true;
}  // namespace peneira::detail
