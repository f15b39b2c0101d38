// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: an output cannot be const
#include <vector>

#include "peneira/sort.hpp"

int main() {
  const std::vector<int> keys(8);
  pn::sort(pn::cpu{}, pn::items(keys));
}
