// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Decimal numbers as people write them, exactly. So are their sums: they come out as on paper, and do not depend on the
// order of the terms.
#pragma once

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include "peneira/config.hpp"
#include "tools/peneira/text/int128.hpp"
#include "tools/peneira/text/long_decimal.hpp"

namespace peneira::tool {

namespace detail {

inline constexpr int most_power = 33;  // of ten, so that it has 111 bits

inline constexpr std::array<int128, most_power + 1> powers_of_ten = [] {
  std::array<int128, most_power + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

/// How many digits a number has; 0 has none.
inline int count_digits(int128 value) {
  if (value < 0) value = -value;
  int digits = 0;
  while (digits <= most_power && value >= powers_of_ten[static_cast<std::size_t>(digits)]) ++digits;
  return digits;
}

/// The double nearest to digits * 10^exponent; infinite where there is none.
inline double nearest_double(bool negative, std::string_view digits, int exponent) {
  const std::string text = fmt::format("{}e{}", digits, exponent);
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
    const bool tiny = exponent + static_cast<int>(digits.size()) < 0;
    value = tiny ? 0 : std::numeric_limits<double>::infinity();
  }
  return negative && value != 0 ? -value : value;
}

}  // namespace detail

/// mantissa * 10^exponent. One that is too long for that is the owner of a long_decimal, and so must not be used again
/// after it was added to another.
class decimal {
 public:
  static constexpr int most_digits = detail::most_power;  ///< that every mantissa can have
  /// Those of whole numbers. With one more a number that was cut has a digit behind the point, and is seen to be none.
  static constexpr int most_whole_digits = most_digits - 1;

  decimal() = default;
  constexpr decimal(int128 mantissa, int exponent)
      : bits_(mantissa * 0x10000 + static_cast<std::uint16_t>(static_cast<std::int16_t>(exponent))) {}
  explicit decimal(long_decimal* owned)
      : decimal(static_cast<int128>(reinterpret_cast<std::uintptr_t>(owned)), is_long) {}

  /// What stands for a value that is not there. No operator takes it.
  static constexpr decimal none() { return {0, is_none}; }
  [[nodiscard]] constexpr bool missing() const { return exponent() == is_none; }

  [[nodiscard]] constexpr int128 mantissa() const { return bits_ >> 16U; }
  [[nodiscard]] constexpr int exponent() const { return static_cast<std::int16_t>(bits_ & 0xFFFF); }
  [[nodiscard]] long_decimal* owned() const {
    return exponent() == is_long ? reinterpret_cast<long_decimal*>(static_cast<std::uintptr_t>(mantissa())) : nullptr;
  }

  friend decimal operator+(const decimal& a, const decimal& b) {
    int128 sum = 0;
    const bool alike = a.exponent() == b.exponent() && a.exponent() != is_long;
    if (alike && !__builtin_add_overflow(a.bits_ & ~int128{0xFFFF}, b.bits_, &sum)) return from_bits(sum);
    return add_slowly(a, b);
  }
  /// Of numbers that are not long.
  friend bool operator<(const decimal& a, const decimal& b) {
    return a.exponent() == b.exponent() ? a.bits_ < b.bits_ : less_slowly(a, b);
  }
  friend bool operator==(const decimal& a, const decimal& b) { return !(a < b) && !(b < a); }

  /// The same number without zeros at the end of its mantissa, also where it was long; that remains where it is even if
  /// it cannot be made shorter.
  [[nodiscard]] decimal shortest() const {
    int128 m = mantissa();
    int e = exponent();
    if (long_decimal* const mine = owned(); mine != nullptr) {
      bool negative = false;
      const std::string digits = mine->text(negative, e);
      if (digits.size() > most_digits) return *this;
      m = 0;
      for (const char c : digits) m = m * 10 + (c - '0');
      if (negative) m = -m;
    }
    if (m == 0) return {0, 0};
    constexpr int128 most = std::numeric_limits<std::int64_t>::max();
    for (; (m > most || m < -most) && m % 10 == 0; m /= 10) ++e;
    if (m > most || m < -most) return {m, e};
    auto small = static_cast<std::int64_t>(m);
    for (; small % 10 == 0; small /= 10) ++e;
    return {small, e};
  }

  /// The nearest double; infinite beyond all of them.
  [[nodiscard]] double to_double() const {
    constexpr std::array<double, 23> powers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int e = exponent();
    if (long_decimal* const mine = owned(); mine != nullptr) {
      bool negative = false;
      const std::string digits = mine->text(negative, e);
      return digits.empty() ? 0 : detail::nearest_double(negative, digits, e);
    }
    const int128 m = mantissa();
    constexpr int128 exact = int128{1} << 53U;
    if (m >= -exact && m <= exact && e <= 22 && e >= -22) {  // two doubles, whose quotient is rounded once
      const auto whole = static_cast<double>(static_cast<std::int64_t>(m));
      return e < 0 ? whole / powers[static_cast<std::size_t>(-e)] : whole * powers[static_cast<std::size_t>(e)];
    }
    return detail::nearest_double(m < 0, fmt::format("{}", m < 0 ? -m : m), e);
  }

