// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An input of group_by and what is right for it: every strategy must find the groups of the reference, ascending or in
// an order that no number of threads changes, and leave alone what lies around the output. Strategies come from the
// list, so a new one is covered without an edit here. A second machine, with caches of a few KiB, has partitions,
// pieces and tables that overflow at work on few items.
#pragma once

#include <concepts>
#include <sstream>

#include "peneira/group_by.hpp"
#include "peneira/group_by/reference.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <class Key, class Value, class Result, class Op>
struct group_combo {
  using key = Key;
  using value = Value;
  using result = Result;
  using op = Op;
};

/// x -> multiply * x + add, one after the other: the order of items shows.
struct affine {
  std::uint32_t multiply;
  std::uint32_t add;
};
struct then {
  affine operator()(const affine& a, const affine& b) const {
    return {a.multiply * b.multiply, a.add * b.multiply + b.add};
  }
  template <class T>
  static T identity() {
    return {1, 0};
  }
};

/// Values whose sums are exact in any type.
template <class V>
V make_group_value(std::uint64_t from) {
  if constexpr (std::is_same_v<V, affine>) {
    return {static_cast<std::uint32_t>(from) | 1U, static_cast<std::uint32_t>(from >> 32U)};
  } else {
    return static_cast<V>(from % 100);
  }
}

/// A machine whose tables have 64 slots or a few more.
inline host tiny_machine(unsigned threads) {
  return {threads, 1024, 4096, 16384};
}

/// An input, and what is right for it.
template <class Combo>
class group_example {
  using K = typename Combo::key;
  using V = typename Combo::value;
  using R = typename Combo::result;
  using Op = typename Combo::op;

 public:
  group_example(std::string about, std::vector<K> keys, random& next)
      : about_(std::move(about)), keys_(std::move(keys)), next_(next) {
    for (std::size_t i = 0; i < keys_.size(); ++i) values_.push_back(make_group_value<V>(next()));
    const auto groups = reference::group_by<R>(keys_.data(), values_.data(), keys_.size(), Op{});
    for (const auto& [rank, result] : groups) {
      wanted_keys_.push_back(detail::key_of_bits<K>(by_.back(rank)));
      wanted_results_.push_back(result);
    }
  }

  /// Every strategy of the list, on this machine and on a tiny one.
  void check(unsigned threads) {
    group_by_cpu_strategies::for_each([&](auto strategy) {
      for (const order groups : {order::stable, order::any}) {
        const group_by_options options{groups, strategy.name};
        compare(strategy.name, threads, groups, [&](const auto& unique_keys, const auto& results) {
          return group_by(cpu{.threads = threads}, keys_, values_, unique_keys, results, Op{}, options);
        });
        compare(std::string("tiny ").append(strategy.name), threads, groups,
                [&](const auto& unique_keys, const auto& results) {
                  return run_by(strategy, tiny_machine(threads), unique_keys, results, groups);
                });
      }
    });
  }

 private:
  /// What a strategy does as planned for a machine, of values that move as they are.
  template <class Strategy>
  std::size_t run_by(Strategy strategy, const host& machine, view<K> unique_keys, view<R> results, order groups) {
    if constexpr (detail::has_lift<Op, V>) {
      return group_by(cpu{}, keys_, values_, unique_keys, results, Op{}, {groups, strategy.name});
    } else {
      using folding = detail::value_folding<V, R, Op>;
      group_by_problem problem;
      problem.items = keys_.size();
      problem.room = unique_keys.size;
      problem.key_bytes = sizeof(K);
      problem.moved_bytes = sizeof(V);
      problem.entry_bytes = sizeof(detail::group_entry<detail::bits_of<K>, typename folding::state>);
      problem.result_bytes = sizeof(R);
      problem.results_move = folding::results_move;
      problem.groups = groups;
      if (keys_.empty()) return 0;
      const detail::group_arrays<K, V> given{keys_.data(),     values_.data(), keys_.size(), unique_keys.keys,
                                             unique_keys.size, "group_by",     "unique_keys"};
      return strategy.template run<K, folding>(cpu{}, strategy.decide(problem, machine), given,
                                               folding{Op{}, results.keys});
    }
  }

  template <class GroupBy>
  void compare(std::string_view strategy, unsigned threads, order groups, GroupBy&& group_it) {
    std::ostringstream where;
    where << strategy << ", " << threads << " threads, " << keys_.size() << " items, " << about_
          << (groups == order::any ? ", in any order" : "");
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
    const std::size_t wanted = wanted_keys_.size();
    const std::size_t room = next_.below(2) == 0 ? wanted : wanted + next_.below(keys_.size() + 10);
    const guarded<K> keys(room, next_.below(3));
    const guarded<R> results(room, next_.below(3));
    std::size_t found = 0;
    ASSERT_NO_THROW(found = group_it(items(keys.data(), room), items(results.data(), room)));
    ASSERT_EQ(found, wanted);
    std::vector<K> got_keys = keys.read();
    std::vector<R> got_results = results.read();
    got_keys.resize(found);
    got_results.resize(found);
    if (groups == order::any) expect_same_order(strategy, got_keys);
    if (groups == order::any) put_in_order(got_keys, got_results);
    EXPECT_TRUE(same(wanted_keys_, got_keys)) << "in the keys";
    if constexpr (std::equality_comparable<R> && is_block<R>) {
      EXPECT_TRUE(wanted_results_ == got_results) << "in the results";  // between whose members there may be bytes
    } else {
      EXPECT_TRUE(same(wanted_results_, got_results)) << "in the results";
    }
  }

  /// The first order that a strategy finds is that of all number of threads.
  void expect_same_order(std::string_view strategy, const std::vector<K>& keys) {
    for (const auto& [name, first] : orders_) {
      if (name != strategy) continue;
      EXPECT_TRUE(same(first, keys)) << "in the order of groups";
      return;
    }
    orders_.emplace_back(strategy, keys);
  }

  void put_in_order(std::vector<K>& keys, std::vector<R>& results) const {
    std::vector<std::size_t> at(keys.size());
    std::iota(at.begin(), at.end(), std::size_t{0});
    std::sort(at.begin(), at.end(), [&](std::size_t a, std::size_t b) {
      return by_(detail::raw_bits(keys[a])) < by_(detail::raw_bits(keys[b]));
    });
    const std::vector<K> old_keys = keys;
    const std::vector<R> old_results = results;
    for (std::size_t i = 0; i < at.size(); ++i) {
      keys[i] = old_keys[at[i]];
      results[i] = old_results[at[i]];
    }
  }

  const detail::key_order<detail::bits_of<K>> by_ = detail::order_of<K>(false);
  std::string about_;
  std::vector<K> keys_;
  random& next_;
  std::vector<V> values_{};
  std::vector<K> wanted_keys_{};
  std::vector<R> wanted_results_{};
  std::vector<std::pair<std::string, std::vector<K>>> orders_{};
};

/// Keys of about so many groups.
template <class K>
std::vector<K> keys_of_groups(std::size_t n, std::size_t groups, random& next) {
  std::vector<K> keys(n);
  for (K& key : keys) key = make_key<K>(mix64(next.below(groups)), 0);
  return keys;
}

}  // namespace peneira::test
