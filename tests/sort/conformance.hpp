// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One suite for every strategy of sort on the CPU: all must give what the reference gives, bit by bit, and leave alone
// what lies around the output. Strategies come from the list, so a new one is covered without an edit here. A second
// machine, with caches of a few KiB, has every level of a sort at work on few items. A translation unit chooses a list
// of combos and instantiates the suite.
#pragma once

#include <sstream>

#include "peneira/sort.hpp"
#include "peneira/sort/reference.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <class Key, class Value>
struct sort_combo {
  using key = Key;
  using value = Value;
};

/// A value that tells where it comes from, as far as it has room for that.
template <class V>
V make_value(std::size_t i) {
  if constexpr (is_block<V>) {
    return make_key<V>(mix64(i), i);
  } else {
    return static_cast<V>(i);
  }
}

/// An input, and what is right for it.
template <class Combo>
class sort_example {
  using K = typename Combo::key;
  using V = typename Combo::value;
  static constexpr bool has_values = view<K, V>::has_values;

 public:
  sort_example(sort_shape s, std::size_t n, const sort_options& options, random& next)
      : shape_(s), options_(options), keys_(make_sort_keys<K>(s, n, next)), next_(next) {
    if constexpr (has_values) {
      for (std::size_t i = 0; i < n; ++i) values_.push_back(make_value<V>(i));
    }
    wanted_keys_.resize(n);
    wanted_values_.resize(values_.size());
    reference::sort<K, V>({keys_.data(), values_.data(), n}, {wanted_keys_.data(), wanted_values_.data(), n}, options);
  }

  /// Every strategy of the list, in place or not.
  void check(unsigned threads, bool in_place) {
    sort_cpu_strategies::for_each([&](auto strategy) {
      sort_options options = options_;
      options.strategy = strategy.name;
      compare(strategy.name, threads, in_place, [&](const auto& in, const auto& out) {
        if (in_place) {
          sort(cpu{.threads = threads}, out, options);
        } else {
          sort(cpu{.threads = threads}, in, out, options);
        }
      });
    });
  }

  /// The call as most make it, without a strategy.
  void check_chosen(bool in_place) {
    compare("chosen", 0, in_place, [&](const auto& in, const auto& out) {
      if (in_place) {
        sort(cpu{}, out, options_);
      } else {
        sort(cpu{}, in, out, options_);
      }
    });
  }

  /// Every strategy as it would be planned for a machine with tiny caches.
  void check_tiny(unsigned threads, bool in_place) {
    const host tiny{threads, 1024, 8192, 16384};
    const unsigned last = options_.last_bit == 0 ? 8 * sizeof(K) : options_.last_bit;
    const sort_problem problem{keys_.size(),  sizeof(K), has_values ? sizeof(V) : 0, options_.first_bit, last,
                               order::stable, in_place};
    const detail::bit_range<detail::bits_of<K>> part{options_.first_bit, last - options_.first_bit};
    sort_cpu_strategies::for_each([&](auto strategy) {
      const auto decided = strategy.decide(problem, tiny);
      compare(std::string("tiny ").append(strategy.name), threads, in_place, [&](const auto& in, const auto& out) {
        const view<const K, const V> from = in_place ? view<const K, const V>(out) : in;
        strategy.template run<K, V>(cpu{}, decided, from, out, detail::order_of<K>(options_.descending), part);
      });
    });
  }

 private:
  template <class Sort>
  void compare(std::string_view strategy, unsigned threads, bool in_place, Sort&& sort_it) {
    const std::size_t n = keys_.size();
    std::ostringstream where;
    where << strategy << ", " << threads << " threads, " << n << " items, shape " << static_cast<int>(shape_)
          << (options_.descending ? ", descending" : "") << (in_place ? ", in place" : "") << ", bits "
          << options_.first_bit << " to " << options_.last_bit;
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
    const guarded<K> keys(n, next_.below(3));
    const guarded<V> values(values_.size(), next_.below(3));
    if (in_place) {
      host_space::copy(keys.data(), keys_.data(), n * sizeof(K));
      if constexpr (has_values) host_space::copy(values.data(), values_.data(), n * sizeof(V));
    }
    const view<K, V> out{keys.data(), has_values ? values.data() : nullptr, n};
    const view<const K, const V> in{keys_.data(), has_values ? values_.data() : nullptr, n};
    ASSERT_NO_THROW(sort_it(in, out));
    EXPECT_TRUE(same(wanted_keys_, keys.read())) << "in the keys";
    if constexpr (has_values) {
      EXPECT_TRUE(same(wanted_values_, values.read())) << "in the values";
    }
  }

