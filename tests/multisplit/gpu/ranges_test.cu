// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// ranges of 64-bit keys on a GPU, whose arithmetic is another than the host's.
#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

using u64 = std::uint64_t;

class gpu_ranges : public gpu_test {};

__global__ void ask_each(const u64* keys, std::size_t n, ranges<u64> f, std::uint32_t* bins) {
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) bins[i] = f(keys[i]);
}

/// Keys at and beside the borders of bins, and any others, in ranges of all widths: exactly as the formula says.
TEST_F(gpu_ranges, are_exact_for_64_bits) {
  constexpr u64 top = ~u64{0};
  random next(seed());
  for (const u64 width : {u64{1}, u64{3}, u64{1000}, u64{1} << 32U, (u64{1} << 32U) + 1, (u64{1} << 63U) - 1,
                          u64{1} << 63U, (u64{1} << 63U) + 1, top - 1, top}) {
    for (const std::uint32_t bins : {1U, 2U, 3U, 1000U, 262143U, 0xFFFFFFFFU}) {
      const u64 lo = std::min(next.below(1000), top - width);
      const ranges<u64> f(bins, lo, lo + (width - 1));
      std::vector<u64> keys{0, lo, lo + (width - 1), top};
      for (int k = 0; k < 300; ++k) {
        const auto border = static_cast<u64>(static_cast<detail::uint128>(width) * next.below(bins) / bins);
        for (const u64 beside : {border - 1, border, border + 1}) keys.push_back(lo + beside);
        keys.push_back(lo + next.below(width));
      }
      const placed<u64, device_space> in(keys);
      const guarded<std::uint32_t, device_space> out(keys.size());
      ask_each<<<1, 256>>>(in.data(), keys.size(), f, out.data());
      must(cudaDeviceSynchronize());
      std::vector<std::uint32_t> wanted;
      for (const u64 key : keys) {
        const u64 inside = std::clamp(key, lo, lo + (width - 1)) - lo;
        const auto bin = static_cast<std::uint32_t>(static_cast<detail::uint128>(inside) * bins / width);
        wanted.push_back(key > lo + (width - 1) ? bins - 1 : bin);
      }
      EXPECT_TRUE(same(wanted, out.read())) << "width " << width << ", bins " << bins << ", from " << lo;
    }
  }
}

}  // namespace peneira::test
