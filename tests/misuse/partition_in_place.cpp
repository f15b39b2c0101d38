// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: pn::partition(on, in, out, f)
#include <vector>

#include "peneira/partition.hpp"

int main() {
  std::vector<int> keys(8);
  pn::partition(pn::cpu{}, keys, [](int key) { return key < 0; });
}
