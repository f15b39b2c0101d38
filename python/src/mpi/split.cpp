// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"
#include "split_bits.hpp"

namespace peneira::python {

void split_over_ranks(const ranks_place& on, const split_call& call) {
  with_word(width_of(call.of), [&]<class U>(U) { split_bits<U>(on, call); });
}

}  // namespace peneira::python
