// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// argsort and sort of rows by several columns.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/columns.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/gather/gpu/lanes.hpp"
#include "peneira/key_order.hpp"
#include "peneira/memory.hpp"
#include "peneira/place.hpp"
#include "peneira/sort.hpp"
#include "peneira/sort/cpu/column_order.hpp"
#include "peneira/sort/gpu/by_words.hpp"
#include "peneira/view.hpp"

namespace peneira {

/// The strategies of sort and argsort by several columns on a CPU.
using column_sort_cpu_strategies = strategy_list<sort_strategies::packed>;
/// And on a GPU.
using column_sort_gpu_strategies = strategy_list<sort_strategies::by_words>;

namespace detail {

/// What the compiler can see of a sort by columns.
template <class Place, class... Columns>
struct column_sort_arguments {
  static constexpr bool there = at_place<Place>::good;
  static constexpr bool keys = (sort_key<typename decltype(Columns::keys)::key_type> && ...);
  static_assert(!there || keys,
                "columns: keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64");
  static constexpr bool good = there && keys;
};

/// Calls use(name, array) for the keys of all columns and for the masks that there are.
template <class... Columns, class Use>
void for_each_array(const column_set<Columns...>& set, const Use& use) {
  const auto both = [&](const auto& one) {
    use("column", one.keys.keys);
    if constexpr (!std::is_same_v<decltype(one.is_null), const no_value*>) use("mask", one.is_null);
  };
  std::apply([&](const auto&... one) { (both(one), ...); }, set.all);
}

/// Throws std::invalid_argument for columns at addresses where they cannot be.
template <class Place, class... Columns>
void check_columns(std::string_view call, const column_set<Columns...>& set) {
  for_each_array(set, [&](const char* name, const auto* array) { check_address<Place>(call, name, array, set.rows); });
}

/// Throws std::invalid_argument for arrays that would be put in order by parts. Those that several columns share are
/// one array.
template <class... Columns>
void check_apart(std::string_view call, const column_set<Columns...>& set) {
  for_each_array(set, [&](const char* name, const auto* one) {
    const byte_range its{one, set.rows * sizeof(*one)};
    for_each_array(set, [&](const char* /*name*/, const auto* other) {
      const byte_range others{other, set.rows * sizeof(*other)};
      if (its != others && overlap(its, others)) reject(call, name, "overlaps another in part");
    });
  });
}

/// argsort by columns of arguments that were checked.
template <class Place, class Position, class... Columns>
void argsort_columns(std::string_view call, Place& on, const column_set<Columns...>& set, Position* positions,
                     const sort_options& options) {
  const column_sort_problem problem{set.rows, sizeof...(Columns), column_words<Columns...>::most_words(),
                                    sizeof(Position), (column_bits<Columns> + ...)};
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    if (options.strategy.empty() && sort_strategies::packed::is_small(problem, host::here())) {
      return sort_strategies::packed::sort_few(set, positions);
    }
  }
  constexpr bool here = is_cpu<std::remove_cvref_t<Place>>;
  using list = std::conditional_t<here, column_sort_cpu_strategies, column_sort_gpu_strategies>;
  const auto choose = [](const auto& /*machine*/) {
    return choice{here ? "packed" : "by_words", "as many columns as fit a word are compared at once"};
  };
  const auto run = [&](auto chosen, auto& there, const auto& decided) { chosen.run(there, decided, set, positions); };
  plan_or_run<list>(call, on, problem, options.strategy, choose, run);
}

/// Puts a column into the order of positions, by way of a copy.
template <class T, class Position>
void permute_column(unsigned threads, T* column, std::size_t n, const Position* positions, void* room) {
  T* const copy = static_cast<T*>(room);
  on_each(threads, [&](unsigned m) {
    const auto [begin, end] = slice(n, m, threads);
    std::copy(column + begin, column + end, copy + begin);
  });
  on_each(threads, [&](unsigned m) {
    const auto [begin, end] = slice(n, m, threads);
    for (std::size_t i = begin; i < end; ++i) column[i] = copy[positions[i]];
  });
}

/// Calls use(array) once for each array of some columns, which may share them.
template <class... Columns, class Use>
void for_each_own_array(const column_set<Columns...>& set, const Use& use) {
  std::array<const void*, 2 * sizeof...(Columns)> done{};
  auto* behind = done.begin();
  for_each_array(set, [&](const char* /*name*/, auto* array) {
    if (std::find(done.begin(), behind, array) != behind) return;
    *behind++ = array;
    use(array);
  });
}

#if defined(__CUDACC__)
/// Puts all columns into the order of positions, each by way of a copy.
template <class Position, class... Columns>
void permute_columns(const gpu& on, const column_set<Columns...>& set, const Position* positions, void* room) {
  for_each_own_array(set, [&](auto* array) {
    using item = std::remove_pointer_t<decltype(array)>;
    if (set.rows == 0) return;
    const view<const item> copy{static_cast<const item*>(room), nullptr, set.rows};
    const view<item> out{array, nullptr, set.rows};
    check(cudaMemcpyAsync(room, array, set.rows * sizeof(item), cudaMemcpyDeviceToDevice, on.stream),
          "cudaMemcpyAsync");
    const auto by =
        gather_strategies::lanes::decide(gather_problem{set.rows, sizeof(item), sizeof(Position)}, current_device());
    gather_strategies::lanes::run<true>(on, by, std::tuple{copy}, positions, set.rows, std::tuple{out}, set.rows);
  });
}
#endif

/// The same on a CPU.
template <class Position, class... Columns>
void permute_columns(const cpu& on, const column_set<Columns...>& set, const Position* positions, void* room) {
  const std::size_t n = set.rows;
  const unsigned threads = n < tuning::cpu_sequential_items ? 1 : host::here().with_threads(on.threads).threads;
  for_each_own_array(set, [&](auto* array) { permute_column(threads, array, n, positions, room); });
}

/// sort by columns of arguments that were checked: positions, and a copy of the widest column.
template <class Position, class Place, class... Columns>
void sort_columns(Place& on, const column_set<Columns...>& set, const sort_options& options) {
  const std::size_t n = set.rows;
  constexpr std::size_t widest = std::max({sizeof(typename decltype(Columns::keys)::key_type)...});
  const std::size_t bytes = workspace::footprint<Position>(n) + workspace::round_up(n * widest);
  if constexpr (runs<Place>) {
    stream queue{};
    if constexpr (std::is_same_v<std::remove_cvref_t<Place>, gpu>) queue = on.stream;
    workspace memory(memory_of(on), bytes, queue);
    auto* const positions = memory.template take<Position>(n);
    void* const room = memory.take_bytes(n * widest);
    argsort_columns("sort", on, set, positions, options);
    permute_columns(on, set, positions, room);
  } else {
    Position* const none = nullptr;
    argsort_columns("sort", on, set, none, options);
    if constexpr (!is_cpu<std::remove_cvref_t<Place>>) {
      for_each_own_array(set, [&](auto* array) {
        const auto by =
            gather_strategies::lanes::decide(gather_problem{n, sizeof(*array), sizeof(Position)}, on.machine);
        if (by.move.has_value()) on.made.steps.push_back(*by.move);
      });
    }
    on.made.temporary_bytes += bytes;
  }
}

}  // namespace detail

