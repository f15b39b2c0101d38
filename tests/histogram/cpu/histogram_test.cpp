// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a histogram promises beside its counts: sums of floats that do not depend on the threads, errors that name what
// is wrong, and the memory that its plan states.
#include "peneira/histogram.hpp"

#include <numeric>
#include <stdexcept>

#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

template <class Sum>
void expect_one_answer_for_all_threads(u32 bins, std::size_t n, shape s) {
  random next(seed() + bins);
  const std::vector<u32> keys = make_keys<u32>(s, n, next);
  std::vector<float> weights(n);
  for (float& w : weights) w = static_cast<float>(next.unit() * 2 - 1);
  std::vector<Sum> wanted(bins);
  histogram(cpu{.threads = 1}, pairs(keys, weights), hashed{bins}, wanted);
  for (const unsigned threads : {2U, 3U, 5U, 16U, 64U}) {
    std::vector<Sum> sums(bins);
    histogram(cpu{.threads = threads}, pairs(keys, weights), hashed{bins}, sums);
    EXPECT_TRUE(same(wanted, sums)) << threads << " threads, " << bins << " bins, " << n << " items";
  }
}

TEST(a_histogram_of_floats, has_the_same_bits_for_every_number_of_threads) {
  for (const u32 bins : {1U, 7U, 1024U, 1025U, 20000U}) {
    for (const std::size_t n : {1000U, 65536U, 300001U}) {
      expect_one_answer_for_all_threads<float>(bins, n, shape::uniform);
      expect_one_answer_for_all_threads<double>(bins, n, shape::zipf);
    }
  }
}

TEST(a_histogram_of_floats, goes_on_where_a_float_is_full) {
  const std::size_t n = (std::size_t{1} << 24U) + 1000;
  const std::vector<std::uint8_t> keys(n, 1);
  const std::vector<float> ones(n, 1);
  std::vector<float> sums(2);
  histogram(cpu{}, pairs(keys, ones), digit{0, 1}, sums);
  EXPECT_EQ(sums[0], 0);
  EXPECT_EQ(sums[1], static_cast<float>(n));
}

TEST(a_histogram_of_integers, wraps_around) {
  const std::vector<u32> keys(3, 0);
  const std::vector<std::int64_t> weights{std::int64_t{1} << 62U, std::int64_t{1} << 62U, 5};
  std::vector<std::int64_t> sums(2);
  histogram(cpu{}, pairs(keys, weights), digit{0, 1}, sums);
  EXPECT_EQ(sums[0], std::numeric_limits<std::int64_t>::min() + 5);
}

/// A call that counts the keys 0, 1, 2, ... by every strategy.
class bad_histogram : public ::testing::Test {
 protected:
  std::vector<u32> keys = std::vector<u32>(100000);
  std::vector<u32> counts = std::vector<u32>(10);
  void SetUp() override { std::iota(keys.begin(), keys.end(), 0U); }

  template <class In, class F, class Counts>
  void expect_error(In&& in, const F& f, Counts&& to, std::initializer_list<std::string_view> parts) {
    for (const std::string_view strategy : {"", "sequential", "tables"}) {
      expect_parts(message_of([&] { histogram(cpu{.threads = 3}, in, f, to, {.strategy = strategy}); }), parts);
    }
    expect_parts(message_of([&] { explain([&](auto& on) { histogram(on, in, f, to); }); }), parts);
  }
};

TEST_F(bad_histogram, too_few_counts) {
  expect_error(keys, hashed{11}, counts, {"histogram", "counts", "10", "11"});
}

TEST_F(bad_histogram, overlaps) {
  expect_error(keys, hashed{10}, items(keys.data() + 5, 10), {"histogram", "counts", "overlap"});
  std::vector<u32> weights(keys.size());
  expect_error(pairs(keys, weights), hashed{10}, items(weights.data(), 10), {"histogram", "counts", "overlap"});
  const labels by(10, counts.data(), counts.size());
  expect_error(items(keys.data(), 10), by, counts, {"histogram", "counts", "labels"});
}

TEST_F(bad_histogram, counts_too_narrow) {
  auto* const many = reinterpret_cast<const std::uint8_t*>(std::uintptr_t{1} << 40U);  // never read
  const auto call = [&](auto& on) { histogram(on, items(many, std::size_t{1} << 32U), hashed{10}, counts); };
  expect_parts(message_of([&] { explain(call); }), {"histogram", "counts", "32 bits", "4294967296"});
}

TEST_F(bad_histogram, null_pointers) {
  const u32* const none = nullptr;
  u32* const nowhere = nullptr;
  expect_parts(message_of([&] { histogram(cpu{}, items(none, 5), hashed{10}, counts); }), {"histogram", "in", "null"});
  expect_parts(message_of([&] { histogram(cpu{}, keys, hashed{10}, items(nowhere, 10)); }), {"counts", "null"});
  EXPECT_NO_THROW(histogram(cpu{}, items(none, 0), hashed{10}, counts));
  EXPECT_EQ(counts, std::vector<u32>(10));
}

