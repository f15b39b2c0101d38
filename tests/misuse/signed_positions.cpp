// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: argsort: positions are unsigned integers of 32 or 64 bits
#include <vector>

#include "peneira/sort.hpp"

int main() {
  std::vector<int> keys(8), positions(8);
  pn::argsort(pn::cpu{}, keys, positions);
}
