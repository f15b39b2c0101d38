// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: count is a pointer
#include <vector>

#include "peneira/unique.hpp"

int main() {
  std::vector<int> items(8);
  std::vector<int> out(8);
  pn::unique(pn::cpu{}, items, out, 8);
}
