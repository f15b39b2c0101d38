// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort of records by a key that a function gives.
#pragma once

#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/by.hpp"
#include "peneira/call.hpp"
#include "peneira/key_order.hpp"
#include "peneira/place.hpp"
#include "peneira/sort.hpp"
#include "peneira/sort/cpu/records.hpp"
#include "peneira/sort/gpu/by_keys.hpp"
#include "peneira/view.hpp"

namespace peneira {

/// The strategies of sort by a function's keys on a CPU.
using record_sort_cpu_strategies = strategy_list<sort_strategies::records>;
/// And on a GPU.
using record_sort_gpu_strategies = strategy_list<sort_strategies::by_keys>;

namespace detail {

/// What the compiler can see of a sort of records.
template <class Place, class In, class Out, class F>
struct record_sort_arguments {
  using record = typename array_of<In>::key;
  static constexpr bool arrays = at_place<Place>::good && readable_column<In>::good && writable_column<Out>::good;
  static constexpr bool alike = std::is_same_v<record, typename array_of<Out>::key>;
  static_assert(!arrays || alike, "sort by a function: out must have the type of in");
  static constexpr bool small = std::is_trivially_copyable_v<record> && sizeof(record) <= 64;
  static_assert(!arrays || small, "sort by a function: records are trivially copyable and of 1 to 64 bytes");
  static constexpr bool keyed = [] {
    if constexpr (std::is_invocable_v<const F&, const record&>) {
      return sort_key<std::remove_cvref_t<std::invoke_result_t<const F&, const record&>>>;
    } else {
      return false;
    }
  }();
  static_assert(!arrays || keyed,
                "sort by a function: it takes a const record and gives an integer or enum of 8 to 64 bits, or a "
                "floating-point number of 16 to 64");
  static constexpr bool good = arrays && alike && small && keyed;
};

/// sort of records on a CPU, in an order of their keys' bits.
template <class Record, class Key, class Place, class F, class U = bits_of<Key>>
void sort_records_on_cpu(Place& on, const record_sort_problem& problem, view<const Record, const no_value> source,
                         view<Record, no_value> to, const F& f, const key_order<U>& order, const bit_range<U>& part,
                         std::string_view strategy) {
  const auto choose = [](const auto& /*machine*/) {
    return choice{"records", "bins that fit a cache are sorted there"};
  };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    with_rank<Key>(order, part, [&](const auto& rank) {
      const record_rank<F, std::remove_cvref_t<decltype(rank)>> of_record{&f, rank};
      chosen.template run<Record>(there, decided, source, to, of_record);
    });
  };
  try {
    plan_or_run<record_sort_cpu_strategies>("sort", on, problem, strategy, choose, run);
  } catch (const impure_function&) {
    reject("sort", "by", "gave different keys for the same record when it was asked twice");
  }
}

/// sort of records that the compiler has seen.
template <class Place, class In, class Out, class F>
void sort_records(Place& on, In& in, Out& out, const F& f, const sort_options& options) {
  using record = typename array_of<In>::key;
  using key = std::remove_cvref_t<std::invoke_result_t<const F&, const record&>>;
  const auto from = as_view(in);
  const view<const record, const no_value> source{from.keys, nullptr, from.size};
  const view<record, no_value> to = as_view(out);
  check_sort<Place, record, no_value>("sort", source, to, {});
  constexpr unsigned width = 8 * sizeof(key);
  const unsigned last = options.last_bit == 0 ? width : options.last_bit;
  if (last > width || options.first_bit >= last) {
    reject_sort_numbers("sort", options.first_bit, last, width, to.size, source.size);
  }
  const record_sort_problem problem{source.size, sizeof(record), sizeof(key), source.keys == to.keys};
  const auto order = order_of<key>(options.descending);
  const bit_range<bits_of<key>> part{options.first_bit, last - options.first_bit};
  if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
    sort_records_on_cpu<record, key>(on, problem, source, to, f, order, part, options.strategy);
  } else {
    const auto choose = [](const auto& /*machine*/) {
      return choice{"by_keys", "keys and positions move in the sort, records once"};
    };
    const auto run = [&](auto chosen, auto& there, const auto& decided) {
      chosen.template run<record>(there, decided, source, to, f, order, part);
    };
    plan_or_run<record_sort_gpu_strategies>("sort", on, problem, options.strategy, choose, run);
  }
}

}  // namespace detail

/// Writes the records of `in` to `out` in ascending order of the key that a function gives, or descending where the
/// options say so. Records are trivially copyable and of 1 to 64 bytes; those of equal keys keep their order. `in` and
/// `out` are contiguous ranges or items(pointer, n), the same array or apart. Keys, options and errors are those of
/// sort. On a GPU the function is code for it, asked once a record.
///
/// ```cpp
/// using city = struct { float latitude, longitude; std::uint32_t people; };
/// std::vector<city> cities{{-25, -49, 1963}, {60, 11, 709}}, out(2);
/// pn::sort(pn::cpu{}, cities, out, pn::by{[](const city& c) { return c.people; }});
/// ```
template <class Place, class In, class Out, class F>
requires place<std::remove_cvref_t<Place>>
void sort(Place&& on, In&& in, Out&& out, const by<F>& key, const sort_options& options = {}) {
  if constexpr (detail::record_sort_arguments<Place, In, Out, F>::good) {
    detail::sort_records(on, in, out, key.key, options);
  }
}

/// The same in place.
template <class Place, class Records, class F>
requires place<std::remove_cvref_t<Place>>
void sort(Place&& on, Records&& records, const by<F>& key, const sort_options& options = {}) {
  if constexpr (detail::record_sort_arguments<Place, Records, Records, F>::good) {
    detail::sort_records(on, records, records, key.key, options);
  }
}

}  // namespace peneira
