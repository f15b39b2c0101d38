// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: no comparison is taken
#include <vector>

#include "peneira/sort.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<int> out(8);
  pn::sort(pn::cpu{}, keys, out, [](int a, int b) { return a > b; });
}
