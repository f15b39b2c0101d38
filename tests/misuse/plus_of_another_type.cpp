// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: leave its type out, as in std::plus<>
// errors: 3
#include <functional>
#include <vector>

#include "peneira/reduce.hpp"

int main() {
  std::vector<int> items(8);
  int sum = 0;
  pn::reduce(pn::cpu{}, items, &sum, std::plus<double>{});
}
