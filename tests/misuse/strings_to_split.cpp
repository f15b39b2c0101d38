// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: multisplit: keys and values must be trivially copyable
#include <string>
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  std::vector<std::string> keys(8), out(8);
  std::vector<unsigned> offsets(3);
  pn::multisplit(pn::cpu{}, keys, out, pn::hashed{2}, offsets);
}
