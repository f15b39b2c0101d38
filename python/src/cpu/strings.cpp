// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "strings.hpp"

#include <peneira/sort_strings.hpp>

namespace peneira::python {
namespace {

template <class P>
void sort_into(const strings_call& call) {
  const strings<std::uint64_t> all(call.chars, call.starts, call.size);
  const auto positions = items(static_cast<P*>(call.positions), call.size);
  sort_strings(cpu{.threads = call.threads}, all, positions, {.descending = call.descending});
}

}  // namespace

void sort_strings_of(const strings_call& call) {
  if (call.position_bytes == 4) return sort_into<std::uint32_t>(call);
  sort_into<std::uint64_t>(call);
}

}  // namespace peneira::python
