// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: an output cannot be a temporary
#include <vector>

#include "peneira/sort.hpp"

int main() {
  pn::sort(pn::cpu{}, std::vector<int>{3, 1, 2});
}
