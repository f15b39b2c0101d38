// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// top_k and segmented_top_k on the CPU, beside the reference: every byte that is to be written, and no other.
#include "peneira/top_k.hpp"

#include <sstream>

#include "peneira/top_k/reference.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/sort/conformance.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

/// Items with segments, of which each gives up to k.
template <class Combo>
class top_k_example {
  using K = typename Combo::key;
  using V = typename Combo::value;
  static constexpr bool has_values = view<K, V>::has_values;

 public:
  top_k_example(sort_shape shape, std::size_t n, random& next) : keys_(make_sort_keys<K>(shape, n, next)) {
    if constexpr (has_values) {
      for (std::size_t i = 0; i < n; ++i) values_.push_back(make_value<V>(i));
    }
  }

  /// A call for all of the items, or for segments of them, and the same planned for a machine with tiny caches.
  template <class Given, class Segments>
  void check(const Given& given, const Segments& segments, std::size_t count, std::size_t k, unsigned threads,
             const top_k_options& options) {
    std::ostringstream where;
    where << keys_.size() << " items, " << count << " segments, k " << k << ", " << threads << " threads"
          << (options.least ? ", least" : "") << (options.sorted ? ", sorted" : "");
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
    compare(segments, count, k, options, [&](const auto& in, const auto& out) {
      if constexpr (std::is_same_v<Given, std::nullptr_t>) {
        top_k(cpu{.threads = threads}, in, k, out, options);
      } else {
        segmented_top_k(cpu{.threads = threads}, in, given, k, out, options);
      }
    });
    const host tiny{threads, 1024, 8192, 16384};
    top_k_problem problem{keys_.size(), k, sizeof(K), values_.empty() ? 0 : sizeof(V), options.sorted, count};
    if constexpr (Segments::regular) {
      problem.segment_items = segments.size;
    } else {
      problem.offset_bytes = sizeof(*segments.offsets);
    }
    top_k_cpu_strategies::for_each([&](auto strategy) {
      const auto decided = strategy.decide(problem, tiny);
      compare(segments, count, k, options, [&](const auto& in, const auto& out) {
        strategy.template run<K, V>(cpu{}, decided, in, segments, out, detail::order_of<K>(!options.least));
      });
    });
  }

 private:
  template <class Segments, class Call>
  void compare(const Segments& segments, std::size_t count, std::size_t k, const top_k_options& options, Call&& call) {
    const guarded<K> keys(count * k);
    const guarded<V> values(has_values ? count * k : 0);
    std::vector<K> wanted = keys.read();
    std::vector<V> wanted_values = values.read();
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t begin = segments.begin(s);
      const auto from = reference::top_k(keys_.data() + begin, segments.end(s) - begin, k, options);
      for (std::size_t i = 0; i < from.size(); ++i) {
        wanted[s * k + i] = keys_[begin + from[i]];
        if constexpr (has_values) wanted_values[s * k + i] = values_[begin + from[i]];
      }
    }
    const view<const K, const V> in{keys_.data(), has_values ? values_.data() : nullptr, keys_.size()};
    const view<K, V> out{keys.data(), has_values ? values.data() : nullptr, count * k};
    ASSERT_NO_THROW(call(in, out));
    EXPECT_TRUE(same(wanted, keys.read())) << "in the keys";
    EXPECT_TRUE(same(wanted_values, values.read())) << "in the values";
  }

  std::vector<K> keys_;
  std::vector<V> values_;
};

template <class Combo>
class top_k_conformance : public ::testing::Test {};
using top_k_combos = ::testing::Types<sort_combo<std::uint8_t, no_value>, sort_combo<std::int32_t, no_value>,
                                      sort_combo<float, std::uint32_t>, sort_combo<std::uint64_t, bytes16>>;
TYPED_TEST_SUITE(top_k_conformance, top_k_combos);

TYPED_TEST(top_k_conformance, of_every_shape_and_k) {
  random next(seed());
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{2}, std::size_t{65}, std::size_t{200}, std::size_t{511}, std::size_t{2048},
        std::size_t{4097}, std::size_t{30000}, std::size_t{sanitized ? 70000 : 100000}}) {
    for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) {
      if (n > 5000 && next.below(sanitized ? 4 : 2) != 0) continue;
      top_k_example<TypeParam> example(static_cast<sort_shape>(s), n, next);
      const detail::even_segments all{n, n};
      for (const std::size_t k : {std::size_t{1}, 1 + next.below(n), std::min<std::size_t>(n, 1 + next.below(50)), n}) {
        SCOPED_TRACE("shape " + std::to_string(s));
        const top_k_options options{.least = next.below(2) == 0, .sorted = next.below(2) == 0};
        example.check(nullptr, all, 1, k, static_cast<unsigned>(1 + next.below(4)), options);
      }
    }
  }
}

