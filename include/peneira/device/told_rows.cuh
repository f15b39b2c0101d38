// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many items of each bin all blocks have, and those before this one, told by each block while the others wait.
//
//   block 0 [3 1 4]   block 1 [2 1 4]   block 2 [2 0 1]      block 2 adds up: all 7 2 9, before it 5 2 8
//
// A count says by its highest bit which of two passes it is of: nothing else has to be there before it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// Bins of a pass at most, and so counts of a row.
inline constexpr std::uint32_t pass_bins = 1U << tuning::level_bits;

#if defined(__CUDACC__)

/// Rows of counts, one a block, for pass after pass; Count is of 16 or 32 bits, Sum of what all counts make. Between
/// two passes all blocks wait for one another.
template <class Count, class Sum>
class told_rows {
 public:
  static constexpr unsigned count_bits = 8 * sizeof(Count) - 1;

  __device__ explicit told_rows(Count* rows) : rows_(rows) {}

  /// Tells how many items of a bin the block has. The first pass has the mark 1, the next one 0, and so on; before the
  /// first, rows have the mark 0, or all blocks wait for one another before they add up.
  __device__ void tell(unsigned bin, std::uint32_t count, std::uint32_t mark) const {
    static_cast<volatile Count*>(rows_)[blockIdx.x * pass_bins + bin] = static_cast<Count>(count | mark << count_bits);
  }
  /// Adds what all blocks told of a bin to all[place(bin)], and what those before this one did to before[place(bin)].
  template <unsigned Threads>
  __device__ void add_up(std::uint32_t mark, Sum* all, Sum* before) const {
    constexpr unsigned at_once = Threads / lanes;
    constexpr unsigned batch = 9;  // loads in flight: with counts of 16 bits enough for 144 blocks
    const std::uint32_t marks = (mark << count_bits) * ones;
    const unsigned lane = threadIdx.x % lanes;
    Sum sums[each] = {};
    Sum sums_before[each] = {};
    for (unsigned first = threadIdx.x / lanes; first < gridDim.x; first += at_once * batch) {
      uint4 got[batch];
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) {
        const unsigned row = first + j * at_once;
        got[j] = row < gridDim.x ? load(row, lane) : make_uint4(marks, marks, marks, marks);
      }
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) {
        const unsigned row = first + j * at_once;
        while (!is_told(got[j], marks)) got[j] = load(row, lane);
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
  static constexpr unsigned lanes = pass_bins / each;
  static constexpr std::uint32_t ones = sizeof(Count) == 2 ? 0x10001U : 1U;

  __device__ static bool is_told(const uint4& got, std::uint32_t marks) {
    constexpr std::uint32_t mark = (1U << count_bits) * ones;
    return (((got.x ^ marks) | (got.y ^ marks) | (got.z ^ marks) | (got.w ^ marks)) & mark) == 0;
  }
  [[nodiscard]] __device__ uint4 load(unsigned row, unsigned lane) const {
    uint4 got;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(got.x), "=r"(got.y), "=r"(got.z), "=r"(got.w)
                 : "l"(rows_ + row * pass_bins + lane * each)
                 : "memory");
    return got;
  }

  Count* rows_;
};

#endif

}  // namespace peneira::detail
