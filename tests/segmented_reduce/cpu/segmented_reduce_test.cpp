// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// segmented_reduce on the CPU: what it refuses, what it plans, that it repeats itself, and that it goes with
// multisplit.
#include "peneira/segmented_reduce.hpp"

#include <cmath>
#include <functional>

#include "peneira/multisplit.hpp"
#include "tests/reduce/monoids.hpp"
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

struct expected_segments {
  std::size_t n;
  std::size_t segments;
  unsigned threads;
  std::string_view strategy;
  std::uint64_t used;  ///< threads
};

TEST(segmented_reduce_plan, choices_are_pinned) {
  for (const auto& [n, segments, threads, strategy, used] :
       {expected_segments{0, 1, 8, "sequential", 1}, expected_segments{12, 3, 8, "sequential", 1},
        expected_segments{14, 2, 8, "shares", 1}, expected_segments{32767, 1, 8, "shares", 1},
        expected_segments{32768, 1, 8, "shares", 2}, expected_segments{0, 1000000, 8, "shares", 8},
        expected_segments{100000000, 2, 8, "shares", 8}, expected_segments{100000000, 2, 1, "shares", 1}}) {
    const plan made = explain(
        [n = n, segments = segments](auto& on) {
          segmented_reduce(on, items(static_cast<const float*>(nullptr), n),
                           items(static_cast<const u32*>(nullptr), segments + 1),
                           items(static_cast<float*>(nullptr), segments), plus{});
        },
        host{.threads = threads});
    EXPECT_EQ(made.strategy, strategy) << n << " items\n" << to_string(made);
    EXPECT_EQ(made.primitive, "segmented_reduce");
    EXPECT_FALSE(made.why.empty());
    EXPECT_EQ(made.at("reduce").grid, used) << to_string(made);
  }
}

TEST(segmented_reduce_plan, states_the_bytes_that_the_call_takes) {
  random next(seed());
  const auto offsets = make_segments(segment_shape::mixed_with_empty, 200000, 9, 0, next);
  const std::vector<float> numbers(offsets.back(), 1);
  std::vector<float> out(offsets.size() - 1);
  for (const unsigned threads : host_space::thread_counts) {
    segmented_reduce_cpu_strategies::for_each([&](auto strategy) {
      const auto call = [&](auto&& on) {
        segmented_reduce(on, numbers, offsets, out, plus{}, {.strategy = strategy.name});
      };
      const plan made = explain(call, host::here().with_threads(threads));
      counting_memory memory;
      call(cpu{.threads = threads, .memory = &memory});
      EXPECT_EQ(memory.total, made.temporary_bytes) << to_string(made);
      EXPECT_EQ(memory.outstanding, 0);
      if (memory.calls == 0) return;
      memory.fail_at = memory.calls + 1;
      EXPECT_THROW(call(cpu{.threads = threads, .memory = &memory}), std::bad_alloc);
      EXPECT_EQ(memory.outstanding, 0);
    });
  }
}

/// Segments of many sizes and natures, so that every way to combine them is taken, and cuts lie anywhere.
template <class T>
std::vector<std::uint64_t> stretches(random& next) {
  std::vector<std::uint64_t> offsets{next.below(9)};
  const auto stretch = [&](std::size_t count, auto&& size) {
    for (std::size_t k = 0; k < count; ++k) offsets.push_back(offsets.back() + size());
  };
  for (int k = 0; k < 3; ++k) {
    const std::uint64_t most = next.pick(std::array{3, 7, 18, 34, 70, 140, 600});
    stretch(next.below(3000), [&] { return next.below(most); });
    stretch(1024 + next.below(3000), [size = next.below(20)] { return size; });
    stretch(next.below(20), [&] { return 1000 + next.below(30000); });
    stretch(next.below(200), [size = next.below(1200)] { return size; });
    stretch(next.below(500), [&] { return next.below(100) == 0 ? next.below(9000) : next.below(most); });
  }
  return offsets;
}

template <class T>
std::vector<T> rough(std::size_t n, random& next) {
  std::vector<T> numbers(n);
  for (T& x : numbers) x = static_cast<T>(std::ldexp(next.unit() - 0.3, static_cast<int>(next.below(10))));
  return numbers;
}

