// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// More items than 32 bits can count, on a device that has room for them.
#include <algorithm>
#include <memory>

#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

constexpr unsigned run_bits = 12;  // 4,096 neighbours share a key

PENEIRA_HD
inline std::uint8_t key_of_run(std::uint64_t run) {
  return static_cast<std::uint8_t>(mix32(static_cast<std::uint32_t>(run)));
}

struct parts {
  std::uint32_t count;
  PENEIRA_HD unsigned operator()(std::uint8_t key) const { return key % count; }
};

__global__ void fill_runs(std::uint8_t* keys, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    keys[i] = key_of_run(i >> run_bits);
  }
}

__global__ void count_strays(const std::uint8_t* out, std::size_t n, parts f, const std::uint64_t* offsets,
                             unsigned long long* strays) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const unsigned bin = f(out[i]);
    if (i < offsets[bin] || i >= offsets[bin + 1]) atomicAdd(strays, 1ULL);
  }
}

/// How many of each of the 256 keys there are.
__global__ void count_keys(const std::uint8_t* keys, std::size_t n, unsigned long long* counts) {
  __shared__ unsigned local[256];
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) local[k] = 0;
  __syncthreads();
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    atomicAdd(&local[keys[i]], 1U);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) {
    atomicAdd(&counts[k], static_cast<unsigned long long>(local[k]));
  }
}

class gpu_huge : public gpu_test {};

TEST_F(gpu_huge, more_than_32_bits_of_items) {
  const std::size_t n = (std::size_t{1} << 32U) + 12345;
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  must(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes < std::size_t{16} << 30U) GTEST_SKIP() << "needs 16 GB of free device memory, has " << free_bytes;

  const std::unique_ptr<void, void (*)(void*)> keys_memory(device_space::allocate(n), device_space::deallocate);
  const std::unique_ptr<void, void (*)(void*)> out_memory(device_space::allocate(n), device_space::deallocate);
  auto* const keys = static_cast<std::uint8_t*>(keys_memory.get());
  auto* const out = static_cast<std::uint8_t*>(out_memory.get());
  fill_runs<<<4096, 256>>>(keys, n);
  must(cudaGetLastError());

  for_each_on_gpu([&](auto space, auto strategy) {
    SCOPED_TRACE(strategy.name);
    const parts f{std::min<std::uint32_t>(space.bins, 3)};
    if (!strategy.refuses({n, f.count, 1, 0, 8, space.strictest}, detail::current_device()).empty()) return;
    const std::size_t runs = (n >> run_bits) + 1;
    std::vector<std::uint64_t> wanted(f.count + 1);
    std::vector<unsigned long long> wanted_keys(256);
    for (std::size_t run = 0; run < runs; ++run) {
      const std::size_t size = std::min(std::size_t{1} << run_bits, n - (run << run_bits));
      wanted[f(key_of_run(run)) + 1] += size;
      wanted_keys[key_of_run(run)] += size;
    }
    for (std::size_t b = 0; b < f.count; ++b) wanted[b + 1] += wanted[b];
    const guarded<std::uint64_t, device_space> offsets(f.count + 1);
    const placed<unsigned long long, device_space> strays(std::vector<unsigned long long>(1));
    must(cudaMemset(out, 0xEE, n));
    space.split(gpu{}, items(keys, n), items(out, n), binned{f.count, f}, items(offsets.data(), offsets.size()),
                multisplit_options{.within_bin = space.strictest, .strategy = strategy.name});
    count_strays<<<4096, 256>>>(out, n, f, offsets.data(), strays.data());
    const placed<unsigned long long, device_space> counts(std::vector<unsigned long long>(256));
    count_keys<<<4096, 256>>>(out, n, counts.data());
    must(cudaDeviceSynchronize());
    ASSERT_TRUE(same(wanted, offsets.read()));
    EXPECT_EQ(strays.read()[0], 0U);
    EXPECT_TRUE(same(wanted_keys, counts.read()));
    if (space.strictest == order::any) return;

    // The first and the last item of some runs stand where a stable split puts them.
    std::vector<std::uint64_t> next = wanted;
    for (std::size_t run = 0; run < runs; ++run) {
      const std::uint8_t key = key_of_run(run);
      const std::size_t size = std::min(std::size_t{1} << run_bits, n - (run << run_bits));
      if (run % 1009 == 0 || run + 1 == runs) {
        std::array<std::uint8_t, 2> ends{};
        device_space::copy(ends.data(), out + next[f(key)], 1);
        device_space::copy(ends.data() + 1, out + next[f(key)] + size - 1, 1);
        ASSERT_EQ(ends[0], key) << "run " << run;
        ASSERT_EQ(ends[1], key) << "run " << run;
      }
      next[f(key)] += size;
    }
  });
}

}  // namespace peneira::test
