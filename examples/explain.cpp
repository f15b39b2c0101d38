// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Ask what a call will do before it does it: for this machine, and for one that is only described.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  std::vector<std::uint32_t> keys(1'000'000);
  std::vector<std::uint32_t> out(keys.size());
  std::vector<std::uint32_t> offsets(362);
  const pn::hashed f{361};

  // The call itself, written once; the place it is given decides whether it runs or plans.
  const auto call = [&](auto& on) { pn::multisplit(on, keys, out, f, offsets); };

  const pn::plan here = pn::explain(call);
  std::printf("On this machine:\n%s\n", pn::to_string(here).c_str());
  const pn::plan h200 = pn::explain(call, pn::device{.arch = 90, .sms = 132});
  std::printf("On an H200, which need not be here:\n%s", pn::to_string(h200).c_str());

  pn::cpu on{};
  call(on);
  return here.place == "cpu" && h200.place == "gpu" && offsets[361] == keys.size() ? 0 : 1;
}