template <class Result, class T, class Segments, class Op>
void expect_any_threads(const std::vector<T>& numbers, const Segments& segments, std::size_t count, const Op& op,
                        const std::string& what) {
  std::vector<Result> wanted(count);
  segmented_reduce(cpu{.threads = 1}, numbers, segments, wanted, op);
  for (unsigned threads = 2; threads < 12; ++threads) {
    std::vector<Result> got(count);
    segmented_reduce(cpu{.threads = threads}, std::vector<T>(numbers), segments, got, op);
    ASSERT_TRUE(same(wanted, got)) << what << ", " << threads << " threads";
  }
}

TEST(segmented_reduce, has_the_same_bits_with_any_number_of_threads) {
  random next(seed() + 2);
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {3U, 23U, 400U, 7000U}) {
      const auto offsets = make_segments(shape, 100000, size, 0, next);
      const auto numbers = rough<float>(offsets.back(), next);
      expect_any_threads<float>(numbers, offsets, offsets.size() - 1, plus{}, to_string(shape));
    }
  }
  const auto adds = [](double a, double b) { return a + b; };
  for (int k = 0; k < (sanitized ? 2 : 10); ++k) {
    const auto offsets = stretches<float>(next);
    const std::size_t count = offsets.size() - 1;
    const std::string what = "round " + std::to_string(k);
    const auto numbers = rough<float>(offsets.back(), next);
    expect_any_threads<float>(numbers, offsets, count, plus{}, what);
    expect_any_threads<double>(numbers, offsets, count, plus{}, what + " in double");
    expect_any_threads<double>(numbers, offsets, count, op{0, adds}, what + " in order");
    expect_any_threads<double>(rough<double>(offsets.back() + 3, next), offsets, count, plus{}, what + " of doubles");
  }
  const auto numbers = rough<float>(200000, next);
  for (const std::size_t size : {5U, 9U, 40U, 130U, 200U, 5000U, 50000U, 150001U}) {
    const std::size_t count = (numbers.size() + size - 1) / size;
    expect_any_threads<float>(numbers, every{size}, count, plus{}, "every " + std::to_string(size));
  }
}

/// The sum of a segment is as close as reduce's bound of as many items.
template <class T>
void expect_bound(const std::vector<std::uint64_t>& offsets, const std::vector<T>& numbers, const std::string& what) {
  std::vector<T> sums(offsets.size() - 1);
  segmented_reduce(cpu{.threads = 3}, numbers, offsets, sums, plus{});
  for (std::size_t s = 0; s < sums.size(); ++s) {
    long double exact = 0;
    long double magnitudes = 0;
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      exact += numbers[i];
      magnitudes += std::abs(numbers[i]);
    }
    const std::size_t m = offsets[s + 1] - offsets[s];
    const double steps = m == 0 ? 0 : std::log2(static_cast<double>(m)) + 16;
    ASSERT_LE(std::abs(sums[s] - exact), steps * std::numeric_limits<T>::epsilon() / 2 * magnitudes)
        << what << ", segment " << s << " of " << m << " items";
  }
}

TEST(segmented_reduce, keeps_the_bound_of_a_sum) {
  if (!long_doubles_are_long()) GTEST_SKIP() << "valgrind computes with double instead of long double";
  random next(seed() + 3);
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {57U, 700U}) {
      const auto offsets = make_segments(shape, 100000, size, 0, next);
      expect_bound(offsets, rough<float>(offsets.back(), next), to_string(shape));
      expect_bound(offsets, std::vector<float>(offsets.back(), 0.1F), to_string(shape));
      expect_bound(offsets, std::vector<double>(offsets.back(), 0.1), to_string(shape));
    }
  }
  for (int k = 0; k < 5; ++k) {
    const auto offsets = stretches<float>(next);
    expect_bound(offsets, std::vector<float>(offsets.back(), 0.1F), "stretches");
    expect_bound(offsets, std::vector<double>(offsets.back(), 0.1), "stretches");
  }
}

