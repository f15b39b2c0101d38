// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What is gathered of the values of a group, as a value: one compiled group_by a width serves all types and operators.
#pragma once

#include <bit>
#include <peneira/group_by.hpp>
#include <type_traits>

#include "groups.hpp"

namespace peneira::python {

/// How two results become one.
enum class merging : int {
  wrap,
  real,
  least_signed,
  most_signed,
  least_unsigned,
  most_unsigned,
  least_real,
  most_real
};

/// What the group's values come to, by an operator that is known when it runs: one compiled table a width of keys and
/// of values serves all types and operators. Integers are widened, floats become doubles.
template <class Moved>
class number_folding {
 public:
  using moved = Moved;
  struct state {
    std::uint64_t bits;  ///< an integer or a double
    double low;          ///< what the sum of doubles had to round away
  };
  static constexpr bool by_position = false;
  static constexpr bool results_move = true;
  static constexpr std::size_t result_bytes = sizeof(std::uint64_t);

  explicit number_folding(const group_by_call& call)
      : merging_(merging_of(call)),
        is_float_(call.value_of == type::f32 || call.value_of == type::f64),
        is_signed_(call.value_of <= type::i64),
        results_(call.results) {}

  [[nodiscard]] state first(Moved item) const { return {lifted(item), 0}; }
  void add(state& to, Moved item) const { merge(to, {lifted(item), 0}); }
  [[gnu::always_inline]] void merge(state& to, const state& from) const {
    switch (merging_) {
      case merging::wrap:
        to.bits += from.bits;
        return;
      case merging::real:
        return add_real(to, from);
      case merging::least_signed:
        return keep(to, from, static_cast<std::int64_t>(from.bits) < static_cast<std::int64_t>(to.bits));
      case merging::most_signed:
        return keep(to, from, static_cast<std::int64_t>(from.bits) > static_cast<std::int64_t>(to.bits));
      case merging::least_unsigned:
        return keep(to, from, from.bits < to.bits);
      case merging::most_unsigned:
        return keep(to, from, from.bits > to.bits);
      case merging::least_real:  // a NaN is less than all, and greater
        return keep(to, from, real(from) < real(to) || real(from) != real(from));
      case merging::most_real:
        return keep(to, from, real(from) > real(to) || real(from) != real(from));
    }
  }
  void write(std::size_t at, const state& from) const {
    results_[at] = merging_ == merging::real ? bits_of_real(sums::result({real(from), from.low})) : from.bits;
  }
  template <class K>
  view<K, std::uint64_t> with_keys(K* keys, std::size_t groups) const {
    return {keys, results_, groups};
  }

 private:
  using sums = detail::gathering<plus, double>;

  static merging merging_of(const group_by_call& call) {
    const bool is_real = call.value_of == type::f32 || call.value_of == type::f64;
    const bool is_signed = call.value_of <= type::i64;
    switch (call.by) {
      case gather_op::min:
        return is_real ? merging::least_real : is_signed ? merging::least_signed : merging::least_unsigned;
      case gather_op::max:
        return is_real ? merging::most_real : is_signed ? merging::most_signed : merging::most_unsigned;
      case gather_op::real_sum:
        return merging::real;
      default:
        return is_real ? merging::real : merging::wrap;
    }
  }

  static double real(const state& from) { return std::bit_cast<double>(from.bits); }
  static std::uint64_t bits_of_real(double x) { return std::bit_cast<std::uint64_t>(x); }
  static void keep(state& to, const state& from, bool better) { to.bits = better ? from.bits : to.bits; }
  static void add_real(state& to, const state& from) {
    detail::double_sum sum{real(to), to.low};
    sums::merge({}, sum, {real(from), from.low});
    to = {bits_of_real(sum.high), sum.low};
  }

  /// A value as results are.
  [[nodiscard]] std::uint64_t lifted(Moved item) const {
    if constexpr (std::is_same_v<Moved, no_value>) {
      return 1;
    } else {
      using signed_item = std::make_signed_t<Moved>;
      using real_item = std::conditional_t<sizeof(Moved) == 4, float, double>;
      if (is_float_) return bits_of_real(static_cast<double>(std::bit_cast<real_item>(item)));
      if (merging_ == merging::real) {
        return bits_of_real(is_signed_ ? static_cast<double>(static_cast<signed_item>(item))
                                       : static_cast<double>(item));
      }
      return is_signed_ ? static_cast<std::uint64_t>(std::int64_t{static_cast<signed_item>(item)}) : item;
    }
  }

  merging merging_;
  bool is_float_;
  bool is_signed_;
  std::uint64_t* results_;
};

}  // namespace peneira::python
