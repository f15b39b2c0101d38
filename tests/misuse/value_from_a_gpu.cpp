// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: pass a pointer to it, as in pn::reduce(on, in, result, op)
// errors: 3
#include <vector>

#include "peneira/reduce.hpp"

int main() {
  std::vector<int> items(8);
  pn::reduce(pn::gpu{}, items, pn::plus{});
}
