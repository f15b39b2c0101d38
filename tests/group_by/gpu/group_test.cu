// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// distinct and group on a GPU, beside the CPU's, of any room.
#include "peneira/group.hpp"

#include "tests/group_by/gpu/support.cuh"

namespace peneira::test {

TEST_F(gpu_group_by, distinct_keys_and_items_side_by_side) {
  const auto compare = [&]<class K>(K /*type*/, std::size_t n, std::size_t groups) {
    SCOPED_TRACE(n);
    const std::vector<K> keys = keys_of<K>(n, groups, true);
    const std::vector<float> values = values_of<float>(n);
    std::vector<K> wanted_keys(n);
    std::vector<u32> wanted_offsets(n + 1);
    std::vector<float> wanted(n);
    const std::size_t found = group(cpu{}, pairs(keys, values), wanted_keys, wanted_offsets, wanted);
    std::vector<u64> wanted_positions(n);
    std::vector<u32> more_offsets(n + 1);
    group(cpu{}, keys, wanted_keys, more_offsets, wanted_positions);
    const placed<K, device_space> there(keys, next_.below(4));
    const placed<float, device_space> there_too(values, next_.below(4));
    for (const std::size_t room : {found, found / 2}) {
      const guarded<K, device_space> out(room, next_.below(4));
      const guarded<u32, device_space> offsets(room + 1, next_.below(4));
      const guarded<float, device_space> moved(n, next_.below(4));
      const guarded<u64, device_space> positions(n), count(1);
      group(gpu{}, pairs(there.data(), there_too.data(), n), items(out.data(), room), items(offsets.data(), room + 1),
            items(moved.data(), n), count.data());
      ASSERT_EQ(count.read()[0], found);
      EXPECT_TRUE(same(first_of(wanted_keys, room), out.read()));
      EXPECT_TRUE(same(first_of(wanted_offsets, room + 1), offsets.read()));
      EXPECT_TRUE(same(wanted, moved.read()));
      group(gpu{}, items(there.data(), n), items(out.data(), room), items(offsets.data(), room + 1),
            items(positions.data(), n), count.data());
      EXPECT_TRUE(same(first_of(wanted_offsets, room + 1), offsets.read()));
      EXPECT_TRUE(same(wanted_positions, positions.read()));
      const guarded<K, device_space> only(room, next_.below(4));
      const guarded<std::int32_t, device_space> narrow(1);
      distinct(gpu{}, items(there.data(), n), items(only.data(), room), narrow.data());
      ASSERT_EQ(narrow.read()[0], static_cast<std::int32_t>(found));
      EXPECT_TRUE(same(first_of(wanted_keys, room), only.read()));
    }
  };
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097}, std::size_t{300007}}) {
    for (const std::size_t groups : {std::size_t{1}, std::size_t{70}, 3 * n + 1}) {
      compare(u32{}, n, groups);
      compare(std::uint8_t{}, n, groups);
      compare(double{}, n, groups);
    }
  }
}

}  // namespace peneira::test
