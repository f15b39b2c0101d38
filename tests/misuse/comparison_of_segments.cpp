// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: no comparison is taken
#include <functional>
#include <vector>

#include "peneira/segmented_sort.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<int> out(8);
  pn::segmented_sort(pn::cpu{}, keys, pn::every{4}, out, std::greater<>{});
}
