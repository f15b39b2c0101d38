// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Columns of every type that follow positions, one, two and several at once, by every strategy, against the reference;
// and what a caller can get wrong.
#include "peneira/gather.hpp"

#include <numeric>

#include "peneira/gather/reference.hpp"
#include "peneira/sort.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

template <class Item, class Position>
struct gathered {
  using item = Item;
  using position = Position;
};

/// A random permutation of n positions.
template <class Position>
std::vector<Position> make_permutation(std::size_t n, random& next) {
  std::vector<Position> positions(n);
  std::iota(positions.begin(), positions.end(), Position{0});
  for (std::size_t i = n; i > 1; --i) std::swap(positions[i - 1], positions[next.below(i)]);
  return positions;
}

template <class Combo>
class gather_conformance : public ::testing::Test {};
using gather_combos =
    ::testing::Types<gathered<u32, u32>, gathered<std::uint8_t, std::uint64_t>, gathered<double, std::int32_t>,
                     gathered<bytes3, u32>, gathered<bytes24, std::int64_t>, gathered<block<200, std::uint64_t>, u32>>;
TYPED_TEST_SUITE(gather_conformance, gather_combos);

TYPED_TEST(gather_conformance, every_size) {
  using T = typename TypeParam::item;
  using position = typename TypeParam::position;
  random next(seed());
  for (const std::size_t n : {0U, 1U, 2U, 100U, 1023U, 1024U, 1025U, 30000U, 70001U}) {
    const std::vector<T> in = make_keys<T>(shape::uniform, n, next);
    const std::vector<position> order = make_permutation<position>(n, next);
    std::vector<position> some(n == 0 ? 0 : next.below(2 * n));
    for (position& p : some) p = static_cast<position>(next.below(n));
    std::vector<T> wanted(n);
    std::vector<T> wanted_back(n);
    std::vector<T> wanted_some(some.size());
    reference::gather(in.data(), order.data(), n, wanted.data());
    reference::scatter(in.data(), order.data(), n, wanted_back.data());
    reference::gather(in.data(), some.data(), some.size(), wanted_some.data());
    for (const std::string_view strategy : {"", "sequential", "slices"}) {
      const cpu on{.threads = next.pick(host_space::thread_counts)};
      guarded<T> out(n, next.below(5));
      guarded<T> back(n, next.below(5));
      guarded<T> chosen(some.size(), next.below(5));
      gather(on, in, order, items(out.data(), n), {.strategy = strategy});
      scatter(on, in, order, items(back.data(), n), {.strategy = strategy});
      gather(on, in, some, items(chosen.data(), some.size()), {.strategy = strategy});
      EXPECT_TRUE(same(wanted, out.read())) << strategy << ", " << n;
      EXPECT_TRUE(same(wanted_back, back.read())) << strategy << ", " << n;
      EXPECT_TRUE(same(wanted_some, chosen.read())) << strategy << ", " << n;
    }
  }
}

TEST(columns, follow_an_argsort_and_come_back) {
  random next(seed());
  const std::size_t n = 50000;
  const std::vector<float> keys = make_keys<float>(shape::zipf, n, next);
  const std::vector<u32> numbers = make_permutation<u32>(n, next);
  const std::vector<bytes12> blocks = make_keys<bytes12>(shape::uniform, n, next);
  std::vector<u32> order(n);
  argsort(cpu{}, keys, order);
  std::vector<float> sorted(n);
  std::vector<u32> moved(n);
  std::vector<bytes12> with_them(n);
  gather(cpu{.threads = 2}, table(keys, numbers, blocks), order, table(sorted, moved, with_them));
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  std::vector<float> keys_again(n);
  std::vector<u32> numbers_again(n);
  std::vector<bytes12> blocks_again(n);
  scatter(cpu{.threads = 2}, pairs(sorted, moved), order, pairs(keys_again, numbers_again));
  scatter(cpu{.threads = 2}, with_them, order, blocks_again);
  EXPECT_TRUE(same(keys, keys_again));
  EXPECT_TRUE(same(numbers, numbers_again));
  EXPECT_TRUE(same(blocks, blocks_again));
}

TEST(a_scatter, leaves_what_has_no_position) {
  const std::vector<char> in{'a', 'b'};
  std::vector<char> out{'.', '.', '.', '.'};
  scatter(cpu{}, in, std::vector<u32>{3, 0}, out);
  EXPECT_EQ(out, (std::vector<char>{'b', '.', '.', 'a'}));
}

