// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: partition: f must return bool for two parts, or an integer or enum for three
#include <vector>

#include "peneira/partition.hpp"

int main() {
  std::vector<int> keys(8), out(8);
  pn::partition(pn::cpu{}, keys, out, [](int key) { return key * 0.5; });
}
