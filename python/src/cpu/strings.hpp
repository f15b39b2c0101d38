// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace peneira::python {

/// What a sort of strings is asked for: starts are one more than strings. Positions are of 4 or 8 bytes.
struct strings_call {
  const char* chars;
  const void* starts;
  unsigned start_bytes;
  std::size_t size;
  void* positions;
  unsigned position_bytes;
  bool descending;
  unsigned threads;
};

void sort_strings_of(const strings_call& call);

}  // namespace peneira::python
