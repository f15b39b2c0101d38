// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Trains that are late, and those that are early, on time and late; the numbers of the trains move with their delays.
#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<int> minutes{0, 5, -2, 0, 61, 3, -1};
  const std::vector<int> train{17, 23, 42, 56, 78, 81, 99};
  std::vector<int> delays(minutes.size()), trains(train.size());

  const auto [late, punctual] = pn::partition(pn::cpu{}, pn::pairs(minutes, train), pn::pairs(delays, trains),
                                              [](int delay) { return delay > 2; });
  std::printf("%zu of %zu are late:", late, late + punctual);
  for (std::size_t i = 0; i < late; ++i) std::printf(" %d (%d)", trains[i], delays[i]);
  const bool first = trains == std::vector<int>{23, 78, 81, 17, 42, 56, 99};

  const std::array<std::size_t, 3> parts =
      pn::partition(pn::cpu{}, pn::pairs(minutes, train), pn::pairs(delays, trains), pn::around{0});
  std::printf("\n%zu are early, %zu on time, %zu late\n", parts[0], parts[1], parts[2]);

  const bool second = trains == std::vector<int>{42, 99, 17, 56, 23, 78, 81};
  return first && second && late == 3 && parts[1] == 2 ? 0 : 1;
}
