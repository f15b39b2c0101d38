// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: histogram: weights are floating-point, so must be their sums
#include <vector>

#include "peneira/histogram.hpp"

int main() {
  std::vector<unsigned> keys(8), counts(2);
  std::vector<float> weights(8);
  pn::histogram(pn::cpu{}, pn::pairs(keys, weights), pn::hashed{2}, counts);
}
