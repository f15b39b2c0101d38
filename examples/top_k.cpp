// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The best of all, and the best two of each class: scores with the numbers of those who have them.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<float> scores{61, 88, 75, 92, 88, 40, 79};
  const std::vector<std::uint32_t> students{0, 1, 2, 3, 4, 5, 6};
  const std::vector<std::uint32_t> classes{0, 3, 5, 7};  // class c has the students from classes[c] on

  std::vector<float> best(3);
  std::vector<std::uint32_t> who(3);
  pn::top_k(pn::cpu{}, pn::pairs(scores, students), 3, pn::pairs(best, who));  // of equal scores the first comes first
  for (std::size_t i = 0; i < 3; ++i) std::printf("%u with %g\n", who[i], best[i]);

  std::vector<float> of_class(6);
  pn::segmented_top_k(pn::cpu{}, scores, classes, 2, of_class);  // two of each, one class behind the other

  const bool right =
      who == std::vector<std::uint32_t>{3, 1, 4} && of_class == std::vector<float>{88, 75, 92, 88, 79, 40};
  return right ? 0 : 1;
}
