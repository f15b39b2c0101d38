// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// multisplit: partition an array into any number of bins by any function.
#pragma once

#include <limits>
#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/bin_arguments.hpp"
#include "peneira/bins.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/labels.hpp"
#include "peneira/multisplit/strategies.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// What the compiler can see of a multisplit.
template <class Place, class In, class Out, class F, class Offsets>
struct multisplit_arguments {
  using key = typename array_of<In>::key;
  using value = typename array_of<In>::value;
  using offset = typename array_of<Offsets>::key;
  static constexpr bool arrays =
      at_place<Place>::good && readable<In>::good && writable<Out>::good && writable_column<Offsets>::good;

  static constexpr bool alike =
      std::is_same_v<key, typename array_of<Out>::key> && std::is_same_v<value, typename array_of<Out>::value>;
  static_assert(!arrays || alike, "multisplit: out must have the key and value types of in");
  static constexpr bool copied = std::is_trivially_copyable_v<key> && std::is_trivially_copyable_v<value>;
  static_assert(!arrays || copied, "multisplit: keys and values must be trivially copyable");
  static constexpr bool small = sizeof(key) <= 64 && sizeof(value) <= 64;
  static_assert(!arrays || small, "multisplit: keys and values are of 1 to 64 bytes");
  static constexpr bool counted = is_offset<offset>;
  static_assert(!arrays || counted, "multisplit: offsets are integers of 32 or 64 bits");
  static constexpr bool made = !std::is_same_v<std::remove_cvref_t<Place>, gpu> ||
                               (std::is_default_constructible_v<key> && std::is_default_constructible_v<value>);
  static_assert(!arrays || made, "multisplit on a GPU: keys and values must be default constructible");

  static constexpr bool types = arrays && alike && copied && small && counted && made;
  static constexpr bool good = types && std::conditional_t<types, takes_keys<F, key>, not_asked>::good;
};

/// Says which of a multisplit's sizes is wrong. Apart from where they are looked at, so that a call of few items is
/// short.
[[noreturn, gnu::noinline, gnu::cold]] inline void reject_multisplit_sizes(std::size_t items, std::size_t room,
                                                                           std::uint32_t bins, std::size_t offsets,
                                                                           std::size_t offset_bytes) {
  const auto refuse = [](std::string_view argument, const std::string& why) { reject("multisplit", argument, why); };
  if (bins == 0) refuse("bin function", "has 0 bins; there must be one at least");
  if (room < items) {
    refuse("out", "has room for " + std::to_string(room) + " items, but there are " + std::to_string(items));
  }
  if (offsets < std::size_t{bins} + 1) {
    refuse("offsets", "has " + std::to_string(offsets) + " entries, but " + std::to_string(bins) + " bins need " +
                          std::to_string(std::size_t{bins} + 1));
  }
  reject("multisplit", "offsets",
         "are of " + std::to_string(8 * offset_bytes) + " bits, too few for " + std::to_string(items) +
             " items; use 64-bit offsets");
}

/// Throws std::invalid_argument for what can be seen wrong without touching the data.
template <class Place, class K, class V, class Offset>
void check_multisplit(view<const K, const V> in, view<K, V> out, std::uint32_t bins, view<Offset> offsets) {
  if (bins == 0 || out.size < in.size || offsets.size < std::size_t{bins} + 1 ||
      in.size > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max())) [[unlikely]] {
    reject_multisplit_sizes(in.size, out.size, bins, offsets.size, sizeof(Offset));
  }
  check_addresses<Place>("multisplit", "in", in, in.size);
  check_addresses<Place>("multisplit", "out", out, in.size);
  check_address<Place>("multisplit", "offsets", offsets.keys, std::size_t{bins} + 1);
  check_apart("multisplit", in, out, "offsets", offsets.keys, (std::size_t{bins} + 1) * sizeof(Offset));
}

/// Whether a bin function takes long on a GPU, as far as that is known.
template <class Place, class K, class F>
bool is_costly() {
#if defined(__CUDACC__)
  if constexpr (!is_cpu<std::remove_cvref_t<Place>> && may_take_long<K, F>) return takes_long<K, F>();
#endif
  return false;
}

