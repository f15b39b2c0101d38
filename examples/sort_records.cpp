// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A vector of structs by one of their members, or by anything that a function makes of them.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

namespace {

struct city {
  char name[12];
  float latitude;
  std::uint32_t people;  // in thousands
};

}  // namespace

int main() {
  std::vector<city> cities{{"Curitiba", -25, 1963}, {"Oslo", 60, 709}, {"Quito", 0, 1763}, {"Nuuk", 64, 19}};

  pn::sort(pn::cpu{}, cities, pn::by{[](const city& c) { return c.people; }}, {.descending = true});
  for (const city& c : cities) std::printf("%-10s %u\n", c.name, c.people);
  const bool by_people = cities[0].people == 1963 && cities[3].people == 19;

  // By the distance from the equator, to another array; those of equal keys would keep their order.
  std::vector<city> out(cities.size());
  pn::sort(pn::cpu{}, cities, out, pn::by{[](const city& c) { return c.latitude < 0 ? -c.latitude : c.latitude; }});
  return by_people && out[0].latitude == 0 && out[3].latitude == 64 ? 0 : 1;
}
