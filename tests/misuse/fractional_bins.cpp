// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: f must return an integer or an enum
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  std::vector<int> keys(8), out(8);
  std::vector<unsigned> offsets(3);
  pn::multisplit(pn::cpu{}, keys, out, pn::binned{2, [](int key) { return key * 0.5; }}, offsets);
}
