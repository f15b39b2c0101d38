// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Running balances of some accounts, and where each account's bookings begin in a list of all of them.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<std::uint32_t> bookings{3, 0, 2, 4};  // of each account
  std::vector<std::uint32_t> begin(bookings.size() + 1);
  pn::scan(pn::cpu{}, bookings, pn::items(begin.data(), bookings.size()), pn::plus{});
  begin[4] = begin[3] + bookings[3];  // as segments are bounded: the end of the last one, too

  const std::vector<int> amount{100, -20, 5, 7, -7, 1000, -300, -300, 50};
  std::vector<int> balance(amount.size());
  pn::segmented_scan(pn::cpu{}, amount, begin, balance, pn::plus{}, {.inclusive = true});
  for (std::size_t a = 0; a < bookings.size(); ++a) {
    std::printf("account %zu:", a);
    for (std::uint32_t i = begin[a]; i < begin[a + 1]; ++i) std::printf(" %d", balance[i]);
    std::printf("\n");
  }

  std::vector<int> least(balance);  // so far, over all accounts
  pn::scan(pn::cpu{}, least, least, pn::min{}, {.inclusive = true});

  const bool right = begin == std::vector<std::uint32_t>{0, 3, 3, 5, 9} &&
                     balance == std::vector<int>{100, 80, 85, 7, 0, 1000, 700, 400, 450} && least.back() == 0;
  return right ? 0 : 1;
}
