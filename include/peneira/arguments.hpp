// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the arguments of every call must be. What the compiler can see is refused in one sentence before anything else
// is instantiated; addresses are looked at when the call is made.
#pragma once

#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "peneira/error.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// The first argument of a call.
template <class Place>
struct at_place {
  static constexpr bool is_place = place<std::remove_cvref_t<Place>>;
  static_assert(is_place, "the first argument says where a call runs: pn::cpu{}, pn::gpu{}, or what explain() passes");
#if defined(__CUDACC__)
  static constexpr bool good = is_place;
#else
  static constexpr bool good = is_place && !std::is_same_v<std::remove_cvref_t<Place>, gpu>;
  static_assert(!is_place || good, "a call on a GPU: compile this file with nvcc");
#endif
};

/// The first argument of a call that runs on the CPU alone.
template <class Place>
struct at_cpu {
  using where = std::remove_cvref_t<Place>;
  static constexpr bool good = std::is_same_v<where, cpu> || std::is_same_v<where, planner<host>>;
  static_assert(good || !place<where>,
                "this call runs on the CPU alone so far: its first argument is pn::cpu{}, or what explain() passes for "
                "a pn::host");
};

/// The first argument of a call that returns how many groups, or runs, it found.
template <class Place>
struct returns_count {
  using where = std::remove_cvref_t<Place>;
  static constexpr bool good = std::is_same_v<where, cpu> || std::is_same_v<where, planner<host>>;
  static_assert(
      good || !place<where>,
      "on a GPU the number of groups, or of runs, is written to device memory when its turn comes, and cannot "
      "be returned: pass a pointer to it as the last argument before the options");
};

/// Calls whose first argument is no place, so that they are told that instead of why no overload fits.
namespace without_place {

template <class T>
concept no_place = !place<std::remove_cvref_t<T>> && !requires(T & on) {
  on.between();
};  // of ranks: see ranks/

/// What each of them says. It returns a number because some calls do, and a program should hear of its place alone.
#define PENEIRA_WITHOUT_PLACE(call)                             \
  template <no_place First, class... Others>                    \
  std::size_t call(First&& /*first*/, Others&&... /*others*/) { \
    static_cast<void>(at_place<First>::good);                   \
    return 0;                                                   \
  }
PENEIRA_WITHOUT_PLACE(multisplit)
PENEIRA_WITHOUT_PLACE(sort)
PENEIRA_WITHOUT_PLACE(argsort)
PENEIRA_WITHOUT_PLACE(reduce)
PENEIRA_WITHOUT_PLACE(segmented_reduce)
PENEIRA_WITHOUT_PLACE(segmented_sort)
PENEIRA_WITHOUT_PLACE(segmented_argsort)
PENEIRA_WITHOUT_PLACE(top_k)
PENEIRA_WITHOUT_PLACE(segmented_top_k)
PENEIRA_WITHOUT_PLACE(sort_strings)
PENEIRA_WITHOUT_PLACE(histogram)
PENEIRA_WITHOUT_PLACE(scan)
PENEIRA_WITHOUT_PLACE(segmented_scan)
PENEIRA_WITHOUT_PLACE(partition)
PENEIRA_WITHOUT_PLACE(gather)
PENEIRA_WITHOUT_PLACE(scatter)
PENEIRA_WITHOUT_PLACE(group_by)
PENEIRA_WITHOUT_PLACE(distinct)
PENEIRA_WITHOUT_PLACE(group)
PENEIRA_WITHOUT_PLACE(unique)
PENEIRA_WITHOUT_PLACE(run_lengths)
#undef PENEIRA_WITHOUT_PLACE

}  // namespace without_place

/// An array that a call reads.
template <class T>
struct readable {
  static constexpr bool good = array_of<T>::is_array;
  static_assert(good,
                "an array is a contiguous range (std::vector but not of bool, std::array, std::span, ...), "
                "items(pointer, n) or pairs(keys, values)");
};

/// An array that a call writes.
template <class T>
struct writable : readable<T> {
  static constexpr bool is_array = readable<T>::good;
  static_assert(
      !is_array || !is_temporary<T>,
      "an output cannot be a temporary, which nobody reads: give a variable, a std::span or items(pointer, n)");
  static_assert(!is_array || is_temporary<T> || !array_of<T>::is_const, "an output cannot be const");
  static constexpr bool good = is_array && !is_temporary<T> && !array_of<T>::is_const;
};

