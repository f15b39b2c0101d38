// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Every call with a few types each, so that what headers instantiate is compiled under all warnings. Nothing runs it.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "peneira/multisplit/published.hpp"
#include "peneira/peneira.hpp"
#include "peneira/reduce/published.hpp"
#include "peneira/segmented_reduce/published.hpp"
#include "peneira/sort/published.hpp"
#include "peneira/strings/published.hpp"

namespace {

/// Makes a call run on a CPU, and plans it for a GPU.
template <class Call>
void everywhere(Call call) {
  const pn::cpu here{.threads = 2};
  call(here);
  static_cast<void>(pn::explain(call, pn::host{}));
  static_cast<void>(pn::explain(call, pn::device{}));
}

enum class grain : std::int16_t { rye = -1, oats, wheat };

template <class Key, class F>
void split(const F& f) {
  const std::vector<Key> keys(100);
  std::vector<Key> out(100);
  std::vector<std::int32_t> offsets(f.bins() + std::size_t{1});
  everywhere([&](auto& on) { pn::multisplit(on, keys, out, f, offsets); });
}

template <class Key, class Value, class F>
void split_pairs(const F& f) {
  const std::vector<Key> keys(100);
  const std::vector<Value> values(100);
  std::vector<Key> out(100);
  std::vector<Value> moved(100);
  std::vector<unsigned long long> offsets(f.bins() + std::size_t{1});
  everywhere([&](auto& on) {
    pn::multisplit(on, pn::pairs(keys, pn::items(values)), pn::pairs(pn::items(out), pn::items(moved)), f, offsets);
  });
}

void splits() {
  const std::array<std::uint32_t, 3> borders{2, 3, 5};
  split<std::uint8_t>(pn::digit{0, 4});
  split<grain>(pn::hashed{7});
  split<std::int32_t>(pn::ranges{10, 0, 99});
  split<std::int32_t>(pn::ranges{10, 0U, 99U});
  split<std::uint64_t>(pn::ranges{10, std::uint64_t{0}, std::uint64_t{99}});
  split<double>(pn::ranges{10, 0.0, 1.0});
  split<std::int64_t>(pn::splitters{borders});
  split_pairs<float, char>(pn::ranges{10, 0.0F, 1.0F});
  split_pairs<std::uint32_t, std::uint32_t>(
      pn::binned{3, [](std::uint32_t key) { return static_cast<grain>(key % 3); }});
}

template <class Key, class Weight, class Count, class F>
void histograms(const F& f) {
  const std::vector<Key> keys(100);
  const std::vector<Weight> weights(100);
  std::vector<Count> sums(f.bins());
  std::vector<std::uint32_t> counts(f.bins());
  everywhere([&](auto& on) { pn::histogram(on, keys, f, counts); });
  everywhere([&](auto& on) { pn::histogram(on, pn::pairs(keys, weights), f, sums); });
}

template <class Item, class Result, class Op>
void scans(const Op& op) {
  const std::vector<Item> items(1000);
  const std::vector<std::int64_t> offsets{0, 3, 100};
  std::vector<Result> out(1000);
  everywhere([&](auto& on) { pn::scan(on, items, out, op, {.inclusive = true}); });
  everywhere([&](auto& on) { pn::segmented_scan(on, items, offsets, out, op); });
  everywhere([&](auto& on) { pn::segmented_scan(on, items, pn::every{7}, out, op); });
}

template <class Key, class Value, class F>
void partitions(const F& f) {
  const std::vector<Key> keys(100);
  const std::vector<Value> values(100);
  std::vector<Key> out(100);
  std::vector<Value> moved(100);
  std::vector<std::int32_t> counts(3);
  static_cast<void>(pn::partition(pn::cpu{.threads = 2}, keys, out, f));
  everywhere([&](auto& on) { pn::partition(on, pn::pairs(keys, values), pn::pairs(out, moved), f, counts); });
}

template <class Position>
void gathers() {
  const std::vector<float> keys(100);
  const std::vector<std::string_view> names(100);
  const std::vector<Position> positions(100);
  std::vector<float> out(100);
  std::vector<std::string_view> theirs(100);
  everywhere([&](auto& on) { pn::gather(on, keys, positions, out); });
  everywhere([&](auto& on) { pn::gather(on, pn::table(keys, names, keys), positions, pn::table(out, theirs, out)); });
  everywhere([&](auto& on) { pn::scatter(on, pn::pairs(keys, names), positions, pn::pairs(out, theirs)); });
}

void bins() {
  const std::vector<std::int8_t> by(100);
  const std::vector<float> keys(100);
  std::vector<float> out(100);
  std::vector<unsigned> offsets(4);
  everywhere([&](auto& on) { pn::multisplit(on, keys, out, pn::labels{3, by}, offsets); });
  histograms<float, std::int16_t, double>(pn::labels{3, by});
  histograms<double, float, float>(pn::ranges{10, 0.0, 1.0});
  histograms<std::uint16_t, std::uint8_t, std::int32_t>(pn::digit{0, 4});
  histograms<std::uint16_t, std::int8_t, std::int64_t>(pn::binned{3, [](std::uint16_t key) { return key % 3; }});
}

template <class Key, class Value>
void sorts() {
  std::vector<Key> keys(100);
  std::vector<Key> out(100);
  std::vector<Value> values(100);
  std::vector<Value> moved(100);
  std::vector<unsigned long long> positions(100);
  everywhere([&](auto& on) { pn::sort(on, keys); });
  everywhere([&](auto& on) { pn::sort(on, keys, out, {.descending = true}); });
  everywhere([&](auto& on) { pn::sort(on, pn::pairs(keys, values), pn::pairs(out, moved)); });
  everywhere([&](auto& on) { pn::argsort(on, keys, positions); });
}

template <class Item, class Result, class Op>
void reductions(const Op& op) {
  const std::vector<Item> items(100);
  const std::vector<std::uint32_t> offsets{0, 3, 100};
  Result result{};
  std::vector<Result> results(100);
  everywhere([&](auto& on) { pn::reduce(on, items, &result, op); });
  everywhere([&](auto& on) { pn::segmented_reduce(on, items, offsets, results, op); });
  everywhere([&](auto& on) { pn::segmented_reduce(on, items, pn::every{4}, results, op); });
}

template <class Key, class Item, class Result, class Op>
void groups(const Op& op) {
  const pn::cpu on{.threads = 2};
  const std::vector<Key> keys(100);
  const std::vector<Item> items(100);
  std::vector<Key> unique_keys(100);
  std::vector<Result> results(100);
  std::vector<std::int64_t> offsets(101);
  std::vector<std::uint32_t> lengths(100);
  std::vector<Item> moved(100);
  pn::group_by(on, keys, items, unique_keys, results, op);
  pn::group_by(on, keys, unique_keys, pn::aggregates{pn::count(offsets), pn::aggregate(items, op, results)},
               {.groups = pn::order::any});
  pn::distinct(on, keys, unique_keys);
  pn::group(on, keys, unique_keys, offsets, lengths);
  pn::group(on, pn::pairs(keys, items), unique_keys, offsets, moved);
  pn::unique(on, keys, unique_keys);
  pn::run_lengths(on, keys, unique_keys, lengths);
  std::int64_t runs = 0;
  everywhere([&](auto& place) { pn::group_by(place, keys, items, unique_keys, results, op, &runs); });
  everywhere([&](auto& place) {
    pn::group_by(place, keys, unique_keys, pn::aggregates{pn::count(offsets), pn::aggregate(items, op, results)}, &runs,
                 pn::group_by_options{});
  });
  everywhere([&](auto& place) { pn::distinct(place, keys, unique_keys, &runs); });
  everywhere([&](auto& place) { pn::group(place, pn::pairs(keys, items), unique_keys, offsets, moved, &runs); });
  everywhere([&](auto& place) { pn::unique(place, keys, unique_keys, &runs); });
  everywhere([&](auto& place) { pn::run_lengths(place, keys, unique_keys, lengths, &runs); });
  static_cast<void>(pn::explain([&](auto& place) { pn::group_by(place, keys, items, unique_keys, results, op); }));
}

void strings() {
  const std::vector<std::string> words{"rye", "oats"};
  const auto lines = pn::lines_of("wheat\nrye\n");
  const auto copied = pn::strings_of<std::uint32_t>(words);
  std::vector<std::uint32_t> permutation(2);
  std::vector<unsigned long long> wide(2);
  everywhere([&](auto& on) { pn::sort_strings(on, lines, permutation); });
  everywhere([&](auto& on) { pn::sort_strings(on, copied, wide); });
  pn::sort_strings(pn::cpu{}, words, permutation);
  pn::published::sort_strings(pn::cpu{}, lines, permutation, {.strategy = "task_merge_quicksort"});
}

/// Sorts of segments, rows and records, and the first of them: some run on the CPU alone.
void more_sorts() {
  std::vector<float> keys(100);
  std::vector<std::int16_t> values(100);
  std::vector<std::uint64_t> positions(100);
  std::vector<std::uint64_t> wide(4);
  std::vector<std::uint8_t> mask(100);
  std::vector<float> out(4);
  const std::vector<std::int32_t> offsets{0, 30, 100};
  const auto there = [](auto call) {
    const pn::cpu here{.threads = 2};
    call(here);
    static_cast<void>(pn::explain(call, pn::host{}));
  };
  everywhere([&](auto& on) { pn::segmented_sort(on, pn::pairs(keys, values), offsets); });
  everywhere([&](auto& on) { pn::segmented_sort(on, keys, pn::every{7}, pn::items(keys), {.descending = true}); });
  everywhere([&](auto& on) { pn::segmented_argsort(on, values, offsets, positions); });
  there([&](auto& on) { pn::sort(on, pn::columns(keys, pn::descending(pn::nulls_last(values, mask)))); });
  there([&](auto& on) { pn::sort(on, keys, pn::by{[](float x) { return -x; }}, {.descending = true}); });
  everywhere([&](auto& on) {
    pn::top_k(on, pn::pairs(positions, keys), 3, pn::pairs(pn::items(wide.data(), 3), pn::items(out.data(), 3)));
  });
  there([&](auto& on) { pn::segmented_top_k(on, keys, offsets, 2, out, {.least = true, .sorted = false}); });
}

/// The published calls, which a CPU has none of but for strings, planned for a GPU.
void published() {
  const std::vector<std::uint32_t> keys(100);
  std::vector<std::uint32_t> out(100);
  std::vector<std::uint32_t> offsets(11);
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> sums(10);
  const pn::order any = pn::order::any;
  static_cast<void>(pn::explain(
      [&](auto& on) {
        pn::published::multisplit(on, keys, out, pn::hashed{10}, offsets, {.within_bin = any, .strategy = "large"});
      },
      pn::device{}));
  static_cast<void>(
      pn::explain([&](auto& on) { pn::published::sort(on, keys, out, {.strategy = "mpp_sort"}); }, pn::device{}));
  static_cast<void>(pn::explain(
      [&](auto& on) { pn::published::reduce(on, keys, &sum, pn::plus{}, {.grouping = any, .strategy = "shuffle"}); },
      pn::device{}));
  static_cast<void>(pn::explain(
      [&](auto& on) {
        pn::published::segmented_reduce(on, keys, pn::every{10}, sums, pn::plus{},
                                        {.grouping = any, .strategy = "best_reduce"});
      },
      pn::device{}));
}

}  // namespace

