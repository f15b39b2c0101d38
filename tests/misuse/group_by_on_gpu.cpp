// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: on a GPU the number of groups, or of runs, is written to device memory when its turn comes
#include <vector>

#include "peneira/group_by.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<int> unique_keys(8);
  std::vector<int> sums(8);
  pn::group_by(pn::gpu{}, keys, keys, unique_keys, sums, pn::plus{});
}
