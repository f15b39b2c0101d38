// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts of pairs, and argsorts; those whose keys are of one size and whose values are of one type share their kernels.
#include "tests/sort/gpu/calls.cuh"

namespace peneira::test {

template sort_call<std::uint32_t, std::uint32_t> call_sort<std::uint32_t, std::uint32_t>;
template sort_call<float, std::uint32_t> call_sort<float, std::uint32_t>;
template sort_call<std::int64_t, std::uint64_t> call_sort<std::int64_t, std::uint64_t>;
template sort_call<std::uint64_t, std::uint64_t> call_sort<std::uint64_t, std::uint64_t>;
template sort_call<double, std::uint64_t> call_sort<double, std::uint64_t>;

template argsort_call<std::uint32_t, std::uint32_t> call_argsort<std::uint32_t, std::uint32_t>;
template argsort_call<float, std::uint32_t> call_argsort<float, std::uint32_t>;
template argsort_call<double, std::uint64_t> call_argsort<double, std::uint64_t>;

}  // namespace peneira::test