/// NaN here and there: a segment that has one gives NaN, and its first one's position; the others are as without.
template <class T>
void expect_nan(std::uint64_t from) {
  random next(from);
  for (int k = 0; k < 8; ++k) {
    const auto offsets = stretches<T>(next);
    const std::size_t count = offsets.size() - 1;
    auto numbers = rough<T>(offsets.back(), next);
    for (std::size_t i = next.below(50); i < numbers.size(); i += 1 + next.below(k < 4 ? 5 : 3000)) {
      numbers[i] = std::numeric_limits<T>::quiet_NaN();
    }
    const cpu on{.threads = static_cast<unsigned>(1 + next.below(4))};
    std::vector<T> least(count);
    std::vector<T> most(count);
    std::vector<indexed<T>> first(count);
    segmented_reduce(on, numbers, offsets, least, min{});
    segmented_reduce(on, numbers, offsets, most, max{});
    segmented_reduce(on, numbers, offsets, first, arg_max{});
    for (std::size_t s = 0; s < count; ++s) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(offsets[s]);
      const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]);
      const auto nan = std::find_if(begin, end, [](T x) { return std::isnan(x); });
      if (nan != end) {
        ASSERT_TRUE(std::isnan(least[s]) && std::isnan(most[s]) && std::isnan(first[s].value)) << "segment " << s;
        ASSERT_EQ(first[s].index, static_cast<std::uint64_t>(nan - numbers.begin())) << "segment " << s;
      } else if (begin != end) {
        ASSERT_EQ(least[s], *std::min_element(begin, end)) << "segment " << s;
        ASSERT_EQ(most[s], *std::max_element(begin, end)) << "segment " << s;
        const auto at = std::max_element(begin, end);
        ASSERT_EQ(first[s], (indexed<T>{*at, static_cast<std::uint64_t>(at - numbers.begin())})) << "segment " << s;
      } else {
        ASSERT_EQ(least[s], std::numeric_limits<T>::infinity());
        ASSERT_EQ(first[s].index, indexed<T>::none);
      }
    }
  }
}

TEST(segmented_reduce, least_and_greatest_are_nan_where_one_is) {
  expect_nan<float>(seed() + 10);
  expect_nan<double>(seed() + 11);
}

TEST(segmented_reduce, takes_functions_and_operators_of_the_standard_library) {
  const std::vector<u32> numbers{3, 1, 4, 1, 5};
  const std::vector<u32> offsets{0, 3, 3, 5};
  std::vector<u32> out(3);
  segmented_reduce(cpu{}, numbers, offsets, out, std::plus<>{});
  EXPECT_EQ(out, (std::vector<u32>{8, 0, 6}));
  segmented_reduce(cpu{}, numbers, offsets, out, op{9, [](u32 a, u32 b) { return a < b ? a : b; }});
  EXPECT_EQ(out, (std::vector<u32>{1, 9, 1}));
  segmented_reduce(cpu{}, numbers, every{2}, out, op{0, [](u32 a, u32 b) { return a < b ? b : a; }, commutative});
  EXPECT_EQ(out, (std::vector<u32>{3, 4, 5}));
}

/// Group by in two calls: what multisplit leaves is what segmented_reduce takes.
TEST(segmented_reduce, takes_the_offsets_of_multisplit) {
  random next(seed() + 4);
  std::vector<u32> keys(200000);
  std::vector<u32> values(keys.size());
  for (u32& x : keys) x = static_cast<u32>(next.below(1000));
  for (u32& x : values) x = static_cast<u32>(next.below(1000));
  std::vector<u32> grouped_keys(keys.size());
  std::vector<u32> grouped(keys.size());
  std::vector<u32> offsets(1001);
  std::vector<std::uint64_t> sums(1000);
  multisplit(cpu{}, pairs(keys, values), pairs(grouped_keys, grouped), binned{1000, [](u32 k) { return k; }}, offsets);
  segmented_reduce(cpu{}, grouped, offsets, sums, plus{});
  std::vector<std::uint64_t> wanted(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) wanted[keys[i]] += values[i];
  EXPECT_EQ(sums, wanted);
}