/// A column that a call reads: an array without values.
template <class T>
struct readable_column : readable<T> {
  static constexpr bool good = readable<T>::good && !array_of<T>::has_values;
  static_assert(good || !readable<T>::good, "items are one column, without values");
};
/// A column that a call writes.
template <class T>
struct writable_column : writable<T> {
  static constexpr bool good = writable<T>::good && !array_of<T>::has_values;
  static_assert(good || !writable<T>::good, "an output of this kind is one column, without values");
};

/// A function that compares two items, where a call of std::sort would have it; and one that gives an item's key.
template <class F, class Items>
inline constexpr bool is_comparison =
    std::is_invocable_r_v<bool, F, typename array_of<Items>::key, typename array_of<Items>::key>;
template <class F, class Items>
inline constexpr bool is_key_function =
    !is_comparison<F, Items> && std::is_invocable_v<F, typename array_of<Items>::key>;
template <class F, class Items>
inline constexpr bool is_function_of = is_comparison<F, Items> || is_key_function<F, Items>;

/// A function behind the arrays of a sort or a top_k does not compile.
template <class F, class Items>
struct no_function {
  static_assert(!is_comparison<F, Items>,
                "keys are compared as numbers, and no comparison is taken: {.descending = true} turns the order of a "
                "sort around, and {.least = true} that of a top_k; for one of your own, sort keys that are made from "
                "it, with their items' positions as values");
  static_assert(!is_key_function<F, Items>,
                "sort by a function that gives the key of a record: pn::sort(on, records, pn::by{f})");
  static constexpr bool good = !is_function_of<F, Items>;
};

/// Whether a type can be that of offsets.
template <class T>
inline constexpr bool is_offset = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
/// Whether it can number items.
template <class T>
inline constexpr bool is_position = is_offset<T>&& std::is_unsigned_v<T>;

/// What is not asked because something before it is wrong already.
struct not_asked {
  static constexpr bool good = false;
};

/// Whether a call on this place runs; a planner for it may be given addresses of nothing.
template <class Place>
inline constexpr bool runs =
    std::is_same_v<std::remove_cvref_t<Place>, cpu> || std::is_same_v<std::remove_cvref_t<Place>, gpu>;

/// Says what is wrong with `count` items at an address. Apart from where it is looked at, so that a call is short.
[[noreturn, gnu::noinline, gnu::cold]] inline void reject_address(std::string_view call, std::string_view argument,
                                                                  std::string_view column, const void* at,
                                                                  std::size_t count, std::size_t alignment) {
  const std::string whole = std::string(argument).append(column);
  if (at == nullptr) reject(call, whole, "is a null pointer, but has " + std::to_string(count) + " entries");
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  char digits[2 * sizeof(address)];
  const auto end = std::to_chars(digits, digits + sizeof(digits), address, 16).ptr;
  reject(call, whole,
         "is at address 0x" + std::string(digits, end) + ", but its type is aligned to " + std::to_string(alignment) +
             " bytes");
}

/// Whether items can be at an address.
template <class T>
[[gnu::always_inline]] inline bool is_usable(const T* at) {
  return at != nullptr && reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0;
}

/// Throws std::invalid_argument for `count` items at an address where they cannot be; `column` is what of the argument
/// they are.
template <class Place, class T>
[[gnu::always_inline]] inline void check_address(std::string_view call, std::string_view argument, const T* at,
                                                 std::size_t count, std::string_view column = {}) {
  const bool is_null = at == nullptr;
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0;
  if (count != 0 && ((is_null && runs<Place>) || !is_aligned)) [[unlikely]]
    reject_address(call, argument, column, at, count, alignof(T));
}

/// Throws where the number of groups, or runs, of so many items cannot be written.
template <class Place, class Count>
void check_count(std::string_view call, const Count* count, std::size_t items) {
  static_assert(is_offset<Count>, "the number of groups, or of runs, is an integer of 32 or 64 bits");
  check_address<Place>(call, "count", count, 1);
  if (items > static_cast<std::uint64_t>(std::numeric_limits<Count>::max())) {
    reject(call, "count", "has 32 bits, too few for " + std::to_string(items) + " items");
  }
}

/// check_address for the first `count` items of a view, and their values.
template <class Place, class K, class V>
[[gnu::always_inline]] inline void check_addresses(std::string_view call, std::string_view argument, view<K, V> items,
                                                   std::size_t count) {
  check_address<Place>(call, argument, items.keys, count);
  if constexpr (view<K, V>::has_values) check_address<Place>(call, argument, items.values, count, "'s values");
}

