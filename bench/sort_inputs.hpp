// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The inputs that sorts are measured on: the distributions of inputs.hpp, and what is hard or easy for a sort alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "bench/inputs.hpp"

namespace peneira::bench {

///   few           100 values
///   low8          only the lowest 8 bits differ
///   entropy0.544  the bits of three draws anded, as CUB's benchmarks do; entropy0.201: of five
///   organ         ascending, then descending
inline constexpr std::array<std::string_view, 12> sort_input_names{"uniform", "normal",       "exponential",  "zipf",
                                                                   "equal",   "sorted",       "reversed",     "few",
                                                                   "low8",    "entropy0.544", "entropy0.201", "organ"};

/// The names of all inputs, for help and messages.
inline std::string all_sort_inputs() {
  std::string all;
  for (const std::string_view name : sort_input_names) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

inline void check_sort_input(std::string_view name) {
  if (std::find(sort_input_names.begin(), sort_input_names.end(), name) == sort_input_names.end()) {
    throw std::invalid_argument("invalid input \"" + std::string(name) + "\"; there are: " + all_sort_inputs());
  }
}

/// Writes items `first` to before `first + count` of the input of that name, of n items, to out[0], out[1], ...
template <class T>
void fill_sort_input(T* out, std::size_t first, std::size_t count, std::size_t n, std::string_view name,
                     std::uint64_t seed) {
  check_sort_input(name);
  constexpr unsigned width = std::is_floating_point_v<T> ? std::numeric_limits<T>::digits : 8 * sizeof(T);
  const auto each = [&](auto position) {
    for (std::size_t k = 0; k < count; ++k) out[k] = detail::at_position<T>(position(first + k));
  };
  const auto anded = [seed](unsigned times) {
    return [seed, times](std::uint64_t i) {
      draws from(seed, i);
      std::uint64_t bits = from.next();
      for (unsigned t = 1; t < times; ++t) bits &= from.next();
      return bits;
    };
  };
  if (name == "few") return each([seed](std::uint64_t i) { return draws(seed, ~draws(seed, i).below(100)).next(); });
  if (name == "low8") {
    constexpr unsigned shift = 64 - width;
    const std::uint64_t high = draws(seed, ~std::uint64_t{0}).next() >> shift >> 8U << 8U;
    return each([=](std::uint64_t i) { return (high | (draws(seed, i).next() >> 56U)) << shift; });
  }
  if (name == "entropy0.544") return each(anded(3));
  if (name == "entropy0.201") return each(anded(5));
  if (name == "organ") {
    return each([=](std::uint64_t i) {
      const std::uint64_t up = i < n / 2 ? 2 * i : 2 * (n - 1 - i);
      return detail::ascending({seed, up}, up, n);
    });
  }
  fill(out, first, count, n, name == "equal" ? distribution::constant : parse_distribution(name), seed);
}

}  // namespace peneira::bench
