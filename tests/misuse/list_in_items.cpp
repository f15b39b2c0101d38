// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: items and pairs take contiguous ranges
#include <list>

#include "peneira/view.hpp"

int main() {
  std::list<int> keys{3, 1, 2};
  pn::items(keys);
}
