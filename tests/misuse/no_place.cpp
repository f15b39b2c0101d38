// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: the first argument says where a call runs
#include <vector>

#include "peneira/sort.hpp"

int main() {
  std::vector<int> keys(8);
  pn::sort(keys);
}
