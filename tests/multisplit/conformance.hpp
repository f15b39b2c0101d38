// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One suite for every strategy of every place: all of them must do what reference::multisplit does, byte for byte (or
// where any order is allowed, with the same items in each bin), and leave alone what lies around their outputs; and
// what they refuse, they must refuse in the call. Strategies come from the list of the space, so a new one is covered
// without an edit here. A translation unit chooses a space and a list of combos and instantiates the suite.
#pragma once

#include <sstream>

#include "peneira/multisplit.hpp"
#include "peneira/multisplit/reference.hpp"
#include "tests/multisplit/bin_kinds.hpp"
#include "tests/support/any_order.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// One instantiation of multisplit to test.
template <class Key, class Value, class By, class Offset>
struct combo {
  using key = Key;
  using value = Value;
  using by = By;
  using offset = Offset;
  static constexpr bool has_values = view<Key, Value>::has_values;
  static constexpr std::size_t item_bytes = sizeof(Key) + (has_values ? sizeof(Value) : 0);

  static std::string name() {
    std::ostringstream text;
    text << (std::is_floating_point_v<Key> ? "float"
             : is_block<Key>               ? "bytes"
             : std::is_signed_v<Key>       ? "int"
                                           : "uint")
         << (is_block<Key> ? 1 : 8) * sizeof(Key);
    if (has_values) text << "_with_" << sizeof(Value) << "_bytes";
    text << '_' << By::name << (std::is_signed_v<Offset> ? "_int" : "_uint") << 8 * sizeof(Offset);
    return text.str();
  }
};

struct combo_names {
  template <class Combo>
  static std::string GetName(int /*index*/) {
    return Combo::name();
  }
};

/// One problem of a combo.
struct setting {
  std::uint32_t bins;
  std::size_t n;
  test::shape shape;
  std::uint64_t seed;

  /// How many items the inputs lie off their alignment: half of the time none.
  [[nodiscard]] std::size_t key_shift() const { return seed % 2 == 0 ? 0 : (seed >> 8U) % 5; }
  [[nodiscard]] std::size_t value_shift() const { return seed % 2 == 0 ? 0 : (seed >> 16U) % 3; }
};

inline std::ostream& operator<<(std::ostream& to, const setting& s) {
  return to << s.n << " items, " << s.bins << " bins wanted, " << to_string(s.shape) << ", inputs shifted by "
            << s.key_shift() << " and " << s.value_shift() << ", seed " << s.seed;
}

/// The input of a setting, its bin function, and what the reference makes of them.
template <class Combo, class Space>
class example {
  using K = typename Combo::key;
  using V = typename Combo::value;
  using Offset = typename Combo::offset;

 public:
  explicit example(const setting& s)
      : what_(s),
        next_(s.seed),
        function_(Combo::by::template make<K, Space>(s.bins, next_)),
        keys_(make_keys<K>(s.shape, s.n, next_)),
        wanted_keys_(s.n),
        keys_there_(keys_, s.key_shift()),
        values_there_(values_of(s.n), s.value_shift()) {
    const auto f = function_.on_host();
    const std::vector<V> values = values_there_.read();
    wanted_values_.resize(values.size());
    wanted_offsets_.resize(std::size_t{f.bins()} + 1);
    reference::multisplit<K, V>({keys_.data(), values.data(), s.n}, {wanted_keys_.data(), wanted_values_.data(), s.n},
                                f, wanted_offsets_.data());
  }

  /// Every strategy, with this many threads, on outputs `shift` items off; in both orders where these may be different
  /// work, and otherwise now and then.
  void check(unsigned threads, std::size_t shift) const {
    Space::strategies::for_each([&](auto strategy) {
      check(strategy, order::stable, threads, shift);
      if (what_.seed % 8 < 2 || orders_differ(strategy, Space::machine(threads))) {
        check(strategy, order::any, threads, shift);
      }
    });
  }

