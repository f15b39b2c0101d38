// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "sort_segments.hpp"

namespace peneira::python {

template void sort_segments<std::uint32_t>(const gpu&, const segmented_sort_call&);
template void sort_segments<std::uint64_t>(const gpu&, const segmented_sort_call&);

}  // namespace peneira::python
