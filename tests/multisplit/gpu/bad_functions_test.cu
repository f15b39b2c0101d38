// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bin functions that contradict themselves or miss, every way.
#include "tests/multisplit/gpu/ways.cuh"

namespace peneira::test {

/// A function that contradicts itself: the second time it is asked about a key it may say another bin.
struct wavering {
  unsigned* asked;
  u32 bins;
  PENEIRA_HD u32 operator()(u32 key) const {
#if defined(__CUDA_ARCH__)
    return (key + atomicAdd(asked, 1U)) % bins;
#else
    return key % bins;
#endif
  }
};

TEST_F(gpu_tiles, write_nothing_outside_even_where_the_function_contradicts_itself) {
  const placed<u32, device_space> asked(std::vector<u32>(1));
  for (const std::size_t n : sizes) {
    random next(seed());
    const placed<u32, device_space> in(make_keys<u32>(shape::uniform, n, next));
    SCOPED_TRACE("n " + std::to_string(n));
    for_each_way([&](u32 bins, const multisplit_options& options) {
      const guarded<u32, device_space> keys(n, 3);
      const guarded<u32, device_space> values(n, 1);
      const guarded<u32, device_space> offsets(bins + 1);
      const binned f{bins, wavering{asked.data(), bins}};
      multisplit(gpu{}, items(in.data(), n), items(keys.data(), n), f, items(offsets.data(), bins + 1), options);
      multisplit(gpu{}, pairs(in.data(), in.data(), n), pairs(keys.data(), values.data(), n), f,
                 items(offsets.data(), bins + 1), options);
      must(cudaDeviceSynchronize());
      static_cast<void>(keys.read());  // and looks at what lies around
      static_cast<void>(values.read());
      EXPECT_LE(offsets.read().back(), n);
    });
  }
}

TEST_F(gpu_tiles, drop_items_out_of_range_in_every_pass) {
  for (const std::size_t n : sizes) {
    random next(seed());
    const std::vector<u32> all = make_keys<u32>(shape::uniform, n, next);
    std::vector<u32> kept;
    for (const u32 key : all) {
      if (key % 10 != 3) kept.push_back(key);
    }
    const placed<u32, device_space> in(all);
    SCOPED_TRACE("n " + std::to_string(n));
    for_each_way([&](u32 bins, multisplit_options options) {
      const binned f{bins, missing{bins}};
      std::vector<u32> wanted(kept.size());
      std::vector<u32> wanted_offsets(bins + 1);
      reference::multisplit<u32, no_value>({kept.data(), nullptr, kept.size()}, {wanted.data(), nullptr, wanted.size()},
                                           f, wanted_offsets.data());
      const guarded<u32, device_space> out(n, 3);
      const guarded<u32, device_space> offsets(bins + 1);
      const auto call = [&](bool checked) {
        options.checked = checked;
        multisplit(gpu{}, items(in.data(), n), items(out.data(), n), f, items(offsets.data(), bins + 1), options);
      };
      call(false);
      std::vector<u32> got = out.read();
      got.resize(kept.size());
      EXPECT_TRUE(same(wanted_offsets, offsets.read()));
      EXPECT_TRUE(same_items(options.within_bin, wanted, got, wanted_offsets));
      expect_parts(message_of([&] { call(true); }),
                   {"multisplit", "bin function", std::to_string(n - kept.size()), std::to_string(bins) + " bins"});
    });
  }
}

}  // namespace peneira::test
