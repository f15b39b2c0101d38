// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of floats on a GPU: how exact they are, and that they repeat their bits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/gpu_reduce_support.cuh"

namespace peneira::test {

using reduces = device_reduce_space::reduces;
using segmented_reduces = device_reduce_space::segmented_reduces;

class gpu_float_sums : public gpu_test {};

/// Numbers of both signs over many magnitudes.
std::vector<float> rough_numbers(std::size_t n, random& next) {
  std::vector<float> numbers(n);
  for (float& x : numbers) {
    x = static_cast<float>(std::ldexp(next.unit() - 0.4, static_cast<int>(next.below(20))));
  }
  return numbers;
}

/// A sum of floats that keeps what each addition loses, and the sum of magnitudes.
struct exact_sum {
  double sum = 0;
  double lost = 0;
  double magnitudes = 0;
  exact_sum(const float* from, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double x = from[i];
      const double next = sum + x;
      lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
      sum = next;
      magnitudes += std::abs(x);
    }
  }
  /// Whether a float is at most `steps` roundings off.
  [[nodiscard]] ::testing::AssertionResult near(float got, double steps) const {
    const double unit = std::numeric_limits<float>::epsilon() / 2;
    const double off = std::abs(static_cast<double>(got) - (sum + lost));
    if (off <= steps * unit * magnitudes) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << got << " is off by " << off / (unit * magnitudes) << " roundings";
  }
};

TEST_F(gpu_float_sums, of_all_items_keep_their_bound_and_repeat_their_bits) {
  random next(seed());
  for (const std::size_t n : {10U, 1000U, 65537U, 3000001U, 40000003U}) {
    const std::vector<float> numbers = rough_numbers(n, next);
    const exact_sum exact(numbers.data(), 0, n);
    const watched<float> in(numbers, 1);
    for_each_name<reduces>([&](std::string_view name) {
      std::vector<float> first;
      for (int run = 0; run < 5; ++run) {
        const guarded<float, device_space> sum(1);
        reduce(gpu{}, in.get(), sum.data(), plus{}, {.strategy = name});
        if (run == 0) first = sum.read();
        EXPECT_TRUE(same(first, sum.read())) << n << " items, run " << run;
      }
      EXPECT_TRUE(exact.near(first[0], static_cast<double>(n) / 512 + 128)) << n << " items";
    });
  }
}

TEST_F(gpu_float_sums, of_segments_keep_their_bound_and_repeat_their_bits) {
  random next(seed() + 1);
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {3U, 57U, 5000U}) {
      const auto bounds = make_segments(shape, 1000000, size, 0, next);
      const std::vector<std::uint32_t> offsets(bounds.begin(), bounds.end());
      const watched<float> in(rough_numbers(offsets.back(), next), 1);
      const watched<std::uint32_t> table(offsets);
      for_each_name<segmented_reduces>([&](std::string_view name) {
        SCOPED_TRACE(to_string(shape));
        std::vector<float> first;
        for (int run = 0; run < 5; ++run) {
          const guarded<float, device_space> sums(offsets.size() - 1);
          segmented_reduce(gpu{}, in.get(), table.get(), items(sums.data(), sums.size()), plus{}, {.strategy = name});
          if (run == 0) first = sums.read();
          ASSERT_TRUE(same(first, sums.read())) << "run " << run;
        }
        for (std::size_t s = 0; s < first.size(); ++s) {
          const exact_sum exact(in.host().data(), offsets[s], offsets[s + 1]);
          const double steps = static_cast<double>(offsets[s + 1] - offsets[s]) / 32 + 128;
          ASSERT_TRUE(exact.near(first[s], steps)) << "segment " << s;
        }
      });
    }
  }
}

/// Segments of one small power of two, of which the last is shorter and begins with a number that swallows the others
/// one by one.
TEST_F(gpu_float_sums, of_even_segments_keep_their_bound) {
  for (const std::size_t size : {2U, 64U, 512U}) {
    const std::size_t n = 20 * size - 1;
    std::vector<float> numbers(n, 1);
    numbers[n - size + 1] = 16777216;
    const watched<float> in(numbers, 1);
    const guarded<float, device_space> sums(20);
    segmented_reduce(gpu{}, in.get(), every{size}, items(sums.data(), 20), plus{}, {.strategy = "even"});
    const std::vector<float> got = sums.read();
    for (std::size_t s = 0; s < 20; ++s) {
      const exact_sum exact(numbers.data(), s * size, std::min(n, (s + 1) * size));
      EXPECT_TRUE(exact.near(got[s], 24)) << "segment " << s << " of " << size;
    }
  }
}

}  // namespace peneira::test
