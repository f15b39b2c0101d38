// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: an output cannot be a temporary
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<int> keys{3, 1, 2};
  pn::argsort(pn::cpu{}, keys, std::vector<unsigned>(3));
}
