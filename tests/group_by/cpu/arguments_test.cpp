// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What group_by and distinct refuse, and what they take from the memory that they are given.
#include "peneira/group_by.hpp"

#include "peneira/group.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

class group_by_arguments : public ::testing::Test {
 protected:
  std::vector<u32> keys{3, 1, 3, 2};
  std::vector<float> values{1, 2, 3, 4};
  std::vector<u32> unique_keys = std::vector<u32>(4);
  std::vector<float> sums = std::vector<float>(4);

  template <class Keys, class Values, class UniqueKeys, class Results>
  std::string error_of(const Keys& k, const Values& v, const UniqueKeys& u, const Results& r,
                       std::string_view strategy = {}) {
    return message_of([&] { group_by(cpu{}, k, v, u, r, plus{}, {.strategy = strategy}); });
  }
};

TEST_F(group_by_arguments, too_little_room_is_told_with_the_number_of_groups) {
  group_by_cpu_strategies::for_each([&](auto strategy) {
    expect_parts(error_of(items(keys), items(values), items(unique_keys.data(), 2), items(sums), strategy.name),
                 {"group_by", "unique_keys", "room for 2 groups", "there are 3"});
    expect_parts(error_of(items(keys), items(values), items(unique_keys), items(sums.data(), 1), strategy.name),
                 {"group_by", "results", "room for 1 groups", "there are 3"});
  });
  expect_parts(message_of([&] { distinct(cpu{}, keys, items(unique_keys.data(), 2)); }),
               {"distinct", "out", "room for 2 groups", "there are 3"});
}

TEST_F(group_by_arguments, columns_of_other_sizes) {
  expect_parts(error_of(items(keys), items(values.data(), 3), items(unique_keys), items(sums)),
               {"group_by", "values", "3 entries", "4 keys"});
}

TEST_F(group_by_arguments, null_pointers) {
  expect_parts(error_of(items(static_cast<u32*>(nullptr), 4), items(values), items(unique_keys), items(sums)),
               {"group_by", "keys", "null pointer"});
  expect_parts(error_of(items(keys), items(static_cast<float*>(nullptr), 4), items(unique_keys), items(sums)),
               {"group_by", "values", "null pointer"});
  expect_parts(error_of(items(keys), items(values), items(static_cast<u32*>(nullptr), 4), items(sums)),
               {"group_by", "unique_keys", "null pointer"});
  expect_parts(error_of(items(keys), items(values), items(unique_keys), items(static_cast<float*>(nullptr), 4)),
               {"group_by", "results", "null pointer"});
}

TEST_F(group_by_arguments, overlaps) {
  expect_parts(error_of(items(keys), items(values), items(keys.data() + 3, 1), items(sums)),
               {"group_by", "unique_keys", "overlaps keys"});
  expect_parts(error_of(items(keys), items(values), items(unique_keys), items(values)),
               {"group_by", "results", "overlaps values"});
}

TEST_F(group_by_arguments, an_unknown_strategy_is_told_the_known_ones) {
  expect_parts(error_of(items(keys), items(values), items(unique_keys), items(sums), "by_hand"),
               {"group_by", "strategy", "by_hand", group_by_cpu_strategies::names()});
}

TEST_F(group_by_arguments, more_room_than_groups_is_left_alone) {
  unique_keys.assign(4, 77);
  sums.assign(4, 77);
  EXPECT_EQ(group_by(cpu{}, keys, values, unique_keys, sums, plus{}), 3U);
  EXPECT_EQ(unique_keys, (std::vector<u32>{1, 2, 3, 77}));
  EXPECT_EQ(sums, (std::vector<float>{2, 4, 4, 77}));
}

TEST_F(group_by_arguments, an_operator_of_functional_and_one_of_a_function) {
  std::vector<double> products(4);
  EXPECT_EQ(group_by(cpu{}, keys, values, unique_keys, products, std::multiplies<>{}), 3U);
  EXPECT_EQ(products[2], 3);
  const op last{0.0F, [](float /*a*/, float b) { return b; }};
  EXPECT_EQ(group_by(cpu{}, keys, values, unique_keys, sums, last), 3U);
  EXPECT_EQ(sums[2], 3);
}

TEST(group_by_arguments_of_counts, the_number_of_groups_is_written_where_it_is_asked_for) {
  const std::vector<u32> keys{7, 3, 7, 7, 3};
  const std::vector<float> values{5, 1, 2, 4, 6};
  std::vector<u32> unique_keys(5), offsets(6);
  std::vector<float> sums(5);
  std::uint64_t groups = 0;
  group_by(cpu{}, keys, values, unique_keys, sums, plus{}, &groups);
  EXPECT_EQ(groups, 2U);
  std::int32_t narrow = 0;
  group_by(cpu{}, keys, unique_keys, aggregates{aggregate(values, plus{}, sums)}, &narrow);
  EXPECT_EQ(narrow, 2);
  distinct(cpu{}, keys, unique_keys, &groups);
  EXPECT_EQ(groups, 2U);
  group(cpu{}, pairs(keys, values), unique_keys, offsets, sums, &narrow);
  EXPECT_EQ(narrow, 2);
  expect_parts(message_of([&] { distinct(cpu{}, keys, unique_keys, unique_keys.data()); }),
               {"distinct", "count", "overlaps"});
}

enum class grain : std::int8_t { rye = -1, oats, wheat };

TEST_F(group_by_arguments, keys_of_an_enum) {
  const std::vector<grain> sacks{grain::wheat, grain::rye, grain::wheat};
  std::vector<grain> grains(3);
  EXPECT_EQ(distinct(cpu{}, sacks, grains), 2U);
  EXPECT_EQ(grains[0], grain::rye);
  EXPECT_EQ(grains[1], grain::wheat);
}

}  // namespace peneira::test
