// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: multisplit: out must have the key and value types of in
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  std::vector<int> keys(8), values(8), out(8);
  std::vector<unsigned> offsets(3);
  pn::multisplit(pn::cpu{}, pn::pairs(keys, values), out, pn::hashed{2}, offsets);
}
