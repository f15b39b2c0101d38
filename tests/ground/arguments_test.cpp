// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What every call takes and what it refuses, whatever it is for: addresses, types of keys and positions, threads.
#include <array>
#include <cmath>
#include <limits>
#include <list>
#include <span>
#include <string>

#include "peneira/peneira.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The call throws on a CPU and names all parts; planned for either place it is taken.
template <class Call>
void expect_refused_unless_planned(const Call& call, std::initializer_list<std::string_view> parts) {
  const cpu on{};
  expect_parts(message_of([&] { call(on); }), parts);
  EXPECT_NO_THROW(explain(call, host{}));
  EXPECT_NO_THROW(explain(call, device{}));
}
/// The call throws wherever it is made or planned.
template <class Call>
void expect_refused(const Call& call, std::initializer_list<std::string_view> parts) {
  const cpu on{};
  expect_parts(message_of([&] { call(on); }), parts);
  expect_parts(message_of([&] { explain(call, host{}); }), parts);
  expect_parts(message_of([&] { explain(call, device{}); }), parts);
}

class arguments : public ::testing::Test {
 protected:
  static constexpr std::size_t n = 100;
  std::vector<u32> keys = std::vector<u32>(n, 1);
  std::vector<u32> values = std::vector<u32>(n, 2);
  std::vector<u32> out = std::vector<u32>(n, 3);
  std::vector<u32> moved = std::vector<u32>(n, 4);
  std::vector<u32> offsets = std::vector<u32>(11, 0);
  u64 sum = 0;
  u32* none = nullptr;
  hashed f{10};

  /// As many items as fit, from a byte that no u32 starts at.
  view<u32> astray(std::vector<u32>& in) {
    return items(reinterpret_cast<u32*>(reinterpret_cast<char*>(in.data()) + 1), in.size() - 1);
  }
};

TEST_F(arguments, null_pointers_are_refused_by_multisplit) {
  const auto nothing = items(none, n);
  expect_refused_unless_planned([&](auto& on) { multisplit(on, nothing, out, f, offsets); },
                                {"multisplit", "in", "null", "100"});
  expect_refused_unless_planned([&](auto& on) { multisplit(on, keys, nothing, f, offsets); },
                                {"multisplit", "out", "null", "100"});
  expect_refused_unless_planned([&](auto& on) { multisplit(on, keys, out, f, items(none, 11)); },
                                {"multisplit", "offsets", "null", "11"});
  expect_refused_unless_planned(
      [&](auto& on) { multisplit(on, pairs(keys.data(), none, n), pairs(out, moved), f, offsets); },
      {"multisplit", "in's values", "null"});
  expect_refused_unless_planned(
      [&](auto& on) { multisplit(on, pairs(keys, values), pairs(out.data(), none, n), f, offsets); },
      {"multisplit", "out's values", "null"});
  expect_refused_unless_planned([&](auto& on) { multisplit(on, keys, out, splitters(none, 9), offsets); },
                                {"multisplit", "splitters", "null", "9"});
}

TEST_F(arguments, splitters_that_do_not_ascend_are_refused) {
  std::vector<u32> borders{1, 5, 5, 9};
  EXPECT_NO_THROW(multisplit(cpu{}, keys, out, splitters(borders), offsets));
  borders[3] = 4;
  expect_refused_unless_planned([&](auto& on) { multisplit(on, keys, out, splitters(borders), offsets); },
                                {"multisplit", "splitters", "ascend", "number 3"});
}

TEST_F(arguments, null_pointers_are_refused_by_sorts) {
  const auto nothing = items(none, n);
  expect_refused_unless_planned([&](auto& on) { sort(on, nothing); }, {"sort", "in", "null", "100"});
  expect_refused_unless_planned([&](auto& on) { sort(on, keys, nothing); }, {"sort", "out", "null"});
  expect_refused_unless_planned([&](auto& on) { sort(on, pairs(keys.data(), none, n)); }, {"sort", "values", "null"});
  expect_refused_unless_planned([&](auto& on) { argsort(on, nothing, out); }, {"argsort", "keys", "null"});
  expect_refused_unless_planned([&](auto& on) { argsort(on, keys, nothing); }, {"argsort", "positions", "null"});
}

