// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort and argsort over ranks give what one process gives, whatever the input and whoever has what.
#include "peneira/ranks/sort.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "peneira/ranks/top_k.hpp"
#include "tests/ranks/ranks.hpp"

namespace peneira::test {
namespace {

constexpr unsigned numbers_of_ranks[] = {1, 2, 3, 5, 8, 16};

enum class input { random, constant, two_values, zipf, few, sorted, reversed, heaps };
constexpr input all_inputs[] = {input::random, input::constant, input::two_values, input::zipf,
                                input::few,    input::sorted,   input::reversed,   input::heaps};

std::vector<std::uint64_t> make(input kind, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    switch (kind) {
      case input::random:
        keys[i] = random();
        break;
      case input::constant:
        keys[i] = ~std::uint64_t{0};
        break;
      case input::two_values:
        keys[i] = random() % 2;
        break;
      case input::zipf:
        keys[i] = static_cast<std::uint64_t>(1000.0 / (1.0 + static_cast<double>(random() % 1000)));
        break;
      case input::few:
        keys[i] = random() % 13 * 0x123456789ABCDEFU;
        break;
      case input::sorted:
        keys[i] = i * 3;
        break;
      case input::reversed:
        keys[i] = (n - i) / 2;
        break;
      case input::heaps:
        keys[i] = (random() % 5 << 60U) + random() % 50;
        break;
    }
  }
  return keys;
}

/// Sorts pairs of keys and their positions over ranks, and puts what all ranks got together.
template <class K>
std::vector<std::uint32_t> sorted_positions(const std::vector<K>& keys, const std::vector<std::size_t>& from,
                                            const std::vector<std::size_t>& to, const sort_options& options) {
  std::vector<std::uint32_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), 0U);
  std::vector<std::vector<std::uint32_t>> got(from.size());
  detail::on_ranks(static_cast<unsigned>(from.size()), [&](detail::loop_transport& between) {
    const unsigned me = between.rank();
    loop_ranks on(between);
    const auto in_keys = part_of(keys, from, me);
    const auto in_values = part_of(positions, from, me);
    std::vector<K> out_keys(to[me]);
    got[me].resize(to[me]);
    sort(on, pairs(in_keys, in_values), pairs(out_keys, got[me]), options);
    for (std::size_t i = 0; i < to[me]; ++i) {
      ASSERT_EQ(detail::raw_bits(out_keys[i]), detail::raw_bits(keys[got[me][i]])) << "a key without its value";
    }
  });
  std::vector<std::uint32_t> all;
  for (const auto& part : got) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// What one process gives.
template <class K>
std::vector<std::uint32_t> wanted_positions(const std::vector<K>& keys, const sort_options& options) {
  std::vector<std::uint32_t> positions(keys.size());
  argsort(cpu{.threads = 1}, keys, positions, options);
  return positions;
}

TEST(rank_sort, is_that_of_one_process_for_any_input_and_any_shares) {
  unsigned seed = 0;
  for (const unsigned ranks : numbers_of_ranks) {
    for (const input kind : all_inputs) {
      for (const shares how : all_shares) {
        const std::size_t n = (++seed * 7919) % 20000;
        const auto keys = make(kind, n, seed);
        const auto from = share_out(n, ranks, how, seed);
        const auto to = share_out(n, ranks, all_shares[seed % 5], seed + 1);
        ASSERT_EQ(sorted_positions(keys, from, to, {}), wanted_positions(keys, {}))
            << ranks << " ranks, " << n << " items, input " << static_cast<int>(kind) << ", shares "
            << static_cast<int>(how);
      }
    }
  }
}

TEST(rank_sort, takes_no_items_one_and_fewer_than_ranks) {
  for (const std::size_t n : {0U, 1U, 2U, 15U, 17U}) {
    const auto keys = make(input::random, n, 1);
    for (const shares how : all_shares) {
      const auto from = share_out(n, 16, how, 2);
      ASSERT_EQ(sorted_positions(keys, from, share_out(n, 16, shares::random, 3), {}), wanted_positions(keys, {})) << n;
    }
  }
}

TEST(rank_sort, samples_what_is_large) {
  const std::size_t n = 300'000;  // more than the sample, and cuts that lie within bins
  for (const input kind : all_inputs) {
    const auto keys = make(kind, n, 5);
    for (const unsigned ranks : {2U, 7U}) {
      const auto even = share_out(n, ranks, shares::even, 0);
      ASSERT_EQ(sorted_positions(keys, share_out(n, ranks, shares::staggered, 0), even, {}), wanted_positions(keys, {}))
          << ranks << " ranks, input " << static_cast<int>(kind);
    }
  }
}

