// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: std::cref(f)
#include <memory>
#include <utility>
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  std::vector<int> keys(8);
  std::vector<int> out(8);
  std::vector<unsigned> offsets(5);
  auto f = [mask = std::make_unique<int>(3)](int key) { return key & *mask; };
  pn::multisplit(pn::cpu{}, keys, out, pn::binned{4, std::move(f)}, offsets);
}
