// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of the sweep: what they are like, drawn at random, and how they are made. As in inputs.hpp an item is a pure
// function of the seed, its index and the number of items.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/sweep/chance.hpp"

namespace peneira::bench::sweep {

/// How keys are spread, and what the two parameters of each say.
enum class shape : unsigned {
  uniform,        ///< over 2^-a of the range, from b on
  normal,         ///< around b, with a deviation of the range / 6 * 2^-a
  exponential,    ///< from the lowest up, with a mean of the range / 32 * 2^-a
  zipf,           ///< the least of a ranks of exponent 1; b: hot ones are lowest, or scattered
  clusters,       ///< around a centres, each 2^-b of the range wide
  runs,           ///< ascending in runs of a items
  sawtooth,       ///< a teeth, all alike
  organ,          ///< a pipes: ascending, then descending
  nearly_sorted,  ///< ascending, but one of a items is anywhere; b: the mirror of it
  sorted,         ///< ascending; b: the mirror of it
  low_bits,       ///< only the lowest a bits differ
  high_bits,      ///< only the highest a bits differ
  few,            ///< a values
  timestamps,     ///< a ticks from each to the next on average, late by up to b
  masks,          ///< only the bits of a mask of about 64 / 2^a bits are ever set
  constant        ///< one value
};
inline constexpr std::array<std::string_view, 16> shape_names{
    "uniform", "normal", "exponential",   "zipf",         "clusters", "runs",       "sawtooth", "organ pipe",
    "nearly",  "sorted", "constant high", "constant low", "few",      "timestamps", "mask",     "constant"};

struct spread {
  shape of = shape::uniform;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
};

/// What floating-point numbers are made of positions in a range.
enum class float_form : unsigned {
  unit,     ///< from 0 to 1
  centred,  ///< from -1 to 1, times a power of two
  bits      ///< the position is the number's representation: all exponents, both signs, no NaN
};

/// What the keys of a problem are like.
struct keys_recipe {
  spread first;
  spread second;       ///< of a mixture
  unsigned mixed = 0;  ///< of 256 items so many are of the second
  float_form form = float_form::unit;
  int exponent = 0;       ///< of centred ones
  unsigned specials = 0;  ///< of 2^16 floating-point numbers so many are zeros, infinities and the like
};

/// What keys of so many bits, in an array of n, are like. `plain`: floating-point numbers from 0 to 1 without specials,
/// as a sum needs them that is checked for its rounding.
keys_recipe draw_keys(draws& from, std::uint64_t n, unsigned bits, bool floats, bool plain);

/// The same in words.
std::string describe(const keys_recipe& keys);

/// Writes items `first` to before `first + count` of an array of n to out[0], out[1], ...; for the types of the sweep.
template <class T>
void fill_keys(T* out, std::size_t first, std::size_t count, std::size_t n, const keys_recipe& keys,
               std::uint64_t seed);

}  // namespace peneira::bench::sweep
