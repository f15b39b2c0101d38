// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Partitions into two and three parts of every type, shape and size by every strategy, against the reference; and what
// a caller can get wrong.
#include "peneira/partition.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "peneira/partition/reference.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

template <class Key, class Value>
struct partitioned {
  using key = Key;
  using value = Value;
};

template <class Combo>
class partition_conformance : public ::testing::Test {
  using K = typename Combo::key;
  using V = typename Combo::value;
  static constexpr bool has_values = view<K, V>::has_values;

 protected:
  void check(std::size_t n, shape s) {
    const placed<K, host_space> keys(make_keys<K>(s, n, next_), next_.below(3));
    std::vector<V> numbers(has_values ? n : 0);
    if constexpr (has_values) {
      for (std::size_t i = 0; i < n; ++i) numbers[i] = make_key<V>(mix64(i), i);
    }
    const view<const K, const V> in{keys.data(), numbers.data(), n};
    const K pivot = n == 0 ? K{} : keys.data()[next_.below(n)];
    expect<2>(
        in, [=](const K& key) { return key < pivot; }, [=](const K& key) { return key < pivot ? 0U : 1U; });
    expect<2>(
        in, [=](const K& key) { return !(key < pivot); }, [=](const K& key) { return key < pivot ? 1U : 0U; });
    const auto third = [=](const K& key) { return key < pivot ? 2U : pivot < key ? 0U : 1U; };
    expect<3>(in, third, third);
    expect<3>(in, around<K>{pivot}, [=](const K& key) { return 2 - third(key); });
  }
  random& next() { return next_; }

 private:
  template <unsigned Ways, class F, class PartOf>
  void expect(view<const K, const V> in, const F& f, const PartOf& part_of) {
    std::vector<K> wanted_keys(in.size);
    std::vector<V> wanted_values(has_values ? in.size : 0);
    std::vector<std::uint64_t> wanted(Ways);
    reference::partition(in, view<K, V>{wanted_keys.data(), wanted_values.data(), in.size}, Ways, part_of,
                         wanted.data());
    for (const std::string_view strategy : {"", "sequential", "slices"}) {
      const cpu on{.threads = next_.pick(host_space::thread_counts)};
      std::ostringstream where;
      where << strategy << ", " << in.size << " items, " << Ways << " ways, " << on.threads << " threads";
      const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
      guarded<K> keys(in.size, next_.below(5));
      guarded<V> values(has_values ? in.size : 0, next_.below(5));
      guarded<std::uint64_t> counts(Ways);
      partition(on, in, view<K, V>{keys.data(), values.data(), in.size}, f, items(counts.data(), Ways),
                {.strategy = strategy});
      EXPECT_EQ(wanted, counts.read());
      EXPECT_TRUE(same(wanted_keys, keys.read()));
      if constexpr (has_values) {
        EXPECT_TRUE(same(wanted_values, values.read()));
      }
    }
  }

  random next_{seed()};
};

using partition_combos =
    ::testing::Types<partitioned<u32, no_value>, partitioned<std::int8_t, no_value>, partitioned<double, no_value>,
                     partitioned<bytes3, no_value>, partitioned<bytes64, no_value>, partitioned<u32, u32>,
                     partitioned<float, std::uint64_t>, partitioned<std::uint64_t, u32>,
                     partitioned<std::uint64_t, std::uint8_t>, partitioned<std::uint8_t, bytes33>>;
TYPED_TEST_SUITE(partition_conformance, partition_combos);

TYPED_TEST(partition_conformance, every_size) {
  for (const std::size_t n :
       {0U, 1U, 2U, 3U, 4U, 5U, 15U, 16U, 17U, 31U, 32U, 33U, 127U, 128U, 129U, 1023U, 1024U, 1025U, 5000U}) {
    this->check(n, this->next().pick(all_shapes));
  }
}

TYPED_TEST(partition_conformance, every_shape) {
  for (const shape s : all_shapes) this->check(20000 + this->next().below(60000), s);
}

