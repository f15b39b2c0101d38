// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bins that the caller computed: labels of every type, by every strategy that takes them, against a plain loop.
#include "peneira/labels.hpp"

#include "peneira/multisplit.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;
enum class colour : std::uint16_t { red, green, blue };

template <class Label>
class labels_of : public ::testing::Test {
 protected:
  /// Splits pairs of items by labels that have nothing to do with their keys.
  static void check(u32 bins, std::size_t n, random& next) {
    const std::vector<float> keys = make_keys<float>(shape::two_values, n, next);
    std::vector<u32> numbers(n);
    std::vector<Label> by(n);
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = static_cast<u32>(i);
      by[i] = static_cast<Label>(next.below(bins));
    }
    std::vector<u32> wanted;
    std::vector<std::uint64_t> wanted_offsets{0};
    std::vector<std::vector<u32>> each(bins);
    for (std::size_t i = 0; i < n; ++i) each[static_cast<std::size_t>(by[i])].push_back(numbers[i]);
    for (const std::vector<u32>& one : each) {
      wanted.insert(wanted.end(), one.begin(), one.end());
      wanted_offsets.push_back(wanted.size());
    }
    for (const std::string_view strategy : {"", "sequential", "direct", "buffered"}) {
      const cpu on{.threads = next.pick(host_space::thread_counts)};
      guarded<float> out(n, 1);
      guarded<u32> values(n, 3);
      std::vector<std::uint64_t> offsets(bins + std::size_t{1});
      multisplit(on, pairs(keys, numbers), pairs(out.data(), values.data(), n), labels{bins, by}, offsets,
                 {.strategy = strategy});
      EXPECT_EQ(offsets, wanted_offsets) << strategy;
      EXPECT_TRUE(same(wanted, values.read())) << strategy << ", " << n << " items, " << bins << " bins";
      const std::vector<float> moved = out.read();
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(moved[i], keys[wanted[i]]) << strategy << " at " << i;
    }
  }
};

using label_types = ::testing::Types<std::uint8_t, std::int8_t, std::int16_t, u32, std::int64_t, std::uint64_t, colour>;
TYPED_TEST_SUITE(labels_of, label_types);

TYPED_TEST(labels_of, any_items) {
  random next(seed());
  for (const u32 bins : {1U, 2U, 3U, 17U, 100U, 127U}) {
    for (const std::size_t n : {0U, 1U, 5U, 100U, 4097U, 70000U}) this->check(bins, n, next);
  }
}

TEST(labels_of_many_bins, are_split_in_one_level) {
  random next(seed());
  const u32 bins = 300007;
  const std::vector<u32> keys = make_keys<u32>(shape::uniform, 600000, next);
  std::vector<u32> by(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) by[i] = hashed{bins}(keys[i]);
  std::vector<u32> out(keys.size());
  std::vector<u32> offsets(bins + std::size_t{1});
  std::vector<u32> wanted(keys.size());
  std::vector<u32> wanted_offsets(offsets.size());
  multisplit(cpu{.threads = 2}, keys, wanted, hashed{bins}, wanted_offsets);
  multisplit(cpu{.threads = 2}, keys, out, labels{bins, by}, offsets);
  EXPECT_EQ(out, wanted);
  EXPECT_EQ(offsets, wanted_offsets);
  const auto call = [&] { multisplit(cpu{}, keys, out, labels{bins, by}, offsets, {.strategy = "two_level"}); };
  expect_parts(message_of(call), {"multisplit", "strategy", "two_level", "labels"});
}

TEST(bad_labels, are_told) {
  std::vector<u32> keys(1000);
  std::vector<u32> out(1000);
  std::vector<u32> offsets(6);
  std::vector<int> by(1000, 4);
  const auto call = [&] { multisplit(cpu{}, keys, out, labels{5, by}, offsets); };
  by[998] = 5;
  expect_parts(message_of(call), {"multisplit: bin function", "bin 5 ", "item 998", "5 bins"});
  by[998] = -2;
  expect_parts(message_of(call), {"multisplit: bin function", "bin -2 ", "item 998", "5 bins"});
  by[998] = 0;
  EXPECT_NO_THROW(call());
  by.pop_back();
  expect_parts(message_of(call), {"multisplit", "labels", "999 entries", "1000 items"});
  const int* const none = nullptr;
  const auto nothing = [&] { multisplit(cpu{}, keys, out, labels{5, none, 1000}, offsets); };
  expect_parts(message_of(nothing), {"multisplit", "labels", "null"});
  const auto onto_itself = [&] { multisplit(cpu{}, keys, out, labels{5, out}, offsets); };
  expect_parts(message_of(onto_itself), {"multisplit", "out", "labels"});
  const auto onto_offsets = [&] { multisplit(cpu{}, items(keys.data(), 6), out, labels{5, offsets}, offsets); };
  expect_parts(message_of(onto_offsets), {"multisplit", "offsets", "labels"});
  expect_parts(message_of([&] { labels{0, by}; }), {"labels", "bins"});
}

TEST(bad_labels, of_64_bits_do_not_wrap_around) {
  const std::vector<u32> keys(3);
  std::vector<u32> out(3);
  std::vector<u32> offsets(6);
  const std::vector<std::uint64_t> by{0, (std::uint64_t{1} << 32U) + 1, 0};
  const auto call = [&] { multisplit(cpu{}, keys, out, labels{5, by}, offsets); };
  expect_parts(message_of(call), {"bin 4294967297 ", "item 1"});
}

}  // namespace peneira::test
