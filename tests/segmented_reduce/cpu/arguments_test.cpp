// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What segmented_reduce refuses on the CPU: arguments, and offsets that are wrong.
#include "peneira/segmented_reduce.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

class segmented_reduce_arguments : public ::testing::Test {
 protected:
  std::vector<u32> numbers = std::vector<u32>(100, 1);
  std::vector<u32> offsets{0, 10, 10, 50, 100};
  std::vector<u32> out = std::vector<u32>(4);

  template <class In, class Segments, class Out>
  std::string error_of(const In& in, const Segments& segments, Out&& to, std::string_view strategy = {}) {
    return message_of([&] { segmented_reduce(cpu{}, in, segments, to, plus{}, {.strategy = strategy}); });
  }
};

TEST_F(segmented_reduce_arguments, out_too_small) {
  expect_parts(error_of(numbers, offsets, items(out.data(), 3)), {"segmented_reduce", "out", "3", "4 segments"});
  expect_parts(error_of(numbers, every{30}, items(out.data(), 3)), {"segmented_reduce", "out", "3", "4 segments"});
}

TEST_F(segmented_reduce_arguments, overlaps) {
  expect_parts(error_of(numbers, offsets, items(numbers.data() + 50, 4)), {"segmented_reduce", "out", "items"});
  expect_parts(error_of(numbers, offsets, items(offsets.data() + 1, 4)), {"segmented_reduce", "out", "offsets"});
}

TEST_F(segmented_reduce_arguments, no_segments_to_speak_of) {
  expect_parts(error_of(numbers, every{0}, out), {"segmented_reduce", "every", "size 0"});
  expect_parts(error_of(numbers, std::vector<u32>{}, out), {"segmented_reduce", "offsets", "no entries"});
}

TEST_F(segmented_reduce_arguments, an_unknown_strategy_is_told_the_known_ones) {
  expect_parts(error_of(numbers, offsets, out, "by_hand"),
               {"segmented_reduce", "strategy", "by_hand", segmented_reduce_cpu_strategies::names()});
}

TEST_F(segmented_reduce_arguments, out_may_be_larger_than_needed) {
  out.assign(6, 77);
  segmented_reduce(cpu{}, numbers, offsets, out, plus{});
  EXPECT_EQ(out, (std::vector<u32>{10, 0, 40, 50, 77, 77}));
}

/// Every strategy names the first segment that is wrong, with as many threads as may be, and whatever its offsets are.
template <class Offset>
void expect_named(std::vector<Offset> offsets, std::size_t n, std::size_t segment) {
  const placed<float, host_space> numbers(std::vector<float>(n, 1));  // not a byte longer, for the sanitizer
  std::vector<float> out(offsets.size() - 1);
  segmented_reduce_cpu_strategies::for_each([&](auto strategy) {
    for (const unsigned threads : host_space::thread_counts) {
      const std::string said = message_of([&] {
        segmented_reduce(cpu{.threads = threads}, items(numbers.data(), n), offsets, out, plus{},
                         {.strategy = strategy.name});
      });
      expect_parts(said, {"segmented_reduce", "offsets", "segment " + std::to_string(segment) + " "});
    }
  });
}

TEST(wrong_offsets, are_named) {
  expect_named<u32>({0, 5, 3, 8}, 10, 1);
  expect_named<u32>({0, 5, 11}, 10, 1);
  expect_named<u32>({11, 12}, 10, 0);
  expect_named<u32>({7, 3}, 10, 0);
  expect_named<std::uint64_t>({0, 5, ~std::uint64_t{0}, 8}, 10, 1);
  expect_named<std::int32_t>({0, 5, -3, 8}, 10, 1);
  expect_named<std::int32_t>({-1, 5}, 10, 0);
  expect_named<std::int64_t>({0, -1}, 10, 0);
  expect_named<u32>({0, 5, 0xFFFFFFFFU, 0xFFFFFFFFU}, 10, 1);
}

TEST(wrong_offsets, are_named_among_many) {
  random next(seed());
  for (int k = 0; k < (sanitized ? 20 : 60); ++k) {
    auto bounds = make_segments(next.pick(segment_shapes), 120000, 1 + next.below(20), next.below(50), next);
    if (bounds.size() < 3) continue;
    const std::size_t n = bounds.back();
    const std::size_t at = 1 + next.below(bounds.size() - 2);  // the end of segment at - 1
    const std::uint64_t was = bounds[at];
    const std::uint64_t low = bounds[at - 1];
    switch (next.below(3)) {
      case 0:
        bounds[at] = n + 1 + next.below(1U << 30U);
        break;
      case 1:
        bounds[at] = ~std::uint64_t{0} - next.below(100);
        break;
      default:
        if (low == 0) continue;
        bounds[at] = next.below(low);
    }
    SCOPED_TRACE("segment " + std::to_string(at - 1) + ": " + std::to_string(bounds[at]) + " instead of " +
                 std::to_string(was));
    expect_named<std::uint64_t>(bounds, n, at - 1);
    if (bounds[at] < 0xFFFFFFFFU) expect_named<u32>({bounds.begin(), bounds.end()}, n, at - 1);
  }
}

/// Offsets that are noise must neither be believed nor followed.
TEST(wrong_offsets, of_noise_are_refused) {
  random next(seed() + 1);
  for (int k = 0; k < 20; ++k) {
    const std::size_t n = 100000;
    const placed<float, host_space> numbers(std::vector<float>(n, 1));
    std::vector<u32> offsets(1 + next.below(100000) + 10);
    const std::uint64_t below = next.below(2) == 0 ? n : std::uint64_t{1} << 32U;
    for (u32& x : offsets) x = static_cast<u32>(next.below(below));
    std::vector<float> out(offsets.size());
    for (const unsigned threads : host_space::thread_counts) {
      expect_parts(message_of([&] {
                     segmented_reduce(cpu{.threads = threads}, items(numbers.data(), n), offsets, out, plus{});
                   }),
                   {"segmented_reduce", "offsets", "give segment"});
    }
  }
}

}  // namespace peneira::test