TEST(a_partition, returns_its_counts) {
  const std::vector<int> keys{5, -1, 7, 0, -3};
  std::vector<int> out(5);
  const auto [negative, others] = partition(cpu{}, keys, out, [](int key) { return key < 0; });
  EXPECT_EQ(negative, 2U);
  EXPECT_EQ(others, 3U);
  EXPECT_EQ(out, (std::vector<int>{-1, -3, 5, 7, 0}));
  const std::array<std::size_t, 3> three = partition(cpu{}, keys, out, around{0}, {.within_part = order::any});
  EXPECT_EQ(three, (std::array<std::size_t, 3>{2, 1, 2}));
}

/// A key that nobody can make but from a number.
struct ticket {
  explicit ticket(u32 of) : number(of) {}
  u32 number;
};

TEST(a_partition, of_keys_without_a_default) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{100}}) {
    std::vector<ticket> keys;
    for (std::size_t i = 0; i < n; ++i) keys.emplace_back(static_cast<u32>(i));
    std::vector<ticket> out(n, ticket(0));
    const auto [odd, even] = partition(cpu{}, keys, out, [](const ticket& t) { return t.number % 2 == 1; });
    EXPECT_EQ(odd, n / 2);
    EXPECT_EQ(even, n - n / 2);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i].number, i < odd ? 2 * i + 1 : 2 * (i - odd));
  }
}

/// The lowest bit tells whether a product was rounded before something was taken from it. What is said of a key must
/// not depend on which loop asks.
TEST(a_partition, by_what_a_function_rounds) {
  random next(seed());
  const auto odd = [](float x) { return (std::bit_cast<u32>(x * x - 1.5F) & 1U) != 0; };
  for (const std::size_t n : {std::size_t{9}, std::size_t{300}, std::size_t{200000}}) {
    std::vector<float> keys(n), out(n);
    for (float& x : keys) x = 1 + std::ldexp(static_cast<float>(next.below(1U << 22U)), -22);
    std::vector<std::uint8_t> values(n), moved(n);
    const auto wanted = static_cast<std::size_t>(std::count_if(keys.begin(), keys.end(), odd));
    EXPECT_EQ(partition(cpu{}, keys, out, odd)[0], wanted);
    EXPECT_EQ(partition(cpu{}, pairs(keys, values), pairs(out, moved), odd)[0], wanted);
    EXPECT_TRUE(std::all_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(wanted), odd));
  }
}

TEST(a_partition, around_nan) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> keys{1, nan, -1, INFINITY, nan};
  std::vector<float> out(5);
  const auto around_number = partition(cpu{}, keys, out, around{1.0F});
  EXPECT_EQ(around_number, (std::array<std::size_t, 3>{1, 1, 3}));
  const auto around_nan = partition(cpu{}, keys, out, around{nan});
  EXPECT_EQ(around_nan, (std::array<std::size_t, 3>{3, 2, 0}));
  EXPECT_EQ(out[2], INFINITY);
}

TEST(a_partition, around_a_pivot_of_another_type) {
  const std::vector<std::int64_t> keys{-1, 5, std::int64_t{1} << 40U, 7};
  std::vector<std::int64_t> out(4);
  const auto counts = partition(cpu{}, keys, out, around{5U});
  EXPECT_EQ(counts, (std::array<std::size_t, 3>{1, 1, 2}));
}

TEST(a_partition, has_nan_and_zeros_where_it_says) {
  const std::vector<float> keys{std::nanf(""), -0.0F, 1, 0.0F, -1};
  std::vector<float> out(5);
  const auto counts = partition(cpu{}, keys, out, around{0.0F});
  EXPECT_EQ(counts, (std::array<std::size_t, 3>{1, 2, 2}));
  EXPECT_TRUE(std::signbit(out[1]));
  EXPECT_FALSE(std::signbit(out[2]));
  EXPECT_TRUE(std::isnan(out[3]));
}

class bad_partition : public ::testing::Test {
 protected:
  std::vector<u32> keys = std::vector<u32>(100000, 1);
  std::vector<u32> out = std::vector<u32>(100000, 2);
  std::vector<u32> counts = std::vector<u32>(3);
  static constexpr auto is_odd = [](u32 key) { return key % 2 == 1; };

