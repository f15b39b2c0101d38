// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts of pairs with the smallest and the largest values.
#include "tests/sort/gpu/calls.cuh"
#include "tests/support/common.hpp"

namespace peneira::test {

template sort_call<std::uint32_t, bytes16> call_sort<std::uint32_t, bytes16>;
template sort_call<std::uint8_t, std::uint8_t> call_sort<std::uint8_t, std::uint8_t>;

}  // namespace peneira::test
