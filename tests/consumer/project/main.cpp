// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  const std::vector<std::uint32_t> keys{5, 2, 9, 4, 7};
  std::vector<std::uint32_t> out(keys.size());
  std::vector<std::uint32_t> offsets(3);
  pn::multisplit(pn::cpu{.threads = 2}, keys, out, pn::binned{2, [](std::uint32_t key) { return key % 2; }}, offsets);
  const bool right = out == std::vector<std::uint32_t>{2, 4, 5, 9, 7} && offsets == std::vector<std::uint32_t>{0, 2, 5};
  return right ? 0 : 1;
}
