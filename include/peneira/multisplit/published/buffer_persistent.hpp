// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// buffer_persistent: buffer_per_bin for any number of bins. A block takes as many bins at once as shared memory has
// buffers for, and goes through its slice again for the next ones.
//
//   slice --round 1: bins 0 to N - 1--> buffers --> out
//     |_____round 2: bins N to 2N - 1-> buffers --> out
//     |_____ ...
//
// While one round suffices it is buffer_per_bin; the paper's figures of the two differ there, and its text does not say
// by what. Writes stay gathered however many bins there are; the price is reading. Reads each key once to count and
// once a round, each value once; writes each item once.
//
// Cordeiro, Nunan Zola: mrBins, section 4, iv (see histograms.hpp).
#pragma once

#include "peneira/multisplit/published/buffer_per_bin.hpp"

namespace peneira::multisplit_strategies {

struct buffer_persistent : fills_buffers<published_kernels::wait_for_room, true> {
  static constexpr std::string_view name = "buffer_persistent";
  static constexpr std::string_view about =
      "published: buffer_per_bin in rounds over groups of bins; any number of them";
};

}  // namespace peneira::multisplit_strategies