 private:
  static std::vector<V> values_of(std::size_t n) {
    if constexpr (Combo::has_values) {
      std::vector<V> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = make_key<V>(mix64(i), i);
      return values;
    } else {
      return {};
    }
  }

  [[nodiscard]] multisplit_problem problem(order within_bin) const {
    return {what_.n,   function_.on_host().bins(), sizeof(K), Combo::has_values ? sizeof(V) : 0, sizeof(Offset),
            within_bin};
  }
  /// Whether a strategy may do something else where it need not keep the order.
  template <class Strategy, class Machine>
  [[nodiscard]] bool orders_differ(Strategy strategy, const Machine& machine) const {
    const auto plan_of = [&](order within_bin) {
      const std::string refusal = strategy.refuses(problem(within_bin), machine);
      return refusal.empty() ? to_string(detail::plan_of<Strategy>(problem(within_bin), machine)) : refusal;
    };
    return Space::orders_differ || plan_of(order::stable) != plan_of(order::any);
  }

  template <class Strategy>
  void check(Strategy strategy, order within_bin, unsigned threads, std::size_t shift) const {
    std::ostringstream where;
    where << strategy.name << (within_bin == order::any ? " in any order, " : ", ") << Combo::name() << ", " << threads
          << " threads, outputs shifted by " << shift << ", " << what_;
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());

    const auto f = function_.at_place();
    guarded<K, Space> keys(what_.n, shift);
    guarded<V, Space> values(values_there_.size(), shift / 2);
    guarded<Offset, Space> offsets(std::size_t{f.bins()} + 1, shift % 3);
    const auto call = [&] {
      Space::split(Space::place(threads), view<const K, const V>{keys_there_.data(), values_there_.data(), what_.n},
                   view<K, V>{keys.data(), values.data(), what_.n}, f, items(offsets.data(), offsets.size()),
                   multisplit_options{.within_bin = within_bin, .strategy = strategy.name});
    };
    const std::string refusal = strategy.refuses(problem(within_bin), Space::machine(threads));
    if (!refusal.empty()) {
      expect_parts(message_of(call), {"multisplit", "strategy", strategy.name, refusal});
      return;
    }
    ASSERT_NO_THROW(call());
    EXPECT_TRUE(same(keys_, keys_there_.read())) << "in the input";
    EXPECT_TRUE(same(wanted_offsets_, offsets.read())) << "in the offsets";
    const std::vector<K> got_keys = keys.read();
    const std::vector<V> got_values = values.read();
    if (within_bin == order::any) {
      EXPECT_TRUE(same_bins(wanted_keys_, wanted_values_, got_keys, got_values, wanted_offsets_));
    } else {
      EXPECT_TRUE(same(wanted_keys_, got_keys)) << "in the keys";
      EXPECT_TRUE(same(wanted_values_, got_values)) << "in the values";
    }
  }

  setting what_;
  random next_;
  decltype(Combo::by::template make<K, Space>(1, std::declval<random&>())) function_;
  std::vector<K> keys_;
  std::vector<K> wanted_keys_;
  std::vector<V> wanted_values_;
  std::vector<Offset> wanted_offsets_;
  placed<K, Space> keys_there_;
  placed<V, Space> values_there_;
};

inline constexpr std::array bin_counts{1U, 2U, 3U, 8U, 16U, 255U, 256U, 361U, 512U, 513U, 1024U, 4097U, 12289U};
inline constexpr std::array<std::size_t, 17> sizes{0,    1,    7,    8,    9,     63,    64,    65,    1023,
                                                   3000, 4095, 4096, 4097, 65535, 65536, 65537, 200003};

/// Draws the settings of a combo, a stream of its own for each test of it.
template <class Combo, class Space>
class drawing {
 public:
  explicit drawing(std::uint64_t test) : next_(seed() + test * 1000003) {
    for (const char c : Combo::name()) next_ = random(next_() + static_cast<unsigned char>(c));
  }

