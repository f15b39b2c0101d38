// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of the lines of a chunk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/peneira/io/paged_array.hpp"
#include "tools/peneira/sort/text/input.hpp"
#include "tools/peneira/sort/text/options.hpp"
#include "tools/peneira/sort/text/place.hpp"

namespace peneira::tool {

/// Bytes that order_lines takes for so many lines, beside the chunk.
std::size_t bytes_to_order(std::size_t lines, const sort_text_options& o, unsigned team, bool wide);

/// Writes to rows[i] the number of the line that comes i-th and returns true; or puts the starts of the lines in that
/// order, without the last, and returns false.
bool order_lines(text_chunk& chunk, const sort_text_options& o, unsigned team, sort_place& where,
                 paged_array<std::uint32_t>& rows);

}  // namespace peneira::tool