 private:
  static constexpr int is_long = std::numeric_limits<std::int16_t>::min();
  static constexpr int is_none = is_long + 1;

  static constexpr decimal from_bits(int128 bits) {
    decimal one;
    one.bits_ = bits;
    return one;
  }

  /// The mantissa that a number has with a lower exponent; false where it is too long.
  static bool scale(const decimal& from, int exponent, int128& to) {
    constexpr int128 most = std::numeric_limits<int128>::max() >> 16U;
    const int power = from.exponent() - exponent;
    if (power > detail::most_power) return false;
    const int128 factor = detail::powers_of_ten[static_cast<std::size_t>(power)];
    if (from.mantissa() > most / factor || from.mantissa() < -(most / factor)) return false;
    to = from.mantissa() * factor;
    return true;
  }

  [[gnu::noinline]] static decimal add_slowly(const decimal& a, const decimal& b) {
    if (long_decimal* const mine = a.owned(); mine != nullptr) {
      if (long_decimal* const other = b.owned(); other != nullptr) {
        mine->add(*other);
        long_decimals::all().give_back(other);
      } else {
        mine->add(b.mantissa(), b.exponent());
      }
      return a;
    }
    if (b.owned() != nullptr) return add_slowly(b, a);
    if (a.mantissa() == 0) return b;
    if (b.mantissa() == 0) return a;
    const decimal& high = a.exponent() < b.exponent() ? b : a;
    const decimal& low = a.exponent() < b.exponent() ? a : b;
    int128 scaled = 0;
    int128 sum = 0;
    if (scale(high, low.exponent(), scaled) && !__builtin_add_overflow(decimal(scaled, 0).bits_, low.bits_, &sum)) {
      return from_bits(sum);
    }
    long_decimal* const both = long_decimals::all().take();
    both->add(a.mantissa(), a.exponent());
    both->add(b.mantissa(), b.exponent());
    return decimal(both);
  }

  [[gnu::noinline]] static bool less_slowly(const decimal& a, const decimal& b) {
    const bool negative = a.mantissa() < 0;
    if (a.mantissa() == 0 || b.mantissa() == 0 || negative != (b.mantissa() < 0)) return a.mantissa() < b.mantissa();
    const int a_digits = detail::count_digits(a.mantissa()) + a.exponent();
    const int b_digits = detail::count_digits(b.mantissa()) + b.exponent();
    if (a_digits != b_digits) return (a_digits < b_digits) != negative;
    int128 scaled = 0;  // of equally many digits, so it is not too long
    if (a.exponent() < b.exponent()) return scale(b, a.exponent(), scaled) && a.mantissa() < scaled;
    return scale(a, b.exponent(), scaled) && scaled < b.mantissa();
  }

  int128 bits_;
};

/// The operators on them, as segmented_reduce takes them.
struct decimal_plus {
  static constexpr bool commutative = true;
  decimal operator()(const decimal& a, const decimal& b) const { return a + b; }
  template <class T>
  static constexpr T identity() {
    return {0, 0};
  }
};

struct decimal_min {
  static constexpr bool commutative = true;
  decimal operator()(const decimal& a, const decimal& b) const { return b < a ? b : a; }
  template <class T>
  static constexpr T identity() {
    return {1, std::numeric_limits<std::int16_t>::max()};
  }
};

struct decimal_max {
  static constexpr bool commutative = true;
  decimal operator()(const decimal& a, const decimal& b) const { return a < b ? b : a; }
  template <class T>
  static constexpr T identity() {
    return {-1, std::numeric_limits<std::int16_t>::max()};
  }
};

/// Appends a whole number of up to 32 digits with all of them, else the shortest text that means the nearest double;
/// false where there is no such.
inline bool append_number(std::string& to, const decimal& value) {
  const decimal shortest = value.shortest();
  const bool whole = shortest.owned() == nullptr && shortest.exponent() >= 0 &&
                     detail::count_digits(shortest.mantissa()) + shortest.exponent() <= decimal::most_whole_digits;
  if (!whole) {
    const double nearest = shortest.to_double();
    if (std::isinf(nearest)) return false;
    fmt::format_to(std::back_inserter(to), "{}", nearest);
    return true;
  }
  const int128 all = shortest.mantissa() * detail::powers_of_ten[static_cast<std::size_t>(shortest.exponent())];
  constexpr int128 most = std::numeric_limits<std::int64_t>::max();
  if (all > most || all < -most) {
    fmt::format_to(std::back_inserter(to), "{}", all);
  } else {
    const fmt::format_int digits(static_cast<std::int64_t>(all));
    to.append(digits.data(), digits.size());
  }
  return true;
}

}  // namespace peneira::tool
