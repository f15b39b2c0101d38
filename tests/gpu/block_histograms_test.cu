// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The histograms of blocks by themselves: each block adds up those of all and of the blocks before it, pass by pass in
// the same rows, up to the largest counts that they have room for.
#include "peneira/gpu/exchange/block_histograms.cuh"

#include "peneira/gpu/grid_barrier.cuh"
#include "tests/gpu/delay.cuh"
#include "tests/support/gpu.cuh"

namespace peneira::test {

constexpr unsigned histogram_bins = 256;
constexpr unsigned histogram_threads = 512;

/// What a pass of a block has: counts[(pass * blocks + block) * bins + bin], and so for what it finds.
template <class Count, class Sum>
__global__ void __launch_bounds__(histogram_threads, 2)
    add_up_passes(Count* rows, std::uint32_t* arrived, const std::uint32_t* counts, unsigned passes, Sum* all,
                  Sum* before) {
  __shared__ Sum sums[2 * histogram_bins];
  const detail::block_histograms<histogram_bins, Count, Sum> histograms(rows);
  detail::grid_barrier all_blocks(arrived);
  const unsigned bin = threadIdx.x;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const std::uint32_t parity = (pass + 1) % 2;
    const std::size_t row = (std::size_t{pass} * gridDim.x + blockIdx.x) * histogram_bins;
    sums[threadIdx.x] = 0;
    delay_block(std::uint64_t{pass} * gridDim.x + blockIdx.x);
    if (bin < histogram_bins) histograms.publish(bin, counts[row + bin], parity);
    histograms.template add_up<histogram_threads>(parity, sums, sums + histogram_bins);
    __syncthreads();
    if (bin < histogram_bins) {
      all[row + bin] = sums[histograms.place(bin)];
      before[row + bin] = sums[histogram_bins + histograms.place(bin)];
    }
    all_blocks.wait();
  }
}

class gpu_block_histograms : public gpu_test {
 protected:
  template <class Count, class Sum>
  static void check(std::size_t blocks) {
    SCOPED_TRACE(std::to_string(sizeof(Count)) + " bytes, " + std::to_string(blocks) + " blocks");
    constexpr unsigned passes = 6;
    constexpr std::uint32_t most = (1U << (8 * sizeof(Count) - 1)) - 1;
    random next(seed() + blocks);
    std::vector<std::uint32_t> counts(passes * blocks * histogram_bins);
    for (std::uint32_t& count : counts) {
      count = next.below(3) == 0 ? most : static_cast<std::uint32_t>(next.below(std::uint64_t{most} + 1));
    }
    const placed<Count, device_space> rows(std::vector<Count>(blocks * histogram_bins));
    const placed<std::uint32_t, device_space> arrived(std::vector<std::uint32_t>(1));
    const placed<std::uint32_t, device_space> there(counts);
    const guarded<Sum, device_space> all(counts.size());
    const guarded<Sum, device_space> before(counts.size());
    detail::launch(gpu{}, step{"add_up", blocks, histogram_threads, 0, 1, true}, add_up_passes<Count, Sum>, rows.data(),
                   arrived.data(), there.data(), passes, all.data(), before.data());
    must(cudaDeviceSynchronize());
    std::vector<Sum> wanted(counts.size());
    std::vector<Sum> wanted_before(counts.size());
    for (unsigned pass = 0; pass < passes; ++pass) {
      for (unsigned bin = 0; bin < histogram_bins; ++bin) {
        const auto at = [&](std::size_t block) { return (pass * blocks + block) * histogram_bins + bin; };
        Sum sum = 0;
        for (std::size_t block = 0; block < blocks; ++block) {
          wanted_before[at(block)] = sum;
          sum += counts[at(block)];
        }
        for (std::size_t block = 0; block < blocks; ++block) wanted[at(block)] = sum;
      }
    }
    EXPECT_TRUE(same(wanted, all.read())) << "of all blocks";
    EXPECT_TRUE(same(wanted_before, before.read())) << "of the blocks before each";
  }
};

TEST_F(gpu_block_histograms, are_added_up_by_every_block) {
  const auto sms = static_cast<std::size_t>(detail::current_device().sms);
  for (const std::size_t blocks : {std::size_t{1}, std::size_t{2}, std::size_t{17}, sms, 2 * sms}) {
    check<std::uint16_t, std::uint32_t>(blocks);
    check<std::uint32_t, unsigned long long>(blocks);
  }
}

}  // namespace peneira::test
