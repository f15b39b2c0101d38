// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What segmented_sort and segmented_argsort refuse, and what their plans say.
#include "peneira/segmented_sort.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

class segmented_sort_arguments : public ::testing::Test {
 protected:
  std::vector<u32> keys = std::vector<u32>(100, 1);
  std::vector<u32> out = std::vector<u32>(100);
  std::vector<u32> offsets{0, 10, 10, 50, 100};
};

TEST_F(segmented_sort_arguments, arrays_that_cannot_be_right) {
  const auto sort_to = [&](const auto& in, const auto& segments, auto&& to) {
    return message_of([&] { segmented_sort(cpu{}, in, segments, to); });
  };
  expect_parts(sort_to(keys, offsets, items(out.data(), 99)), {"segmented_sort", "out", "99", "100"});
  expect_parts(sort_to(keys, offsets, items(keys.data() + 1, 99)), {"segmented_sort", "out"});
  expect_parts(sort_to(items(keys.data(), 50), offsets, items(keys.data() + 1, 50)), {"segmented_sort", "overlaps"});
  expect_parts(sort_to(items(keys.data(), 5), offsets, offsets), {"segmented_sort", "out", "offsets"});
  expect_parts(sort_to(items(static_cast<u32*>(nullptr), 100), offsets, out), {"segmented_sort", "in", "null"});
  expect_parts(sort_to(keys, items(static_cast<u32*>(nullptr), 3), out), {"segmented_sort", "offsets", "null"});
  expect_parts(sort_to(keys, every{0}, out), {"segmented_sort", "every", "size 0"});
  expect_parts(sort_to(keys, std::vector<u32>{}, out), {"segmented_sort", "offsets", "no entries"});
  const std::vector<std::int32_t> negative{0, -2, 100};
  expect_parts(sort_to(keys, negative, out), {"segmented_sort", "offsets", "segment 0", "from 0 to -2"});
}

TEST_F(segmented_sort_arguments, numbers_that_cannot_be_right) {
  const auto with = [&](const sort_options& options) {
    return message_of([&] { segmented_sort(cpu{}, keys, offsets, options); });
  };
  expect_parts(with({.last_bit = 33}), {"segmented_sort", "last_bit", "33"});
  expect_parts(with({.first_bit = 32}), {"segmented_sort", "first_bit", "32"});
  expect_parts(with({.strategy = "by_hand"}), {"segmented_sort", "by_hand", segmented_sort_cpu_strategies::names()});
}

TEST_F(segmented_sort_arguments, positions_that_cannot_be_right) {
  const auto sort_to = [&](const auto& segments, auto&& to, const sort_options& options = {}) {
    return message_of([&] { segmented_argsort(cpu{}, keys, segments, to, options); });
  };
  expect_parts(sort_to(offsets, items(out.data(), 99)), {"segmented_argsort", "positions", "99", "100"});
  expect_parts(sort_to(offsets, keys), {"segmented_argsort", "positions", "overlaps the keys"});
  expect_parts(sort_to(items(out.data(), 1), out), {"segmented_argsort", "positions", "overlaps the offsets"});
  expect_parts(sort_to(offsets, out, {.last_bit = 40}), {"segmented_argsort", "last_bit", "40"});
}

/// The first segment that is wrong is named, with any number of threads, and nothing is written.
template <class Offset>
void expect_unsorted(const std::vector<Offset>& offsets, std::size_t n, std::size_t segment) {
  std::vector<u32> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<u32>(n - i);
  const std::vector<u32> before = keys;
  for (const unsigned threads : host_space::thread_counts) {
    const std::string said = message_of([&] { segmented_sort(cpu{.threads = threads}, keys, offsets); });
    expect_parts(said, {"segmented_sort", "offsets", "segment " + std::to_string(segment) + " "});
    EXPECT_EQ(keys, before);
    std::vector<u32> positions(n);
    expect_parts(message_of([&] { segmented_argsort(cpu{.threads = threads}, keys, offsets, positions); }),
                 {"offsets", "segment " + std::to_string(segment) + " "});
  }
}

TEST(segmented_sort_offsets, that_are_wrong_are_named) {
  expect_unsorted<u32>({0, 5, 3, 8}, 10, 1);
  expect_unsorted<u32>({0, 5, 11}, 10, 1);
  expect_unsorted<u32>({11, 12}, 10, 0);
  expect_unsorted<std::uint64_t>({0, 5, ~std::uint64_t{0}, 8}, 10, 1);
  expect_unsorted<std::int32_t>({0, 5, -3, 8}, 10, 1);
  expect_unsorted<std::int64_t>({-1, 5}, 10, 0);
  random next(seed());
  for (int k = 0; k < 20; ++k) {
    auto bounds = make_segments(next.pick(segment_shapes), 150000, 1 + next.below(20), next.below(50), next);
    if (bounds.size() < 3 || bounds.back() == 0) continue;
    const std::size_t at = 1 + next.below(bounds.size() - 2);
    bounds[at] = bounds.back() + 1 + next.below(1U << 30U);
    expect_unsorted(bounds, bounds.back(), at - 1);
  }
}

TEST(segmented_sort_offsets, of_noise_are_refused) {
  random next(seed() + 1);
  for (int k = 0; k < 10; ++k) {
    std::vector<u32> keys(100000);
    std::vector<u32> offsets(10 + next.below(100000));
    for (u32& x : offsets) x = static_cast<u32>(next.below(keys.size()));
    for (const unsigned threads : host_space::thread_counts) {
      expect_parts(message_of([&] { segmented_sort(cpu{.threads = threads}, keys, offsets); }),
                   {"segmented_sort", "offsets", "give segment"});
    }
  }
}

TEST(segmented_sort_plan, states_the_memory_that_a_call_takes) {
  random next(seed());
  for (const std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{3000}, std::size_t{200000}}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{20}, std::size_t{150000}}) {
      std::vector<u32> keys = make_keys<u32>(shape::uniform, n, next);
      std::vector<u32> positions(n);
      const std::vector<u32> bounds{0, static_cast<u32>(n / 3), static_cast<u32>(n)};
      const auto expect_stated = [&](const auto& call) {
        counting_memory memory;
        const plan made = explain(call, host::here().with_threads(3));
        EXPECT_TRUE(text_says_it_all(made));
        EXPECT_EQ(made.primitive, "segmented_sort");
        call(cpu{.threads = 3, .memory = &memory});
        EXPECT_LE(memory.total, made.temporary_bytes);
        EXPECT_EQ(memory.outstanding, 0);
        if (memory.calls == 0) return;  // so few that nothing was planned
        EXPECT_EQ(memory.total, made.temporary_bytes);
        counting_memory none;
        none.fail_at = 1;
        EXPECT_THROW(call(cpu{.threads = 3, .memory = &none}), std::bad_alloc);
      };
      expect_stated([&](auto&& on) { segmented_sort(on, keys, every{size}); });
      expect_stated([&](auto&& on) { segmented_sort(on, keys, bounds); });
      expect_stated([&](auto&& on) { segmented_argsort(on, keys, bounds, positions); });
    }
  }
}

TEST(segmented_sort_plan, of_short_segments_takes_no_copy_of_the_items) {
  u32* const none = nullptr;
  for (const std::size_t n : sizes_to_plan()) {
    const auto call = [&](auto& on) { segmented_sort(on, items(none, n), every{30}); };
    EXPECT_LE(explain(call, host{.threads = 16}).temporary_bytes, 16 * 30 * sizeof(u32) + memory_alignment);
  }
}

}  // namespace peneira::test
