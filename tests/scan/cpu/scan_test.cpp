// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a scan promises beside its results: sums of floats that do not depend on the threads, errors that name what is
// wrong, and the memory that its plan states.
#include "peneira/scan.hpp"

#include <cmath>
#include <stdexcept>

#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

/// Three floats, which are added one by one: no register holds them.
struct point {
  float x, y, z;
};
struct add_points {
  point operator()(const point& a, const point& b) const { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  template <class T>
  static T identity() {
    return {0, 0, 0};
  }
};

template <class T>
T drawn(random& next) {
  const auto number = [&] { return static_cast<float>(next.unit() * 2 - 1); };
  if constexpr (std::is_same_v<T, point>) {
    return {number(), number(), number()};
  } else {
    return static_cast<T>(number());
  }
}

template <class T, class Op>
void expect_one_answer_for_all_threads(const Op& op) {
  random next(seed());
  for (const std::size_t n : {1000U, 40000U, 333333U}) {
    std::vector<T> items(n);
    for (T& item : items) item = drawn<T>(next);
    std::vector<u32> offsets{0};
    while (offsets.back() < n) {
      const std::uint64_t most = next.below(4) == 0 ? 200000 : 100;
      offsets.push_back(static_cast<u32>(std::min<std::uint64_t>(n, offsets.back() + next.below(most))));
    }
    for (const bool inclusive : {false, true}) {
      std::vector<T> wanted(n);
      std::vector<T> wanted_of_segments(n);
      scan(cpu{.threads = 1}, items, wanted, op, {.inclusive = inclusive});
      segmented_scan(cpu{.threads = 1}, items, offsets, wanted_of_segments, op, {.inclusive = inclusive});
      for (const unsigned threads : {2U, 3U, 8U}) {
        std::vector<T> out(n);
        scan(cpu{.threads = threads}, items, out, op, {.inclusive = inclusive});
        EXPECT_TRUE(same(wanted, out)) << threads << " threads, " << n << " items";
        segmented_scan(cpu{.threads = threads}, items, offsets, out, op, {.inclusive = inclusive});
        EXPECT_TRUE(same(wanted_of_segments, out)) << threads << " threads, segments of " << n << " items";
      }
    }
  }
}

TEST(a_scan_of_floats, has_the_same_bits_for_every_number_of_threads) {
  expect_one_answer_for_all_threads<float>(plus{});
  expect_one_answer_for_all_threads<double>(plus{});
  expect_one_answer_for_all_threads<double>(multiplies{});
  expect_one_answer_for_all_threads<float>(std::plus<>{});
  expect_one_answer_for_all_threads<point>(add_points{});
}

TEST(a_scan_of_floats, is_close_to_the_sums) {
  random next(seed());
  std::vector<float> items(1000000);
  for (float& item : items) item = static_cast<float>(next.unit());
  std::vector<float> sums(items.size());
  scan(cpu{}, items, sums, plus{}, {.inclusive = true});
  double sum = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    sum += static_cast<double>(items[i]);
    ASSERT_NEAR(static_cast<double>(sums[i]) / sum, 1, 1e-4) << i;
  }
}

TEST(a_scan_of_floats, keeps_nan_from_where_it_is) {
  std::vector<float> items(1000, 1);
  items[500] = std::nanf("");
  std::vector<float> out(items.size());
  for (const unsigned threads : {1U, 2U}) {
    scan(cpu{.threads = threads}, items, out, max{}, {.strategy = "chunks"});
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(std::isnan(out[i]), i > 500) << i;
  }
}

class bad_scan : public ::testing::Test {
 protected:
  std::vector<u32> items = std::vector<u32>(1000, 1);
  std::vector<u32> out = std::vector<u32>(1000);

  template <class Segments>
  void expect_error(const Segments& segments, std::initializer_list<std::string_view> parts) {
    for (const std::string_view strategy : {"", "sequential", "chunks"}) {
      const auto call = [&] {
        segmented_scan(cpu{.threads = 3}, items, segments, out, plus{}, {.strategy = strategy});
      };
      expect_parts(message_of(call), parts);
    }
  }
};

