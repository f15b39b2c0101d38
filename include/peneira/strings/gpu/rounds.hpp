// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// rounds: cached words, sorted as numbers; round by round deeper, with the strings that still agree.
//
//   strings --what all of a group have in common is skipped--> next 3 to 7 bytes beside the group's number: u64 keys
//   keys with the strings' numbers --pn::sort, stable--> runs of equal keys
//   a run of one, or of strings that ended: to the permutation; the others: the groups of the next round, packed
//
// A round costs a sort of pairs of the strings that are left, and a touch or two of each of them. It skips at once what
// a group shares, so that the number of rounds is that of the places where strings part, not that of their bytes: two
// equal strings of any length take one round. The host reads after each round how many are left: the call waits for
// the stream, and cannot be captured in a graph. About 63 bytes of temporary memory a string.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "peneira/sort.hpp"
#include "peneira/strategy.hpp"
#include "peneira/strings/gpu/check.cuh"
#include "peneira/strings/gpu/rounds.cuh"
#include "peneira/strings/problem.hpp"
#include "peneira/strings/view.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::sort_strings_strategies {

struct rounds {
  static constexpr std::string_view name = "rounds";
  static constexpr std::string_view about = "sorts of cached words, deeper each round where strings still agree";

  static std::string refuses(const sort_strings_problem& problem, const device& machine) {
    if (problem.items > most_items) return "takes at most " + std::to_string(most_items) + " strings";
    return sort_strategies::msd::refuses(sort_of(problem.items), machine);
  }

  struct parameters {
    sort_strings_problem problem;
    std::size_t sort_bytes = 0;
    step check_strings;
    step begin_rounds;
    step find_common;  ///< of each round, as the following
    step find_common_far;
    step cache_words;
    std::vector<step> sort;  ///< of all strings; a round of fewer decides its own
    step count_open;         ///< of all strings, as keep_open
    step scan_sums;
    step keep_open;

    static constexpr std::tuple fields{
        detail::field{&parameters::sort_bytes, "sort bytes", "of the largest sort's temporary memory"},
        detail::members{&parameters::check_strings, &parameters::begin_rounds, &parameters::find_common,
                        &parameters::find_common_far, &parameters::cache_words, &parameters::sort,
                        &parameters::count_open, &parameters::scan_sums, &parameters::keep_open},
    };
  };

  static parameters decide(const sort_strings_problem& problem, const device& machine) {
    const std::size_t n = problem.items;
    const plan sorting = detail::plan_by<sorts>("sort", sort_of(n), machine, detail::choose_sort(sort_of(n), machine));
    const std::size_t tiles = std::max<std::size_t>(detail::scan_tiles_of(n), 1);
    parameters p;
    p.problem = problem;
    p.sort_bytes = room_for_sorts(sorting, machine);
    p.check_strings = detail::each_string_step("check_strings", n, machine);
    p.begin_rounds = detail::each_string_step("begin_rounds", n, machine);
    p.find_common = detail::each_string_step("find_common", n, machine);
    p.find_common_far = detail::each_string_step("find_common_far", most_items, machine);
    p.cache_words = detail::each_string_step("cache_words", n, machine);
    p.sort = sorting.steps;
    p.count_open = {"count_open", tiles, detail::scan_threads};
    p.scan_sums = {"scan_sums", 1, detail::scan_threads};
    p.keep_open = {"keep_open", tiles, detail::scan_threads};
    return p;
  }

  /// Arrays of a call. There are two of what a round reads while it writes that of the next.
  struct arrays {
    detail::start_check* starts;
    detail::string_state* state;
    std::uint64_t* keys;
    std::uint64_t* sorted_keys;
    std::uint32_t* index;
    std::uint32_t* sorted_index;
    std::uint32_t* place[2];
    std::uint32_t* group;
    std::uint64_t* from;  ///< of each group, as the next two
    std::uint64_t* common[2];
    std::uint32_t* leader;
    std::uint64_t* sums;  ///< of each tile: its open strings and groups
    void* sort_memory;

