// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: sort: out must have the key and value types of in
#include <vector>

#include "peneira/sort.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<unsigned> out(8);
  pn::sort(pn::cpu{}, keys, out);
}
