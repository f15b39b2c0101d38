// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// histogram: count the items of each bin, or add up their weights.
#pragma once

#include <limits>
#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/bin_arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/cpu/scatter/called_bins.hpp"
#include "peneira/error.hpp"
#include "peneira/histogram/strategies.hpp"
#include "peneira/labels.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

struct histogram_call {
  static constexpr std::string_view name = "histogram";
};

/// What the compiler can see of a histogram.
template <class Place, class In, class F, class Counts>
struct histogram_arguments {
  using key = typename array_of<In>::key;
  using weight = typename array_of<In>::value;
  using count = typename array_of<Counts>::key;
  static constexpr bool weighted = array_of<In>::has_values;
  static constexpr bool arrays = at_place<Place>::good && readable<In>::good && writable_column<Counts>::good;

  static constexpr bool copied = std::is_trivially_copyable_v<key> && sizeof(key) <= 64;
  static_assert(!arrays || copied, "histogram: keys are trivially copyable and of 1 to 64 bytes");
  static constexpr bool numbers = !weighted || std::is_arithmetic_v<weight>;
  static_assert(!arrays || numbers, "histogram: weights are integers or floating-point numbers");
  static constexpr bool sums = weighted && (std::is_same_v<count, float> || std::is_same_v<count, double>);
  static constexpr bool counted = is_offset<count> || sums;
  static_assert(!arrays || counted || weighted, "histogram: counts are integers of 32 or 64 bits");
  static_assert(!arrays || counted || !weighted,
                "histogram: sums of weights are integers of 32 or 64 bits, float or double");
  static constexpr bool kept = !std::is_floating_point_v<weight> || sums;
  static_assert(!arrays || !counted || kept, "histogram: weights are floating-point, so must be their sums");
  static constexpr bool made = !std::is_same_v<std::remove_cvref_t<Place>, gpu> || std::is_default_constructible_v<key>;
  static_assert(!arrays || made, "histogram on a GPU: keys must be default constructible");

  static constexpr bool types = arrays && copied && numbers && counted && kept && made;
  static constexpr bool good = types && std::conditional_t<types, takes_keys<F, key>, not_asked>::good;
};

/// Throws std::invalid_argument for what can be seen wrong without touching the data.
template <class Place, class K, class W, class Count>
void check_histogram(view<const K, const W> in, std::uint32_t bins, view<Count> counts) {
  const auto refuse = [](std::string_view argument, const std::string& why) { reject("histogram", argument, why); };
  if (bins == 0) refuse("bin function", "has 0 bins; there must be one at least");
  if (counts.size < bins) {
    refuse("counts",
           "has " + std::to_string(counts.size) + " entries, but there are " + std::to_string(bins) + " bins");
  }
  if constexpr (!view<K, W>::has_values) {
    if (in.size > static_cast<std::uint64_t>(std::numeric_limits<Count>::max())) {
      refuse("counts", "are of " + std::to_string(8 * sizeof(Count)) + " bits, too few for " + std::to_string(in.size) +
                           " items; use 64-bit counts");
    }
  }
  check_addresses<Place>("histogram", "in", in, in.size);
  check_address<Place>("histogram", "counts", counts.keys, bins);
  const std::size_t table = bins * sizeof(Count);
  if (overlap(in.keys, in.size * sizeof(K), counts.keys, table)) refuse("counts", "overlap the keys");
  if constexpr (view<K, W>::has_values) {
    if (overlap(in.values, in.size * sizeof(W), counts.keys, table)) refuse("counts", "overlap the weights");
  }
}

/// What a GPU counts: keys by their bins, or labels, which are bins already.
template <class K, class W, class F, class Use>
void with_counted(view<const K, const W> in, const F& f, const Use& use) {
  if constexpr (is_labels<F>) {
    using label = std::remove_cvref_t<decltype(*f.data())>;
    use(view<const label, const W>{f.data(), in.values, in.size}, label_is_bin{f.bins()});
  } else {
    use(in, for_items(f, in.keys));
  }
}

