// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: scan: runs on the CPU alone so far: pass pn::cpu{}, not a GPU
#include <vector>

#include "peneira/scan.hpp"

int main() {
  std::vector<unsigned> items(8);
  pn::scan(pn::gpu{}, items, items, pn::plus{});
}