/// multisplit by a plan, of arguments that were checked.
template <class List, class K, class V, class Place, class F, class Offset>
[[gnu::noinline]] void multisplit_by_plan(Place& on, const multisplit_problem& problem, std::string_view strategy,
                                          view<const K, const V> in, view<K, V> out, const F& f, Offset* offsets) {
  const auto choose = [&](const auto& machine) { return choose_multisplit(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
      chosen.template run<K, V>(there, decided, in, out, for_items(f, in.keys), offsets);
    } else {
      chosen.template run<K, V>(there, decided, in, out, for_items(f, in.keys), offsets, problem.checked);
    }
  };
  plan_or_run<List>("multisplit", on, problem, strategy, choose, run);
}

/// multisplit by the strategies of a list.
template <class List, class Place, class In, class Out, class F, class Offsets>
void multisplit_by(Place& on, In& in, Out& out, const F& f, Offsets& offsets, const multisplit_options& options,
                   const published_multisplit_limits& limits = {}) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  const auto table = as_view(offsets);
  using key = typename decltype(from)::key_type;
  using value = typename decltype(from)::value_type;
  using offset = typename decltype(table)::key_type;
  const view<const key, const value> source = from;
  check_multisplit<Place, key, value, offset>(source, to, f.bins(), table);
  check_bin_function<Place>("multisplit", f, source.size);
  check_apart_from_labels("multisplit", f, "out", to, source.size);
  check_apart_from_labels("multisplit", f, "offsets", table, std::size_t{f.bins()} + 1);
  multisplit_problem problem{
      source.size,    f.bins(),           sizeof(key),     decltype(from)::has_values ? sizeof(value) : 0,
      sizeof(offset), options.within_bin, options.checked, limits,
      alignof(key),   label_bytes_of<F>};
  problem.may_miss = !never_misses<F>;
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    if (options.strategy.empty() && splits_by_loop(problem) &&
        !is_shared_by_many(problem, host::here().with_threads(on.threads))) {
      return multisplit_strategies::sequential::split(source, to, for_items(f, source.keys), table.keys);
    }
  }
  problem.costly = is_costly<Place, key, F>();
  multisplit_by_plan<List, key, value>(on, problem, options.strategy, source, to, f, table.keys);
}

}  // namespace detail

/// Moves the items of `in` to `out` so that all items of bin 0 come first, then those of bin 1, and so on, and writes
/// where each bin begins: offsets[b] for b from 0 to bins, so that bin b is out[offsets[b]] to before out[offsets[b +
/// 1]].
///
/// `in` and `out` are contiguous ranges, items(pointer, n), or pairs(keys, values); they must not overlap. `f` is a bin
/// function (bins.hpp) of the keys, or labels that were computed before (labels.hpp). `offsets` holds bins +
/// 1 integers of 32 or 64 bits. Items are of 1 to 64 bytes (a key and its value each) and trivially copyable, on a GPU
/// also default constructible. Within a bin the input order is kept, unless the options allow any.
///
/// Throws std::invalid_argument for arguments that cannot be right (a null pointer to items, an address that is not
/// aligned as its type is, arrays that are too small or overlap), and on the CPU for splitters that do not ascend and a
/// bin function that returns a bin out of range; on the GPU such items are left out, offsets[bins] tells how many
/// remain, and with {.checked = true} the call waits and throws. std::bad_alloc where the temporary memory cannot be
/// had.
///
/// ```cpp
/// std::vector<std::uint32_t> keys{31, 5, 77, 12}, out(4), offsets(11);
/// pn::multisplit(pn::cpu{}, keys, out, pn::ranges{10, 0U, 99U}, offsets);          // out: 5 12 31 77
/// std::vector<char> letters{'a', 'b', 'c', 'd'}, moved(4);
/// pn::multisplit(pn::cpu{}, pn::pairs(keys, letters), pn::pairs(out, moved), pn::hashed{10}, offsets);
/// ```
template <class Place, class In, class Out, class F, class Offsets>
requires place<std::remove_cvref_t<Place>>
void multisplit(Place&& on, In&& in, Out&& out, const F& f, Offsets&& offsets, const multisplit_options& options = {}) {
  if constexpr (detail::multisplit_arguments<Place, In, Out, F, Offsets>::good) {
    constexpr bool on_cpu = detail::is_cpu<std::remove_cvref_t<Place>>;
    using gpu_list = std::conditional_t<detail::is_labels<F>, multisplit_label_strategies, multisplit_gpu_strategies>;
    using list = std::conditional_t<on_cpu, multisplit_cpu_strategies, gpu_list>;
    detail::multisplit_by<list>(on, in, out, f, offsets, options);
  }
}

using detail::without_place::multisplit;

}  // namespace peneira