/// What an argument is called, put together only where it is told: a small call has no time for texts.
struct argument_name {
  std::string_view what;
  unsigned aggregate = 0;  ///< of which it is a part, counted from 1; 0: of none

  [[nodiscard]] std::string text() const {
    const std::string of = aggregate == 0 ? "" : "aggregate " + std::to_string(aggregate) + "'s ";
    return of + std::string(what);
  }
};

/// An array of a call, for what can be seen wrong of it beside others.
struct named_array {
  argument_name name;
  const void* at;
  std::size_t bytes;
  bool written;
};

/// Says which of some arrays share bytes. Apart from where they are looked at, so that a call is short.
[[noreturn, gnu::noinline, gnu::cold]] inline void reject_shared(std::string_view call,
                                                                 std::span<const named_array> arrays) {
  for (const named_array& a : arrays) {
    for (const named_array& b : arrays) {
      if (!a.written || &a == &b || !overlap(a.at, a.bytes, b.at, b.bytes)) continue;
      reject(call, a.name.text(), "overlaps " + b.name.text());
    }
  }
  __builtin_unreachable();
}

/// Throws where an array that is written shares bytes with another.
inline void check_apart(std::string_view call, std::span<const named_array> arrays) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!arrays[a].written && !arrays[b].written) continue;
      if (overlap(arrays[a].at, arrays[a].bytes, arrays[b].at, arrays[b].bytes)) reject_shared(call, arrays);
    }
  }
}
/// The same of so few that they are looked at without a loop.
template <std::size_t Count>
[[gnu::always_inline]] inline void check_apart(std::string_view call, const std::array<named_array, Count>& arrays) {
  const auto are_shared =
      [&arrays]<std::size_t... Pairs>(std::index_sequence<Pairs...>) __attribute__((always_inline)) {
    const auto pair_is_shared = [](const named_array& a, const named_array& b) __attribute__((always_inline)) {
      return &a < &b && (a.written || b.written) && overlap(a.at, a.bytes, b.at, b.bytes);
    };
    return (pair_is_shared(arrays[Pairs / Count], arrays[Pairs % Count]) || ...);
  };
  if (are_shared(std::make_index_sequence<Count * Count>())) [[unlikely]] {
    const std::array<named_array, Count> kept = arrays;  // a copy, or all of them would be written to memory first
    reject_shared(call, kept);
  }
}

/// The argument with the least room for groups, or for runs.
struct group_room {
  std::size_t size;
  argument_name argument;

  void limit(std::size_t other, const argument_name& name) {
    if (other < size) *this = {other, name};
  }
};

[[noreturn, gnu::noinline, gnu::cold]] inline void reject_groups(std::string_view call, argument_name argument,
                                                                 std::size_t room, std::size_t groups) {
  reject(call, argument.text(),
         "has room for " + std::to_string(room) + " groups, but there are " + std::to_string(groups));
}

/// Throws std::invalid_argument where items that a call moves from `in` to `out` share memory with one another, or with
/// the table, an argument of this name, that it writes.
template <class K, class V>
void check_apart(std::string_view call, view<const K, const V> in, view<K, V> out, std::string_view name,
                 const void* table, std::size_t table_bytes) {
  const auto refuse = [&](std::string_view argument, const std::string& why) { reject(call, argument, why); };
  const std::size_t keys = in.size * sizeof(K);
  if (overlap(in.keys, keys, out.keys, keys)) {
    refuse("out", "overlaps the input; a " + std::string(call) + " is out of place");
  }
  if (overlap(out.keys, keys, table, table_bytes)) refuse(name, "overlap the output keys");
  if (overlap(in.keys, keys, table, table_bytes)) refuse(name, "overlap the input keys");
  if constexpr (view<K, V>::has_values) {
    const std::size_t values = in.size * sizeof(V);
    if (overlap(in.values, values, out.values, values)) refuse("out", "overlaps the input values");
    if (overlap(out.keys, keys, out.values, values)) refuse("out", "has values that overlap its keys");
    if (overlap(in.keys, keys, out.values, values)) refuse("out", "has values that overlap the input keys");
    if (overlap(in.values, values, out.keys, keys)) refuse("out", "has keys that overlap the input values");
    if (overlap(out.values, values, table, table_bytes)) refuse(name, "overlap the output values");
    if (overlap(in.values, values, table, table_bytes)) refuse(name, "overlap the input values");
  }
}

}  // namespace peneira::detail
