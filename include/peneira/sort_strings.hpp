// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort_strings: which of many strings comes where in the order of their bytes.
#pragma once

#include <algorithm>
#include <limits>
#include <ranges>
#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/error.hpp"
#include "peneira/place.hpp"
#include "peneira/strings/check.hpp"
#include "peneira/strings/lines.hpp"
#include "peneira/strings/strategies.hpp"
#include "peneira/strings/view.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// Strings that a call reads; on a CPU also a range of them, which is copied first.
template <class Place, class Strings>
struct readable_strings {
  static constexpr bool on_cpu = is_cpu<std::remove_cvref_t<Place>>;
  static constexpr bool good = is_strings<Strings> || (on_cpu && range_of_strings<Strings>);
  static_assert(good || on_cpu, "sort_strings on a GPU: strings are strings{chars, starts, n} in device memory");
  static_assert(good || !on_cpu,
                "sort_strings: strings are strings{chars, starts}, lines_of(text), or a range of std::string, "
                "std::string_view or the like");
};

/// What the compiler can see of a sort of strings.
template <class Place, class Strings, class Permutation>
struct sort_strings_arguments {
  static constexpr bool arrays =
      at_place<Place>::good && readable_strings<Place, Strings>::good && writable_column<Permutation>::good;
  static constexpr bool numbers = is_position<typename array_of<Permutation>::key>;
  static_assert(!arrays || numbers, "sort_strings: the permutation's entries are unsigned integers of 32 or 64 bits");
  static constexpr bool good = arrays && numbers;
};

/// Throws std::invalid_argument for what can be seen wrong without touching the data.
template <class Place, class Offset, class Index>
void check_sort_strings(const strings<Offset>& all, view<Index> to) {
  const auto refuse = [](std::string_view argument, const std::string& why) { reject("sort_strings", argument, why); };
  const std::string n = std::to_string(all.size);
  if (to.size < all.size) {
    refuse("permutation", "has room for " + std::to_string(to.size) + " entries, but there are " + n + " strings");
  }
  if (all.size != 0 && all.size - 1 > std::numeric_limits<Index>::max()) {
    refuse("permutation", "has 32-bit entries, too few bits for " + n + " strings");
  }
  check_address<Place>("sort_strings", "starts", all.starts, all.size == 0 ? 0 : all.size + 1);
  check_address<Place>("sort_strings", "permutation", to.keys, all.size);
  if (overlap(all.starts, (all.size + 1) * sizeof(Offset), to.keys, all.size * sizeof(Index))) {
    refuse("permutation", "overlaps the starts of the strings");
  }
}

/// Throws std::invalid_argument where a string ends before it starts, or the permutation lies among the characters.
template <class Offset, class Index>
void check_starts(const strings<Offset>& all, view<Index> to, unsigned threads) {
  if (all.size == 0) return;
  constexpr std::size_t least = std::size_t{1} << 16U;  // starts that are worth one more thread
  const auto members = static_cast<unsigned>(std::clamp<std::size_t>(all.size / least, 1, threads));
  on_each(members, [&](unsigned m) {
    const auto [begin, end] = slice(all.size, m, members);
    std::size_t wrong = 0;
    const auto ends_early = [&](std::size_t i) {
      return all.starts[i + 1] < all.starts[i] || all.starts[i + 1] - all.starts[i] < all.trailing;
    };
    for (std::size_t i = begin; i < end; ++i) wrong += ends_early(i) ? 1U : 0U;
    if (wrong == 0) return;
    for (std::size_t i = begin; i < end; ++i) {
      if (!ends_early(i)) continue;
      reject_string(i, all.starts[i], all.starts[i + 1], all.trailing);
    }
  });
  const std::size_t first = all.starts[0];
  const std::size_t bytes = all.starts[all.size] - all.trailing - first;
  check_address<cpu>("sort_strings", "chars", all.chars, bytes);
  check_apart(all.chars + first, bytes, to.keys, all.size * sizeof(Index));
}

/// sort_strings by the strategies of a list, of strings side by side.
template <class List, class Place, class Offset, class Index>
void sort_strings_at(Place& on, const strings<Offset>& all, view<Index> to, const sort_strings_options& options,
                     const string_merge_shape& merges) {
  check_sort_strings<Place>(all, to);

  const sort_strings_problem problem{all.size,           sizeof(Offset),        sizeof(Index),
                                     options.descending, options.equal_strings, merges};
  const auto choose = [&](const auto& machine) { return choose_sort_strings(problem, machine); };
  const auto run = [&](auto strategy, auto& there, const auto& decided) {
    if constexpr (is_cpu<std::remove_cvref_t<decltype(there)>>) {
      check_starts(all, to, host::here().with_threads(there.threads).threads);
    }
    strategy.run(there, decided, all, to.keys, options.descending);
  };
  plan_or_run<List>("sort_strings", on, problem, options.strategy, choose, run);
}

/// sort_strings by the strategies of a list.
template <class List, class Place, class Strings, class Permutation>
void sort_strings_by(Place& on, const Strings& given, Permutation& permutation, const sort_strings_options& options,
                     const string_merge_shape& merges) {
  const auto to = as_view(permutation);
  if constexpr (is_strings<Strings>) {
    sort_strings_at<List>(on, as_strings(given), to, options, merges);
  } else if constexpr (runs<Place>) {
    sort_strings_at<List>(on, strings_of(given).view(), to, options, merges);
  } else {  // a plan needs their number alone
    const auto n = static_cast<std::size_t>(std::ranges::distance(given));
    sort_strings_at<List>(on, strings<>(nullptr, nullptr, n), to, options, merges);
  }
}

}  // namespace detail

/// Writes to permutation[i] the number of the string that comes i-th when `all` are in order.
///
/// `all` are strings{chars, starts}, lines_of(text), or, on a CPU, a range of std::string, std::string_view or the
/// like, which is copied first, on the heap, as strings_of does. They are compared byte by byte, as memcmp does, and a
/// string comes before those that it begins. Any bytes will do, NUL included, and any length. Equal strings keep their
/// order, unless the options allow any. `permutation` is a contiguous range, or items(pointer, n), of unsigned integers
/// of 32 or 64 bits.
///
/// On a GPU characters, starts and permutation are device memory. Unlike other calls this one waits for the stream,
/// once a round, and cannot be captured in a graph.
///
/// Throws std::invalid_argument for arguments that cannot be right (null pointers, starts that are not ascending, a
/// permutation that is too small), std::bad_alloc where the temporary memory cannot be had.
///
/// ```cpp
/// const auto lines = pn::lines_of("wheat\nrye\noats\n");
/// std::vector<std::uint32_t> permutation(lines.size());
/// pn::sort_strings(pn::cpu{}, lines, permutation);                                 // 2 1 0: oats, rye, wheat
/// const std::vector<std::string> words{"rye", "oats", "barley"};
/// pn::sort_strings(pn::cpu{}, words, permutation);                                 // 2 1 0: barley, oats, rye
/// ```
template <class Place, class Strings, class Permutation>
requires place<std::remove_cvref_t<Place>>
void sort_strings(Place&& on, const Strings& all, Permutation&& permutation, const sort_strings_options& options = {}) {
  using list = std::conditional_t<detail::is_cpu<std::remove_cvref_t<Place>>, sort_strings_cpu_strategies,
                                  sort_strings_gpu_strategies>;
  if constexpr (detail::sort_strings_arguments<Place, Strings, Permutation>::good) {
    detail::sort_strings_by<list>(on, all, permutation, options, {});
  }
}

using detail::without_place::sort_strings;

}  // namespace peneira
