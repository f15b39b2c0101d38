// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: partition: runs on the CPU alone so far: pass pn::cpu{}, not a GPU
#include <vector>

#include "peneira/partition.hpp"

int main() {
  std::vector<int> keys(8), out(8), counts(2);
  pn::partition(
      pn::gpu{}, keys, out, [](int key) { return key < 0; }, counts);
}
