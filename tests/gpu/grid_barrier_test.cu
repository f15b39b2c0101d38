// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The barrier of a grid by itself: nobody passes it before all have come, and what was written before it is there.
#include "peneira/gpu/grid_barrier.cuh"

#include "tests/gpu/delay.cuh"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// In each round all threads write a cell, wait, and read cells of other blocks; then they wait before the next round.
__global__ void __launch_bounds__(1024, 2)
    write_and_read(std::uint32_t* arrived, std::uint32_t* cells, std::uint32_t rounds, unsigned* wrong) {
  detail::grid_barrier all_blocks(arrived);
  const std::uint32_t size = gridDim.x * blockDim.x;
  const std::uint32_t mine = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    delay_block(std::uint64_t{round} * gridDim.x + blockIdx.x);
    cells[mine] = round * size + mine;
    all_blocks.wait();
    for (std::uint32_t block = 0; block < gridDim.x; ++block) {
      const std::uint32_t other = (block * blockDim.x + (threadIdx.x + round) % blockDim.x) % size;
      if (cells[other] != round * size + other) atomicAdd(wrong, 1U);
    }
    all_blocks.wait();
  }
}

class gpu_grid_barrier : public gpu_test {};

TEST_F(gpu_grid_barrier, lets_all_blocks_see_what_all_wrote) {
  const auto sms = static_cast<std::uint64_t>(detail::current_device().sms);
  for (const std::uint64_t blocks : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, sms, 2 * sms}) {
    for (const std::uint32_t threads : {32U, 96U, 384U, 1024U}) {
      SCOPED_TRACE(std::to_string(blocks) + " blocks of " + std::to_string(threads));
      constexpr std::uint32_t rounds = 100;
      const placed<std::uint32_t, device_space> arrived(std::vector<std::uint32_t>(1));
      const guarded<std::uint32_t, device_space> cells(blocks * threads);
      const placed<unsigned, device_space> wrong(std::vector<unsigned>(1));
      detail::launch(gpu{}, step{"write_and_read", blocks, threads, 0, 1, true}, write_and_read, arrived.data(),
                     cells.data(), rounds, wrong.data());
      must(cudaDeviceSynchronize());
      EXPECT_EQ(wrong.read()[0], 0U) << "cells that were not there yet, or no more";
      EXPECT_EQ(arrived.read()[0], 2 * rounds * blocks);
      static_cast<void>(cells.read());  // and looks at what lies around
    }
  }
}

}  // namespace peneira::test
