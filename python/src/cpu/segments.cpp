// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "sort_segments.hpp"

namespace peneira::python {

template void sort_segments<std::uint32_t>(const cpu&, const segmented_sort_call&);
template void sort_segments<std::uint64_t>(const cpu&, const segmented_sort_call&);
template void top_k_of<std::uint32_t>(const cpu&, const top_k_call&);
template void top_k_of<std::uint64_t>(const cpu&, const top_k_call&);

}  // namespace peneira::python
