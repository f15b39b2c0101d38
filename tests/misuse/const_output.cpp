// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: an output cannot be const
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  const std::vector<int> keys(8), out(8);
  std::vector<unsigned> offsets(3);
  pn::multisplit(pn::cpu{}, keys, out, pn::hashed{2}, offsets);
}
