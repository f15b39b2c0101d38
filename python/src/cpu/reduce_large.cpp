// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "reduce_numbers.hpp"

namespace peneira::python {

template void reduce_numbers<std::int64_t>(const cpu&, const reduce_call&);
template void reduce_numbers<std::uint64_t>(const cpu&, const reduce_call&);
template void reduce_numbers<double>(const cpu&, const reduce_call&);

}  // namespace peneira::python
