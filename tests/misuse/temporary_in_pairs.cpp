// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: an output cannot be const
#include <vector>

#include "peneira/sort.hpp"

int main() {
  std::vector<float> values(3);
  pn::sort(pn::cpu{}, pn::pairs(std::vector<int>{3, 1, 2}, values));
}
