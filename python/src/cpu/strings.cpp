// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "strings.hpp"

#include <peneira/sort_strings.hpp>

#include "types.hpp"

namespace peneira::python {
namespace {

template <class P, class Start>
void sort_into(const strings_call& call) {
  const strings<Start> all(call.chars, static_cast<const Start*>(call.starts), call.size);
  const auto positions = items(static_cast<P*>(call.positions), call.size);
  sort_strings(cpu{.threads = call.threads}, all, positions, {.descending = call.descending});
}

}  // namespace

void sort_strings_of(const strings_call& call) {
  with_word(call.start_bytes, [&]<class Start>(Start) {
    if (call.position_bytes == 4) return sort_into<std::uint32_t, Start>(call);
    sort_into<std::uint64_t, Start>(call);
  });
}

}  // namespace peneira::python
