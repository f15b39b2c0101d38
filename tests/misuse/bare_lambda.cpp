// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: f must have bins() and take the keys of in; wrap yours in binned{bins, f}
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  std::vector<int> keys(8), out(8);
  std::vector<unsigned> offsets(3);
  pn::multisplit(
      pn::cpu{}, keys, out, [](int key) { return key % 2; }, offsets);
}
