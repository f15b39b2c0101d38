// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: sort_strings: strings are strings{chars, starts}
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  std::vector<int> words(8);
  std::vector<unsigned> permutation(8);
  pn::sort_strings(pn::cpu{}, words, permutation);
}
