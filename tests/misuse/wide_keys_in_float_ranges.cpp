// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// says: ranges: lo and hi are floating-point and cannot hold all keys
#include <cstdint>

#include "peneira/bins.hpp"

int main() {
  static_cast<void>(pn::ranges{10, 0.0F, 1.0F}(std::int64_t{1}));
}
