// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "split_bits.hpp"

namespace peneira::python {

template void split_bits<std::uint64_t>(const cpu&, const split_call&);

}  // namespace peneira::python
