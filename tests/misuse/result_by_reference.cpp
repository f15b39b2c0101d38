// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: reduce: the result is a pointer
#include <vector>

#include "peneira/reduce.hpp"

int main() {
  std::vector<int> items(8);
  int sum = 0;
  pn::reduce(pn::cpu{}, items, sum, pn::plus{});
}
