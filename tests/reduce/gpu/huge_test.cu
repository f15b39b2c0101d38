// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// More items than 32 bits can count, on a device that has room for them.
#include <memory>

#include "tests/reduce/gpu/support.cuh"

namespace peneira::test {

using u64 = std::uint64_t;

/// Bytes of 1 with one 200 near the end, more than 32 bits can count.
class gpu_reduce_huge : public gpu_test {
 protected:
  static constexpr std::size_t n = (std::size_t{1} << 32U) + 12345;
  static constexpr std::size_t high = n - 5;

  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped()) return;
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    must(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (free_bytes < std::size_t{8} << 30U) GTEST_SKIP() << "needs 8 GB of free device memory, has " << free_bytes;
    memory_.reset(device_space::allocate(n + 1));
    bytes_ = static_cast<std::uint8_t*>(memory_.get()) + 1;  // off its alignment
    must(cudaMemset(bytes_, 1, n));
    must(cudaMemset(bytes_ + high, 200, 1));
  }
  [[nodiscard]] view<const std::uint8_t> bytes() const { return items(static_cast<const std::uint8_t*>(bytes_), n); }

 private:
  std::unique_ptr<void, void (*)(void*)> memory_{nullptr, device_space::deallocate};
  std::uint8_t* bytes_ = nullptr;
};

TEST_F(gpu_reduce_huge, reduces_more_than_32_bits_of_items) {
  for_each_name<device_reduce_space::reduces>([&](std::string_view name) {
    const guarded<u64, device_space> sum(1);
    reduce(gpu{}, bytes(), sum.data(), plus{}, {.strategy = name});
    EXPECT_EQ(sum.read()[0], n + 199);
    const guarded<indexed<std::uint8_t>, device_space> most(1);
    reduce(gpu{}, bytes(), most.data(), arg_max{}, {.strategy = name});
    EXPECT_EQ(most.read()[0].index, high);
    EXPECT_EQ(most.read()[0].value, 200);
  });
}

TEST_F(gpu_reduce_huge, segments_of_more_than_32_bits_of_items) {
  const std::vector<u64> offsets{3, u64{1} << 31U, (u64{1} << 32U) + 7, (u64{1} << 32U) + 7, n - 2};
  const watched<u64> table(offsets);
  for_each_name<device_reduce_space::segmented_reduces>([&](std::string_view name) {
    const guarded<u64, device_space> sums(4);
    segmented_reduce(gpu{}, bytes(), table.get(), items(sums.data(), 4), plus{}, {.strategy = name, .checked = true});
    const std::vector<u64> wanted{offsets[1] - offsets[0], offsets[2] - offsets[1], 0, offsets[4] - offsets[3] + 199};
    EXPECT_TRUE(same(wanted, sums.read()));
  });
}

TEST_F(gpu_reduce_huge, segments_of_one_size) {
  for (const std::size_t size : {std::size_t{1000}, n / 3, n - 1, n}) {
    const std::size_t count = (n + size - 1) / size;
    std::vector<u64> wanted(count, size);
    wanted.back() = n - (count - 1) * size;
    wanted[high / size] += 199;
    for_each_name<device_reduce_space::segmented_reduces>(
        [&](std::string_view name) {
          const guarded<u64, device_space> sums(count);
          segmented_reduce(gpu{}, bytes(), every{size}, items(sums.data(), count), plus{}, {.strategy = name});
          EXPECT_TRUE(same(wanted, sums.read())) << size;
        },
        "tiles");
  }
}

}  // namespace peneira::test
