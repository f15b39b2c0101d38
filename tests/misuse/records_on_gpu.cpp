// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: a call on a GPU: compile this file with nvcc
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  std::vector<int> keys(8);
  pn::sort(pn::gpu{}, keys, pn::by{[](int x) { return -x; }});
}