  template <class In, class Out, class Counts>
  std::string error_of(In&& in, Out&& to, Counts&& sizes) {
    const auto plan_it = [&] { explain([&](auto& on) { partition(on, in, to, is_odd, sizes); }); };
    std::string said = message_of([&] { partition(cpu{}, in, to, is_odd, sizes); });
    EXPECT_EQ(said, message_of(plan_it));
    return said;
  }
};

TEST_F(bad_partition, arrays) {
  expect_parts(error_of(keys, items(out.data(), 99), counts), {"partition", "out", "99", "100000"});
  expect_parts(error_of(keys, out, items(counts.data(), 1)), {"partition", "counts", "1 entries", "2 parts"});
  expect_parts(error_of(keys, keys, counts), {"partition", "out", "overlaps"});
  expect_parts(error_of(keys, out, items(out.data(), 2)), {"partition", "counts", "overlap"});
  expect_parts(error_of(pairs(keys, keys), pairs(out, out), counts), {"partition", "out", "overlap"});
  u32* const none = nullptr;
  expect_parts(message_of([&] { partition(cpu{}, items(none, 5), out, is_odd, counts); }), {"partition", "in", "null"});
  expect_parts(message_of([&] { partition(cpu{}, keys, items(none, 100000), is_odd); }), {"partition", "out", "null"});
}

TEST_F(bad_partition, a_third_function_that_lies) {
  keys[77777] = 5;
  for (const std::string_view strategy : {"", "sequential", "slices"}) {
    for (const unsigned threads : {1U, 3U}) {
      const auto call = [&] {
        partition(cpu{.threads = threads}, keys, out, [](u32 key) { return static_cast<int>(key) - 7; }, counts,
                  {.strategy = strategy});
      };
      expect_parts(message_of(call), {"partition: bin function", "bin -", "3 bins"});
      const auto once = [&] {
        partition(cpu{.threads = threads}, keys, out, [](u32 key) { return key == 5 ? 3 : 0; }, counts,
                  {.strategy = strategy});
      };
      expect_parts(message_of(once), {"partition: bin function", "bin 3 ", "item 77777"});
    }
  }
}

TEST_F(bad_partition, a_function_that_changes_its_mind_writes_nothing_outside) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "members of a team that a function misleads may write the same item: a race by contract";
#endif
  for (const unsigned threads : {1U, 3U}) {
    guarded<u32> to(keys.size());
    std::atomic<std::size_t> asked{0};
    const auto f = [&](u32 /*key*/) { return asked++ < keys.size(); };
    const auto call = [&] {
      partition(cpu{.threads = threads}, keys, items(to.data(), to.size()), f, {.strategy = "slices"});
    };
    expect_parts(message_of(call), {"partition", "different"});
    static_cast<void>(to.read());
  }
}

TEST_F(bad_partition, what_a_function_throws_is_passed_on) {
  keys[77777] = 5;
  const auto f = [](u32 key) { return key == 5 ? throw std::domain_error("five") : true; };
  EXPECT_EQ(message_of<std::domain_error>([&] { partition(cpu{.threads = 3}, keys, out, f); }), "five");
}

TEST(the_plan_of_a_partition, states_the_memory_that_the_call_takes) {
  for (const std::size_t n : {10U, 16383U, 16384U, 500000U}) {
    const std::vector<u32> keys(n, 1);
    std::vector<u32> out(n);
    for (const unsigned threads : {1U, 4U}) {
      const auto call = [&](auto& on) { partition(on, keys, out, around{3U}); };
      counting_memory memory;
      cpu on{.threads = threads, .memory = &memory};
      call(on);
      const plan made = explain(call, host::here().with_threads(threads));
      EXPECT_EQ(made.primitive, "partition");
      EXPECT_EQ(made.strategy, n < 16384 ? "sequential" : "slices");
      EXPECT_EQ(memory.total, made.temporary_bytes);
      EXPECT_EQ(memory.outstanding, 0);
    }
  }
}

}  // namespace peneira::test
