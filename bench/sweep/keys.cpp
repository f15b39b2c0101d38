// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/keys.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "peneira/key_order.hpp"

namespace peneira::bench::sweep {
namespace {

constexpr std::uint64_t top = ~std::uint64_t{0};

/// Of each shape, parameters that some array might have.
spread draw_spread(draws& from, std::uint64_t n, unsigned bits) {
  spread s{static_cast<shape>(from.below(shape_names.size()))};
  switch (s.of) {
    case shape::uniform:
      return {s.of, one_in(from, 2) ? 0 : from.below(bits), from.next()};
    case shape::normal:
      return {s.of, from.below(bits / 2), from.next()};
    case shape::exponential:
      return {s.of, from.below(bits / 2)};
    case shape::zipf:
      return {s.of, between(from, 1, 3), from.below(2)};
    case shape::clusters:
      return {s.of, log_uniform(from, 0, 12), between(from, 4, bits)};
    case shape::runs:
    case shape::sawtooth:
    case shape::organ:
      return {s.of, log_uniform_to(from, n)};
    case shape::nearly_sorted:
      return {s.of, log_uniform(from, 1, 20), from.below(2)};
    case shape::sorted:
      return {s.of, 0, from.below(2)};
    case shape::low_bits:
    case shape::high_bits:
      return {s.of, between(from, 1, bits - 1)};
    case shape::few:
      return {s.of, log_uniform(from, 1, 16)};
    case shape::timestamps:
      return {s.of, log_uniform(from, 0, 12), log_uniform(from, 0, 20)};
    case shape::masks:
      return {s.of, between(from, 1, 4)};
    case shape::constant:
      return s;
  }
  return s;
}

/// The mask of a mixture of ones and zeros that a seed chooses.
std::uint64_t mask_of(std::uint64_t seed, std::uint64_t halvings) {
  draws from(seed, top);
  std::uint64_t mask = from.next();
  for (std::uint64_t k = 1; k < halvings; ++k) mask &= from.next();
  return mask;
}

std::uint64_t zipf_position(const spread& s, std::uint64_t seed, std::uint64_t i) {
  std::uint64_t rank = zipf_rank(seed, i * s.a);
  for (std::uint64_t k = 1; k < s.a; ++k) rank = std::min(rank, zipf_rank(seed, i * s.a + k));
  return s.b == 0 ? rank << 44U : mix64(rank ^ seed);
}

/// The position in the range of item i of n, for keys of so many bits. Ascending shapes are exact: no two neighbours
/// descend where they should not.
std::uint64_t position_of(const spread& s, unsigned bits, std::uint64_t seed, std::uint64_t i, std::uint64_t n) {
  draws from(seed, i);
  const auto ascend = [seed](std::uint64_t at, std::uint64_t of) {
    return bench::detail::ascending({seed, at}, at, of);
  };
  switch (s.of) {
    case shape::uniform:
      return (s.a == 0 ? 0 : s.b) + (from.next() >> s.a);
    case shape::normal:
      return s.b + (bench::detail::normal(from) >> s.a);
    case shape::exponential:
      return bench::detail::exponential(from) >> s.a;
    case shape::zipf:
      return zipf_position(s, seed, i);
    case shape::clusters:
      return draws(seed, ~from.below(s.a)).next() + (s.b < 64 ? from.next() >> s.b : 0);
    case shape::runs:  // no two alike
      return bench::detail::ascending({mix64(seed + i / s.a), i % s.a}, i % s.a, s.a);
    case shape::sawtooth: {
      const std::uint64_t tooth = (n + s.a - 1) / s.a;
      return ascend(i % tooth, tooth);
    }
    case shape::organ: {
      const std::uint64_t pipe = (n + s.a - 1) / s.a;
      const std::uint64_t at = i % pipe;
      const std::uint64_t up = at < pipe / 2 ? 2 * at : 2 * (pipe - 1 - at);
      return ascend(up, pipe + 1);
    }
    case shape::nearly_sorted: {
      if (from.below(s.a) == 0) return from.next();
      const std::uint64_t at = s.b == 0 ? i : n - 1 - i;
      return ascend(at, n);
    }
    case shape::sorted: {
      const std::uint64_t at = s.b == 0 ? i : n - 1 - i;
      return ascend(at, n);
    }
    case shape::low_bits: {
      const std::uint64_t high = mix64(seed) >> (64 - bits) >> s.a << s.a;
      return (high | (from.next() >> (64 - s.a))) << (64 - bits);
    }
    case shape::high_bits:
      return (from.next() >> (64 - s.a) << (64 - s.a)) | (mix64(seed) >> s.a);
    case shape::few:
      return draws(seed, ~from.below(s.a)).next();
    case shape::timestamps:
      return 0;  // a number, see below
    case shape::masks:
      return from.next() & mask_of(seed, s.a);
    case shape::constant:
      return mix64(seed);
  }
  return 0;
}

/// Ticks since some beginning, which are numbers, not positions.
std::uint64_t ticks_of(const spread& s, unsigned bits, std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t begin = bits == 32 ? 1'700'000'000 : 1'700'000'000'000'000;
  return begin + i * s.a + draws(seed, i).below(s.a + s.b);
}

/// Zeros of both signs, infinities, the largest, and numbers next to nothing. No NaN: peers that compare do not bear
/// it.
template <class T>
T special_of(std::uint64_t drawn) {
  using limits = std::numeric_limits<T>;
  const std::array<T, 8> all{T(0),          T(-0.0),          limits::infinity(),   -limits::infinity(),
                             limits::max(), limits::lowest(), limits::denorm_min(), -limits::denorm_min()};
  return all[drawn % all.size()];
}

/// The number that a position stands for.
template <class T>
T at(const keys_recipe& keys, std::uint64_t position) {
  if constexpr (std::is_floating_point_v<T>) {
    if (keys.form == float_form::centred) {
      return std::ldexp(2 * bench::detail::at_position<T>(position) - 1, keys.exponent);
    }
    if (keys.form == float_form::bits) {
      using raw = peneira::detail::bits_of<T>;
      constexpr unsigned mantissa = std::numeric_limits<T>::digits - 1;
      constexpr unsigned width = 8 * sizeof(T);
      auto bits = static_cast<raw>(position >> (64 - width));
      constexpr raw exponents = static_cast<raw>((~raw{0} >> 1U) >> mantissa << mantissa);
      if ((bits & exponents) == exponents) bits &= static_cast<raw>(~(raw{1} << mantissa));  // neither NaN nor infinite
      return peneira::detail::key_of_bits<T>(bits);
    }
  }
  return bench::detail::at_position<T>(position);
}

/// Item i, of one of the two.
template <class T>
T item_of(const keys_recipe& keys, std::uint64_t seed, std::uint64_t i, std::uint64_t n) {
  // As low bits of a floating-point number count those that it has.
  constexpr unsigned bits = std::is_floating_point_v<T> ? std::numeric_limits<T>::digits : 8 * sizeof(T);
  const bool choose = keys.mixed != 0 || keys.specials != 0;
  const std::uint64_t choice = choose ? mix64(mix64(seed ^ 0xC401CE) + i) : 0;
  if constexpr (std::is_floating_point_v<T>) {
    if ((choice >> 48U) < keys.specials) return special_of<T>(choice >> 8U);
  }
  const spread& s = (choice & 255U) < keys.mixed ? keys.second : keys.first;
  if (s.of == shape::timestamps) return static_cast<T>(ticks_of(s, 8 * sizeof(T), seed, i));
  return at<T>(keys, position_of(s, bits, seed, i, n));
}

std::string describe(const spread& s) {
  const std::string_view name = shape_names[static_cast<std::size_t>(s.of)];
  switch (s.of) {
    case shape::uniform:
    case shape::normal:
    case shape::exponential:
      return s.a == 0 ? std::string(name) : fmt::format("{} over 2^-{}", name, s.a);
    case shape::zipf:
      return fmt::format("zipf of {}{}", s.a, s.b == 0 ? "" : " scattered");
    case shape::clusters:
      return fmt::format("{} clusters of 2^-{}", s.a, s.b);
    case shape::runs:
      return fmt::format("runs of {}", s.a);
    case shape::sawtooth:
      return fmt::format("sawtooth of {}", s.a);
    case shape::organ:
      return fmt::format("organ pipe of {}", s.a);
    case shape::nearly_sorted:
      return fmt::format("nearly {} but 1/{}", s.b == 0 ? "sorted" : "reversed", s.a);
    case shape::sorted:
      return s.b == 0 ? "sorted" : "reversed";
    case shape::low_bits:
      return fmt::format("constant but {} low bits", s.a);
    case shape::high_bits:
      return fmt::format("constant but {} high bits", s.a);
    case shape::few:
      return fmt::format("{} values", s.a);
    case shape::timestamps:
      return fmt::format("timestamps every {} late by {}", s.a, s.b);
    case shape::masks:
      return fmt::format("masks of 64/{} bits", std::uint64_t{1} << s.a);
    case shape::constant:
      return "constant";
  }
  return std::string(name);
}

}  // namespace

keys_recipe draw_keys(draws& from, std::uint64_t n, unsigned bits, bool floats, bool plain) {
  keys_recipe keys;
  keys.first = draw_spread(from, n, bits);
  if (one_in(from, 4)) {
    keys.second = draw_spread(from, n, bits);
    keys.mixed = static_cast<unsigned>(between(from, 1, 255));
  }
  if (!floats || plain) return keys;
  keys.form = static_cast<float_form>(from.below(3));
  keys.exponent = keys.form == float_form::centred ? static_cast<int>(from.below(61)) - 30 : 0;
  if (one_in(from, 4)) keys.specials = static_cast<unsigned>(log_uniform(from, 0, 15));
  return keys;
}

std::string describe(const keys_recipe& keys) {
  std::string text = describe(keys.first);
  if (keys.mixed != 0) text += fmt::format(" with {}/256 {}", keys.mixed, describe(keys.second));
  if (keys.form == float_form::centred) text += fmt::format(" centred times 2^{}", keys.exponent);
  if (keys.form == float_form::bits) text += " as bits";
  if (keys.specials != 0) text += fmt::format(" and {}/65536 specials", keys.specials);
  return text;
}

template <class T>
void fill_keys(T* out, std::size_t first, std::size_t count, std::size_t n, const keys_recipe& keys,
               std::uint64_t seed) {
  for (std::size_t k = 0; k < count; ++k) out[k] = item_of<T>(keys, seed, first + k, n);
}

template void fill_keys(std::uint32_t*, std::size_t, std::size_t, std::size_t, const keys_recipe&, std::uint64_t);
template void fill_keys(std::uint64_t*, std::size_t, std::size_t, std::size_t, const keys_recipe&, std::uint64_t);
template void fill_keys(std::int32_t*, std::size_t, std::size_t, std::size_t, const keys_recipe&, std::uint64_t);
template void fill_keys(std::int64_t*, std::size_t, std::size_t, std::size_t, const keys_recipe&, std::uint64_t);
template void fill_keys(float*, std::size_t, std::size_t, std::size_t, const keys_recipe&, std::uint64_t);
template void fill_keys(double*, std::size_t, std::size_t, std::size_t, const keys_recipe&, std::uint64_t);

}  // namespace peneira::bench::sweep
