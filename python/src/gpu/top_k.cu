// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "sort_segments.hpp"

namespace peneira::python {

template void top_k_of<std::uint32_t>(const gpu&, const top_k_call&);
template void top_k_of<std::uint64_t>(const gpu&, const top_k_call&);

}  // namespace peneira::python
