// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "reduce_numbers.hpp"

namespace peneira::python {

template void reduce_numbers<double>(const gpu&, const reduce_call&);

}  // namespace peneira::python
