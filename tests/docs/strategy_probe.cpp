// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What docs/adding-a-strategy.md promises of the strategy that it adds; and the conformance suite, which finds it by
// itself. strategy_test.py compiles this against a copy of the tree that has the strategy.
#include "tests/multisplit/conformance.hpp"

namespace peneira::test {

using probe_combos = ::testing::Types<on_cpu<std::uint32_t, std::uint16_t, by_function, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(probe, conformance, probe_combos, combo_names);

namespace {

const std::vector<std::uint32_t> keys{31, 5, 77, 12, 58, 2, 90, 33};
const ranges<std::uint32_t> by_tens{10, 0U, 99U};

TEST(added_strategy, can_be_asked_for_by_name) {
  std::vector<std::uint32_t> out(keys.size());
  std::vector<std::uint32_t> offsets(11);
  multisplit(cpu{}, keys, out, by_tens, offsets, {.strategy = "labelled"});
  EXPECT_EQ(out, (std::vector<std::uint32_t>{5, 2, 12, 31, 33, 58, 77, 90}));
  EXPECT_EQ(offsets, (std::vector<std::uint32_t>{0, 2, 3, 3, 5, 5, 6, 6, 7, 7, 8}));
}

TEST(added_strategy, reports_a_function_that_misses) {
  std::vector<std::uint32_t> out(keys.size());
  std::vector<std::uint32_t> offsets(11);
  const binned misses{10, [](std::uint32_t key) { return key; }};
  expect_parts(message_of([&] { multisplit(cpu{}, keys, out, misses, offsets, {.strategy = "labelled"}); }),
               {"multisplit", "bin function", "bin 31", "item 0", "10 bins"});
}

TEST(added_strategy, is_explained) {
  const auto call = [](auto& on) {
    std::uint32_t* const none = nullptr;
    multisplit(on, items(none, 1000), items(none, 1000), by_tens, items(none, 11), {.strategy = "labelled"});
  };
  const plan made = explain(call);
  EXPECT_EQ(made.strategy, "labelled");
  EXPECT_EQ(made.temporary_bytes, 4096U);
  EXPECT_NE(to_string(made).find("label             1 thread"), std::string::npos) << to_string(made);
}

TEST(added_strategy, is_named_where_a_name_is_unknown) {
  std::vector<std::uint32_t> out(keys.size());
  std::vector<std::uint32_t> offsets(11);
  expect_parts(message_of([&] { multisplit(cpu{}, keys, out, by_tens, offsets, {.strategy = "sieve"}); }),
               {"strategy", "\"sieve\" is unknown here", "labelled"});
}

}  // namespace
}  // namespace peneira::test
