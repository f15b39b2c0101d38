// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: group_by: op
#include <vector>

#include "peneira/group_by.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<int> unique_keys(8);
  std::vector<int> sums(8);
  pn::group_by(pn::cpu{}, keys, keys, unique_keys, sums, [](int a, int b) { return a + b; });
}
