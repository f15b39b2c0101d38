// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sorts of files that there are, each compiled once.
#pragma once

#include "tools/peneira/sort/binary/items.hpp"
#include "tools/peneira/sort/binary/sort.hpp"

namespace peneira::tool {

void sort_items(const sort_request& o, const number_items<std::uint8_t>& kind);
void sort_items(const sort_request& o, const number_items<std::uint16_t>& kind);
void sort_items(const sort_request& o, const number_items<std::uint32_t>& kind);
void sort_items(const sort_request& o, const number_items<std::uint64_t>& kind);
void sort_items(const sort_request& o, const record_items& kind);

}  // namespace peneira::tool
