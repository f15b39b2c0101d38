// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "move_items.hpp"

namespace peneira::python {

template void gather_items(const gpu&, const gather_call&);
template void histogram_bits<std::uint32_t>(const gpu&, const histogram_call&);
template void histogram_bits<std::uint64_t>(const gpu&, const histogram_call&);

}  // namespace peneira::python
