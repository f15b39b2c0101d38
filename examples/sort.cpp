// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys in order, pairs by their keys, and positions instead of either: temperatures of some cities.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string_view>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<std::string_view> cities{"Curitiba", "Oslo", "Cairo", "Quito", "Nuuk"};
  const std::vector<float> degrees{17.5F, 5, 22, 14.5F, -1.5F};

  // argsort says where the sorted keys come from. Nothing moves, so it serves any number of columns.
  std::vector<std::uint32_t> order(degrees.size());
  pn::argsort(pn::cpu{}, degrees, order, {.descending = true});
  for (const std::uint32_t city : order) std::printf("%5.1f %s\n", degrees[city], cities[city].data());

  // Pairs carry a value of up to 16 bytes along, here by time zones. Those of equal keys keep their order.
  const std::vector<float> zones{-3, 1, 2, -5, -3};
  const std::vector<std::uint32_t> numbers{0, 1, 2, 3, 4};
  std::vector<float> zones_out(zones.size());
  std::vector<std::uint32_t> numbers_out(zones.size());
  pn::sort(pn::cpu{}, pn::pairs(zones, numbers), pn::pairs(zones_out, numbers_out));

  // In place. The order of floats is total: NaN comes last, and -0 before +0.
  std::vector<float> with_gaps{3, std::numeric_limits<float>::quiet_NaN(), 0.0F, -0.0F, -7};
  pn::sort(pn::cpu{}, with_gaps);

  const bool right = order == std::vector<std::uint32_t>{2, 0, 3, 1, 4} &&
                     numbers_out == std::vector<std::uint32_t>{3, 0, 4, 1, 2} && with_gaps[0] == -7 &&
                     std::signbit(with_gaps[1]) && !std::signbit(with_gaps[2]) && with_gaps[3] == 3 &&
                     std::isnan(with_gaps[4]);
  return right ? 0 : 1;
}
