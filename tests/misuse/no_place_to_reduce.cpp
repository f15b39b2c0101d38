// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: the first argument says where a call runs
#include <vector>

#include "peneira/reduce.hpp"

int main() {
  std::vector<int> items(8);
  int sum = 0;
  pn::reduce(items, &sum, pn::plus{});
}