TYPED_TEST(top_k_conformance, of_segments) {
  random next(seed() + 1);
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {1, 7, 60, 900}) {
      const auto bounds = make_segments(shape, sanitized ? 8000 : 90000, size, next.below(9), next);
      const std::vector<std::uint32_t> offsets(bounds.begin(), bounds.end());
      const auto keys = static_cast<sort_shape>(next.below(static_cast<std::uint64_t>(last_sort_shape) + 1));
      top_k_example<TypeParam> example(keys, bounds.back() + next.below(9), next);
      const detail::offset_segments<std::uint32_t> segments{offsets.data()};
      SCOPED_TRACE(to_string(shape));
      const top_k_options options{.least = next.below(2) == 0, .sorted = next.below(2) == 0};
      example.check(offsets, segments, offsets.size() - 1, 1 + next.below(20), static_cast<unsigned>(1 + next.below(4)),
                    options);
    }
  }
  for (const std::size_t size : {1, 3, 64, 129, 5000}) {
    const std::size_t n = next.below(20000);
    top_k_example<TypeParam> example(sort_shape::zipf, n, next);
    const detail::even_segments segments{size, n};
    example.check(every{size}, segments, segments.count(), 1 + next.below(9), 2, {.sorted = next.below(2) == 0});
  }
}

/// Keys of which no sample tells where the wanted ones are: the look is repeated.
TEST(top_k_selection, is_not_misled) {
  random next(seed());
  const std::size_t n = 300000;
  std::vector<std::uint64_t> keys(n);
  for (auto& x : keys) x = next() >> 20U;
  for (std::size_t i = 0; i < 40000; ++i) keys[n / 3 + i] = ~std::uint64_t{0} - next.below(1U << 20U);  // in one place
  for (const std::size_t k : {std::size_t{1}, std::size_t{39999}, std::size_t{40000}, std::size_t{40001}}) {
    std::vector<std::uint64_t> out(k);
    top_k(cpu{.threads = 3}, keys, k, out);
    const auto from = reference::top_k(keys.data(), n, k);
    for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(out[i], keys[from[i]]);
  }
}

TEST(top_k_arguments, that_cannot_be_right) {
  std::vector<std::uint32_t> keys(100, 1);
  std::vector<std::uint32_t> out(10);
  const auto said = [&](std::size_t k, auto&& to) { return message_of([&] { top_k(cpu{}, keys, k, to); }); };
  expect_parts(said(101, out), {"top_k", "k", "101", "100"});
  expect_parts(said(11, out), {"top_k", "out", "10", "11"});
  expect_parts(said(5, items(keys.data() + 90, 10)), {"top_k", "out", "overlaps the input"});
  expect_parts(said(5, items(static_cast<std::uint32_t*>(nullptr), 10)), {"top_k", "out", "null"});
  expect_parts(message_of([&] { top_k(cpu{}, keys, 3, out, {.strategy = "heap"}); }), {"top_k", "heap", "threshold"});
  expect_parts(message_of([&] { segmented_top_k(cpu{}, keys, every{10}, 2, out); }),
               {"segmented_top_k", "out", "10", "20"});
  expect_parts(message_of([&] {
                 segmented_top_k(cpu{}, keys, std::vector<std::uint32_t>{0, 60, 50}, 2, out);
               }),
               {"segmented_top_k", "offsets", "segment 1 "});
  expect_parts(message_of([&] { segmented_top_k(cpu{}, keys, every{10}, ~std::size_t{0}, out); }),
               {"segmented_top_k", "k"});
  out.assign(10, 7);
  top_k(cpu{}, keys, 0, out);
  EXPECT_EQ(out, std::vector<std::uint32_t>(10, 7));
}

TEST(top_k_plan, states_the_memory_that_a_call_takes) {
  random next(seed());
  for (const std::size_t n : {std::size_t{5}, std::size_t{3000}, std::size_t{300000}}) {
    for (const std::size_t k : {std::size_t{1}, n / 2, n}) {
      const auto keys = make_keys<double>(shape::uniform, n, next);
      std::vector<double> out(3 * k);
      const auto expect_stated = [&](const auto& call) {
        counting_memory memory;
        const plan made = explain(call, host::here().with_threads(3));
        EXPECT_TRUE(text_says_it_all(made));
        call(cpu{.threads = 3, .memory = &memory});
        EXPECT_EQ(memory.total, made.temporary_bytes);
        EXPECT_EQ(memory.calls, made.temporary_bytes == 0 ? 0U : 1U);
        EXPECT_EQ(made.temporary_bytes == 0, n == 5);
        if (made.temporary_bytes == 0) return;
        counting_memory none;
        none.fail_at = 1;
        EXPECT_THROW(call(cpu{.threads = 3, .memory = &none}), std::bad_alloc);
      };
      expect_stated([&](auto&& on) { top_k(on, keys, k, out); });
      expect_stated([&](auto&& on) { segmented_top_k(on, keys, every{n / 2 + 1}, k, out, {.sorted = false}); });
    }
  }
}

/// A million keys from 64 Mi take a sixteenth of them and what a sort of a million takes, on any machine.
TEST(top_k_plan, takes_little_memory) {
  float* const none = nullptr;
  for (const unsigned threads : {1U, 16U}) {
    const auto call = [&](auto& on) { top_k(on, items(none, 64 * mi), mi, items(none, mi)); };
    const auto sorting = [&](auto& on) { sort(on, items(none, mi)); };
    const host machine{.threads = threads};
    EXPECT_LE(explain(call, machine).temporary_bytes,
              64 * mi / 16 * sizeof(float) + 2 * mi + 2 * explain(sorting, machine).temporary_bytes);
  }
}

}  // namespace peneira::test
