// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Segments of every shape, as offsets, and numbers to sum up in them.
#pragma once

#include <cmath>

#include "tests/support/common.hpp"

namespace peneira::test {

enum class segment_shape {
  equal,
  nearly_equal,
  normal,
  exponential,
  all_empty,
  one_item,
  two_huge,
  giant_among_tiny,
  mixed_with_empty,
  two_sizes,
  power_law
};
inline constexpr std::array segment_shapes{
    segment_shape::equal,       segment_shape::nearly_equal,     segment_shape::normal,
    segment_shape::exponential, segment_shape::all_empty,        segment_shape::one_item,
    segment_shape::two_huge,    segment_shape::giant_among_tiny, segment_shape::mixed_with_empty,
    segment_shape::two_sizes,   segment_shape::power_law};
inline const char* to_string(segment_shape s) {
  constexpr std::array names{"equal",    "nearly_equal",     "normal",           "exponential", "all_empty", "one_item",
                             "two_huge", "giant_among_tiny", "mixed_with_empty", "two_sizes",   "power_law"};
  return names[static_cast<std::size_t>(s)];
}

/// The offsets of segments of that shape, from `first` on, over about `items` items; `size` is about their average.
inline std::vector<std::uint64_t> make_segments(segment_shape shape, std::size_t items, std::size_t size,
                                                std::uint64_t first, random& next) {
  const std::size_t count = shape == segment_shape::two_huge ? 2 : items / size + 1;
  const auto one = [&](std::size_t s) -> std::uint64_t {
    switch (shape) {
      case segment_shape::equal:
        return size;
      case segment_shape::nearly_equal:
        return size + next.below(2);
      case segment_shape::normal: {
        double sum = 0;
        for (int k = 0; k < 12; ++k) sum += next.unit();
        return static_cast<std::uint64_t>(std::max(0.0, (1 + (sum - 6) / 2) * static_cast<double>(size)));
      }
      case segment_shape::exponential:
        return static_cast<std::uint64_t>(-std::log(1 - next.unit()) * static_cast<double>(size));
      case segment_shape::all_empty:
        return 0;
      case segment_shape::one_item:
        return 1;
      case segment_shape::two_huge:
        return items / 2 + s;
      case segment_shape::giant_among_tiny:
        return s == count / 3 ? items / 2 : next.below(3);
      case segment_shape::mixed_with_empty:
        return next.below(3) == 0 ? 0 : next.below(50) == 0 ? next.below(20 * size) : next.below(2 * size);
      case segment_shape::two_sizes:  // most items are in few segments
        return next.below(40) == 0 ? 40 * size + next.below(9) : next.below(3);
      case segment_shape::power_law:
        return static_cast<std::uint64_t>(std::min(1 / (1 - next.unit()), 1e5) - 1);
    }
    return 0;
  };
  std::vector<std::uint64_t> offsets{first};
  for (std::size_t s = 0; s < count; ++s) offsets.push_back(offsets.back() + one(s));
  return offsets;
}

/// Segments of many sizes and natures, so that every way to combine them is taken, and cuts lie anywhere.
inline std::vector<std::uint64_t> stretches(random& next) {
  std::vector<std::uint64_t> offsets{next.below(9)};
  const auto stretch = [&](std::size_t count, auto&& size) {
    for (std::size_t k = 0; k < count; ++k) offsets.push_back(offsets.back() + size());
  };
  for (int k = 0; k < 3; ++k) {
    const std::uint64_t most = next.pick(std::array{3, 7, 18, 34, 70, 140, 600});
    stretch(next.below(3000), [&] { return next.below(most); });
    stretch(1024 + next.below(3000), [size = next.below(20)] { return size; });
    stretch(next.below(20), [&] { return 1000 + next.below(30000); });
    stretch(next.below(200), [size = next.below(1200)] { return size; });
    stretch(next.below(500), [&] { return next.below(100) == 0 ? next.below(9000) : next.below(most); });
  }
  return offsets;
}

/// Numbers of many magnitudes and both signs, whose sums are rounded.
template <class T>
std::vector<T> rough(std::size_t n, random& next) {
  std::vector<T> numbers(n);
  for (T& x : numbers) x = static_cast<T>(std::ldexp(next.unit() - 0.3, static_cast<int>(next.below(10))));
  return numbers;
}

}  // namespace peneira::test
