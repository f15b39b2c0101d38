// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort_strings: which of many strings comes where in the order of their bytes.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

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

/// Throws std::invalid_argument for what can be seen wrong without touching the data.
template <class Offset, class Index>
void check_sort_strings(const strings<Offset>& all, view<Index> to) {
  const auto refuse = [](std::string_view argument, const std::string& why) { reject("sort_strings", argument, why); };
  const std::string n = std::to_string(all.size);
  if (to.size < all.size) {
    refuse("permutation", "has room for " + std::to_string(to.size) + " entries, but there are " + n + " strings");
  }
  if (all.size != 0 && all.size - 1 > std::numeric_limits<Index>::max()) {
    refuse("permutation", "has 32-bit entries, too few bits for " + n + " strings");
  }
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
    for (std::size_t i = begin; i < end; ++i) wrong += ends_early(i) ? 1 : 0;
    if (wrong == 0) return;
    for (std::size_t i = begin; i < end; ++i) {
      if (!ends_early(i)) continue;
      reject_string(i, all.starts[i], all.starts[i + 1], all.trailing);
    }
  });
  const std::size_t first = all.starts[0];
  const std::size_t bytes = all.starts[all.size] - all.trailing - first;
  check_apart(all.chars + first, bytes, to.keys, all.size * sizeof(Index));
}

/// sort_strings by the strategies of a list.
template <class List, class Place, class Strings, class Permutation>
void sort_strings_by(Place& on, const Strings& given, Permutation& permutation, const sort_strings_options& options,
                     const string_merge_shape& merges) {
  const auto all = as_strings(given);
  const auto to = as_view(permutation);
  using offset = typename decltype(all)::offset_type;
  using index = typename decltype(to)::key_type;
  static_assert(!decltype(to)::has_values, "sort_strings: the permutation is one column");
  static_assert(string_number<index>, "sort_strings: the permutation's entries are std::uint32_t or std::uint64_t");
  check_sort_strings<offset, index>(all, to);

  const sort_strings_problem problem{all.size,           sizeof(offset),        sizeof(index),
                                     options.descending, options.equal_strings, merges};
  const auto planned = [&](const auto& machine) {
    return plan_by<List>("sort_strings", problem, machine,
                         asked_or(options.strategy, [&] { return choose_sort_strings(problem, machine); }));
  };
  const auto run = [&](auto& there, const plan& made) {
    if constexpr (is_cpu<std::remove_cvref_t<decltype(there)>>) {
      check_starts(all, to, host::here().with_threads(there.threads).threads);
    }
    List::with("sort_strings", made.strategy,
               [&](auto strategy) { strategy.run(there, made, all, to.keys, options.descending); });
  };
  plan_and_run(on, planned, run);
}

}  // namespace detail

/// Writes to permutation[i] the number of the string that comes i-th when `all` are in order.
///
/// `all` are strings{chars, starts}, lines_of(text), or strings_of(a range of std::string or std::string_view). They
/// are compared byte by byte, as memcmp does, and a string comes before those that it begins. Any bytes will do, NUL
/// included, and any length. Equal strings keep their order, unless the options allow any. `permutation` is a
/// contiguous range, or items(pointer, n), of std::uint32_t or std::uint64_t.
///
/// On a GPU characters, starts and permutation are device memory. Unlike other calls this one waits for the stream,
/// once a round, and cannot be captured in a graph.
///
/// Throws std::invalid_argument for arguments that cannot be right (starts that are not ascending, a permutation that
/// is too small), std::bad_alloc where the temporary memory cannot be had.
///
/// ```cpp
/// const auto lines = pn::lines_of("wheat\nrye\noats\n");
/// std::vector<std::uint32_t> permutation(lines.size());
/// pn::sort_strings(pn::cpu{}, lines, permutation);                                 // 2 1 0: oats, rye, wheat
/// ```
template <class Place, class Strings, class Permutation>
requires place<std::remove_cvref_t<Place>>
void sort_strings(Place&& on, const Strings& all, Permutation&& permutation, const sort_strings_options& options = {}) {
  using list = std::conditional_t<detail::is_cpu<std::remove_cvref_t<Place>>, sort_strings_cpu_strategies,
                                  sort_strings_gpu_strategies>;
  detail::sort_strings_by<list>(on, all, permutation, options, {});
}

}  // namespace peneira
