// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: multisplit: labels are taken on the CPU alone so far; a GPU wants a function of keys
#include <vector>

#include "peneira/multisplit.hpp"

int main() {
  std::vector<unsigned> keys(8), out(8), by(8), offsets(3);
  const auto call = [&](auto& on) { pn::multisplit(on, keys, out, pn::labels{2, by}, offsets); };
  pn::explain(call, pn::device{});
}
