// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of a text in order, without moving one: sort_strings says which line comes where. Equal lines keep their order,
// so that what belongs to a line can be found by its number.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::string text = "wheat\nbarley\noats\n\nbarley\nrye";

  // The text stays where it is; only the starts of its lines are found, by all threads.
  const auto lines = pn::lines_of(text);
  std::vector<std::uint32_t> permutation(lines.size());
  pn::sort_strings(pn::cpu{}, lines, permutation);
  for (const std::uint32_t line : permutation) std::printf("%u: %s\n", line, std::string(lines[line]).c_str());

  // Strings that are already in containers are copied side by side; descending order.
  const std::vector<std::string> grains{"bran", "bran flakes", "husk"};
  std::vector<std::uint32_t> backwards(grains.size());
  pn::sort_strings(pn::cpu{}, pn::strings_of(grains), backwards, {.descending = true});

  const bool right =
      permutation == std::vector<std::uint32_t>{3, 1, 4, 2, 5, 0} && backwards == std::vector<std::uint32_t>{2, 1, 0};
  return right ? 0 : 1;
}
