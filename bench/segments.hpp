// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Segments for the benchmarks, as offsets over n items: the papers' shapes, and one that hurts.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/inputs.hpp"

namespace peneira::bench {

/// equal        all sizes within one of each other
/// normal       sizes around their mean t with a deviation of t / 2, none below 0
/// exponential  sizes of an exponential distribution (lambda 4), scaled so that they cover all items
/// giant        half of the items in one segment in the middle, the others alike
/// every        one size, said by every{size} instead of offsets
enum class segment_shape { equal, normal, exponential, giant, every };

inline constexpr std::array<std::string_view, 5> segment_shape_names{"equal", "normal", "exponential", "giant",
                                                                     "every"};

inline std::string_view name_of(segment_shape s) {
  return segment_shape_names[static_cast<std::size_t>(s)];
}

/// The shape of that name; throws std::invalid_argument with the list where there is none.
inline segment_shape parse_segment_shape(std::string_view name) {
  const auto* const found = std::find(segment_shape_names.begin(), segment_shape_names.end(), name);
  if (found != segment_shape_names.end()) return static_cast<segment_shape>(found - segment_shape_names.begin());
  std::string known;
  for (const std::string_view n : segment_shape_names) known.append(known.empty() ? "" : ", ").append(n);
  throw std::invalid_argument("invalid shape of segments \"" + std::string(name) + "\"; there are: " + known);
}

namespace detail {

/// How large segment s of `count` is, in units of which only the ratios count.
inline double segment_weight(segment_shape shape, std::size_t s, std::size_t count, std::uint64_t seed) {
  draws from(seed + 0x5E6, s);
  const auto unit = [&from] { return static_cast<double>(from.next() >> 11U) * 0x1p-53; };
  switch (shape) {
    case segment_shape::normal: {
      double sum = 0;
      for (int k = 0; k < 12; ++k) sum += unit();
      return std::max(0.0, 1 + (sum - 6) / 2);
    }
    case segment_shape::exponential:
      return -std::log(1 - unit()) / 4;
    case segment_shape::giant:
      return s == count / 2 ? static_cast<double>(std::max<std::size_t>(count, 2) - 1) : 1;
    default:
      return 1;
  }
}

}  // namespace detail

/// count + 1 offsets of segments of that shape, which cover n items; n must fit Offset.
template <class Offset = std::uint32_t>
std::vector<Offset> make_offsets(segment_shape shape, std::size_t n, std::size_t count, std::uint64_t seed) {
  std::vector<Offset> offsets(count + 1);
  if (shape == segment_shape::every && count != 0) {  // where every{size} puts them
    const std::size_t size = std::max<std::size_t>(1, (n + count - 1) / count);
    for (std::size_t s = 0; s <= count; ++s) offsets[s] = static_cast<Offset>(std::min(n, s * size));
    return offsets;
  }
  double all = 0;
  for (std::size_t s = 0; s < count; ++s) all += detail::segment_weight(shape, s, count, seed);
  double before = 0;
  for (std::size_t s = 0; s < count; ++s) {
    offsets[s] = static_cast<Offset>(std::min(static_cast<double>(n), before / all * static_cast<double>(n)));
    before += detail::segment_weight(shape, s, count, seed);
  }
  offsets[count] = static_cast<Offset>(n);
  return offsets;
}

}  // namespace peneira::bench
