// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the GPU's tests of sort share: an input on the device, every way to sort it, and what is right for it.
#pragma once

#include <sstream>

#include "peneira/sort/reference.hpp"
#include "tests/sort/gpu/calls.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/any_order.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// A value that tells where it comes from, as far as it has room for that.
template <class V>
V value_at(std::size_t i) {
  if constexpr (is_block<V>) {
    return make_key<V>(mix64(i), i);
  } else {
    return static_cast<V>(i);
  }
}

/// Where runs of the same key begin, and the end.
template <class K>
std::vector<std::size_t> runs_of(const std::vector<K>& sorted) {
  std::vector<std::size_t> runs{0};
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (detail::raw_bits(sorted[i]) != detail::raw_bits(sorted[i - 1])) runs.push_back(i);
  }
  runs.push_back(sorted.size());
  return runs;
}

/// Columns between canaries on the device.
template <class K, class V>
class device_columns {
 public:
  static constexpr bool has_values = view<K, V>::has_values;
  device_columns(std::size_t n, random& next)
      : keys_(n, next.below(3)), values_(has_values ? n : 0, has_values ? next.below(3) : 0) {}

  void write(const std::vector<K>& keys, const std::vector<V>& values) const {
    device_space::copy(keys_.data(), keys.data(), keys.size() * sizeof(K));
    if constexpr (has_values) device_space::copy(values_.data(), values.data(), values.size() * sizeof(V));
  }
  /// Nothing that is read back can then be an earlier answer.
  void forget() const {
    must(cudaMemset(keys_.data(), 0xEE, keys_.size() * sizeof(K)));
    must(cudaMemset(values_.data(), 0xEE, values_.size() * sizeof(V)));
    must(cudaDeviceSynchronize());
  }
  [[nodiscard]] view<K, V> get() const { return {keys_.data(), has_values ? values_.data() : nullptr, keys_.size()}; }
  [[nodiscard]] std::vector<K> keys() const { return keys_.read(); }
  [[nodiscard]] std::vector<V> values() const { return values_.read(); }

 private:
  guarded<K, device_space> keys_;
  guarded<V, device_space> values_;
};

/// An input on the device with what is right for it.
template <class K, class V = no_value>
class device_sort {
 public:
  static constexpr bool has_values = view<K, V>::has_values;

  device_sort(std::vector<K> keys, const sort_options& options, random& next)
      : options_(options), in_(keys.size(), next), out_(keys.size(), next) {
    refill(std::move(keys));
  }

  /// Other keys at the same place.
  void refill(std::vector<K> keys) {
    keys_ = std::move(keys);
    const std::size_t n = keys_.size();
    values_.resize(has_values ? n : 0);
    if constexpr (has_values) {
      for (std::size_t i = 0; i < n; ++i) values_[i] = value_at<V>(i);
    }
    wanted_keys_.resize(n);
    wanted_values_.resize(values_.size());
    reference::sort<K, V>({keys_.data(), values_.data(), n}, {wanted_keys_.data(), wanted_values_.data(), n}, options_);
    in_.write(keys_, values_);
  }

  /// The problem as the call will see it.
  [[nodiscard]] sort_problem problem(order equal_keys, bool in_place) const {
    const unsigned last = options_.last_bit == 0 ? 8 * sizeof(K) : options_.last_bit;
    const bool whole = options_.first_bit == 0 && last == 8 * sizeof(K);
    return {keys_.size(),
            sizeof(K),
            has_values ? sizeof(V) : 0,
            options_.first_bit,
            last,
            !has_values && whole ? order::any : equal_keys,
            in_place};
  }
  [[nodiscard]] sort_options options(std::string_view strategy, order equal_keys) const {
    sort_options all = options_;
    all.strategy = strategy;
    all.equal_keys = equal_keys;
    return all;
  }

  /// Writes nothing where the output is, or what is to be sorted in place.
  void prepare(bool in_place) const {
    out_.forget();
    if (in_place) out_.write(keys_, values_);
  }
  void call(const gpu& on, std::string_view strategy = {}, order equal_keys = order::stable,
            bool in_place = false) const {
    const view<const K, const V> from = in_place ? out_.get() : in_.get();
    call_sort<K, V>(on, from, out_.get(), options(strategy, equal_keys));
  }
  [[nodiscard]] plan explained(std::string_view strategy = {}, order equal_keys = order::stable,
                               bool in_place = false) const {
    const view<const K, const V> from = in_place ? out_.get() : in_.get();
    return explain([&](auto& on) { sort(on, from, out_.get(), options(strategy, equal_keys)); },
                   detail::current_device());
  }

  /// Compares what is on the device with the reference. The call must have ended.
  void expect_right(order equal_keys = order::stable) const {
    const std::vector<K> keys = out_.keys();
    EXPECT_TRUE(same(wanted_keys_, keys)) << "in the keys";
    if constexpr (has_values) {
      if (equal_keys == order::stable) {
        EXPECT_TRUE(same(wanted_values_, out_.values())) << "in the values";
      } else {
        EXPECT_TRUE(same_bins(wanted_keys_, wanted_values_, keys, out_.values(), runs_of(wanted_keys_)));
      }
    }
    EXPECT_TRUE(same(keys_, in_.keys())) << "in the input";
    EXPECT_TRUE(same(values_, in_.values())) << "in the input's values";
  }

  /// Every strategy that takes the problem, in every way; the others must refuse it.
  void check(const std::string& what) const {
    for (const bool in_place : {false, true}) {
      for (const order equal_keys : {order::stable, order::any}) {
        const bool keys_are_certain = problem(order::any, in_place).whole_key();
        if (equal_keys == order::any && (!has_values || !keys_are_certain)) continue;
        sort_gpu_strategies::for_each([&](auto strategy) {
          std::ostringstream where;
          where << strategy.name << ", " << keys_.size() << " items, " << what << (in_place ? ", in place" : "")
                << (options_.descending ? ", descending" : "") << (equal_keys == order::any ? ", any order" : "")
                << ", bits " << options_.first_bit << " to " << options_.last_bit;
          const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
          prepare(in_place);
          if (!strategy.refuses(problem(equal_keys, in_place), detail::current_device()).empty()) {
            EXPECT_THROW(call({}, strategy.name, equal_keys, in_place), std::invalid_argument);
            return;
          }
          ASSERT_NO_THROW(call({}, strategy.name, equal_keys, in_place));
          must(cudaDeviceSynchronize());
          expect_right(equal_keys);
        });
      }
    }
  }

 private:
  sort_options options_;
  std::vector<K> keys_;
  std::vector<V> values_;
  std::vector<K> wanted_keys_;
  std::vector<V> wanted_values_;
  device_columns<K, V> in_;
  device_columns<K, V> out_;
};

}  // namespace peneira::test