/// Random shapes, sizes and thread counts against the definition.
TEST(segmented_reduce, of_random_problems_is_right) {
  random next(seed() + 5);
  for (int k = 0; k < (sanitized ? 40 : 300); ++k) {
    const std::size_t about = std::size_t{1} << next.below(17);
    const auto offsets = make_segments(next.pick(segment_shapes), about, 1 + next.below(100), next.below(20), next);
    std::vector<u32> numbers(offsets.back() + next.below(20));
    for (u32& x : numbers) x = static_cast<u32>(next());
    std::vector<u32> sums(offsets.size() - 1);
    const auto threads = static_cast<unsigned>(1 + next.below(9));
    segmented_reduce(cpu{.threads = threads}, numbers, offsets, sums, plus{}, {.strategy = "shares"});
    std::vector<u32> before(numbers.size() + 1);  // a sum is a difference of sums from the beginning
    for (std::size_t i = 0; i < numbers.size(); ++i) before[i + 1] = before[i] + numbers[i];
    for (std::size_t s = 0; s < sums.size(); ++s) {
      ASSERT_EQ(sums[s], before[offsets[s + 1]] - before[offsets[s]]) << "segment " << s << ", round " << k;
    }
  }
}

/// Segments whose sizes change their nature along the way: mixed, many of one size, mixed with long ones.
template <class T>
void expect_stretches(std::uint64_t from) {
  random next(from);
  std::vector<std::uint64_t> offsets{next.below(9)};
  const auto stretch = [&](std::size_t count, auto&& size) {
    for (std::size_t k = 0; k < count; ++k) offsets.push_back(offsets.back() + size());
  };
  for (int k = 0; k < (sanitized ? 2 : 6); ++k) {
    const std::uint64_t most = next.pick(std::array{3, 7, 18, 34, 70, 140});
    stretch(next.below(20000), [&] { return next.below(most); });
    stretch(1024 + next.below(3000), [size = next.below(20)] { return size; });
    stretch(next.below(3000), [&] { return next.below(500) == 0 ? 4000 + next.below(9000) : next.below(most); });
  }
  std::vector<T> numbers(offsets.back());
  for (T& x : numbers) x = make_item<T, plus>(next);
  const placed<T, host_space> there(numbers, next.below(8));  // not a byte longer, for the sanitizer
  for (const unsigned threads : host_space::thread_counts) {
    std::vector<T> sums(offsets.size() - 1);
    segmented_reduce(cpu{.threads = threads}, items(there.data(), there.size()), offsets, sums, plus{});
    for (std::size_t s = 0; s < sums.size(); ++s) {
      T wanted{};
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) wanted = static_cast<T>(wanted + numbers[i]);
      ASSERT_EQ(sums[s], wanted) << "segment " << s << " of " << offsets[s + 1] - offsets[s] << " items";
    }
  }
}

TEST(segmented_reduce, of_stretches_of_other_sizes_is_right) {
  expect_stretches<float>(seed() + 6);
  expect_stretches<double>(seed() + 7);
  expect_stretches<std::uint8_t>(seed() + 8);
}

/// Windows of so many packs, which read a pack past segments, of any number of segments and any of their sizes.
template <std::size_t Packs, class T, class Fold>
void expect_windows(Fold&& fold) {
  random next(seed() + 9);
  constexpr std::size_t past = detail::pack<T>::lanes;
  constexpr std::size_t lanes = Packs * past;
  for (std::size_t count = 0; count < 600; count = count < 20 ? count + 1 : count * 2) {
    std::vector<u32> offsets{3};
    for (std::size_t s = 0; s < count; ++s) {
      offsets.push_back(offsets.back() + static_cast<u32>(next.below(next.below(5) == 0 ? 4 * lanes : lanes + 2)));
    }
    std::vector<T> made(offsets.back() + past);
    for (T& x : made) x = make_item<T, max>(next);
    const placed<T, host_space> numbers(made);  // not a byte longer, for the sanitizer
    const guarded<T, host_space> most(count);
    fold(numbers.data(), offsets.data(), count, most.data(), max{});
    const std::vector<T> found = most.read();
    for (std::size_t s = 0; s < count; ++s) {
      auto wanted = max::identity<T>();
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) wanted = max{}(wanted, made[i]);
      ASSERT_TRUE(alike(found[s], wanted)) << "segment " << s << " of " << count << ", " << Packs << " packs";
    }
  }
}