TEST_F(bad_scan, an_output_that_is_too_small_or_overlaps) {
  const auto error_of = [&](auto&& in, auto&& to) { return message_of([&] { scan(cpu{}, in, to, plus{}); }); };
  expect_parts(error_of(items, pn::items(out.data(), 999)), {"scan", "out", "999", "1000"});
  expect_parts(error_of(pn::items(items.data(), 500), pn::items(items.data() + 1, 500)), {"scan", "out", "overlaps"});
  expect_parts(error_of(items, pn::items(reinterpret_cast<float*>(items.data()), 1000)), {"scan", "out", "overlaps"});
  EXPECT_NO_THROW(scan(cpu{}, items, items, plus{}));
  EXPECT_EQ(items[999], 999U);
}

TEST_F(bad_scan, null_pointers) {
  u32* const none = nullptr;
  expect_parts(message_of([&] { scan(cpu{}, pn::items(none, 5), out, plus{}); }), {"scan", "in", "null"});
  expect_parts(message_of([&] { scan(cpu{}, items, pn::items(none, 1000), plus{}); }), {"scan", "out", "null"});
  const auto no_offsets = [&] { segmented_scan(cpu{}, items, pn::items(none, 5), out, plus{}); };
  expect_parts(message_of(no_offsets), {"segmented_scan", "offsets", "null"});
  EXPECT_NO_THROW(scan(cpu{}, pn::items(none, 0), pn::items(none, 0), plus{}));
}

TEST_F(bad_scan, offsets_that_descend_or_run_past_the_items) {
  expect_error(std::vector<u32>{0, 10, 5, 1000}, {"segmented_scan", "offsets", "segment 1", "10 to 5"});
  expect_error(std::vector<u32>{0, 10, 1001}, {"segmented_scan", "offsets", "segment 1", "1001", "1000"});
  expect_error(std::vector<int>{0, -1, 1000}, {"segmented_scan", "offsets", "segment 0"});
  expect_error(std::vector<int>{}, {"segmented_scan", "offsets", "no entries"});
  expect_error(every{0}, {"segmented_scan", "every", "0"});
  EXPECT_NO_THROW(segmented_scan(cpu{}, items, std::vector<u32>{7}, out, plus{}));
}

TEST_F(bad_scan, offsets_within_the_results) {
  std::vector<u32> all(2000, 0);
  const auto call = [&] {
    segmented_scan(cpu{}, items, pn::items(all.data() + 5, 3), pn::items(all.data(), 1000), plus{});
  };
  expect_parts(message_of(call), {"segmented_scan", "out", "offsets"});
}

TEST(a_scan, passes_on_what_the_operator_throws) {
  const std::vector<std::int64_t> items(500000, 1);
  std::vector<std::int64_t> out(items.size());
  const op picky{
      0, [](std::int64_t a, std::int64_t b) { return a + b == 300000 ? throw std::domain_error("enough") : a + b; }};
  for (const unsigned threads : {1U, 2U, 7U}) {
    const auto call = [&] { scan(cpu{.threads = threads}, items, out, picky); };
    EXPECT_EQ(message_of<std::domain_error>(call), "enough");
  }
}

TEST(the_plan_of_a_scan, states_the_memory_that_the_call_takes) {
  for (const std::size_t n : {10U, 65536U, 500000U}) {
    const std::vector<u32> items(n, 1);
    std::vector<std::uint64_t> out(n);
    for (const unsigned threads : {1U, 4U}) {
      const auto expect = [&](std::string_view primitive, auto&& call) {
        counting_memory memory;
        cpu on{.threads = threads, .memory = &memory};
        call(on);
        const plan made = explain(call, host::here().with_threads(threads));
        EXPECT_EQ(made.primitive, primitive);
        EXPECT_EQ(made.strategy, n < 64 ? "sequential" : "chunks");
        EXPECT_EQ(memory.total, made.temporary_bytes);
        EXPECT_EQ(memory.outstanding, 0);
      };
      expect("scan", [&](auto& on) { scan(on, items, out, plus{}); });
      expect("segmented_scan", [&](auto& on) { segmented_scan(on, items, every{77}, out, plus{}); });
    }
  }
}

TEST(a_scan, that_gets_no_memory_leaks_nothing) {
  const std::vector<u32> items(500000, 1);
  std::vector<u32> out(items.size());
  counting_memory memory;
  memory.fail_at = 1;
  const auto call = [&] { scan(cpu{.threads = 2, .memory = &memory}, items, out, plus{}); };
  EXPECT_THROW(call(), std::bad_alloc);
  memory.fail_at = 0;
  EXPECT_NO_THROW(call());
  EXPECT_EQ(memory.outstanding, 0);
  EXPECT_EQ(out.back(), items.size() - 1);
}

}  // namespace peneira::test