/// histogram by the strategies of a list.
template <class List, class Place, class In, class F, class Counts>
void histogram_by(Place& on, In& in, const F& f, Counts& counts, const histogram_options& options) {
  const auto from = as_view(in);
  const auto to = as_view(counts);
  using key = typename decltype(from)::key_type;
  using weight = typename decltype(from)::value_type;
  using count = typename decltype(to)::key_type;
  const view<const key, const weight> source = from;
  check_histogram<Place>(source, f.bins(), to);
  check_bin_function<Place>("histogram", f, source.size);
  check_apart_from_labels("histogram", f, "counts", to, f.bins());
  constexpr bool labels_are_keys = is_labels<F> && !is_cpu<std::remove_cvref_t<Place>>;
  const histogram_problem problem{source.size,
                                  f.bins(),
                                  labels_are_keys ? label_bytes_of<F> : sizeof(key),
                                  decltype(from)::has_values ? sizeof(weight) : 0,
                                  sizeof(count),
                                  std::is_floating_point_v<count>,
                                  options.grouping,
                                  labels_are_keys ? label_bytes_of<F> : alignof(key),
                                  !never_misses<F>};
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    if (options.strategy.empty() && is_small(problem)) {
      return histogram_strategies::sequential::count(source, called_by<histogram_call>(for_items(f, source.keys)),
                                                     to.keys);
    }
  }
  const auto choose = [&](const auto& machine) { return choose_histogram(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
      chosen.template run<key, weight>(there, decided, source, called_by<histogram_call>(for_items(f, source.keys)),
                                       to.keys);
    } else {
      with_counted(source, f, [&]<class K>(view<const K, const weight> in_bins, const auto& bins) {
        chosen.template run<K, weight>(there, decided, in_bins, bins, to.keys);
      });
    }
  };
  plan_or_run<List>("histogram", on, problem, options.strategy, choose, run);
}

}  // namespace detail

/// Counts the items of each bin: counts[b] for b from 0 to before bins. Of pairs(keys, weights) it adds up the weights
/// of each bin instead.
///
/// `in` is a contiguous range, items(pointer, n), or pairs(keys, weights); `f` is a bin function (bins.hpp) of the
/// keys, or labels (labels.hpp). `counts` holds an integer of 32 or 64 bits for each bin, or sums of weights: such
/// integers, which wrap around as pn::plus does, float or double. Weights that are floating-point want sums that are.
///
/// Sums of floats are added up as doubles, the same bits for every number of threads and on every run, unless the
/// options allow any grouping, which on a GPU takes no memory and far less time.
///
/// Throws std::invalid_argument for arguments that cannot be right, and on the CPU for splitters that do not ascend and
/// for a bin function that returns a bin out of range, naming the item; on a GPU such items are not counted.
/// std::bad_alloc where the temporary memory cannot be had.
///
/// ```cpp
/// std::vector<std::uint32_t> keys{31, 5, 77, 12}, counts(10);
/// pn::histogram(pn::cpu{}, keys, pn::ranges{10, 0U, 99U}, counts);                 // 1 1 0 1 0 0 0 1 0 0
/// std::vector<float> weights{0.5F, 1, 2, 4};
/// std::vector<double> sums(10);
/// pn::histogram(pn::cpu{}, pn::pairs(keys, weights), pn::ranges{10, 0U, 99U}, sums);
/// ```
template <class Place, class In, class F, class Counts>
requires place<std::remove_cvref_t<Place>>
void histogram(Place&& on, In&& in, const F& f, Counts&& counts, const histogram_options& options = {}) {
  if constexpr (detail::histogram_arguments<Place, In, F, Counts>::good) {
    constexpr bool on_cpu = detail::is_cpu<std::remove_cvref_t<Place>>;
    using list = std::conditional_t<on_cpu, histogram_cpu_strategies, histogram_gpu_strategies>;
    detail::histogram_by<list>(on, in, f, counts, options);
  }
}

using detail::without_place::histogram;

}  // namespace peneira
