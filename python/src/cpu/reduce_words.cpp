// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "reduce_numbers.hpp"

namespace peneira::python {

template void reduce_numbers<std::int32_t>(const cpu&, const reduce_call&);
template void reduce_numbers<std::uint32_t>(const cpu&, const reduce_call&);
template void reduce_numbers<float>(const cpu&, const reduce_call&);

}  // namespace peneira::python