int main() {
  splits();
  bins();
  sorts<grain, char>();
  sorts<std::uint32_t, std::uint32_t>();
  sorts<double, std::int64_t>();
  reductions<std::uint8_t, std::uint64_t>(pn::plus{});
  reductions<float, double>(pn::multiplies{});
  reductions<std::int32_t, std::int32_t>(pn::max{});
  reductions<std::int16_t, pn::indexed<std::int16_t>>(pn::arg_min{});
  reductions<std::uint32_t, std::uint8_t>(pn::logical_or{});
  gathers<std::uint32_t>();
  gathers<std::int64_t>();
  partitions<float, char>(pn::around{0.5F});
  partitions<std::uint64_t, double>(pn::around{-1});
  partitions<std::int16_t, grain>([](std::int16_t key) { return key > 3; });
  partitions<grain, std::uint8_t>([](grain key) { return key; });
  scans<std::uint8_t, std::uint64_t>(pn::plus{});
  scans<float, float>(pn::multiplies{});
  scans<std::int8_t, std::int8_t>(std::plus<>{});
  scans<double, double>(pn::min{});
  scans<std::int16_t, pn::indexed<std::int16_t>>(pn::arg_min{});
  groups<std::uint32_t, float, double>(pn::plus{});
  groups<grain, char, char>(pn::max{});
  groups<double, std::int16_t, pn::indexed<std::int16_t>>(pn::arg_min{});
  strings();
  more_sorts();
  published();
}
