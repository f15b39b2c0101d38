// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "scan_items.hpp"

namespace peneira::python {

template void scan_items(const gpu&, const scan_call&);

}  // namespace peneira::python
