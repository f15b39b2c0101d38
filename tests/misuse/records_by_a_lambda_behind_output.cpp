// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: pn::sort(on, records, pn::by{f})
#include <vector>

#include "peneira/sort_records.hpp"

int main() {
  struct city {
    float latitude;
    int people;
  };
  std::vector<city> cities(8);
  std::vector<city> out(8);
  pn::sort(pn::cpu{}, cities, out, [](const city& c) { return c.people; });
}
