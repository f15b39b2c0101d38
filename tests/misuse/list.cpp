// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: an array is a contiguous range
#include <list>

#include "peneira/sort.hpp"

int main() {
  std::list<int> keys{3, 1, 2};
  pn::sort(pn::cpu{}, keys);
}
