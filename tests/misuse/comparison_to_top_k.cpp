// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: {.least = true}
#include <functional>
#include <vector>

#include "peneira/top_k.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<int> out(3);
  pn::top_k(pn::cpu{}, keys, 3, out, std::less<>{});
}
