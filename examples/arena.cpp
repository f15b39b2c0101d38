// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bring your own memory: ask the plan how much a call needs, allocate it once, and call as often as you like.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  std::vector<std::uint32_t> keys(500'000);
  std::vector<std::uint32_t> out(keys.size());
  std::vector<std::uint32_t> offsets(1025);
  const pn::digit f{22, 10};
  const auto call = [&](auto& on) { pn::multisplit(on, keys, out, f, offsets); };

  const std::size_t bytes = pn::explain(call).temporary_bytes;
  std::vector<std::byte> buffer(bytes + pn::memory_alignment);  // a little more, as a vector is not aligned for us
  pn::arena mine(buffer.data(), buffer.size());
  pn::cpu on{.memory = &mine};

  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = pn::mix32(static_cast<std::uint32_t>(i) + round);
    call(on);
    for (std::size_t i = 1; i < out.size(); ++i) {
      if (f(out[i - 1]) > f(out[i])) return 1;
    }
  }
  std::printf("3 calls on %zu bytes of our own, of which %zu were used\n", buffer.size(), mine.high_water());

  // An arena that is too small is an ordinary error, and nothing is lost.
  pn::arena tiny(buffer.data(), 16);
  pn::cpu cramped{.memory = &tiny};
  try {
    call(cramped);
  } catch (const std::bad_alloc&) {
    std::printf("16 bytes are too few, as the call says by std::bad_alloc\n");
    return 0;
  }
  return 1;
}