  /// Checks one setting with some of the thread counts, each with a shift of its own.
  void check(std::uint32_t bins, std::size_t n, shape s, std::size_t rounds = 2) {
    const example<Combo, Space> made({bins, n, s, next_()});
    for (std::size_t k = 0; k < (sanitized ? 1 : rounds); ++k)
      made.check(next_.pick(Space::thread_counts), next_.below(18));
  }
  [[nodiscard]] std::uint32_t bins() { return next_.pick(bin_counts); }
  [[nodiscard]] std::size_t size() { return next_.pick(sizes); }
  [[nodiscard]] test::shape shape() { return next_.pick(all_shapes); }
  [[nodiscard]] std::uint64_t below(std::uint64_t end) { return next_.below(end); }

 private:
  random next_;
};

template <class ComboInSpace>
class conformance : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ComboInSpace::space::unavailable() != nullptr) GTEST_SKIP() << ComboInSpace::space::unavailable();
  }
};

/// A combo as a parameter of the suite.
template <class Combo, class Space>
struct in_space {
  using combo = Combo;
  using space = Space;
  using drawn = drawing<Combo, Space>;
  static std::string name() { return Combo::name(); }
};

/// The strategies of the CPU.
struct host_split_space : host_space {
  using strategies = multisplit_cpu_strategies;
  static constexpr bool orders_differ = false;
  static void split(auto&&... arguments) { multisplit(arguments...); }
};

template <class Key, class Value, class By, class Offset>
using on_cpu = in_space<combo<Key, Value, By, Offset>, host_split_space>;

TYPED_TEST_SUITE_P(conformance);

TYPED_TEST_P(conformance, every_bin_count) {
  typename TypeParam::drawn draw(1);
  for (const std::uint32_t bins : bin_counts) {
    draw.check(bins, draw.size(), draw.shape());
    draw.check(bins, 20000 + draw.below(10000), shape::uniform);
  }
}

TYPED_TEST_P(conformance, every_shape) {
  typename TypeParam::drawn draw(2);
  for (const shape s : all_shapes) {
    draw.check(draw.bins(), draw.size(), s);
    draw.check(draw.bins(), 10000 + draw.below(sanitized ? 10000 : 100000), s);
  }
}

TYPED_TEST_P(conformance, every_size) {
  typename TypeParam::drawn draw(3);
  for (const std::size_t n : sizes) {
    draw.check(draw.bins(), n, draw.shape());
    draw.check(draw.bins(), n, shape::uniform);
  }
}

TYPED_TEST_P(conformance, random_problems) {
  typename TypeParam::drawn draw(4);
  for (int k = 0; k < 20; ++k) {
    draw.check(1 + static_cast<std::uint32_t>(draw.below(2000)), draw.below(5000), draw.shape(), 3);
  }
}

/// Enough bytes that strategies change to what pays for large arrays.
TYPED_TEST_P(conformance, large_outputs) {
  typename TypeParam::drawn draw(5);
  const std::size_t n = (std::size_t{17} << 20U) / TypeParam::combo::item_bytes + draw.below(1000);
  draw.check(97, n, shape::uniform, 1);
  if (!sanitized) draw.check(draw.below(2) == 0 ? 5000 : draw.bins(), n, draw.shape(), 1);
}

/// A million, where buffers for them do not take all memory.
TYPED_TEST_P(conformance, very_many_bins) {
  typename TypeParam::drawn draw(6);
  const bool a_million = TypeParam::combo::item_bytes == 4 || TypeParam::combo::item_bytes == 8;
  draw.check(a_million && !sanitized ? 1000003 : 50021, 150000, shape::uniform, 1);
}

REGISTER_TYPED_TEST_SUITE_P(conformance, every_bin_count, every_shape, every_size, random_problems, large_outputs,
                            very_many_bins);

}  // namespace peneira::test
