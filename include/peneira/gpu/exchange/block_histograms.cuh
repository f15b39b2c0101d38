// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The histograms of all blocks of a launch, for as many passes as there are: each block publishes its own, and adds up
// those of all blocks and of the blocks before it.
//
//   block 0 [3 1 4]   block 1 [2 1 4]   block 2 [2 0 1]      block 2 adds up: all 7 2 9, before it 5 2 8
//
// The highest bit of a count is the parity of its pass, so one relaxed store publishes both.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)

namespace peneira::detail {

/// A row of counts a block; Count is of 16 or 32 bits, Sum of what all counts make. Between two passes all blocks wait
/// for one another.
template <unsigned Bins, class Count, class Sum>
class block_histograms {
 public:
  static constexpr unsigned count_bits = 8 * sizeof(Count) - 1;

  __device__ explicit block_histograms(Count* rows) : rows_(rows) {}

  /// Publishes how many items of a bin the block has. The first pass has the parity 1, the next one 0, and so on;
  /// before the first, rows have the parity 0, or all blocks wait for one another before they add up.
  __device__ void publish(unsigned bin, std::uint32_t count, std::uint32_t parity) const {
    static_cast<volatile Count*>(rows_)[blockIdx.x * Bins + bin] = static_cast<Count>(count | parity << count_bits);
  }
  /// Adds the counts of a bin in all blocks to all[place(bin)], and those of the blocks before this one to
  /// before[place(bin)].
  template <unsigned Threads>
  __device__ void add_up(std::uint32_t parity, Sum* all, Sum* before) const {
    constexpr unsigned at_once = Threads / lanes;
    constexpr unsigned batch = 9;  // loads in flight: with counts of 16 bits enough for 144 blocks
    const std::uint32_t parities = (parity << count_bits) * ones;
    const unsigned lane = threadIdx.x % lanes;
    Sum sums[each] = {};
    Sum sums_before[each] = {};
    for (unsigned first = threadIdx.x / lanes; first < gridDim.x; first += at_once * batch) {
      uint4 got[batch];
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) {
        const unsigned row = first + j * at_once;
        got[j] = row < gridDim.x ? load(row, lane) : make_uint4(parities, parities, parities, parities);
      }
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) {
        const unsigned row = first + j * at_once;
        while (!is_published(got[j], parities)) got[j] = load(row, lane);
        const std::uint32_t words[4] = {got[j].x, got[j].y, got[j].z, got[j].w};
#pragma unroll
        for (unsigned e = 0; e < each; ++e) {
          const std::uint32_t word = words[e * sizeof(Count) / 4] >> (e * sizeof(Count) % 4 * 8);
          const std::uint32_t count = word & ((1U << count_bits) - 1);
          sums[e] += count;
          sums_before[e] += row < blockIdx.x ? count : 0;
        }
      }
    }
#pragma unroll
    for (unsigned e = 0; e < each; ++e) {
      if (sums[e] != 0) atomicAdd(&all[e * lanes + lane], sums[e]);
      if (sums_before[e] != 0) atomicAdd(&before[e * lanes + lane], sums_before[e]);
    }
  }
  /// Where sums have a bin: so that lanes meet no other's bank.
  __device__ static unsigned place(unsigned bin) {
    return bin % each * lanes + bin / each;
  }

 private:
  static constexpr unsigned each = sizeof(uint4) / sizeof(Count);  ///< bins of a lane
  static constexpr unsigned lanes = Bins / each;
  static constexpr std::uint32_t ones = sizeof(Count) == 2 ? 0x10001U : 1U;

  __device__ static bool is_published(const uint4& got, std::uint32_t parities) {
    constexpr std::uint32_t mask = (1U << count_bits) * ones;
    return (((got.x ^ parities) | (got.y ^ parities) | (got.z ^ parities) | (got.w ^ parities)) & mask) == 0;
  }
  [[nodiscard]] __device__ uint4 load(unsigned row, unsigned lane) const {
    uint4 got;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(got.x), "=r"(got.y), "=r"(got.z), "=r"(got.w)
                 : "l"(rows_ + row * Bins + lane * each)
                 : "memory");
    return got;
  }

  Count* rows_;
};

}  // namespace peneira::detail

#endif
