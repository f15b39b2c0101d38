// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a caller can get wrong is told with the argument and the value, before anything is touched.
#include "peneira/multisplit.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

class bad_arguments : public ::testing::Test {
 protected:
  std::vector<u32> keys = std::vector<u32>(100, 1);
  std::vector<u32> values = std::vector<u32>(100, 2);
  std::vector<u32> out = std::vector<u32>(100, 3);
  std::vector<u32> out_values = std::vector<u32>(100, 4);
  std::vector<u32> offsets = std::vector<u32>(11, 5);
  hashed f{10};

  /// What the call says. It must say the same where it is only planned.
  template <class In, class Out, class Offsets>
  std::string error_of(In&& in, Out&& to, Offsets&& table, std::string_view strategy = {}) {
    const std::string planned = planned_error_of(in, to, table, strategy);
    std::string said = message_of([&] { multisplit(cpu{}, in, to, f, table, {.strategy = strategy}); });
    EXPECT_EQ(said, planned);
    return said;
  }
  /// The same for arrays that are nothing but an address and a size.
  template <class In, class Out, class Offsets>
  std::string planned_error_of(In&& in, Out&& to, Offsets&& table, std::string_view strategy = {}) {
    return message_of([&] { explain([&](auto& on) { multisplit(on, in, to, f, table, {.strategy = strategy}); }); });
  }
  void TearDown() override {
    EXPECT_EQ(keys, std::vector<u32>(100, 1));
    EXPECT_EQ(values, std::vector<u32>(100, 2));
  }
};

TEST_F(bad_arguments, out_too_small) {
  expect_parts(error_of(keys, items(out.data(), 99), offsets), {"multisplit", "out", "99", "100"});
}

/// A caller's function that has no bins.
struct of_no_bins {
  [[nodiscard]] static u32 bins() { return 0; }
  u32 operator()(u32 /*key*/) const { return 0; }
};

TEST_F(bad_arguments, no_bins) {
  expect_parts(message_of([&] { multisplit(cpu{}, keys, out, of_no_bins{}, offsets); }),
               {"multisplit", "bin function", "0 bins"});
}

TEST_F(bad_arguments, offsets_too_few) {
  expect_parts(error_of(keys, out, items(offsets.data(), 10)), {"multisplit", "offsets", "10", "11"});
}

TEST_F(bad_arguments, offsets_too_narrow) {
  auto* const from = reinterpret_cast<const std::uint8_t*>(std::uintptr_t{1} << 40U);  // never read
  auto* const to = reinterpret_cast<std::uint8_t*>(std::uintptr_t{1} << 44U);
  const std::size_t n = (std::size_t{1} << 32U) + 7;
  expect_parts(planned_error_of(items(from, n), items(to, n), offsets),
               {"multisplit", "offsets", "32 bits", "4294967303"});
  std::vector<std::int32_t> narrow(11);
  expect_parts(planned_error_of(items(from, std::size_t{1} << 31U), items(to, std::size_t{1} << 31U), narrow),
               {"multisplit", "offsets", "32 bits", "2147483648"});
}

TEST_F(bad_arguments, overlap_of_keys) {
  expect_parts(error_of(items(keys.data(), 50), items(keys.data() + 49, 51), offsets),
               {"multisplit", "out", "overlap"});
  expect_parts(error_of(keys, keys, offsets), {"multisplit", "out", "overlap"});
  expect_parts(error_of(keys, out, items(out.data() + 99, 11)), {"multisplit", "offsets", "overlap"});
  expect_parts(error_of(keys, out, items(keys.data(), 11)), {"multisplit", "offsets", "overlap"});
}

TEST_F(bad_arguments, neighbours_do_not_overlap) {
  std::vector<u32> all(50 + 50 + 11, 1);
  EXPECT_NO_THROW(multisplit(cpu{}, items(all.data(), 50), items(all.data() + 50, 50), f, items(all.data() + 100, 11)));
}

TEST_F(bad_arguments, overlap_of_values) {
  const auto in = pairs(keys, values);
  const auto n = keys.size();
  expect_parts(error_of(in, pairs(out.data(), values.data(), n), offsets), {"multisplit", "out", "overlap", "values"});
  expect_parts(error_of(in, pairs(out.data(), out.data(), n), offsets), {"multisplit", "out", "overlap"});
  expect_parts(error_of(in, pairs(out.data(), keys.data(), n), offsets), {"multisplit", "out", "overlap"});
  expect_parts(error_of(in, pairs(values.data(), out_values.data(), n), offsets), {"multisplit", "out", "overlap"});
  expect_parts(error_of(in, pairs(out, out_values), items(out_values.data(), 11)), {"offsets", "overlap", "values"});
  expect_parts(error_of(in, pairs(out, out_values), items(values.data(), 11)), {"offsets", "overlap", "values"});
}

TEST_F(bad_arguments, columns_of_different_lengths) {
  out_values.pop_back();
  expect_parts(message_of([&] { pairs(out, out_values); }), {"pairs", "values", "99", "100"});
}

TEST_F(bad_arguments, an_unknown_strategy_is_told_the_known_ones) {
  const std::string text = error_of(keys, out, offsets, "sorted_by_hand");
  expect_parts(text, {"multisplit", "strategy", "sorted_by_hand", multisplit_cpu_strategies::names()});
}

TEST_F(bad_arguments, a_strategy_that_refuses_is_named) {
  f = hashed{2};
  expect_parts(error_of(keys, out, offsets, "two_level"), {"multisplit", "strategy", "two_level", "4 bins"});
}

TEST_F(bad_arguments, too_many_bins_to_number_are_refused) {
  f = hashed{0xFFFFFFFFU};
  auto* const table = reinterpret_cast<std::uint64_t*>(std::uintptr_t{1} << 44U);  // never touched
  expect_parts(planned_error_of(keys, out, items(table, std::size_t{1} << 32U), "buffered"),
               {"buffered", "4294967295"});
}

/// Each allocation of a call fails once: nothing leaks, and the same memory serves the next call.
TEST(allocation_failure, leaks_nothing_and_the_next_call_works) {
  random next(seed());
  const std::vector<u32> keys = make_keys<u32>(shape::uniform, 5000, next);
  std::vector<u32> out(keys.size());
  std::vector<u32> offsets(362);
  multisplit_cpu_strategies::for_each([&](auto strategy) {
    for (const unsigned threads : host_space::thread_counts) {
      counting_memory memory;
      const auto call = [&] {
        multisplit(cpu{.threads = threads, .memory = &memory}, keys, out, hashed{361}, offsets,
                   {.strategy = strategy.name});
      };
      call();
      const std::size_t allocations = memory.calls;
      for (std::size_t k = 1; k <= allocations; ++k) {
        memory.fail_at = memory.calls + k;
        EXPECT_THROW(call(), std::bad_alloc) << strategy.name;
        EXPECT_EQ(memory.outstanding, 0) << strategy.name;
      }
      memory.fail_at = 0;
      EXPECT_NO_THROW(call()) << strategy.name;
      EXPECT_EQ(memory.outstanding, 0) << strategy.name;
      EXPECT_EQ(offsets[361], keys.size()) << strategy.name;
    }
  });
}

}  // namespace peneira::test