TEST_F(arguments, null_pointers_are_refused_by_reductions) {
  const auto nothing = items(none, n);
  std::vector<u64> sums(10);
  u64* const nowhere = nullptr;
  expect_refused_unless_planned([&](auto& on) { reduce(on, nothing, &sum, plus{}); }, {"reduce", "in", "null"});
  expect_refused_unless_planned([&](auto& on) { reduce(on, keys, nowhere, plus{}); }, {"reduce", "result", "null"});
  expect_refused_unless_planned([&](auto& on) { segmented_reduce(on, nothing, every{10}, sums, plus{}); },
                                {"segmented_reduce", "in", "null"});
  expect_refused_unless_planned([&](auto& on) { segmented_reduce(on, keys, every{10}, items(nowhere, 10), plus{}); },
                                {"segmented_reduce", "out", "null"});
  expect_refused_unless_planned([&](auto& on) { segmented_reduce(on, keys, items(none, 11), sums, plus{}); },
                                {"segmented_reduce", "offsets", "null"});
}

TEST_F(arguments, null_pointers_are_refused_by_sort_strings) {
  const std::array<u32, 3> starts{0, 2, 4};
  const strings<u32> text("ryeo", starts);
  expect_refused_unless_planned([&](auto& on) { sort_strings(on, text, items(none, 2)); },
                                {"sort_strings", "permutation", "null"});
  const u32* const no_starts = nullptr;
  expect_refused_unless_planned([&](auto& on) { sort_strings(on, strings<u32>("ryeo", no_starts, 2), out); },
                                {"sort_strings", "starts", "null"});
  expect_refused_unless_planned([&](auto& on) { sort_strings(on, strings<u32>(nullptr, starts), out); },
                                {"sort_strings", "chars", "null"});
}

TEST_F(arguments, nothing_may_be_nowhere) {
  const auto nothing = items(none, 0);
  EXPECT_NO_THROW(sort(cpu{}, nothing));
  EXPECT_NO_THROW(argsort(cpu{}, nothing, nothing));
  EXPECT_NO_THROW(multisplit(cpu{}, nothing, nothing, f, offsets));
  EXPECT_NO_THROW(reduce(cpu{}, nothing, &sum, plus{}));
  EXPECT_NO_THROW(segmented_reduce(cpu{}, nothing, every{1}, nothing, plus{}));
  EXPECT_NO_THROW(sort_strings(cpu{}, strings<u32>{}, nothing));
}

TEST_F(arguments, addresses_between_items_are_refused) {
  expect_refused([&](auto& on) { sort(on, astray(keys)); }, {"sort", "in", "0x", "aligned to 4 bytes"});
  expect_refused([&](auto& on) { multisplit(on, astray(keys), out, f, offsets); }, {"multisplit", "in", "aligned"});
  expect_refused([&](auto& on) { multisplit(on, keys, out, f, astray(moved)); }, {"multisplit", "offsets", "aligned"});
  expect_refused([&](auto& on) { reduce(on, astray(keys), &sum, plus{}); }, {"reduce", "in", "aligned"});
  expect_refused([&](auto& on) { argsort(on, keys, items(astray(values).keys, n)); }, {"argsort", "positions"});
}

TEST_F(arguments, a_million_threads_are_not_started) {
  const cpu many{.threads = 1'000'000};
  random next(seed());
  const std::vector<u32> numbers = make_keys<u32>(shape::uniform, 20000, next);
  const host machine = host::here().with_threads(many.threads);
  EXPECT_LE(machine.threads, std::max(host::most_threads, host::here().threads));
  EXPECT_EQ(host::here().with_threads(7).threads, 7U);
  const auto call = [&](auto& on) { sort(on, numbers, moved); };
  moved.resize(numbers.size());
  EXPECT_LT(explain(call, machine).temporary_bytes, std::size_t{1} << 30U);
  EXPECT_NO_THROW(call(many));
  std::vector<u32> wanted = numbers;
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(moved, wanted);
}

enum class grain : std::int8_t { rye = -2, oats, wheat, maize };

