// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: this call runs on the CPU alone so far
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  std::vector<int> keys(8);
  pn::segmented_top_k(pn::gpu{}, keys, pn::every{4}, 2, keys);
}
