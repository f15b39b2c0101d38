// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: an array is a contiguous range
#include <vector>

#include "peneira/reduce.hpp"

int main() {
  std::vector<int> items(8);
  int sum = 0;
  pn::reduce(pn::cpu{}, items.data(), &sum, pn::plus{});
}
