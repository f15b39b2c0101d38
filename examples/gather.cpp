// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A table of three columns in the order of one of them, and back.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

struct place {
  float latitude;
  float longitude;
};

int main() {
  const std::vector<std::uint32_t> people{1'774'000, 8'866'000, 552'000, 3'426'000};
  const std::vector<const char*> names{"Hamburg", "London", "Lisboa", "Berlin"};
  const std::vector<place> where{{53.6F, 10}, {51.5F, -0.1F}, {38.7F, -9.1F}, {52.5F, 13.4F}};

  std::vector<std::uint32_t> order(people.size());
  pn::argsort(pn::cpu{}, people, order, {.descending = true});
  std::vector<std::uint32_t> most(people.size());
  std::vector<const char*> cities(names.size());
  std::vector<place> places(where.size());
  pn::gather(pn::cpu{}, pn::table(people, names, where), order, pn::table(most, cities, places));
  for (std::size_t i = 0; i < most.size(); ++i) {
    std::printf("%-8s %8u at %.1f, %.1f\n", cities[i], most[i], static_cast<double>(places[i].latitude),
                static_cast<double>(places[i].longitude));
  }

  std::vector<const char*> again(names.size());
  pn::scatter(pn::cpu{}, cities, order, again);
  const bool right = order == std::vector<std::uint32_t>{1, 3, 0, 2} && again == names && places[3].latitude < 39;
  return right ? 0 : 1;
}
