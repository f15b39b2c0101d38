// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: histogram: runs on the CPU alone so far: pass pn::cpu{}, not a GPU
#include <vector>

#include "peneira/histogram.hpp"

int main() {
  std::vector<unsigned> keys(8), counts(2);
  pn::histogram(pn::gpu{}, keys, pn::hashed{2}, counts);
}