  sort_shape shape_;
  sort_options options_;
  std::vector<K> keys_;
  std::vector<V> values_;
  std::vector<K> wanted_keys_;
  std::vector<V> wanted_values_;
  random& next_;
};

template <class Combo>
class sort_conformance : public ::testing::Test {
 protected:
  static constexpr unsigned width = 8 * sizeof(typename Combo::key);

  static void each_shape(auto&& f) {
    for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) f(static_cast<sort_shape>(s));
  }
  /// Any options: a direction, and half the time a range of bits.
  static sort_options any_options(random& next) {
    sort_options options;
    options.descending = next.below(2) == 0;
    if (next.below(2) == 0) {
      options.first_bit = static_cast<unsigned>(next.below(width));
      options.last_bit = options.first_bit + 1 + static_cast<unsigned>(next.below(width - options.first_bit));
    }
    return options;
  }
};
TYPED_TEST_SUITE_P(sort_conformance);

TYPED_TEST_P(sort_conformance, few_items) {
  random next(seed());
  for (const std::size_t n : {0, 1, 2, 3, 19, 20, 21, 22, 63, 64, 65, 66, 257, 1000}) {
    this->each_shape([&](sort_shape s) {
      sort_example<TypeParam>(s, n, {}, next).check(1, next.below(2) == 0);
      sort_example<TypeParam>(s, n, this->any_options(next), next).check(2, next.below(2) == 0);
    });
  }
}

TYPED_TEST_P(sort_conformance, every_small_size) {
  random next(seed() + 2);
  for (std::size_t n = 0; n <= 300; n += sanitized ? 1 + next.below(8) : 1) {
    this->each_shape([&](sort_shape s) {
      const bool in_place = next.below(2) == 0;
      sort_example<TypeParam>(s, n, {.descending = next.below(2) == 0}, next).check_chosen(in_place);
      sort_example<TypeParam>(s, n, this->any_options(next), next).check_chosen(!in_place);
    });
  }
}

TYPED_TEST_P(sort_conformance, levels_of_a_machine_with_tiny_caches) {
  random next(seed() + 1);
  for (const std::size_t n : {255, 256, 257, 511, 1023, 1024, 1025, 2049, 5000, 20011, 70001}) {
    if (sanitized && n > 6000) continue;
    this->each_shape([&](sort_shape s) {
      const auto threads = static_cast<unsigned>(1 + next.below(5));
      const bool in_place = next.below(2) == 0;
      sort_example<TypeParam>(s, n, {}, next).check_tiny(threads, in_place);
      sort_example<TypeParam>(s, n, this->any_options(next), next).check_tiny(threads, !in_place);
    });
  }
}

TYPED_TEST_P(sort_conformance, sizes_around_the_thresholds_of_this_machine) {
  random next(seed() + 2);
  const std::size_t team = tuning::cpu_sort_team_items;
  const std::size_t leaf = std::bit_floor(host::here().l2 / 2 / sizeof(typename TypeParam::key));
  for (const std::size_t n : {team - 1, team, team + 1, leaf, leaf + 1, 3 * leaf}) {
    if (n > (sanitized ? team + 1 : std::size_t{600000})) continue;
    for (const sort_shape s : {sort_shape::uniform, sort_shape::zipf, sort_shape::halves}) {
      sort_example<TypeParam>(s, n, {}, next).check(static_cast<unsigned>(1 + next.below(5)), next.below(2) == 0);
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(sort_conformance, few_items, every_small_size, levels_of_a_machine_with_tiny_caches,
                            sizes_around_the_thresholds_of_this_machine);

}  // namespace peneira::test
