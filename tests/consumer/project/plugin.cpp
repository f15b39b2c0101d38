// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "peneira/peneira.hpp"

/// Sorts with threads.
extern "C" [[gnu::visibility("default")]] bool sorts() {
  std::vector<std::uint32_t> keys(200'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761U);
  std::vector<std::uint32_t> out(keys.size());
  pn::sort(pn::cpu{.threads = 3}, keys, out);
  return std::is_sorted(out.begin(), out.end());
}
