// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What every strategy of every list has: a name of its own, a sentence on it, and plans whose numbers are explained.
#include "peneira/group_by/strategies.hpp"
#include "peneira/gather.hpp"
#include "peneira/histogram.hpp"
#include "peneira/multisplit/published.hpp"
#include "peneira/partition.hpp"
#include "peneira/reduce/published.hpp"
#include "peneira/runs/strategies.hpp"
#include "peneira/scan.hpp"
#include "peneira/segmented_reduce/published.hpp"
#include "peneira/sort/published.hpp"
#include "peneira/strings/published.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <class List>
void expect_names() {
  std::vector<std::string_view> names;
  List::for_each([&](auto strategy) {
    EXPECT_FALSE(strategy.about.empty()) << strategy.name;
    names.push_back(strategy.name);
  });
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << List::names();
  EXPECT_FALSE(names.empty());
}

/// Of how many sizes a strategy takes a problem; its plans must say what their numbers mean.
template <class Strategy, class Machine, class Problem>
int planned(Strategy strategy, const Machine& machine, Problem problem) {
  int count = 0;
  for (unsigned bits = 0; bits <= 33; ++bits) {
    problem.items = std::size_t{1} << bits;
    if (!strategy.refuses(problem, machine).empty()) continue;
    plan made;
    EXPECT_NO_THROW(made = detail::plan_of<Strategy>(problem, machine))
        << strategy.name << " of 2^" << bits << " items";
    EXPECT_FALSE(made.steps.empty()) << strategy.name;
    for (const parameter& p : made.parameters) EXPECT_FALSE(p.about.empty()) << strategy.name << ": " << p.name;
    ++count;
  }
  return count;
}

/// A strategy may refuse some of the problems, not all.
template <class List, class Machine, class... Problems>
void expect_good_list(const Machine& machine, const Problems&... problems) {
  expect_names<List>();
  List::for_each([&](auto strategy) { EXPECT_GT((planned(strategy, machine, problems) + ...), 0) << strategy.name; });
}
template <class Cpu, class Gpu, class... Problems>
void expect_good_lists(const Problems&... problems) {
  expect_good_list<Cpu>(host{.threads = 4}, problems...);
  expect_good_list<Gpu>(device{}, problems...);
}

TEST(strategies, of_gather_are_named_and_explained) {
  expect_good_lists<gather_cpu_strategies, gather_gpu_strategies>(gather_problem{}, gather_problem{.item_bytes = 1000});
}

TEST(strategies, of_histogram_are_named_and_explained) {
  expect_good_lists<histogram_cpu_strategies, histogram_gpu_strategies>(
      histogram_problem{.bins = 2}, histogram_problem{.bins = 1000000, .weight_bytes = 4, .rounds = true});
}

TEST(strategies, of_partition_are_named_and_explained) {
  expect_good_lists<partition_cpu_strategies, partition_gpu_strategies>(partition_problem{.within_part = order::any},
                                                                        partition_problem{.ways = 3, .value_bytes = 8});
}

TEST(strategies, of_scan_are_named_and_explained) {
  expect_good_lists<scan_cpu_strategies, scan_gpu_strategies>(
      scan_problem{}, scan_problem{.segments = 1000, .result_bytes = 32, .offset_bytes = 8});
}

TEST(strategies, of_multisplit_are_named_and_explained) {
  expect_good_lists<multisplit_cpu_strategies, joined<multisplit_gpu_strategies, multisplit_published_strategies>>(
      multisplit_problem{.bins = 2}, multisplit_problem{.bins = 100, .within_bin = order::any},
      multisplit_problem{.bins = 1000000, .within_bin = order::any});
}

TEST(strategies, of_reduce_are_named_and_explained) {
  expect_good_lists<reduce_cpu_strategies, joined<reduce_gpu_strategies, reduce_published_strategies>>(
      reduce_problem{.commutative = true, .grouping = order::any}, reduce_problem{.commutative = false});
}

TEST(strategies, of_segmented_reduce_are_named_and_explained) {
  expect_good_lists<segmented_reduce_cpu_strategies,
                    joined<segmented_reduce_gpu_strategies, segmented_reduce_published_strategies>>(
      segmented_reduce_problem{.segments = 1000, .commutative = true, .grouping = order::any},
      segmented_reduce_problem{.segments = 1000, .commutative = false},
      segmented_reduce_problem{.segments = 1000, .offset_bytes = 0, .segment_items = 8});
}

TEST(strategies, of_sort_are_named_and_explained) {
  expect_good_lists<sort_cpu_strategies, joined<sort_gpu_strategies, sort_published_strategies>>(
      sort_problem{.equal_keys = order::any}, sort_problem{.key_bytes = 8, .value_bytes = 16, .last_bit = 64});
}

TEST(strategies, of_sort_strings_are_named_and_explained) {
  expect_good_lists<joined<sort_strings_cpu_strategies, sort_strings_published_cpu_strategies>,
                    joined<sort_strings_gpu_strategies, sort_strings_published_gpu_strategies>>(sort_strings_problem{});
}

TEST(strategies, of_groups_and_runs_are_named_and_explained) {
  expect_good_lists<group_by_cpu_strategies, group_by_gpu_strategies>(group_by_problem{.room = 1000});
  expect_good_lists<group_cpu_strategies, group_gpu_strategies>(
      group_by_problem{.room = 1000, .by_position = true, .state_bytes = 1, .keeps_items = true});
  expect_good_lists<runs_cpu_strategies, runs_gpu_strategies>(runs_problem{.length_bytes = 8});
}

TEST(strategies, answer_to_their_former_names) {
  const auto name_of_sort = [](std::string_view asked) {
    return detail::plan_by<sort_gpu_strategies>("sort", sort_problem{.items = 1 << 20}, device{}, {asked, ""}).strategy;
  };
  EXPECT_EQ(name_of_sort("levels"), "msd");
  EXPECT_EQ(name_of_sort("passes"), "lsd");
  EXPECT_EQ(name_of_sort("lsd"), "lsd");
  EXPECT_THROW(static_cast<void>(name_of_sort("level")), std::invalid_argument);
  EXPECT_EQ(detail::plan_multisplit({.items = 1 << 20, .bins = 2}, device{}, "halves").strategy, "two_way");
}

}  // namespace peneira::test
