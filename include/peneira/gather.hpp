// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// gather and scatter: columns that follow a permutation, or any positions.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/gather/strategies.hpp"
#include "peneira/place.hpp"
#include "peneira/table.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

template <class Keys>
struct moves;
template <class... Keys>
struct moves<std::tuple<Keys...>> {
  static constexpr bool good = (std::is_trivially_copyable_v<Keys> && ...);
  static constexpr std::size_t bytes = (sizeof(Keys) + ...);
};

/// What the compiler can see of a gather or a scatter.
template <class Place, class In, class Positions, class Out>
struct gather_arguments {
  static constexpr bool here = at_place<Place>::good;
  static constexpr bool there = here && table_types<In>::is_there && table_types<Out>::is_there;
  static_assert(!here || there,
                "gather and scatter move a contiguous range, items(pointer, n), pairs(keys, values) or table(a, b, c)");
  static constexpr bool written = there && !table_types<Out>::is_const;
  static_assert(!there || written, "gather and scatter: an output can be neither const nor a temporary");
  static constexpr bool alike = std::is_same_v<typename table_types<In>::keys, typename table_types<Out>::keys>;
  static_assert(!written || alike, "gather and scatter: out must have the columns of in, and their types");
  static constexpr bool copied = moves<typename table_types<In>::keys>::good;
  static_assert(!written || copied, "gather and scatter: items must be trivially copyable");
  static constexpr bool numbered =
      written && readable_column<Positions>::good && is_offset<typename array_of<Positions>::key>;
  static_assert(!written || numbered, "gather and scatter: positions are integers of 32 or 64 bits");
  static constexpr bool good = written && alike && copied && numbered;
};

/// A table from what a call was given.
template <class T>
auto table_from(T&& given) {
  if constexpr (is_table<std::remove_cvref_t<T>>) {
    return given;
  } else {
    return as_table(as_view(static_cast<T&&>(given)));
  }
}

/// Throws std::invalid_argument for columns of `count` rows that are nowhere, or where another argument is.
template <class Place, class Ins, class Outs, class Position>
[[gnu::always_inline]] inline void check_columns(std::string_view call, const Ins& in, std::size_t in_rows,
                                                 const Outs& out, std::size_t out_rows,
                                                 view<const Position, const no_value> positions) {
  const auto bytes_of = [](const auto& column, std::size_t rows) { return rows * sizeof(*column.keys); };
  const auto check_out = [&](const auto& to) {
    check_address<Place>(call, "out", to.keys, out_rows);
    if (overlap(to.keys, bytes_of(to, out_rows), positions.keys, positions.size * sizeof(Position))) {
      reject(call, "out", "overlaps the positions");
    }
    const auto check_both = [&](const auto& from) {
      if (overlap(to.keys, bytes_of(to, out_rows), from.keys, bytes_of(from, in_rows))) {
        reject(call, "out", "overlaps the input; items move out of place");
      }
    };
    std::apply([&](const auto&... from) { (check_both(from), ...); }, in);
  };
  std::apply([&](const auto&... from) { (check_address<Place>(call, "in", from.keys, in_rows), ...); }, in);
  std::apply([&](const auto&... to) { (check_out(to), ...); }, out);
  std::apply(
      [&](const auto&... to) {
        const byte_range all[] = {{to.keys, bytes_of(to, out_rows)}...};
        for (std::size_t b = 1; b < sizeof...(to); ++b) {
          for (std::size_t a = 0; a < b; ++a) {
            if (overlap(all[a], all[b])) reject(call, "out", "has columns that overlap");
          }
        }
      },
      out);
  check_address<Place>(call, "positions", positions.keys, positions.size);
}

/// The strategies of a place.
template <class Place>
using gather_strategies_at =
    std::conditional_t<is_cpu<std::remove_cvref_t<Place>>, gather_cpu_strategies, gather_gpu_strategies>;

/// Says how many entries an argument of a gather or a scatter has, and how many there are of what it goes with. Apart
/// from where they are counted, so that a call is short.
[[noreturn, gnu::noinline, gnu::cold]] inline void reject_entries(std::string_view call, std::string_view argument,
                                                                  std::size_t has, std::size_t wants,
                                                                  std::string_view what) {
  reject(call, argument,
         "has " + std::to_string(has) + " entries, but there are " + std::to_string(wants).append(what));
}

