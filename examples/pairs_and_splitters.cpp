// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys that carry a value each, and bins between given borders: ages by generation, with the name beside each age.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<int> ages{34, 7, 71, 15, 29, 64, 3, 42};
  const std::vector<char> names{'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'};

  // Three borders make four bins. A key on a border belongs to the bin above it.
  const std::array<int, 3> borders{13, 20, 64};
  const pn::splitters by_age{borders};

  std::vector<int> ages_out(ages.size());
  std::vector<char> names_out(names.size());
  std::vector<std::uint32_t> offsets(by_age.bins() + 1);
  pn::multisplit(pn::cpu{}, pn::pairs(ages, names), pn::pairs(ages_out, names_out), by_age, offsets);

  const std::array<const char*, 4> labels{"children", "teenagers", "adults", "seniors"};
  for (std::uint32_t b = 0; b < by_age.bins(); ++b) {
    std::printf("%-10s", labels[b]);
    for (std::uint32_t at = offsets[b]; at < offsets[b + 1]; ++at) std::printf(" %c (%d)", names_out[at], ages_out[at]);
    std::printf("\n");
  }
  // Within a bin the order of the input is kept.
  const std::vector<char> wanted{'B', 'G', 'D', 'A', 'E', 'H', 'C', 'F'};
  return names_out == wanted ? 0 : 1;
}
