// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Monoids as a caller might write them, most of them not commutative, and items that any of the operators combines to
// the same bits in whatever way it groups them.
#pragma once

#include <limits>

#include "peneira/ops.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// x -> scale * x + shift, modulo 2^32.
struct affine {
  std::uint32_t scale;
  std::uint32_t shift;
  friend bool operator==(const affine&, const affine&) = default;
};

/// First a, then b.
struct then {
  PENEIRA_HD affine operator()(const affine& a, const affine& b) const {
    return {a.scale * b.scale, b.scale * a.shift + b.shift};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {1, 0};
  }
};

/// A 2 by 2 matrix, modulo 2^32.
struct matrix {
  std::uint32_t a, b, c, d;
  friend bool operator==(const matrix&, const matrix&) = default;
};

struct product {
  PENEIRA_HD matrix operator()(const matrix& x, const matrix& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {1, 0, 0, 1};
  }
};

/// The first and the last of some items, and how many there were.
struct ends {
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t count;
  friend bool operator==(const ends&, const ends&) = default;
};

struct both_ends {
  PENEIRA_HD ends operator()(const ends& a, const ends& b) const {
    return {a.count != 0 ? a.first : b.first, b.count != 0 ? b.last : a.last, a.count + b.count};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {0, 0, 0};
  }
  template <class T>
  PENEIRA_HD static ends lift(const T& item, std::uint64_t index) {
    return {item.words[0] + (index << 8U), item.words[0] + (index << 8U), 1};
  }
};

/// A sum and a greatest one at once, which is commutative and says so.
struct sum_and_most {
  std::uint64_t sum;
  std::uint64_t most;
  friend bool operator==(const sum_and_most&, const sum_and_most&) = default;
};

struct adds_both {
  static constexpr bool commutative = true;
  PENEIRA_HD sum_and_most operator()(const sum_and_most& a, const sum_and_most& b) const {
    return {a.sum + b.sum, a.most < b.most ? b.most : a.most};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {0, 0};
  }
  template <class T>
  PENEIRA_HD static sum_and_most lift(const T& item, std::uint64_t /*index*/) {
    return {item.words[0], item.words[1]};
  }
};

/// Whether the least or the greatest is looked for.
template <class Op>
inline constexpr bool is_extreme =
    std::is_same_v<Op, min> || std::is_same_v<Op, max> || std::is_same_v<Op, arg_min> || std::is_same_v<Op, arg_max>;

/// A random item of T for Op. Floating-point ones are small integers, whose sums are exact up to 2^20 of them, and for
/// products 1 and -1; where the least or the greatest is looked for, a few are NaN.
template <class T, class Op>
T make_item(random& next) {
  const std::uint64_t drawn = next();
  if constexpr (std::is_same_v<T, affine>) {
    return {static_cast<std::uint32_t>(drawn), static_cast<std::uint32_t>(drawn >> 32U)};
  } else if constexpr (std::is_same_v<T, matrix>) {
    const std::uint64_t more = next();
    return {static_cast<std::uint32_t>(drawn), static_cast<std::uint32_t>(drawn >> 32U),
            static_cast<std::uint32_t>(more), static_cast<std::uint32_t>(more >> 32U)};
  } else if constexpr (is_block<T>) {
    return make_key<T>(drawn, drawn);
  } else if constexpr (std::is_floating_point_v<T>) {
    if constexpr (std::is_same_v<Op, multiplies>) return drawn % 2 == 0 ? T(1) : T(-1);
    if (is_extreme<Op> && (drawn >> 32U) % 5000 == 0) return std::numeric_limits<T>::quiet_NaN();
    return static_cast<T>(static_cast<int>(drawn % 17)) - T(8);
  } else if constexpr (std::is_same_v<Op, logical_and>) {
    return static_cast<T>(drawn % 100 != 0 ? drawn | 1U : 0U);
  } else if constexpr (std::is_same_v<Op, logical_or>) {
    return static_cast<T>(drawn % 100 == 0 ? drawn : 0U);
  } else if constexpr (std::is_same_v<Op, multiplies>) {
    return static_cast<T>(drawn % 5 == 0 ? 3 : 1);
  } else if constexpr (std::is_signed_v<T> && std::is_same_v<Op, plus>) {
    return static_cast<T>(static_cast<int>(drawn % 17) - 8);  // a sum that overflowed would be undefined
  } else {
    return static_cast<T>(drawn >> (64 - 8 * sizeof(T)));
  }
}

/// Whether two values are equal, or both NaN.
template <class T>
bool alike(const T& a, const T& b) {
  return a == b || (a != a && b != b);
}
template <class T>
bool alike(const indexed<T>& a, const indexed<T>& b) {
  return a.index == b.index && alike(a.value, b.value);
}

/// Whether two arrays hold equal values, NaN being equal to NaN; tells the first that differs.
template <class T>
::testing::AssertionResult equal(const std::vector<T>& wanted, const std::vector<T>& got) {
  if (wanted.size() != got.size()) {
    return ::testing::AssertionFailure() << got.size() << " results instead of " << wanted.size();
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (alike(wanted[i], got[i])) continue;
    auto failure = ::testing::AssertionFailure() << "result " << i << " of " << got.size() << " differs";
    if constexpr (std::is_arithmetic_v<T>) failure << ": " << +got[i] << " instead of " << +wanted[i];
    return failure;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace peneira::test
