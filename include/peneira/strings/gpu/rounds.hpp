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
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "peneira/memory.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort.hpp"
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
    return sort_strategies::levels::refuses(sort_of(problem.items), machine);
  }

  static plan make_plan(const sort_strings_problem& problem, const device& machine) {
    const std::size_t n = problem.items;
    const plan sorting = detail::plan_by<sorts>("sort", sort_of(n), machine, detail::choose_sort(sort_of(n), machine));
    const std::size_t tiles = std::max<std::size_t>(detail::scan_tiles_of(n), 1);
    plan p;
    p.set("sort bytes", room_for_sorts(sorting, machine), "of the largest sort's temporary memory");
    p.steps.push_back(detail::each_string_step("check_strings", n, machine));
    p.steps.push_back(detail::each_string_step("begin_rounds", n, machine));
    p.steps.push_back(detail::each_string_step("find_common", n, machine));
    p.steps.push_back(detail::each_string_step("find_common_far", most_items, machine));
    p.steps.push_back(detail::each_string_step("cache_words", n, machine));
    for (const step& s : sorting.steps) p.steps.push_back(s);
    p.steps.push_back({"count_open", tiles, detail::scan_threads});
    p.steps.push_back({"scan_sums", 1, detail::scan_threads});
    p.steps.push_back({"keep_open", tiles, detail::scan_threads});
    if (n == 0) return p;
    p.reserve<detail::start_check>(1);
    p.reserve<detail::string_state>(1);
    for (int column = 0; column < 2; ++column) p.reserve<std::uint64_t>(n);             // keys
    for (int column = 0; column < 5; ++column) p.reserve<std::uint32_t>(n);             // index, place twice; group
    for (int column = 0; column < 3; ++column) p.reserve<std::uint64_t>(groups_of(n));  // from, common twice
    p.reserve<std::uint32_t>(groups_of(n));
    p.reserve<std::uint64_t>(tiles);
    p.reserve<unsigned char>(p.get("sort bytes"));
    return p;
  }

#if defined(__CUDACC__)
  template <class Offset, class Index>
  static void run(const gpu& on, const plan& made, const strings<Offset>& all, Index* permutation, bool descending) {
    using detail::launch;
    const std::size_t n = all.size;
    if (n == 0) return;
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const starts = memory.take<detail::start_check>(1);
    auto* const state = memory.take<detail::string_state>(1);
    auto* const keys = memory.take<std::uint64_t>(n);
    auto* const sorted_keys = memory.take<std::uint64_t>(n);
    auto* const index = memory.take<std::uint32_t>(n);
    auto* const sorted_index = memory.take<std::uint32_t>(n);
    detail::string_round now{};
    now.index = index;
    now.place = memory.take<std::uint32_t>(n);
    auto* other_place = memory.take<std::uint32_t>(n);
    now.group = memory.take<std::uint32_t>(n);
    now.from = memory.take<std::uint64_t>(groups_of(n));
    now.common = memory.take<std::uint64_t>(groups_of(n));
    auto* other_common = memory.take<std::uint64_t>(groups_of(n));
    now.leader = memory.take<std::uint32_t>(groups_of(n));
    auto* const sums = memory.take<std::uint64_t>(made.at("count_open").grid);
    auto* const far = reinterpret_cast<std::uint32_t*>(sorted_keys);  // done with before the keys are sorted
    const std::size_t sort_bytes = made.get("sort bytes");
    arena sort_memory(memory.take<unsigned char>(sort_bytes), sort_bytes);
    const gpu sorting{.stream = on.stream, .memory = &sort_memory};

    detail::check_starts(on, made, all, permutation, starts);
    launch(on, made.at("begin_rounds"), detail::begin_rounds<Offset>, all, now, state);
    std::size_t items = n;
    std::size_t groups = 1;
    while (items != 0) {
      const auto key = detail::string_key::of(groups, descending);
      launch(on, made.at("find_common"), detail::find_common<Offset>, all, now, items, far, state);
      launch(on, made.at("find_common_far"), detail::find_common_far<Offset>, all, now, far, state);
      launch(on, made.at("cache_words"), detail::cache_words<Offset>, all, now, items, key, keys);
      const view<const std::uint64_t, const std::uint32_t> unsorted{keys, index, items};
      const view<std::uint64_t, std::uint32_t> sorted{sorted_keys, sorted_index, items};
      detail::sort_by<sorts>(sorting, unsorted, sorted, {});

      detail::string_round next = now;
      next.place = other_place;
      next.common = other_common;
      const auto by_tiles = [&](std::string_view name) {
        step planned = made.at(name);
        planned.grid = detail::scan_tiles_of(items);
        return planned;
      };
      launch(on, by_tiles("count_open"), detail::count_open, sorted_keys, items, key, sums);
      launch(on, made.at("scan_sums"), detail::scan_sums, sums, detail::scan_tiles_of(items));
      launch(on, by_tiles("keep_open"), detail::keep_open<Offset, Index>, all, sorted_keys, sorted_index, now.place,
             now.common, items, key, sums, next, permutation, state);
      std::uint64_t open = 0;
      detail::check(cudaMemcpyAsync(&open, &state->open, sizeof open, cudaMemcpyDeviceToHost, on.stream),
                    "cudaMemcpyAsync");
      detail::check(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize");
      other_place = now.place;
      other_common = now.common;
      now = next;
      items = open & 0xFFFFFFFFU;
      groups = open >> 32U;
    }
  }
#endif

  static constexpr std::size_t most_items = std::numeric_limits<std::uint32_t>::max();

  /// Whole keys alone are sorted, by these.
  using sorts = strategy_list<sort_strategies::cluster, sort_strategies::levels>;

 private:
  /// A group has two strings at least, but for the first.
  static std::size_t groups_of(std::size_t items) {
    return items / 2 + 1;
  }
  static sort_problem sort_of(std::size_t items) {
    return {items, sizeof(std::uint64_t), sizeof(std::uint32_t), 0, 64, order::stable, false, {}};
  }
  /// Temporary bytes of the sort of all strings and of those of fewer, which may take more: small tiles have twice as
  /// many blocks, each with its counts.
  static std::size_t room_for_sorts(const plan& of_all, const device& machine) {
    if (of_all.strategy == sort_strategies::cluster::name) return of_all.temporary_bytes;
    return of_all.temporary_bytes +
           2 * static_cast<std::size_t>(machine.sms) * (sizeof(std::uint64_t) << tuning::level_bits);
  }
};

}  // namespace peneira::sort_strings_strategies