/// A gather, or else a scatter, of arguments that were checked, by a plan. Apart from the call, so that one of few
/// items is short.
template <bool Gather, class List, class Place, class Ins, class Position, class Outs>
[[gnu::noinline]] void gather_by_plan(std::string_view call, Place& on, const gather_problem& problem, Ins in,
                                      const Position* positions, Outs out, std::size_t limit,
                                      std::string_view strategy) {
  const auto choose = [&](const auto& machine) { return choose_gather(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    chosen.template run<Gather>(there, decided, in, positions, problem.items, out, limit);
  };
  plan_or_run<List>(call, on, problem, strategy, choose, run);
}

/// A gather, or else a scatter, by the strategies of a list.
template <bool Gather, class List, class Place, class In, class Positions, class Out>
[[gnu::always_inline]] inline void gather_by(Place& on, const In& in, Positions& given, const Out& out,
                                             const gather_options& options) {
  constexpr std::string_view call = Gather ? "gather" : "scatter";
  using position = typename decltype(as_view(given))::key_type;
  const view<const position, const no_value> positions = as_view(given);
  if (Gather && out.size < positions.size) reject_entries(call, "out", out.size, positions.size, " positions");
  if (!Gather && in.size != positions.size) reject_entries(call, "positions", positions.size, in.size, " items");
  const std::size_t out_rows = Gather ? positions.size : out.size;
  check_columns<Place>(call, in.columns, in.size, out.columns, out_rows, positions);

  const std::size_t limit = Gather ? in.size : out.size;
  constexpr std::size_t item_bytes = moves<typename table_types<Out>::keys>::bytes;
  const gather_problem problem{positions.size, item_bytes, sizeof(position)};
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    if (options.strategy.empty() && is_small(problem)) {
      return gather_strategies::sequential::run<Gather>(on, {}, in.columns, positions.keys, positions.size, out.columns,
                                                        limit);
    }
  }
  gather_by_plan<Gather, List>(call, on, problem, in.columns, positions.keys, out.columns, limit, options.strategy);
}

}  // namespace detail

/// Moves to out[i] the item of `in` at positions[i], for all positions: columns follow an argsort, or rows are chosen.
///
/// `in` and `out` are a contiguous range, items(pointer, n), pairs(keys, values), or table(a, b, c) of any number of
/// columns, with trivially copyable items of any size; they must not overlap. `positions` are integers of 32 or 64
/// bits, and may repeat; `out` has room for as many.
///
/// Throws std::invalid_argument for arguments that cannot be right, and on the CPU for a position that is not in `in`,
/// naming it; on a GPU such a place of `out` stays as it is.
///
/// ```cpp
/// const std::vector<float> prices{3, 1, 2};
/// const std::vector<char> names{'c', 'a', 'b'};
/// std::vector<std::uint32_t> cheapest(3);
/// pn::argsort(pn::cpu{}, prices, cheapest);                                        // 1 2 0
/// std::vector<float> ascending(3);
/// std::vector<char> theirs(3);
/// pn::gather(pn::cpu{}, pn::table(prices, names), cheapest, pn::table(ascending, theirs));      // 1 2 3, a b c
/// ```
template <class Place, class In, class Positions, class Out>
requires place<std::remove_cvref_t<Place>>
void gather(Place&& on, In&& in, Positions&& positions, Out&& out, const gather_options& options = {}) {
  if constexpr (detail::gather_arguments<Place, In, Positions, Out>::good) {
    using list = detail::gather_strategies_at<Place>;
    detail::gather_by<true, list>(on, detail::table_from(in), positions, detail::table_from(out), options);
  }
}

/// Moves each item of `in` to out[positions[i]]: what undoes a gather by the same permutation. As many positions as
/// items; those of `out` that are not among them stay as they are. Positions must differ: of items with one position,
/// any may remain.
///
/// Throws std::invalid_argument for arguments that cannot be right, and on the CPU for a position that is not in `out`,
/// naming it; on a GPU such an item moves nowhere.
///
/// ```cpp
/// const std::vector<char> letters{'a', 'b', 'c'};
/// const std::vector<std::uint32_t> positions{1, 2, 0};
/// std::vector<char> out(3);
/// pn::scatter(pn::cpu{}, letters, positions, out);                                 // c a b
/// ```
template <class Place, class In, class Positions, class Out>
requires place<std::remove_cvref_t<Place>>
void scatter(Place&& on, In&& in, Positions&& positions, Out&& out, const gather_options& options = {}) {
  if constexpr (detail::gather_arguments<Place, In, Positions, Out>::good) {
    using list = detail::gather_strategies_at<Place>;
    detail::gather_by<false, list>(on, detail::table_from(in), positions, detail::table_from(out), options);
  }
}

using detail::without_place::gather;
using detail::without_place::scatter;

}  // namespace peneira
