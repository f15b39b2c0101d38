// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: ranges: the keys are floating-point, but lo and hi are integers
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  std::vector<float> keys(8), out(8);
  std::vector<unsigned> offsets(11);
  pn::multisplit(pn::cpu{}, keys, out, pn::ranges{10, 0, 99}, offsets);
}