/// Sorts keys alone over ranks, and puts what all got together.
template <class K>
std::vector<K> sorted_keys(const std::vector<K>& keys, const std::vector<std::size_t>& from,
                           const std::vector<std::size_t>& to, const sort_options& options, unsigned threads = 1) {
  std::vector<std::vector<K>> got(from.size());
  detail::on_ranks(static_cast<unsigned>(from.size()), [&](detail::loop_transport& between) {
    const unsigned me = between.rank();
    loop_ranks on(between, threads);
    const auto in = part_of(keys, from, me);
    got[me].resize(to[me]);
    sort(on, in, got[me], options);
  });
  std::vector<K> all;
  for (const auto& part : got) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class K>
std::vector<K> in_order(std::vector<K> keys, const sort_options& options) {
  sort(cpu{.threads = 1}, keys, options);
  return keys;
}

TEST(rank_sort, counts_frequent_keys_whatever_lies_between_them) {
  const std::size_t n = 300'000;
  unsigned seed = 0;
  for (const input kind : all_inputs) {
    for (const unsigned ranks : {2U, 7U}) {
      const auto keys = make(kind, n, ++seed);
      const sort_options options{.descending = seed % 3 == 0};
      const auto from = share_out(n, ranks, all_shares[seed % 5], seed);
      const auto to = share_out(n, ranks, all_shares[(seed / 2) % 5], seed + 1);
      ASSERT_EQ(sorted_keys(keys, from, to, options, 1 + seed % 3), in_order(keys, options))
          << ranks << " ranks, input " << static_cast<int>(kind);
    }
  }
}

TEST(rank_sort, counts_frequent_keys_of_any_type) {
  std::mt19937 random(7);
  const std::size_t n = 150'000;
  std::vector<float> floats(n);
  std::vector<std::uint8_t> bytes(n);
  for (std::size_t i = 0; i < n; ++i) {
    floats[i] = random() % 3 == 0 ? detail::key_of_bits<float>(static_cast<std::uint32_t>(random()))
                                  : static_cast<float>(random() % 5) - 2.0F;
    bytes[i] = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : 255);
  }
  for (float& one : floats) one = std::isnan(one) ? -0.0F : one;
  const auto from = share_out(n, 3, shares::random, 4);
  const auto to = share_out(n, 3, shares::even, 4);
  for (const bool descending : {false, true}) {
    const sort_options options{.descending = descending};
    EXPECT_EQ(sorted_keys(floats, from, to, options), in_order(floats, options));
    EXPECT_EQ(sorted_keys(bytes, from, to, options), in_order(bytes, options));
  }
}

