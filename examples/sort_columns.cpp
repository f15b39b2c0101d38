// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table by several of its columns: by year, within a year the dearest first, and what has no price last.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  std::vector<std::int16_t> year{2001, 1999, 1999, 2001, 1999};
  std::vector<double> price{12.5, 3, 0, 99, 8};
  std::vector<std::uint8_t> no_price{0, 0, 1, 0, 0};
  const auto rows = pn::columns(year, pn::nulls_last(pn::descending(price), no_price));

  // Which row comes where; the table stays as it is.
  std::vector<std::uint32_t> order(year.size());
  pn::argsort(pn::cpu{}, rows, order);
  for (const std::uint32_t row : order) std::printf("%d %g\n", year[row], price[row]);

  // Or the table itself: all columns, and the mask with them.
  pn::sort(pn::cpu{}, rows);

  const bool right = order == std::vector<std::uint32_t>{4, 1, 2, 3, 0} &&
                     price == std::vector<double>{8, 3, 0, 99, 12.5} && no_price[2] == 1;
  return right ? 0 : 1;
}