/// A sum has the same bits wherever among the others its segment lies, and is close; `most` items may be in one.
template <class T, class Fold>
void expect_sums(std::size_t most, Fold&& fold) {
  random next(seed() + 12);
  std::vector<u32> offsets{3};
  for (std::size_t s = 0; s < 300; ++s) {
    offsets.push_back(offsets.back() + static_cast<u32>(next.below(next.below(5) == 0 ? most + 1 : 40)));
  }
  for (const auto& numbers : {rough<T>(offsets.back() + 64, next), std::vector<T>(offsets.back() + 64, T(0.1))}) {
    std::vector<T> all(300);
    fold(numbers.data(), offsets.data(), 300, all.data(), plus{});
    for (int k = 0; k < 50; ++k) {
      const std::size_t from = next.below(300);
      std::vector<T> some(next.below(300 - from) + 1);
      fold(numbers.data(), offsets.data() + from, some.size(), some.data(), plus{});
      ASSERT_EQ(std::memcmp(some.data(), all.data() + from, some.size() * sizeof(T)), 0) << from;
    }
    for (std::size_t s = 0; s < 300; ++s) {
      long double exact = 0;
      long double magnitudes = 0;
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) exact += numbers[i], magnitudes += std::abs(numbers[i]);
      const std::size_t m = offsets[s + 1] - offsets[s];
      const double steps = std::log2(static_cast<double>(std::max<std::size_t>(m, 1))) + 16;
      ASSERT_LE(std::abs(all[s] - exact), steps * std::numeric_limits<T>::epsilon() / 2 * magnitudes) << m << " items";
    }
  }
}

TEST(windows, give_sums_that_do_not_depend_on_neighbours) {
  if (!long_doubles_are_long()) GTEST_SKIP() << "valgrind computes with double instead of long double";
  expect_sums<float>(detail::window<1, float, plus>::most, [](auto... x) { detail::fold_by_windows<1>(x...); });
  expect_sums<double>(detail::window<1, double, plus>::most, [](auto... x) { detail::fold_by_windows<1>(x...); });
  expect_sums<float>(detail::window<2, float, plus>::most, [](auto... x) { detail::fold_by_windows<2>(x...); });
  expect_sums<double>(detail::window<3, double, plus>::most, [](auto... x) { detail::fold_by_windows<3>(x...); });
  expect_sums<float>(detail::window<4, float, plus>::most, [](auto... x) { detail::fold_by_windows<4>(x...); });
#if defined(PENEIRA_AVX512)
  if (!detail::has_avx512()) return;
  const std::size_t most = detail::masked_window<1, float, plus>::most;
  expect_sums<float>(most, [](auto... x) { detail::fold_by_masks<1>(x...); });
  expect_sums<float>(most, [](auto... x) { detail::fold_by_masks<4>(x...); });
  expect_sums<double>(most / 2, [](auto... x) { detail::fold_by_masks<2>(x...); });
#endif
}

TEST(windows, take_any_segments) {
  expect_windows<2, float>([](auto... with) { return detail::fold_by_windows<1>(with...); });
  expect_windows<16, float>([](auto... with) { return detail::fold_by_windows<4>(with...); });
  expect_windows<4, std::uint16_t>([](auto... with) { return detail::fold_by_windows<2>(with...); });
  expect_windows<8, double>([](auto... with) { return detail::fold_by_windows<3>(with...); });
}

#if defined(PENEIRA_AVX512)
TEST(windows, take_any_segments_by_masks) {
  if (!detail::has_avx512()) GTEST_SKIP() << "no AVX-512";
  expect_windows<4, float>([](auto... with) { return detail::fold_by_masks<1>(with...); });
  expect_windows<16, u32>([](auto... with) { return detail::fold_by_masks<4>(with...); });
  expect_windows<8, double>([](auto... with) { return detail::fold_by_masks<2>(with...); });
  expect_windows<16, std::int64_t>([](auto... with) { return detail::fold_by_masks<4>(with...); });
}
#endif

}  // namespace peneira::test
