// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: group_by: keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64
#include <vector>

#include "peneira/group_by.hpp"

int main() {
  struct place {
    int row;
    int column;
  };
  std::vector<place> keys(8);
  std::vector<place> out(8);
  pn::distinct(pn::cpu{}, keys, out);
}