TEST(types, enums_are_sorted_by_their_numbers) {
  std::vector<grain> crops{grain::maize, grain::rye, grain::wheat, grain::oats, grain::rye};
  std::vector<u64> positions(5);
  argsort(cpu{}, crops, positions);
  EXPECT_EQ(positions, (std::vector<u64>{1, 4, 3, 2, 0}));
  sort(cpu{}, crops);
  EXPECT_EQ(crops, (std::vector<grain>{grain::rye, grain::rye, grain::oats, grain::wheat, grain::maize}));
}

TEST(types, enums_are_split_and_are_bins) {
  const std::vector<grain> crops{grain::maize, grain::rye, grain::wheat, grain::oats, grain::rye};
  std::vector<grain> out(5);
  std::vector<u32> offsets(5);
  multisplit(cpu{}, crops, out, ranges{4, -2, 1}, offsets);
  EXPECT_EQ(offsets, (std::vector<u32>{0, 2, 3, 4, 5}));
  enum class parity : unsigned { even, odd };
  const std::vector<u32> numbers{4, 1, 3, 2};
  std::vector<u32> parted(4);
  multisplit(cpu{}, numbers, parted, binned{2, [](u32 number) { return static_cast<parity>(number % 2); }}, offsets);
  EXPECT_EQ(parted, (std::vector<u32>{4, 2, 1, 3}));
  const auto missing = binned{2, [](u32 number) { return static_cast<parity>(number); }};
  expect_parts(message_of([&] { multisplit(cpu{}, numbers, parted, missing, offsets); }), {"bin 4", "item 0"});
}

