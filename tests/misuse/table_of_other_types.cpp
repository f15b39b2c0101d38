// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: gather and scatter: out must have the columns of in, and their types
#include <vector>

#include "peneira/gather.hpp"

int main() {
  std::vector<int> items(8), out(8), positions(8);
  std::vector<float> others(8);
  pn::gather(pn::cpu{}, pn::table(items, others), positions, pn::table(out, out));
}
