// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: pn::op{identity, f} makes one of a function
// errors: 3
#include <vector>

#include "peneira/reduce.hpp"

struct no_identity {
  int operator()(int a, int b) const { return a + b; }
};

int main() {
  std::vector<int> items(8);
  int sum = 0;
  pn::reduce(pn::cpu{}, items, &sum, no_identity{});
}