TEST_F(bad_histogram, a_bin_out_of_range_is_told_with_its_item) {
  for (const u32 liar : {0U, 70000U, 99999U}) {
    const binned f{10, [=](u32 key) { return key == liar ? -7 : static_cast<int>(key % 10); }};
    for (const std::string_view strategy : {"", "sequential", "tables"}) {
      const auto call = [&] { histogram(cpu{.threads = 2}, keys, f, counts, {.strategy = strategy}); };
      expect_parts(message_of(call), {"histogram: bin function", "bin -7 ", "item " + std::to_string(liar), "10 bins"});
      std::vector<double> sums(10);
      const auto weigh = [&] { histogram(cpu{.threads = 2}, pairs(keys, keys), f, sums, {.strategy = strategy}); };
      expect_parts(message_of(weigh), {"histogram: bin function", "bin -7 ", "item " + std::to_string(liar)});
    }
  }
}

TEST_F(bad_histogram, splitters_that_descend) {
  const std::vector<u32> borders{5, 3};
  expect_parts(message_of([&] { histogram(cpu{}, keys, splitters{borders}, counts); }), {"histogram", "splitters"});
}

TEST_F(bad_histogram, what_a_function_throws_is_passed_on) {
  const binned f{10, [](u32 key) { return key == 77777 ? throw std::domain_error("seven") : key % 10; }};
  EXPECT_EQ(message_of<std::domain_error>([&] { histogram(cpu{.threads = 3}, keys, f, counts); }), "seven");
}

TEST(a_histogram, of_labels) {
  const std::vector<float> keys(5);
  std::vector<u32> counts(3);
  const std::vector<std::int16_t> by{2, 0, 2, 2, 1};
  histogram(cpu{}, keys, labels{3, by}, counts);
  EXPECT_EQ(counts, (std::vector<u32>{1, 1, 3}));
  const auto call = [&] { histogram(cpu{}, items(keys.data(), 4), labels{3, by}, counts); };
  expect_parts(message_of(call), {"histogram", "labels", "5 entries", "4 items"});
}

TEST(the_plan_of_a_histogram, states_the_memory_that_the_call_takes) {
  random next(seed());
  for (const std::size_t n : {10U, 8191U, 8192U, 65536U, 500000U}) {
    const std::vector<u32> keys = make_keys<u32>(shape::uniform, n, next);
    for (const u32 bins : {2U, 300U, 5000U, 100000U}) {
      for (const unsigned threads : {1U, 4U}) {
        std::vector<float> sums(bins);
        std::vector<u32> counts(bins);
        const auto expect = [&](auto&& call) {
          counting_memory memory;
          cpu on{.threads = threads, .memory = &memory};
          call(on);
          EXPECT_EQ(memory.total, explain(call, host::here().with_threads(threads)).temporary_bytes);
          EXPECT_EQ(memory.outstanding, 0);
        };
        expect([&](auto& on) { histogram(on, keys, hashed{bins}, counts); });
        expect([&](auto& on) { histogram(on, pairs(keys, keys), hashed{bins}, sums); });
        expect([&](auto& on) { histogram(on, pairs(keys, keys), hashed{bins}, counts); });
      }
    }
  }
}

TEST(the_plan_of_a_histogram, is_for_any_size) {
  auto* const keys = reinterpret_cast<const std::uint8_t*>(std::uintptr_t{1} << 40U);  // never read
  auto* const counts = reinterpret_cast<std::uint64_t*>(std::uintptr_t{1} << 50U);
  for (unsigned bits = 0; bits <= 40; ++bits) {
    const auto call = [&](auto& on) {
      histogram(on, items(keys, std::size_t{1} << bits), hashed{1000}, items(counts, 1000));
    };
    const plan made = explain(call, host{.threads = 16});
    EXPECT_EQ(made.primitive, "histogram");
    EXPECT_EQ(made.strategy, bits < 13 ? "sequential" : "tables");
    EXPECT_LE(made.temporary_bytes, std::size_t{16} * 48 * 1024);
  }
}

TEST(a_histogram, that_gets_no_memory_leaks_nothing) {
  random next(seed());
  const std::vector<u32> keys = make_keys<u32>(shape::uniform, 100000, next);
  std::vector<u32> counts(361);
  counting_memory memory;
  const auto call = [&] { histogram(cpu{.threads = 2, .memory = &memory}, keys, hashed{361}, counts); };
  memory.fail_at = 1;
  EXPECT_THROW(call(), std::bad_alloc);
  EXPECT_EQ(memory.outstanding, 0);
  memory.fail_at = 0;
  EXPECT_NO_THROW(call());
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), keys.size());
}

}  // namespace peneira::test
