// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: std::cref(f)
#include <memory>
#include <vector>

#include "peneira/partition.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<int> out(8);
  pn::partition(pn::cpu{}, keys, out, [least = std::make_unique<int>(3)](int key) { return key < *least; });
}
