// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/labels.hpp>
#include <peneira/multisplit.hpp>

#include "multisplit.hpp"

namespace peneira::python {

void split_by_labels(const cpu& on, const label_call& call) {
  const labels<std::uint32_t> f{call.bins, static_cast<const std::uint32_t*>(call.labels), call.size};
  with_width(call.item_bytes, [&]<class T>(T) {
    multisplit(on, items(static_cast<const T*>(call.items), call.size), items(static_cast<T*>(call.out), call.size), f,
               items(call.offsets, std::size_t{call.bins} + 1));
  });
}

}  // namespace peneira::python
