// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// unique and run_lengths on the CPU: every strategy finds the runs of the reference, and leaves alone what lies around
// the output.
#include <cmath>

#include "peneira/runs/reference.hpp"
#include "peneira/unique.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

template <class K>
class runs : public ::testing::Test {
 protected:
  /// Both calls, with as many threads as may be.
  void check(const std::vector<K>& keys) {
    const auto wanted = reference::run_lengths(keys.data(), keys.size());
    std::vector<K> values;
    std::vector<u32> lengths;
    for (const auto& [value, length] : wanted) {
      values.push_back(value);
      lengths.push_back(static_cast<u32>(length));
    }
    const placed<K, host_space> in(keys);  // not a byte longer, for the sanitizer
    runs_cpu_strategies::for_each([&](auto strategy) {
      for (const unsigned threads : host_space::thread_counts) {
        const ::testing::ScopedTrace trace(
            __FILE__, __LINE__, std::to_string(threads) + " threads, " + std::to_string(keys.size()) + " items");
        const cpu on{.threads = threads};
        const std::size_t room = wanted.size();
        const guarded<K> firsts(room, next_.below(3));
        EXPECT_EQ(unique(on, items(in.data(), in.size()), items(firsts.data(), room), {strategy.name}), room);
        EXPECT_TRUE(same(values, firsts.read()));
        const guarded<K> found(room, next_.below(3));
        const guarded<u32> sizes(room, next_.below(3));
        EXPECT_EQ(run_lengths(on, items(in.data(), in.size()), items(found.data(), room), items(sizes.data(), room),
                              {strategy.name}),
                  room);
        EXPECT_TRUE(same(values, found.read()));
        EXPECT_TRUE(same(lengths, sizes.read()));
      }
    });
  }

  random next_{seed()};
};
using run_key_types = ::testing::Types<std::uint8_t, std::int16_t, u32, std::int64_t, float, double>;
TYPED_TEST_SUITE(runs, run_key_types);

TYPED_TEST(runs, of_every_shape) {
  for (const std::size_t n : {0U, 1U, 2U, 3U, 255U, 256U, 257U, 1000U}) {
    for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) {
      this->check(make_sort_keys<TypeParam>(static_cast<sort_shape>(s), n, this->next_));
    }
  }
}

TYPED_TEST(runs, that_cross_pieces) {
  constexpr std::size_t piece = tuning::cpu_run_piece;
  for (const std::size_t n : {piece - 1, piece, piece + 1, 4 * piece, 5 * piece + 3}) {
    if (sanitized && n > piece + 1) continue;
    for (const std::size_t longest : {std::size_t{2}, std::size_t{300}, piece / 2, 3 * piece, 10 * piece}) {
      std::vector<TypeParam> keys;
      for (std::size_t run = 0; keys.size() < n; ++run) {
        keys.insert(keys.end(), std::min(n - keys.size(), 1 + this->next_.below(longest)),
                    static_cast<TypeParam>(run % 3));
      }
      this->check(keys);
    }
  }
}

TEST(runs_of, floats_are_those_of_equal_numbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> in{-0.0F, 0.0F, 1, nan, -nan, nan, 0.0F, -0.0F};
  std::vector<float> values(8);
  std::vector<std::int64_t> lengths(8);
  ASSERT_EQ(run_lengths(cpu{}, in, values, lengths), 4U);
  lengths.resize(4);
  EXPECT_EQ(lengths, (std::vector<std::int64_t>{2, 1, 3, 2}));
  EXPECT_TRUE(std::signbit(values[0]));  // the first of each run
  EXPECT_FALSE(std::signbit(values[3]));
}

TEST(runs_of, wrong_arguments_are_named) {
  std::vector<u32> in{1, 1, 2, 3};
  std::vector<u32> out(4);
  std::vector<u32> lengths(4);
  expect_parts(message_of([&] { unique(cpu{}, in, items(out.data(), 2)); }), {"unique", "out", "room for 2", "3"});
  expect_parts(message_of([&] { run_lengths(cpu{}, in, out, items(lengths.data(), 1)); }),
               {"run_lengths", "lengths", "room for 1", "3"});
  expect_parts(message_of([&] { unique(cpu{}, in, items(in.data() + 2, 2)); }), {"unique", "out", "overlaps in"});
  expect_parts(message_of([&] { run_lengths(cpu{}, in, out, out); }), {"run_lengths", "overlaps"});
  expect_parts(message_of([&] { unique(cpu{}, items(static_cast<u32*>(nullptr), 3), out); }),
               {"unique", "in", "null pointer"});
  expect_parts(message_of([&] { unique(cpu{}, in, out, {"by_hand"}); }),
               {"unique", "strategy", "by_hand", runs_cpu_strategies::names()});
}

TEST(runs_of, a_plan_states_all_memory) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{70000}, 3 * mi}) {
    const std::vector<u32> in(n, 1);
    std::vector<u32> values(1);
    std::vector<u32> lengths(1);
    const plan made = explain([&](auto& on) { run_lengths(on, in, values, lengths); });
    counting_memory from;
    EXPECT_EQ(run_lengths(cpu{.memory = &from}, in, values, lengths), 1U);
    EXPECT_EQ(from.total, made.temporary_bytes);
    EXPECT_EQ(lengths[0], n);
  }
}

}  // namespace peneira::test
