// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Group by in two calls: multisplit brings the rows of each group together, and segmented_reduce takes its offsets as
// they are. Here, what each of some shops sold: the sum, and the best sale.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<std::uint32_t> shop{2, 0, 2, 3, 0, 2, 0, 3};  // of every sale
  const std::vector<float> price{5, 20, 7.5, 1, 30, 2.5, 10, 4};
  const std::uint32_t shops = 4;

  // The prices of shop 0 first, then those of shop 1, ...; the rows of a shop keep their order.
  const pn::binned by_shop{shops, [](std::uint32_t s) { return s; }};
  std::vector<std::uint32_t> shop_out(shop.size());
  std::vector<float> grouped(price.size());
  std::vector<std::uint32_t> offsets(shops + 1);
  pn::multisplit(pn::cpu{}, pn::pairs(shop, price), pn::pairs(shop_out, grouped), by_shop, offsets);

  // One result a shop. Prices are summed as doubles, since the results are.
  std::vector<double> sums(shops);
  pn::segmented_reduce(pn::cpu{}, grouped, offsets, sums, pn::plus{});
  std::vector<pn::indexed<float>> best(shops);
  pn::segmented_reduce(pn::cpu{}, grouped, offsets, best, pn::arg_max{});

  for (std::uint32_t s = 0; s < shops; ++s) {
    std::printf("shop %u sold %u for %.2f", s, offsets[s + 1] - offsets[s], sums[s]);
    if (best[s].index != pn::indexed<float>::none) std::printf(", the best for %.2f", best[s].value);
    std::printf("\n");
  }
  double all = 0;
  pn::reduce(pn::cpu{}, price, &all, pn::plus{});
  std::printf("all shops sold for %.2f\n", all);

  // A group without rows gives the operator's identity.
  const bool right = sums == std::vector<double>{60, 0, 15, 5} && all == 80 && best[0].value == 30 &&
                     best[1].index == pn::indexed<float>::none && best[2].value == 7.5F && best[3].value == 4;
  return right ? 0 : 1;
}
