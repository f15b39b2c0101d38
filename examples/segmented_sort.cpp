// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The neighbours of each vertex of a graph in order of their distance: one call for all vertices, however many
// neighbours each has.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  // Vertex v has the neighbours from first[v] to before first[v + 1]; vertex 2 has none.
  const std::vector<std::uint32_t> first{0, 3, 5, 5, 9};
  std::vector<std::uint32_t> neighbours{3, 1, 2, 0, 3, 2, 0, 1, 3};
  std::vector<float> distances{2.5F, 0.5F, 1.5F, 0.5F, 4, 7, 1, 1, 0};

  // Pairs of equal keys keep their order: of two neighbours at distance 1, vertex 0 stays before vertex 1.
  pn::segmented_sort(pn::cpu{}, pn::pairs(distances, neighbours), first);
  for (std::size_t v = 0; v + 1 < first.size(); ++v) {
    std::printf("%zu:", v);
    for (std::uint32_t i = first[v]; i < first[v + 1]; ++i) std::printf(" %u (%g)", neighbours[i], distances[i]);
    std::printf("\n");
  }

  // Where every segment has one size there are no offsets: rows of three, the greatest first.
  std::vector<std::uint32_t> rows{1, 2, 3, 9, 7, 8};
  pn::segmented_sort(pn::cpu{}, rows, pn::every{3}, {.descending = true});

  // Where they would come from instead, as positions in the whole array.
  std::vector<std::uint32_t> positions(rows.size());
  pn::segmented_argsort(pn::cpu{}, rows, pn::every{3}, positions);

  const bool right = neighbours == std::vector<std::uint32_t>{1, 2, 3, 0, 3, 3, 0, 1, 2} &&
                     rows == std::vector<std::uint32_t>{3, 2, 1, 9, 8, 7} &&
                     positions == std::vector<std::uint32_t>{2, 1, 0, 5, 4, 3};
  return right ? 0 : 1;
}
