// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What shops sold, when nobody knows beforehand which shops there are: one sum, several results at once, the items of
// each group, and the shops alone. Then runs: how long a light was on and off.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const pn::cpu on{};
  const std::vector<std::uint32_t> shop{7003, 12, 7003, 450, 12, 7003};  // of every sale
  const std::vector<float> price{5, 20, 7.5, 1, 30, 2.5};
  const std::size_t most = shop.size();  // there cannot be more groups than items

  // One result a shop, in ascending order of the shops.
  std::vector<std::uint32_t> shops(most);
  std::vector<double> totals(most);
  const std::size_t n = pn::group_by(on, shop, price, shops, totals, pn::plus{});
  for (std::size_t s = 0; s < n; ++s) std::printf("shop %u sold for %.2f\n", shops[s], totals[s]);

  // Several results in one pass over the keys.
  std::vector<std::uint32_t> sales(most);
  std::vector<float> average(most);
  std::vector<pn::indexed<float>> best(most);
  pn::group_by(on, shop, shops,
               pn::aggregates{pn::count(sales), pn::mean(price, average), pn::aggregate(price, pn::arg_max{}, best)});
  for (std::size_t s = 0; s < n; ++s) {
    std::printf("shop %u: %u sales, %.2f on average, the best was sale %u\n", shops[s], sales[s],
                static_cast<double>(average[s]), static_cast<unsigned>(best[s].index));
  }

  // The sales of each shop side by side, with offsets that segmented_reduce takes as they are.
  std::vector<std::uint32_t> offsets(most + 1);
  std::vector<float> grouped(most);
  pn::group(on, pn::pairs(shop, price), shops, offsets, grouped);
  std::vector<float> cheapest(n);
  pn::segmented_reduce(on, grouped, pn::items(offsets.data(), n + 1), cheapest, pn::min{});

  // The shops alone; of sorted keys, unique needs no table.
  std::vector<std::uint32_t> known(most);
  const std::size_t distinct = pn::distinct(on, shop, known);
  std::vector<std::uint32_t> sorted(most);
  pn::sort(on, shop, sorted);
  const std::size_t unique = pn::unique(on, sorted, known);

  const std::vector<std::uint8_t> light{0, 0, 1, 1, 1, 0};
  std::vector<std::uint8_t> state(light.size());
  std::vector<std::uint32_t> minutes(light.size());
  const std::size_t runs = pn::run_lengths(on, light, state, minutes);
  for (std::size_t r = 0; r < runs; ++r) std::printf("%u minutes %s\n", minutes[r], state[r] != 0 ? "on" : "off");

  const bool right = n == 3 && shops[0] == 12 && totals[0] == 50 && totals[1] == 1 && totals[2] == 15 &&
                     sales[2] == 3 && average[2] == 5 && best[2].index == 2 &&
                     cheapest == std::vector<float>{20, 1, 2.5} && distinct == 3 && unique == 3 && known[2] == 7003 &&
                     runs == 3 && minutes[1] == 3;
  return right ? 0 : 1;
}
