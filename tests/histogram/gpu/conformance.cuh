// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// All strategies must count on a GPU what reference::histogram counts, of every kind of key, weight, bin function, size
// and shape, and leave alone what lies around the counts.
#pragma once

#include <sstream>

#include "peneira/histogram.hpp"
#include "peneira/histogram/reference.hpp"
#include "tests/multisplit/bin_kinds.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// Whole numbers, so that sums of floats are the same in any order.
template <class W>
std::vector<W> make_weights(std::size_t n, random& next) {
  std::vector<W> weights(n);
  if constexpr (std::is_floating_point_v<W>) {
    for (W& w : weights) w = static_cast<W>(static_cast<int>(next.below(17)) - 8);
  } else {
    for (W& w : weights) w = static_cast<W>(next());
  }
  return weights;
}

template <class Key, class Weight, class By, class Count>
struct counted_on_gpu {
  using key = Key;
  using weight = Weight;
  using by = By;
  using count = Count;
  static constexpr bool weighted = view<Key, Weight>::has_values;
};

template <class Combo>
class gpu_histogram_conformance : public gpu_test {
  using K = typename Combo::key;
  using W = typename Combo::weight;
  using Count = typename Combo::count;

 protected:
  void check(std::uint32_t bins, std::size_t n, shape s) {
    const auto function = Combo::by::template make<K, device_space>(bins, next_);
    const std::size_t shift = next_.below(4);
    const std::vector<K> keys = make_keys<K>(s, n, next_);
    std::vector<W> weights(Combo::weighted ? n : 0);
    if constexpr (Combo::weighted) weights = make_weights<W>(n, next_);
    const placed<K, device_space> keys_there(keys, shift);
    const placed<W, device_space> weights_there(weights, shift);
    const view<const K, const W> in{keys_there.data(), weights_there.data(), n};
    std::vector<Count> wanted(function.on_host().bins());
    reference::histogram<K, W>({keys.data(), weights.data(), n}, function.on_host(), wanted.data());
    histogram_gpu_strategies::for_each([&](auto strategy) {
      for (const order grouping : {order::stable, order::any}) {
        expect(in, function.at_place(), wanted, {.grouping = grouping, .strategy = strategy.name});
      }
    });
    expect(in, function.at_place(), wanted, {});
  }
  random& next() { return next_; }

 private:
  template <class F>
  void expect(view<const K, const W> in, const F& f, const std::vector<Count>& wanted,
              const histogram_options& options) {
    std::ostringstream where;
    where << options.strategy << ", " << in.size << " items, " << f.bins() << " bins";
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
    guarded<Count, device_space> counts(f.bins(), next_.below(5));
    try {
      histogram(gpu{}, in, f, items(counts.data(), counts.size()), options);
    } catch (const std::invalid_argument&) {  // it cannot take all
      ASSERT_FALSE(options.strategy.empty());
      return;
    }
    EXPECT_TRUE(same(wanted, counts.read()));
  }

  random next_{seed()};
};

TYPED_TEST_SUITE_P(gpu_histogram_conformance);

TYPED_TEST_P(gpu_histogram_conformance, every_bin_count) {
  for (const std::uint32_t bins : {1U, 2U, 3U, 32U, 33U, 256U, 1000U, 1024U, 2049U, 4096U, 16385U, 32768U, 58112U}) {
    this->check(bins, 1 + this->next().below(3000), this->next().pick(all_shapes));
    this->check(bins, 300000 + this->next().below(10000), this->next().pick(all_shapes));
  }
}

TYPED_TEST_P(gpu_histogram_conformance, every_size) {
  for (const std::size_t n : {0U, 1U, 3U, 4U, 31U, 32U, 33U, 4095U, 4096U, 4097U, 8191U, 8192U, 8193U, 65537U}) {
    this->check(1 + static_cast<std::uint32_t>(this->next().below(600)), n, this->next().pick(all_shapes));
  }
}

TYPED_TEST_P(gpu_histogram_conformance, every_shape) {
  for (const shape s : all_shapes) {
    this->check(2, 100003, s);
    this->check(300, 150001, s);
    this->check(90000, 300000, s);
    this->check(500009, 200000, s);
  }
}

REGISTER_TYPED_TEST_SUITE_P(gpu_histogram_conformance, every_bin_count, every_size, every_shape);

}  // namespace peneira::test
