// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "sort_bits.hpp"

namespace peneira::python {

template void sort_bits<std::uint8_t>(const gpu&, const sort_call&);
template void argsort_bits<std::uint8_t>(const gpu&, const argsort_call&);

}  // namespace peneira::python
