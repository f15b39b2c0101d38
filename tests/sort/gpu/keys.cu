// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts of keys alone; types of one size share their kernels.
#include "tests/sort/gpu/calls.cuh"

namespace peneira::test {

template sort_call<std::uint8_t, no_value> call_sort<std::uint8_t, no_value>;
template sort_call<std::int16_t, no_value> call_sort<std::int16_t, no_value>;
template sort_call<std::uint32_t, no_value> call_sort<std::uint32_t, no_value>;
template sort_call<float, no_value> call_sort<float, no_value>;
template sort_call<std::int64_t, no_value> call_sort<std::int64_t, no_value>;
template sort_call<std::uint64_t, no_value> call_sort<std::uint64_t, no_value>;
template sort_call<double, no_value> call_sort<double, no_value>;

}  // namespace peneira::test
