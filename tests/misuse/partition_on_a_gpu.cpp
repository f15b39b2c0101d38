// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: partition: on a GPU the counts are written to device memory when their turn comes, and cannot be returned
#include <vector>

#include "peneira/partition.hpp"

int main() {
  std::vector<int> keys(8), out(8);
  const auto negative = [](int key) { return key < 0; };
  static_cast<void>(
      pn::explain([&](auto& on) { static_cast<void>(pn::partition(on, keys, out, negative)); }, pn::device{}));
}
