// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One suite for every strategy: all of them must count what reference::histogram counts, of every type, shape, size,
// number of bins and of threads, and leave alone what lies around the counts.
#include <sstream>

#include "peneira/histogram.hpp"
#include "peneira/histogram/reference.hpp"
#include "tests/multisplit/bin_kinds.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// One instantiation of histogram to test.
template <class Key, class Weight, class By, class Count>
struct counted {
  using key = Key;
  using weight = Weight;
  using by = By;
  using count = Count;
  static constexpr bool weighted = view<Key, Weight>::has_values;
};

/// Whole numbers, so that sums of floats are the same in any order.
template <class W>
W make_weight(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<W>) {
    return static_cast<W>(static_cast<int>(bits % 17) - 8);
  } else {
    return static_cast<W>(bits);
  }
}

template <class Combo>
class histogram_conformance : public ::testing::Test {
  using K = typename Combo::key;
  using W = typename Combo::weight;
  using Count = typename Combo::count;

 protected:
  void check(std::uint32_t bins, std::size_t n, shape s) {
    const auto function = Combo::by::template make<K, host_space>(bins, next_);
    const std::size_t shift = next_.below(4);
    const placed<K, host_space> keys(make_keys<K>(s, n, next_), shift);
    const placed<W, host_space> weights(weights_of(n), shift);
    const view<const K, const W> in{keys.data(), weights.data(), n};
    const auto f = function.on_host();
    std::vector<Count> wanted(f.bins());
    reference::histogram(in, f, wanted.data());
    histogram_cpu_strategies::for_each([&](auto strategy) { expect(in, f, wanted, strategy.name); });
    expect(in, f, wanted, {});
  }
  random& next() { return next_; }

 private:
  std::vector<W> weights_of(std::size_t n) {
    std::vector<W> weights(Combo::weighted ? n : 0);
    if constexpr (Combo::weighted) {
      for (W& w : weights) w = make_weight<W>(next_());
    }
    return weights;
  }

  template <class F>
  void expect(view<const K, const W> in, const F& f, const std::vector<Count>& wanted, std::string_view strategy) {
    const unsigned threads = next_.pick(host_space::thread_counts);
    std::ostringstream where;
    where << strategy << ", " << in.size << " items, " << f.bins() << " bins, " << threads << " threads";
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
    guarded<Count> counts(f.bins(), next_.below(5));
    ASSERT_NO_THROW(
        histogram(cpu{.threads = threads}, in, f, items(counts.data(), counts.size()), {.strategy = strategy}));
    EXPECT_TRUE(same(wanted, counts.read()));
  }

  random next_{seed()};
};

using histogram_combos = ::testing::Types<
    counted<std::uint32_t, no_value, by_digit, std::uint32_t>,
    counted<std::uint8_t, no_value, by_function, std::int64_t>, counted<float, no_value, by_ranges, std::uint64_t>,
    counted<std::int64_t, no_value, by_splitters, std::int32_t>, counted<bytes24, no_value, by_function, std::uint32_t>,
    counted<std::uint32_t, float, by_hash, float>, counted<std::uint64_t, double, by_function, double>,
    counted<std::uint16_t, std::int32_t, by_ranges, std::int64_t>,
    counted<std::uint32_t, std::uint64_t, by_splitters, std::uint32_t>,
    counted<std::int8_t, std::int8_t, by_digit, double>>;
TYPED_TEST_SUITE(histogram_conformance, histogram_combos);

TYPED_TEST(histogram_conformance, every_bin_count) {
  for (const std::uint32_t bins :
       {1U, 2U, 3U, 8U, 9U, 16U, 17U, 64U, 65U, 256U, 257U, 1024U, 1025U, 4096U, 4097U, 6144U, 12289U, 16385U}) {
    this->check(bins, 1 + this->next().below(3000), this->next().pick(all_shapes));
    this->check(bins, 60000 + this->next().below(10000), this->next().pick(all_shapes));
  }
}

TYPED_TEST(histogram_conformance, every_size) {
  for (const std::size_t n : {0U,  1U,    3U,    4U,    5U,     15U,    16U,    17U,    31U,     32U,
                              33U, 4095U, 4096U, 4097U, 32767U, 65535U, 65536U, 65537U, 131072U, 200003U}) {
    this->check(1 + static_cast<std::uint32_t>(this->next().below(600)), n, this->next().pick(all_shapes));
  }
}

TYPED_TEST(histogram_conformance, every_shape) {
  for (const shape s : all_shapes) {
    this->check(2, 100000, s);
    this->check(50, 100000, s);
    this->check(300, 150000, s);
    this->check(sanitized ? 9000 : 90000, 300000, s);
  }
}

TYPED_TEST(histogram_conformance, more_bins_than_items) {
  this->check(sanitized ? 50021 : 1000003, 100003, shape::uniform);
}

}  // namespace peneira::test
