// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: pn::op{identity, f} makes one of a function
// errors: 3
#include <vector>

#include "peneira/reduce.hpp"

int main() {
  std::vector<int> items(8);
  pn::reduce(pn::cpu{}, items, [](int a, int b) { return a + b; });
}
