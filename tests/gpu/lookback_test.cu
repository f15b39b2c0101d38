// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoupled look-back by itself: whatever the order in which tiles come, each finds how many items of a bin lie in the
// tiles before it; again and again in the same words, and up to the largest counts that they have room for.
#include "peneira/gpu/exchange/lookback.cuh"

#include <numeric>

#include "tests/gpu/delay.cuh"
#include "tests/support/gpu.cuh"

namespace peneira::test {

using u32 = std::uint32_t;

/// What a test of the look-back hands to its kernels. Arrays have a row of bins a tile.
struct lookback_round {
  u32* words;
  u32 inclusive;
  const u32* counts;
  u32* found;  ///< items before each tile
};

/// One thread a bin: publishes its count, looks back, publishes the sum.
template <unsigned Bins, unsigned Depth>
__device__ void look_back(const lookback_round& round, u32 tile) {
  const detail::lookback<Bins, Depth> lookback(round.words, round.inclusive);
  const std::size_t at = std::size_t{tile} * Bins + threadIdx.x;
  delay_block(mix64(round.inclusive + reinterpret_cast<std::uintptr_t>(round.counts)) + tile);
  lookback.publish_own(tile, threadIdx.x, round.counts[at]);
  const u32 before = lookback.exclusive(tile, threadIdx.x);
  delay_block(tile + 77);
  if (tile != 0) lookback.publish_inclusive(tile, threadIdx.x, before + round.counts[at]);
  round.found[at] = before;
}

/// A tile a block; all run at once, so tiles may come in any order.
template <unsigned Bins, unsigned Depth>
__global__ void __launch_bounds__(Bins, 4) look_back_in_order(lookback_round round, const u32* tile_of_block) {
  look_back<Bins, Depth>(round, tile_of_block[blockIdx.x]);
}

/// Blocks take tiles by a counter, as a sort does: only those before have to have begun.
template <unsigned Bins, unsigned Depth>
__global__ void look_back_dynamically(lookback_round round, u32 tiles, u32* taken) {
  __shared__ u32 tile;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) tile = atomicAdd(taken, 1U);
    __syncthreads();
    if (tile >= tiles) return;
    look_back<Bins, Depth>(round, tile);
  }
}

/// What is there once a round has ended: the sum of all tiles up to each.
template <unsigned Bins, unsigned Depth>
__global__ void read_inclusive(lookback_round round) {
  const detail::lookback<Bins, Depth> lookback(round.words, round.inclusive);
  round.found[std::size_t{blockIdx.x} * Bins + threadIdx.x] = lookback.count(blockIdx.x, threadIdx.x);
}

class gpu_lookback : public gpu_test {
 protected:
  /// Counts whose sum in each bin is the largest that fits, if asked: spread, all in one tile, all in the first or
  /// last.
  static std::vector<u32> make_counts(std::size_t tiles, unsigned bins, bool largest, random& next) {
    constexpr u32 most = (1U << 30U) - 1;
    std::vector<u32> counts(tiles * bins);
    for (unsigned bin = 0; bin < bins; ++bin) {
      const auto at = [&](std::size_t tile) -> u32& { return counts[tile * bins + bin]; };
      u32 left = most;
      for (std::size_t tile = 0; tile < tiles && bin % 4 == 0; ++tile) {
        at(tile) = static_cast<u32>(next.below(most / tiles));
        left -= at(tile);
      }
      if (largest) at(bin % 4 == 1 ? 0 : bin % 4 == 2 ? tiles - 1 : next.below(tiles)) += left;
    }
    return counts;
  }

  /// Some rounds in the same words, launch(round, number) each.
  template <unsigned Bins, unsigned Depth, class Launch>
  static void check(std::size_t tiles, const Launch& launch) {
    random next(seed() + Bins + Depth + tiles);
    const placed<u32, device_space> words(std::vector<u32>(tiles * Bins));
    for (u32 number = 0; number < 6; ++number) {
      const std::vector<u32> counts = make_counts(tiles, Bins, number % 3 == 0, next);
      const placed<u32, device_space> there(counts);
      const guarded<u32, device_space> found(counts.size());
      const lookback_round round{words.data(), 1 + number % 2, there.data(), found.data()};
      launch(round, next);
      must(cudaDeviceSynchronize());
      std::vector<u32> wanted(counts.size());
      for (std::size_t i = Bins; i < counts.size(); ++i) wanted[i] = wanted[i - Bins] + counts[i - Bins];
      ASSERT_TRUE(same(wanted, found.read())) << "before each tile, round " << number;
      detail::launch(gpu{}, step{"read", tiles, Bins}, read_inclusive<Bins, Depth>, round);
      must(cudaDeviceSynchronize());
      for (std::size_t i = 0; i < counts.size(); ++i) wanted[i] += counts[i];
      ASSERT_TRUE(same(wanted, found.read())) << "up to each tile, round " << number;
    }
  }

  template <unsigned Bins, unsigned Depth>
  static void check_any_order(std::size_t tiles) {
    SCOPED_TRACE(std::to_string(Bins) + " bins, depth " + std::to_string(Depth) + ", tiles " + std::to_string(tiles));
    check<Bins, Depth>(tiles, [&](const lookback_round& round, random& next) {
      std::vector<u32> order(tiles);
      std::iota(order.begin(), order.end(), 0U);
      for (std::size_t i = tiles; i > 1; --i) std::swap(order[i - 1], order[next.below(i)]);
      const placed<u32, device_space> tile_of_block(order);
      detail::launch(gpu{}, step{"look_back", tiles, Bins, 0, 1, true}, look_back_in_order<Bins, Depth>, round,
                     tile_of_block.data());
      must(cudaDeviceSynchronize());
    });
  }
};

TEST_F(gpu_lookback, finds_what_lies_before_whatever_the_order_of_tiles) {
  const auto sms = static_cast<std::size_t>(detail::current_device().sms);
  for (const std::size_t tiles : {std::size_t{1}, std::size_t{2}, std::size_t{5}, sms, 4 * sms}) {
    check_any_order<256, 1>(tiles);
    check_any_order<256, 4>(tiles);
    check_any_order<32, 7>(tiles);
  }
}

TEST_F(gpu_lookback, finds_what_lies_before_in_many_tiles_that_blocks_take) {
  const auto blocks = static_cast<std::size_t>(2 * detail::current_device().sms);
  for (const std::size_t tiles : {std::size_t{3}, 20 * blocks + 1}) {
    check<256, 4>(tiles, [&](const lookback_round& round, random& /*next*/) {
      const placed<u32, device_space> taken(std::vector<u32>(1));
      detail::launch(gpu{}, step{"look_back", blocks, 256}, look_back_dynamically<256, 4>, round,
                     static_cast<u32>(tiles), taken.data());
      must(cudaDeviceSynchronize());
      EXPECT_EQ(taken.read()[0], tiles + blocks) << "each block asks once in vain";
    });
  }
}

}  // namespace peneira::test
