// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by with keys of every kind.
#include "tests/group_by/conformance.hpp"

namespace peneira::test {

using key_combos =
    ::testing::Types<group_combo<std::uint8_t, std::uint32_t, std::uint64_t, plus>,
                     group_combo<std::int16_t, std::int32_t, std::int32_t, pn::max>,
                     group_combo<std::uint32_t, float, float, plus>,
                     group_combo<std::int64_t, std::uint64_t, std::uint64_t, plus>,
                     group_combo<float, std::uint8_t, std::uint32_t, plus>, group_combo<double, double, double, plus>>;
INSTANTIATE_TYPED_TEST_SUITE_P(keys, group_conformance, key_combos);

}  // namespace peneira::test
