// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of more than 2^32 items, of bytes in a few long runs, so that the answers are known.
#include <memory>

#include "peneira/group_by.hpp"
#include "peneira/partition.hpp"
#include "peneira/top_k.hpp"
#include "peneira/unique.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

using byte = std::uint8_t;

class gpu_huge_calls : public gpu_test {
 protected:
  static constexpr std::size_t half = std::size_t{1} << 31U;
  static constexpr std::size_t n = 2 * half + 12345;
  const std::vector<byte> values_{7, 9, 7, 200, 7};
  const std::vector<std::uint64_t> lengths_{half, half + 5, n - 2 * half - 7, 1, 1};

  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped()) return;
    std::size_t free_bytes = 0, all_bytes = 0;
    must(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (free_bytes < std::size_t{32} << 30U) GTEST_SKIP() << "needs 32 GB of free device memory, has " << free_bytes;
    in_.reset(static_cast<byte*>(device_space::allocate(n)));
    out_.reset(static_cast<byte*>(device_space::allocate(n)));
    byte* to = in_.get();
    for (std::size_t r = 0; r < values_.size(); ++r) {
      must(cudaMemset(to, values_[r], lengths_[r]));
      to += lengths_[r];
    }
    must(cudaMemset(out_.get(), 0xEE, n));
  }
  [[nodiscard]] view<const byte> in() const { return items(static_cast<const byte*>(in_.get()), n); }
  [[nodiscard]] view<byte> out() const { return items(out_.get(), n); }
  /// An item of the output.
  [[nodiscard]] unsigned out_at(std::size_t i) const {
    byte found = 0;
    device_space::copy(&found, out_.get() + i, 1);
    return found;
  }

 private:
  struct frees {
    void operator()(byte* at) const { device_space::deallocate(at); }
  };
  std::unique_ptr<byte, frees> in_;
  std::unique_ptr<byte, frees> out_;
};

TEST_F(gpu_huge_calls, runs_and_their_lengths) {
  const std::size_t room = values_.size() + 3;
  const guarded<byte, device_space> values(room);
  const guarded<std::uint64_t, device_space> lengths(room), count(1);
  run_lengths(gpu{}, in(), items(values.data(), room), items(lengths.data(), room), count.data());
  EXPECT_EQ(count.read()[0], values_.size());
  const std::vector<byte> found = values.read();
  const std::vector<std::uint64_t> found_lengths = lengths.read();
  for (std::size_t r = 0; r < values_.size(); ++r) {
    EXPECT_EQ(found[r], values_[r]) << r;
    EXPECT_EQ(found_lengths[r], lengths_[r]) << r;
  }
  unique(gpu{}, in(), out(), count.data());
  EXPECT_EQ(count.read()[0], values_.size());
  for (std::size_t r = 0; r < values_.size(); ++r) EXPECT_EQ(out_at(r), values_[r]) << r;
}

TEST_F(gpu_huge_calls, distinct_values_and_the_greatest) {
  const guarded<byte, device_space> few(3), best(2);
  const guarded<std::uint64_t, device_space> count(1);
  distinct(gpu{}, in(), items(few.data(), 3), count.data());
  EXPECT_EQ(count.read()[0], 3U);
  EXPECT_TRUE(same(std::vector<byte>{7, 9, 200}, few.read()));
  top_k(gpu{}, in(), 2, items(best.data(), 2));
  EXPECT_TRUE(same(std::vector<byte>{200, 9}, best.read()));
}

struct is_nine {
  PENEIRA_HD bool operator()(byte x) const { return x == 9; }
};

TEST_F(gpu_huge_calls, parts_in_either_order) {
  const std::uint64_t nines = lengths_[1];
  for (const order within : {order::stable, order::any}) {
    const guarded<std::uint64_t, device_space> counts(2);
    partition(gpu{}, in(), out(), is_nine{}, items(counts.data(), 2), partition_options{.within_part = within});
    EXPECT_TRUE(same(std::vector<std::uint64_t>{nines, n - nines}, counts.read()));
    for (const std::size_t i : {std::size_t{0}, std::size_t{nines / 2}, std::size_t{nines - 1}}) {
      EXPECT_EQ(out_at(i), 9U) << i;
    }
    EXPECT_NE(out_at(nines), 9U);
    if (within == order::any) continue;
    EXPECT_EQ(out_at(nines), 7U);
    EXPECT_EQ(out_at(n - 2), 200U);
    EXPECT_EQ(out_at(n - 1), 7U);
  }
}

}  // namespace peneira::test
