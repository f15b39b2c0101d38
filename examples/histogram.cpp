// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many parcels are of each class of weight, and what they weigh together; then the same by labels, which somebody
// has given the parcels before, and the parcels in the order of their labels.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<float> kilograms{0.4F, 7.5F, 1.2F, 30, 0.1F, 4, 12};
  const std::array<float, 3> borders{1, 5, 20};  // letters, small parcels, parcels, freight
  const pn::splitters by_weight{borders};

  std::vector<std::uint32_t> counts(by_weight.bins());
  pn::histogram(pn::cpu{}, kilograms, by_weight, counts);
  std::vector<double> sums(by_weight.bins());
  pn::histogram(pn::cpu{}, pn::pairs(kilograms, kilograms), by_weight, sums);
  for (std::size_t b = 0; b < counts.size(); ++b) std::printf("class %zu: %u of %.1f kg\n", b, counts[b], sums[b]);

  const std::vector<std::uint8_t> route{2, 0, 2, 1, 0, 0, 2};  // one for each parcel
  std::vector<float> loaded(kilograms.size());
  std::vector<std::uint32_t> offsets(3 + 1);
  pn::multisplit(pn::cpu{}, kilograms, loaded, pn::labels{3, route}, offsets);
  for (std::size_t r = 0; r < 3; ++r) {
    std::printf("route %zu:", r);
    for (std::uint32_t i = offsets[r]; i < offsets[r + 1]; ++i) std::printf(" %.1f", loaded[i]);
    std::printf("\n");
  }
  const bool right = counts == std::vector<std::uint32_t>{2, 2, 2, 1} && sums[3] == 30 &&
                     offsets == std::vector<std::uint32_t>{0, 3, 4, 7} && loaded[0] == 7.5F && loaded[6] == 12;
  return right ? 0 : 1;
}
