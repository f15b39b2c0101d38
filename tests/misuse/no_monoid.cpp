// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: reduce: op
#include <vector>

#include "peneira/reduce.hpp"

int main() {
  std::vector<int> items(8);
  int sum = 0;
  pn::reduce(pn::cpu{}, items, &sum, [](int a, int b) { return a + b; });
}