TEST(rank_sort, gives_up_counting_where_a_rank_has_none_of_the_frequent_keys) {
  const std::size_t n = 200'000;
  auto keys = make(input::random, n, 3);
  std::fill(keys.begin() + 40'000, keys.end(), 12345U);  // the first rank has 40,000 others, more than half of its own
  const auto from = share_out(n, 4, shares::even, 0);
  EXPECT_EQ(sorted_keys(keys, from, from, {}), in_order(keys, {}));
}

TEST(rank_sort, moves_no_items_that_are_in_order_and_in_their_places) {
  for (const input kind : {input::sorted, input::constant}) {
    const auto keys = make(kind, 90'000, 2);
    const auto sizes = share_out(keys.size(), 5, shares::random, 2);
    detail::on_ranks(5, [&](detail::loop_transport& between) {
      loop_ranks on(between);
      auto mine = part_of(keys, sizes, between.rank());
      const auto same = mine;
      sort(on, mine);
      EXPECT_EQ(mine, same);
      EXPECT_EQ(between.sent().bytes, 0U);
      EXPECT_EQ(between.sent().messages, 0U);
    });
  }
}

TEST(rank_sort, items_in_order_go_where_their_places_are) {
  for (const unsigned ranks : {1U, 3U, 16U}) {
    for (const std::size_t n : {1U, 50U, 30'000U}) {
      for (const shares how : all_shares) {
        const auto keys = make(input::sorted, n, 2);
        const auto from = share_out(n, ranks, how, 3);
        const auto to = share_out(n, ranks, all_shares[(static_cast<unsigned>(how) + 2) % 5], 4);
        ASSERT_EQ(sorted_keys(keys, from, to, {}), keys) << ranks << " ranks, " << n;
        ASSERT_EQ(sorted_positions(keys, from, to, {}), wanted_positions(keys, {})) << ranks << " ranks, " << n;
        auto one_off = keys;  // between the last item of a rank and the first of the next
        if (from[0] != 0 && from[0] < n) std::swap(one_off[from[0] - 1], one_off[from[0]]);
        ASSERT_EQ(sorted_keys(one_off, from, to, {}), keys) << ranks << " ranks, " << n;
      }
    }
  }
}

TEST(rank_sort, orders_floats_as_one_process_does) {
  std::mt19937 random(3);
  std::vector<float> keys(30'000);
  for (float& key : keys) key = detail::key_of_bits<float>(static_cast<std::uint32_t>(random()));  // NaN among them
  const auto from = share_out(keys.size(), 5, shares::random, 1);
  const auto to = share_out(keys.size(), 5, shares::even, 1);
  for (const bool descending : {false, true}) {
    const sort_options options{.descending = descending};
    EXPECT_EQ(sorted_positions(keys, from, to, options), wanted_positions(keys, options)) << descending;
  }
}

TEST(rank_sort, takes_some_bits_alone) {
  const auto keys = make(input::random, 40'000, 9);
  const auto from = share_out(keys.size(), 3, shares::even, 1);
  for (const unsigned first : {0U, 13U, 60U}) {
    const sort_options options{.first_bit = first, .last_bit = first + 4};
    EXPECT_EQ(sorted_positions(keys, from, from, options), wanted_positions(keys, options)) << first;
  }
}

TEST(rank_sort, in_place_leaves_every_rank_its_size) {
  const auto keys = make(input::zipf, 50'000, 4);
  auto want = keys;
  std::sort(want.begin(), want.end());
  const auto sizes = share_out(keys.size(), 8, shares::random, 6);
  std::vector<std::uint64_t> all(keys.size());
  detail::on_ranks(8, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    auto mine = part_of(keys, sizes, between.rank());
    sort(on, mine);
    const auto begin = std::accumulate(sizes.begin(), sizes.begin() + between.rank(), std::size_t{0});
    std::copy(mine.begin(), mine.end(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  EXPECT_EQ(all, want);
}

TEST(rank_sort, argsort_numbers_items_of_the_whole) {
  const auto keys = make(input::few, 10'000, 8);
  const auto from = share_out(keys.size(), 6, shares::staggered, 1);
  const auto to = share_out(keys.size(), 6, shares::random, 2);
  std::vector<std::uint32_t> all;
  std::vector<std::vector<std::uint64_t>> got(6);
  detail::on_ranks(6, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    got[between.rank()].resize(to[between.rank()]);
    argsort(on, part_of(keys, from, between.rank()), got[between.rank()]);
  });
  for (const auto& part : got) all.insert(all.end(), part.begin(), part.end());
  EXPECT_EQ(all, wanted_positions(keys, {}));
}

TEST(rank_top_k, is_that_of_one_process) {
  unsigned seed = 0;
  for (const unsigned ranks : {1U, 2U, 5U, 16U}) {
    for (const input kind : {input::random, input::few, input::constant, input::sorted}) {
      for (const std::size_t n : {1U, 40U, 30'000U}) {
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 3, n}) {
          const auto keys = make(kind, n, ++seed);
          const top_k_options options{.least = seed % 2 == 0};
          std::vector<std::uint64_t> want_keys(k);
          std::vector<std::uint32_t> want(k);
          std::vector<std::uint32_t> positions(n);
          std::iota(positions.begin(), positions.end(), 0U);
          top_k(cpu{.threads = 1}, pairs(keys, positions), k, pairs(want_keys, want), options);
          const auto from = share_out(n, ranks, all_shares[seed % 5], seed);
          const auto to = share_out(k, ranks, all_shares[(seed + 2) % 5], seed);
          std::vector<std::vector<std::uint32_t>> got(ranks);
          detail::on_ranks(ranks, [&](detail::loop_transport& between) {
            const unsigned me = between.rank();
            loop_ranks on(between);
            std::vector<std::uint64_t> got_keys(to[me]);
            got[me].resize(to[me]);
            const auto my_keys = part_of(keys, from, me);
            const auto my_positions = part_of(positions, from, me);
            top_k(on, pairs(my_keys, my_positions), k, pairs(got_keys, got[me]), options);
          });
          std::vector<std::uint32_t> all;
          for (const auto& part : got) all.insert(all.end(), part.begin(), part.end());
          ASSERT_EQ(all, want) << ranks << " ranks, the " << k << " best of " << n << ", input "
                               << static_cast<int>(kind);
        }
      }
    }
  }
}

TEST(rank_sort, moves_each_item_once_and_in_one_message_a_pair) {
  const std::size_t n = 160'000;
  const auto keys = make(input::random, n, 2);
  const auto even = share_out(n, 16, shares::even, 0);
  detail::on_ranks(16, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    auto mine = part_of(keys, even, between.rank());
    sort(on, mine);
    EXPECT_LE(between.sent().messages, 15U);
    EXPECT_LE(between.sent().bytes, mine.size() * sizeof(std::uint64_t));
  });
}

}  // namespace
}  // namespace peneira::test
