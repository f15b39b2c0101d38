// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/partition.hpp>

#include "move_items.hpp"

namespace peneira::python {

void partition_items(const partition_call& call) {
  with_word(call.item_bytes, [&]<class V>(V) {
    const view<const std::uint8_t, const V> in{call.parts, static_cast<const V*>(call.items), call.size};
    const view<std::uint8_t, V> out{call.out_parts, static_cast<V*>(call.out), call.size};
    partition(
        cpu{.threads = call.threads}, in, out, [](std::uint8_t part) { return std::uint32_t{part}; },
        items(call.counts, 3));
  });
}

template void gather_items(const cpu&, const gather_call&);
template void histogram_bits<std::uint32_t>(const cpu&, const histogram_call&);
template void histogram_bits<std::uint64_t>(const cpu&, const histogram_call&);

}  // namespace peneira::python
