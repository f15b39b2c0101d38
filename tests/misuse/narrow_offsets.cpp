// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: multisplit: offsets are integers of 32 or 64 bits
#include <cstdint>
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  std::vector<int> keys(8), out(8);
  std::vector<std::int16_t> offsets(3);
  pn::multisplit(pn::cpu{}, keys, out, pn::hashed{2}, offsets);
}
