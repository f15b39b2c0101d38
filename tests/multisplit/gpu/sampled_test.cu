// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// `sampled` and `groups`, where the sample misleads and where groups have odd sizes.
#include "tests/multisplit/gpu/ways.cuh"

namespace peneira::test {

/// A group of which head and tail, beside its whole tiles, are more than a tile: one key before it, and two more than
/// two tiles in it, in one block's share.
TEST_F(gpu_tiles, split_groups_whose_ends_are_more_than_a_tile) {
  constexpr std::size_t n = std::size_t{8} << 20U;
  constexpr u32 bins = 1024;
  for (const u32 size : {28673U, 28674U, 43009U}) {
    SCOPED_TRACE(size);
    random next(seed());
    std::vector<u32> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      const u32 group = i == 0 ? 0 : i <= size ? 1 : static_cast<u32>(2 + next.below(30));
      keys[i] = (group * 32 + static_cast<u32>(next.below(32))) << 22U | static_cast<u32>(next.below(1U << 22U));
    }
    const placed<u32, device_space> in(keys);
    const guarded<u32, device_space> out(n, 3);
    const guarded<u32, device_space> offsets(bins + 1);
    multisplit(gpu{}, items(static_cast<const u32*>(in.data()), n), items(out.data(), n), digit{22, 10},
               items(offsets.data(), bins + 1), {.within_bin = order::any, .strategy = "groups"});
    must(cudaDeviceSynchronize());
    std::vector<u32> wanted(n);
    std::vector<u32> wanted_offsets(bins + 1);
    reference::multisplit<u32, no_value>({keys.data(), nullptr, n}, {wanted.data(), nullptr, n}, digit{22, 10},
                                         wanted_offsets.data());
    EXPECT_TRUE(same(wanted_offsets, offsets.read()));
    EXPECT_TRUE(same_items(order::any, wanted, out.read(), wanted_offsets));
  }
}

/// Of keys that the sample sees, some or all go to a few bins; of all keys they do not, or the other way round. A
/// little of that makes items stray, much of it makes them move again.
TEST_F(gpu_tiles, are_right_where_the_sample_misleads) {
  constexpr std::size_t n = 3000017;
  constexpr std::size_t line = 32;
  for (const u32 bins : {2U, 10U, 100U, 500U, 3000U, 20000U}) {
    for (const std::string_view strategy : {"sampled", "groups"}) {
      if (strategy == "sampled" && bins > 512) continue;
      if (strategy == "groups" && bins < 4) continue;
      for (const u32 part : {100U, 40U, 4U, 1U}) {  // of the sample, one line in so many
        for (const bool crowded : {true, false}) {
          SCOPED_TRACE("bins " + std::to_string(bins) + ", " + std::string(strategy) + ", one line in " +
                       std::to_string(part) + (crowded ? ", crowded" : ", empty"));
          const multisplit_options options{.within_bin = order::any, .strategy = strategy};
          const auto made = detail::plan_multisplit({n, bins, 4, 0, 4, order::any}, detail::current_device(), strategy);
          const auto lines = static_cast<u32>(made.get("lines"));
          random next(seed());
          std::vector<u32> keys = make_keys<u32>(shape::uniform, n, next);
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t stratum = i / line / lines;
            const bool seen = stratum % part == 0 && detail::sampled_line(stratum, lines) == i / line;
            if (seen == crowded) keys[i] >>= 6U;
          }
          const placed<u32, device_space> in(keys);
          const guarded<u32, device_space> out(n, 3);
          const guarded<u32, device_space> offsets(bins + 1);
          const ranges<u32> f{bins, 0U, 0xFFFFFFFFU};
          multisplit(gpu{}, items(static_cast<const u32*>(in.data()), n), items(out.data(), n), f,
                     items(offsets.data(), bins + 1), options);
          must(cudaDeviceSynchronize());
          std::vector<u32> wanted(n);
          std::vector<u32> wanted_offsets(bins + 1);
          reference::multisplit<u32, no_value>({keys.data(), nullptr, n}, {wanted.data(), nullptr, n}, f,
                                               wanted_offsets.data());
          EXPECT_TRUE(same(wanted_offsets, offsets.read()));
          EXPECT_TRUE(same_items(order::any, wanted, out.read(), wanted_offsets));
        }
      }
    }
  }
}

}  // namespace peneira::test