TEST(types, ranges_of_another_signedness_are_right_by_every_strategy) {
  std::vector<std::int32_t> keys(5000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<std::int32_t>(mix32(static_cast<u32>(i)) % 300) - 100;
  std::vector<std::int32_t> out(keys.size());
  std::vector<u32> offsets(11);
  std::size_t below = 0;  // bin 0 has the keys below 10, the negative ones included
  for (const std::int32_t key : keys) below += key < 10 ? 1 : 0;
  multisplit_cpu_strategies::for_each([&](auto strategy) {
    multisplit(cpu{.threads = 2}, keys, out, ranges{10, 0U, 99U}, offsets, {.strategy = strategy.name});
    EXPECT_EQ(offsets[1], below) << strategy.name;
    EXPECT_EQ(offsets[10], keys.size()) << strategy.name;
  });
}

TEST(types, more_bins_than_keys_by_every_strategy) {
  std::vector<u32> keys(5000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<u32>(i % 20);
  std::vector<u32> out(keys.size());
  std::vector<u32> offsets(101);
  multisplit_cpu_strategies::for_each([&](auto strategy) {
    multisplit(cpu{.threads = 2}, keys, out, ranges{100, 0U, 9U}, offsets, {.strategy = strategy.name});
    EXPECT_EQ(offsets[91] - offsets[90], 250U) << strategy.name;
    EXPECT_EQ(offsets[100] - offsets[99], 2500U) << strategy.name;
  });
}

TEST(types, positions_are_any_unsigned_integers_of_their_size) {
  const std::vector<float> keys{2.5F, -1.0F, 7.0F};
  std::vector<unsigned long long> wide(3);
  std::vector<unsigned long> also_wide(3);
  argsort(cpu{}, keys, wide);
  argsort(cpu{}, keys, also_wide);
  EXPECT_EQ(wide, (std::vector<unsigned long long>{1, 0, 2}));
  EXPECT_EQ(also_wide, (std::vector<unsigned long>{1, 0, 2}));
  sort_strings(cpu{}, lines_of("b\nc\na\n"), wide);
  EXPECT_EQ(wide, (std::vector<unsigned long long>{2, 0, 1}));
}

TEST(types, pairs_are_made_of_columns_of_any_kind) {
  std::vector<u32> keys{3, 1, 2};
  std::vector<char> values{'c', 'a', 'b'};
  sort(cpu{}, pairs(items(keys.data(), 3), items(values)));
  EXPECT_EQ(values, (std::vector<char>{'a', 'b', 'c'}));
  sort(cpu{}, pairs(std::span(keys), items(values.data(), 3)), {.descending = true});
  EXPECT_EQ(values, (std::vector<char>{'c', 'b', 'a'}));
  expect_parts(message_of([&] { pairs(items(keys.data(), 2), values); }), {"pairs", "values", "3", "2"});
}

TEST(types, outputs_may_be_views_that_are_temporaries_and_inputs_anything) {
  std::vector<u32> keys{3, 1, 2};
  std::vector<u32> out(3);
  sort(cpu{}, std::span(keys));
  EXPECT_EQ(keys, (std::vector<u32>{1, 2, 3}));
  sort(cpu{}, std::vector<u32>{9, 7, 8}, items(out));
  EXPECT_EQ(out, (std::vector<u32>{7, 8, 9}));
  sort(cpu{}, items(std::vector<u32>{6, 4, 5}), std::span(out.data(), 3));
  EXPECT_EQ(out, (std::vector<u32>{4, 5, 6}));
}

TEST(types, ranges_of_strings_are_sorted_as_they_are) {
  const std::list<std::string> words{"rye", "oats", "barley"};
  const std::array<std::string_view, 3> seen{"rye", "", "barley"};
  std::vector<u32> permutation(3);
  sort_strings(cpu{}, words, permutation);
  EXPECT_EQ(permutation, (std::vector<u32>{2, 1, 0}));
  sort_strings(cpu{}, seen, permutation);
  EXPECT_EQ(permutation, (std::vector<u32>{1, 2, 0}));
  EXPECT_EQ(explain([&](auto& on) { sort_strings(on, words, permutation); }).primitive, "sort_strings");
}

/// What sort_options says of the order of floats, by their bits.
TEST(float_order, is_what_the_options_say) {
  const std::vector<u32> ascending{0xFF800000U, 0xC0000000U, 0x80000001U, 0x80000000U, 0x00000000U,
                                   0x00000001U, 0x40000000U, 0x7F800000U, 0x7F800001U, 0x7FC00000U,
                                   0x7FFFFFFFU, 0xFFFFFFFFU, 0xFFC00000U, 0xFF800001U};
  std::vector<float> keys(ascending.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::memcpy(&keys[i], &ascending[i * 5 % keys.size()], sizeof(float));
  }
  std::vector<float> sorted(keys.size());
  std::vector<u32> bits(keys.size());
  for (const char* const strategy : {"", "sequential"}) {
    sort(cpu{}, keys, sorted, {.strategy = strategy});
    std::memcpy(bits.data(), sorted.data(), bits.size() * sizeof(u32));
    EXPECT_EQ(bits, ascending) << strategy;
    sort(cpu{}, keys, sorted, {.descending = true, .strategy = strategy});
    std::memcpy(bits.data(), sorted.data(), bits.size() * sizeof(u32));
    EXPECT_EQ(bits, std::vector<u32>(ascending.rbegin(), ascending.rend())) << strategy;
  }
}

/// The ordered key of -infinity is 0, that of -2 so much more as there are floats between.
TEST(float_order, bits_count_in_the_ordered_key) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto ordered = [](float key) {  // floats from -infinity up to the key
    const auto bits = std::bit_cast<u32>(key);
    const u32 from_least = (bits >> 31U) != 0 ? ~bits : bits | 0x80000000U;
    return from_least - 0x007FFFFFU;
  };
  EXPECT_EQ(ordered(-infinity), 0U);
  std::vector<float> keys{1.0F, -2.0F, 3.5F, -infinity, -0.0F, 0.0F, 1.0e30F, -7.25F};
  for (const auto& [first, last] : {std::pair{0U, 8U}, {20U, 32U}, {23U, 31U}, {31U, 32U}}) {
    std::vector<float> wanted = keys;
    const auto part = [&](float key) { return (ordered(key) >> first) & ((u64{1} << (last - first)) - 1); };
    std::stable_sort(wanted.begin(), wanted.end(), [&](float a, float b) { return part(a) < part(b); });
    std::vector<float> sorted(keys.size());
    sort(cpu{}, keys, sorted, {.first_bit = first, .last_bit = last});
    EXPECT_EQ(std::memcmp(sorted.data(), wanted.data(), sorted.size() * sizeof(float)), 0) << first << " to " << last;
  }
}

}  // namespace peneira::test
