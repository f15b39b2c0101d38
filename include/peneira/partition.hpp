// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// partition: two parts or three of an array, one behind the other.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/cpu/scatter/called_bins.hpp"
#include "peneira/error.hpp"
#include "peneira/partition/strategies.hpp"
#include "peneira/parts.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

struct partition_call {
  static constexpr std::string_view name = "partition";
};

/// What the compiler can see of a partition.
template <class Place, class In, class Out, class F>
struct partition_arguments {
  using key = typename array_of<In>::key;
  using value = typename array_of<In>::value;
  static constexpr bool arrays = at_place<Place>::good && readable<In>::good && writable<Out>::good;

  static constexpr bool alike =
      std::is_same_v<key, typename array_of<Out>::key> && std::is_same_v<value, typename array_of<Out>::value>;
  static_assert(!arrays || alike, "partition: out must have the key and value types of in");
  static constexpr bool copied = std::is_trivially_copyable_v<key> && std::is_trivially_copyable_v<value> &&
                                 sizeof(key) <= 64 && sizeof(value) <= 64;
  static_assert(!arrays || copied, "partition: keys and values are trivially copyable and of 1 to 64 bytes");

  static constexpr bool made = !std::is_same_v<std::remove_cvref_t<Place>, gpu> ||
                               (std::is_default_constructible_v<key> && std::is_default_constructible_v<value>);
  static_assert(!arrays || made, "partition on a GPU: keys and values must be default constructible");

  static constexpr bool types = arrays && alike && copied && made;
  using by = std::conditional_t<types, parts_by<key, F>, not_asked>;
  static constexpr bool good = types && by::good;
};

/// Throws std::invalid_argument for what can be seen wrong without touching the data.
template <class Place, class K, class V, class Count>
void check_partition(view<const K, const V> in, view<K, V> out, std::uint32_t ways, view<Count> counts) {
  const auto refuse = [](std::string_view argument, const std::string& why) { reject("partition", argument, why); };
  if (out.size < in.size) {
    refuse("out", "has room for " + std::to_string(out.size) + " items, but there are " + std::to_string(in.size));
  }
  if (counts.size < ways) {
    refuse("counts",
           "has " + std::to_string(counts.size) + " entries, but there are " + std::to_string(ways) + " parts");
  }
  if (in.size > static_cast<std::uint64_t>(std::numeric_limits<Count>::max())) {
    refuse("counts", "are of " + std::to_string(8 * sizeof(Count)) + " bits, too few for " + std::to_string(in.size) +
                         " items; use 64-bit counts");
  }
  check_addresses<Place>("partition", "in", in, in.size);
  check_addresses<Place>("partition", "out", out, in.size);
  check_address<Place>("partition", "counts", counts.keys, ways);
  check_apart("partition", in, out, "counts", counts.keys, ways * sizeof(Count));
}

/// partition of arguments that were checked, by a plan. Apart from the call, so that one of few items is short.
template <class List, class Place, class K, class V, class Parts, class Count>
[[gnu::noinline]] void partition_by_plan(Place& on, const partition_problem& problem, view<const K, const V> in,
                                         view<K, V> out, const Parts& parts, Count* counts, std::string_view strategy) {
  const auto choose = [&](const auto& machine) { return choose_partition(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
      chosen.template run<Parts::ways>(there, decided, in, out, called_by<partition_call>(parts), counts);
    } else {
      chosen.template run<Parts::ways>(there, decided, in, out, parts, counts);
    }
  };
  plan_or_run<List>("partition", on, problem, strategy, choose, run);
}

/// partition by the strategies of a list.
template <class List, class Place, class In, class Out, class F, class Counts>
[[gnu::always_inline]] inline void partition_by(Place& on, In& in, Out& out, const F& f, Counts& given,
                                                const partition_options& options) {
  const auto to = as_view(out);
  const auto counts = as_view(given);
  using key = typename decltype(to)::key_type;
  using value = typename decltype(to)::value_type;
  using parts = typename parts_by<key, F>::type;
  const view<const key, const value> from = as_view(in);
  check_partition<Place, key, value>(from, to, parts::ways, counts);
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    using chosen = partition_strategies::sequential;
    const std::size_t bytes = from.size * (sizeof(key) + (decltype(to)::has_values ? sizeof(value) : 0));
    if (options.strategy.empty() && is_small_partition(bytes)) {
      const chosen::parameters p{.within = options.within_part};
      return chosen::run<parts::ways>(on, p, from, to, called_by<partition_call>(parts{f}), counts.keys);
    }
  }
  const partition_problem problem{from.size, parts::ways, sizeof(key), decltype(to)::has_values ? sizeof(value) : 0,
                                  options.within_part};
  partition_by_plan<List, Place, key, value>(on, problem, from, to, parts{f}, counts.keys, options.strategy);
}

}  // namespace detail