/// Writes to `positions` which row of some columns comes where: that of positions[0] is the first. Rows are compared by
/// the first column, those that are equal there by the second, and so on; rows that are equal in all of them keep their
/// order. Each column has its own type, direction and place of nulls; the order of keys is that of sort. Of options
/// only the strategy counts.
///
/// ```cpp
/// std::vector<std::int32_t> year{1999, 2001, 1999};
/// std::vector<double> price{2.5, 1, 7};
/// std::vector<std::uint32_t> positions(3);
/// pn::argsort(pn::cpu{}, pn::columns(year, pn::descending(price)), positions);     // 2 0 1
/// ```
template <class Place, class... Columns, class Positions>
requires place<std::remove_cvref_t<Place>>
void argsort(Place&& on, const column_set<Columns...>& rows, Positions&& positions, const sort_options& options = {}) {
  if constexpr (detail::column_sort_arguments<Place, Columns...>::good && detail::writable_column<Positions>::good) {
    const auto to = detail::as_view(positions);
    using position = typename decltype(to)::key_type;
    static_assert(detail::is_position<position>, "argsort: positions are unsigned integers of 32 or 64 bits");
    detail::check_columns<Place>("argsort", rows);
    detail::for_each_array(rows, [&](const char* /*name*/, auto* array) {
      using item = std::remove_pointer_t<decltype(array)>;
      detail::check_positions<Place>("argsort", view<item>{array, nullptr, rows.rows}, to);
    });
    detail::argsort_columns("argsort", on, rows, to.keys, options);
  }
}

/// Puts the rows of some columns in order, as argsort by columns has it: all columns and masks, none of which may be
/// const. Columns may share a mask or keys; otherwise they must be apart.
template <class Place, class... Columns>
requires place<std::remove_cvref_t<Place>>
void sort(Place&& on, const column_set<Columns...>& rows, const sort_options& options = {}) {
  constexpr bool writable =
      (!std::is_const_v<std::remove_pointer_t<decltype(std::declval<Columns>().keys.keys)>> && ...);
  constexpr bool masks = ((!std::is_const_v<std::remove_pointer_t<decltype(std::declval<Columns>().is_null)>> ||
                           std::is_same_v<decltype(std::declval<Columns>().is_null), const no_value*>)&&...);
  static_assert(writable && masks, "sort by columns: all columns and masks are put in order, so none can be const");
  if constexpr (writable && masks && detail::column_sort_arguments<Place, Columns...>::good) {
    detail::check_columns<Place>("sort", rows);
    detail::check_apart("sort", rows);
    if (rows.rows - 1 > std::numeric_limits<std::uint32_t>::max() && rows.rows != 0) {
      detail::sort_columns<std::uint64_t>(on, rows, options);
    } else {
      detail::sort_columns<std::uint32_t>(on, rows, options);
    }
  }
}

}  // namespace peneira