class bad_gather : public ::testing::Test {
 protected:
  std::vector<float> in = std::vector<float>(50000, 1);
  std::vector<float> out = std::vector<float>(50000);
  std::vector<u32> positions = std::vector<u32>(50000);
  void SetUp() override { std::iota(positions.begin(), positions.end(), 0U); }
};

TEST_F(bad_gather, positions_out_of_range_are_named) {
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{1024}, std::size_t{49999}}) {
    const u32 before = std::exchange(positions[wrong], 50000U);
    for (const std::string_view strategy : {"", "sequential", "slices"}) {
      const cpu on{.threads = 3};
      const std::string number = "number " + std::to_string(wrong) + ",";
      const auto gather_it = [&] { gather(on, in, positions, out, {.strategy = strategy}); };
      expect_parts(message_of(gather_it), {"gather: positions", "50000", number, "50000 items"});
      const auto scatter_it = [&] { scatter(on, in, positions, out, {.strategy = strategy}); };
      expect_parts(message_of(scatter_it), {"scatter: positions", "50000", number, "50000 items"});
    }
    positions[wrong] = before;
  }
}

TEST_F(bad_gather, negative_and_wide_positions) {
  const auto error_of = [&](const auto& at) { return message_of([&] { gather(cpu{}, in, at, out); }); };
  expect_parts(error_of(std::vector<int>{0, -1}), {"gather: positions", "has -1 as number 1"});
  expect_parts(error_of(std::vector<std::int64_t>{-5}), {"gather: positions", "has -5 as number 0"});
  expect_parts(error_of(std::vector<std::uint64_t>{std::uint64_t{1} << 32U}), {"has 4294967296 as number 0"});
  const auto from_nothing = [&] { gather(cpu{}, items(in.data(), 0), positions, out); };
  expect_parts(message_of(from_nothing), {"gather: positions", "0 items"});
}

TEST_F(bad_gather, arrays) {
  const auto error_of = [&](auto&& from, auto&& at, auto&& to) {
    const auto plan_it = [&] { explain([&](auto& on) { gather(on, from, at, to); }); };
    std::string said = message_of([&] { gather(cpu{}, from, at, to); });
    EXPECT_EQ(said, message_of(plan_it));
    return said;
  };
  expect_parts(error_of(in, positions, items(out.data(), 9)), {"gather", "out", "9 entries", "50000 positions"});
  expect_parts(error_of(in, positions, in), {"gather", "out", "overlaps the input"});
  std::vector<u32> numbers(50000);
  expect_parts(error_of(numbers, positions, positions), {"gather", "out", "overlaps the positions"});
  const auto in_turn = table(in, numbers);
  expect_parts(error_of(in_turn, positions, table(out, numbers)), {"gather", "out", "overlaps the input"});
  expect_parts(error_of(table(in, in), positions, table(out, out)), {"gather", "out", "columns that overlap"});
  float* const none = nullptr;
  expect_parts(message_of([&] { gather(cpu{}, items(none, 5), positions, out); }), {"gather", "in", "null"});
  expect_parts(message_of([&] { gather(cpu{}, in, positions, items(none, 50000)); }), {"gather", "out", "null"});
  const auto few = [&] { scatter(cpu{}, in, items(positions.data(), 7), out); };
  expect_parts(message_of(few), {"scatter", "positions", "7 entries", "50000 items"});
  numbers.pop_back();
  expect_parts(message_of([&] { table(in, numbers); }), {"table", "column 1", "49999", "50000"});
}

TEST(the_plan_of_a_gather, takes_no_memory_at_any_size) {
  auto* const in = reinterpret_cast<const std::uint8_t*>(std::uintptr_t{1} << 42U);  // never read
  auto* const out = reinterpret_cast<std::uint8_t*>(std::uintptr_t{1} << 44U);
  auto* const at = reinterpret_cast<const std::uint64_t*>(std::uintptr_t{1} << 50U);
  for (unsigned bits = 0; bits <= 40; ++bits) {
    const std::size_t n = std::size_t{1} << bits;
    const plan made = explain([&](auto& on) { gather(on, items(in, n), items(at, n), items(out, n)); });
    EXPECT_EQ(made.primitive, "gather");
    EXPECT_EQ(made.strategy, n * 9 < 64 * 1024 ? "sequential" : "slices");
    EXPECT_EQ(made.temporary_bytes, 0U);
    const plan back = explain([&](auto& on) { scatter(on, items(in, n), items(at, n), items(out, n)); });
    EXPECT_EQ(back.primitive, "scatter");
  }
}

}  // namespace peneira::test
