// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by on a GPU: what the reference gives, with keys and values of every width, of every size and skew.
#include "tests/group_by/gpu/support.cuh"

namespace peneira::test {

TEST_F(gpu_group_by, keys_of_32_bits) {
  check_sizes<u32, u32, u64>(plus{});
  check_sizes<std::int32_t, float, float>(plus{});
  check_sizes<float, double, double>(plus{});
}

TEST_F(gpu_group_by, keys_of_64_bits) {
  check_sizes<u64, float, double>(max{});
  check_sizes<double, u32, u32>(min{});
}

TEST_F(gpu_group_by, narrow_keys_and_values) {
  check_sizes<std::uint8_t, std::uint8_t, u32>(plus{});
  check_sizes<std::int16_t, u64, u64>(bit_xor{});
}

}  // namespace peneira::test