/// Moves the items of `in` to `out` so that those of part 0 come first, then those of part 1, and of three parts those
/// of part 2, and writes to `counts` how many each has. Within a part the input order is kept, unless the options allow
/// any.
///
/// `f` says which part a key is in: a predicate, which returns bool, makes two parts, of which the first are the keys
/// that it holds for; a function that returns another integer makes three, 0, 1 and 2; around{pivot} three, below,
/// equal and above. Arrays are as for multisplit, and must not overlap; `counts` holds two or three integers of 32 or
/// 64 bits, on a GPU in device memory.
///
/// Throws std::invalid_argument for arguments that cannot be right, and on the CPU for a function that returns
/// something else than 0, 1 or 2, naming the item; on a GPU such items are left out. std::bad_alloc where the temporary
/// memory cannot be had.
///
/// ```cpp
/// std::vector<int> keys{5, -1, 7, 0, -3}, out(5);
/// std::vector<std::uint32_t> counts(3);
/// pn::partition(pn::cpu{}, keys, out, [](int key) { return key < 0; }, counts);    // -1 -3 | 5 7 0, counts: 2 3
/// pn::partition(pn::cpu{}, keys, out, pn::around{0}, counts);                      // -1 -3 | 0 | 5 7, counts: 2 1 2
/// ```
template <class Place, class In, class Out, class F, class Counts>
requires place<std::remove_cvref_t<Place>> && detail::array_of<std::remove_reference_t<Counts>>::is_array void
partition(Place&& on, In&& in, Out&& out, const F& f, Counts&& counts, const partition_options& options = {}) {
  if constexpr (detail::partition_arguments<Place, In, Out, F>::good && detail::writable_column<Counts>::good) {
    constexpr bool counted = detail::is_offset<typename detail::array_of<Counts>::key>;
    static_assert(counted, "partition: counts are integers of 32 or 64 bits");
    constexpr bool on_cpu = detail::is_cpu<std::remove_cvref_t<Place>>;
    using list = std::conditional_t<on_cpu, partition_cpu_strategies, partition_gpu_strategies>;
    if constexpr (counted) detail::partition_by<list>(on, in, out, f, counts, options);
  }
}

/// The same, and returns the counts, a std::array of two or three: on the CPU alone, since a call on a GPU does not
/// wait.
///
/// ```cpp
/// std::vector<int> keys{5, -1, 7, 0, -3}, out(5);
/// const auto [negative, others] = pn::partition(pn::cpu{}, keys, out, [](int key) { return key < 0; });
/// ```
template <class Place, class In, class Out, class F>
requires place<std::remove_cvref_t<Place>>
auto partition(Place&& on, In&& in, Out&& out, const F& f, const partition_options& options = {}) {
  using arguments = detail::partition_arguments<Place, In, Out, F>;
  constexpr bool here = detail::is_cpu<std::remove_cvref_t<Place>>;
  static_assert(here,
                "partition: on a GPU the counts are written to device memory when their turn comes, and cannot be "
                "returned: pass an array for them, as in pn::partition(on, in, out, f, counts)");
  if constexpr (here && arguments::good) {
    std::array<std::size_t, arguments::by::type::ways> counts{};
    detail::partition_by<partition_cpu_strategies>(on, in, out, f, counts, options);
    return counts;
  }
}

/// A partition in place is none of them: this one says so.
template <class Place, class In, class F>
requires place<std::remove_cvref_t<Place>> && std::is_invocable_v<const F&, typename detail::array_of<In>::key>  //
void partition(Place&& /*on*/, In&& /*in*/, const F& /*f*/) {
  static_assert(!place<std::remove_cvref_t<Place>>,
                "partition: the parts are written to an array of their own: pn::partition(on, in, out, f)");
}

using detail::without_place::partition;

}  // namespace peneira
