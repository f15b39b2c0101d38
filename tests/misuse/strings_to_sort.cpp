// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: sort: keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64
#include <string>
#include <vector>

#include "peneira/sort.hpp"

int main() {
  std::vector<std::string> keys(8);
  pn::sort(pn::cpu{}, keys);
}
