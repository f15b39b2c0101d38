// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: gather and scatter run on the CPU alone so far: pass pn::cpu{}, not a GPU
#include <vector>

#include "peneira/gather.hpp"

int main() {
  std::vector<int> items(8), out(8), positions(8);
  pn::gather(pn::gpu{}, items, positions, out);
}