    /// The strings of a round.
    [[nodiscard]] detail::string_round round(std::size_t r) const {
      return {index, place[r % 2], group, from, common[r % 2], leader};
    }
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    const std::size_t n = p.problem.items;
    const std::size_t groups = n / 2 + 1;  // a group has two strings at least, but for the first
    arrays a{};
    if (n == 0) return a;
    a.starts = memory.template take<detail::start_check>(1);
    a.state = memory.template take<detail::string_state>(1);
    a.keys = memory.template take<std::uint64_t>(n);
    a.sorted_keys = memory.template take<std::uint64_t>(n);
    a.index = memory.template take<std::uint32_t>(n);
    a.sorted_index = memory.template take<std::uint32_t>(n);
    for (auto*& place : a.place) place = memory.template take<std::uint32_t>(n);
    a.group = memory.template take<std::uint32_t>(n);
    a.from = memory.template take<std::uint64_t>(groups);
    for (auto*& common : a.common) common = memory.template take<std::uint64_t>(groups);
    a.leader = memory.template take<std::uint32_t>(groups);
    a.sums = memory.template take<std::uint64_t>(p.count_open.grid);
    a.sort_memory = memory.take_bytes(p.sort_bytes);
    return a;
  }

#if defined(__CUDACC__)
  template <class Offset, class Index>
  static void run(const gpu& on, const parameters& p, const strings<Offset>& all, Index* permutation, bool descending) {
    if (all.size == 0) return;
    const detail::temporary<rounds> a(on, p);
    arena sort_memory(a.sort_memory, p.sort_bytes);
    const gpu sorting{.stream = on.stream, .memory = &sort_memory};
    detail::check_starts(on, p.check_strings, all, permutation, a.starts);
    detail::launch(on, p.begin_rounds, detail::begin_rounds<Offset>, all, a.round(0), a.state);
    open_strings left{all.size, 1};
    for (std::size_t r = 0; left.items != 0; ++r) {
      const auto key = detail::string_key::of(left.groups, descending);
      cache_words(on, p, a, all, a.round(r), left.items, key);
      const view<const std::uint64_t, const std::uint32_t> unsorted{a.keys, a.index, left.items};
      const view<std::uint64_t, std::uint32_t> sorted{a.sorted_keys, a.sorted_index, left.items};
      detail::sort_by<sorts>(sorting, unsorted, sorted, {});
      keep_open(on, p, a, all, r, left.items, key, permutation);
      left = read_open(on, a);
    }
  }
#endif

  static constexpr std::size_t most_items = std::numeric_limits<std::uint32_t>::max();

  /// Whole keys alone are sorted, by these.
  using sorts = strategy_list<sort_strategies::enumeration, sort_strategies::cluster, sort_strategies::msd>;

 private:
  static sort_problem sort_of(std::size_t items) {
    return {items, sizeof(std::uint64_t), sizeof(std::uint32_t), 0, 64, order::stable, false, {}};
  }
  /// Temporary bytes of the sort of all strings and of those of fewer, which may take more: small tiles have twice as
  /// many blocks, each with its counts.
  static std::size_t room_for_sorts(const plan& of_all, const device& machine) {
    if (of_all.temporary_bytes == 0) return 0;  // nor do fewer take any
    return of_all.temporary_bytes +
           2 * static_cast<std::size_t>(machine.sms) * (sizeof(std::uint64_t) << tuning::level_bits);
  }

#if defined(__CUDACC__)
  /// Strings whose order is not known yet.
  struct open_strings {
    std::size_t items;
    std::size_t groups;
  };

  /// What the strings of each group have in common, then a key of each.
  template <class Offset>
  static void cache_words(const gpu& on, const parameters& p, const arrays& a, const strings<Offset>& all,
                          const detail::string_round& now, std::size_t items, const detail::string_key& key) {
    auto* const far = reinterpret_cast<std::uint32_t*>(a.sorted_keys);  // done with before the keys are sorted
    detail::launch(on, p.find_common, detail::find_common<Offset>, all, now, items, far, a.state);
    detail::launch(on, p.find_common_far, detail::find_common_far<Offset>, all, now, far, a.state);
    detail::launch(on, p.cache_words, detail::cache_words<Offset>, all, now, items, key, a.keys);
  }

  /// Strings whose place is known now go there; the others are the next round.
  template <class Offset, class Index>
  static void keep_open(const gpu& on, const parameters& p, const arrays& a, const strings<Offset>& all, std::size_t r,
                        std::size_t items, const detail::string_key& key, Index* permutation) {
    const std::size_t tiles = detail::scan_tiles_of(items);
    const auto by_tiles = [tiles](step planned) {
      planned.grid = tiles;
      return planned;
    };
    const detail::string_round now = a.round(r);
    detail::launch(on, by_tiles(p.count_open), detail::count_open, a.sorted_keys, items, key, a.sums);
    detail::launch(on, p.scan_sums, detail::scan_sums, a.sums, tiles);
    detail::launch(on, by_tiles(p.keep_open), detail::keep_open<Offset, Index>, all, a.sorted_keys, a.sorted_index,
                   now.place, now.common, items, key, a.sums, a.round(r + 1), permutation, a.state);
  }

  /// Waits for the stream.
  static open_strings read_open(const gpu& on, const arrays& a) {
    std::uint64_t open = 0;
    detail::check(cudaMemcpyAsync(&open, &a.state->open, sizeof open, cudaMemcpyDeviceToHost, on.stream),
                  "cudaMemcpyAsync");
    detail::check(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize");
    return {open & 0xFFFFFFFFU, open >> 32U};
  }
#endif
};

}  // namespace peneira::sort_strings_strategies
