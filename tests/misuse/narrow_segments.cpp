// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: segments: offsets are integers of 32 or 64 bits
#include <vector>

#include "peneira/segmented_reduce.hpp"

int main() {
  std::vector<int> items(8), sums(1);
  std::vector<float> offsets{0, 8};
  pn::segmented_reduce(pn::cpu{}, items, offsets, sums, pn::plus{});
}
