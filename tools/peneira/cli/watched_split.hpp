// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Splits of numbers on the CPU, once for each width, that tell how far they have come: whoever splits numbers calls the
// same engine, which takes long to compile.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "peneira/place.hpp"
#include "peneira/view.hpp"
#include "tools/peneira/cli/watched_bins.hpp"

namespace peneira::tool {

/// multisplit of numbers without a sign.
template <class U>
void split_by(const cpu& on, view<const U> in, view<U> to, const watched_bins<U>& by,
              std::vector<std::uint64_t>& offsets, std::string_view strategy = "");

}  // namespace peneira::tool
