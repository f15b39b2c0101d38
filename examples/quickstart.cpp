// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sort numbers into bins by a function of your own, on all cores.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  std::vector<std::uint32_t> keys(1'000'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = pn::mix32(static_cast<std::uint32_t>(i));

  // Any function of a key will do, and any number of bins: here, how many of its bits are set.
  const pn::binned by_bits{33, [](std::uint32_t key) { return std::popcount(key); }};

  std::vector<std::uint32_t> out(keys.size());
  std::vector<std::uint32_t> offsets(by_bits.bins() + 1);  // bin b is out[offsets[b]] to before out[offsets[b + 1]]
  pn::multisplit(pn::cpu{}, keys, out, by_bits, offsets);

  for (std::uint32_t b = 0; b < by_bits.bins(); ++b) {
    const std::uint32_t size = offsets[b + 1] - offsets[b];
    if (size > 10'000)
      std::printf("%2u bits set: %6u keys %.*s\n", b, size, static_cast<int>(size / 4000),
                  "########################################");
    for (std::uint32_t at = offsets[b]; at < offsets[b + 1]; ++at) {
      if (by_bits(out[at]) != static_cast<int>(b)) return 1;
    }
  }
  return offsets.back() == keys.size() ? 0 : 1;
}
