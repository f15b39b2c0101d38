// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts on a GPU, and sums of integers.
#include "tests/histogram/gpu/conformance.cuh"

namespace peneira::test {

using gpu_histogram_counts = ::testing::Types<counted_on_gpu<std::uint32_t, no_value, by_digit, std::uint32_t>,
                                              counted_on_gpu<std::uint8_t, no_value, by_function, std::int64_t>,
                                              counted_on_gpu<float, no_value, by_ranges, std::uint64_t>,
                                              counted_on_gpu<std::int64_t, no_value, by_splitters, std::int32_t>,
                                              counted_on_gpu<bytes24, no_value, by_function, std::uint32_t>,
                                              counted_on_gpu<std::uint16_t, std::int32_t, by_ranges, std::int64_t>,
                                              counted_on_gpu<std::uint32_t, std::uint64_t, by_hash, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(of_counts, gpu_histogram_conformance, gpu_histogram_counts);

class gpu_histogram : public gpu_test {
 protected:
  random next_{seed()};
};

TEST_F(gpu_histogram, counts_ten_million) {
  const std::vector<std::uint32_t> keys = make_keys<std::uint32_t>(shape::zipf, 10000019, next_);
  const placed<std::uint32_t, device_space> there(keys);
  for (const std::uint32_t bins : {7U, 361U, 4096U, 100003U}) {
    std::vector<std::uint64_t> wanted(bins);
    reference::histogram<std::uint32_t, no_value>({keys.data(), nullptr, keys.size()}, hashed{bins}, wanted.data());
    const guarded<std::uint64_t, device_space> counts(bins);
    histogram(gpu{}, items(there.data(), keys.size()), hashed{bins}, items(counts.data(), bins));
    EXPECT_TRUE(same(wanted, counts.read()));
  }
}

}  // namespace peneira::test
