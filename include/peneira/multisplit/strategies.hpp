// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of multisplit and the choice among them. To add one: include its file and put its name into a list; to
// prefer it somewhere: edit the choice.
#pragma once

#include "peneira/multisplit/cpu/buffered.hpp"
#include "peneira/multisplit/cpu/direct.hpp"
#include "peneira/multisplit/cpu/sequential.hpp"
#include "peneira/multisplit/cpu/two_level.hpp"
#include "peneira/multisplit/gpu/by_labels.hpp"
#include "peneira/multisplit/gpu/groups.hpp"
#include "peneira/multisplit/gpu/sampled.hpp"
#include "peneira/multisplit/gpu/tiles.hpp"
#include "peneira/multisplit/gpu/two_way.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira {

/// The strategies of multisplit on a CPU.
using multisplit_cpu_strategies = strategy_list<multisplit_strategies::sequential, multisplit_strategies::direct,
                                                multisplit_strategies::buffered, multisplit_strategies::two_level>;

/// The strategies of multisplit on a GPU.
using multisplit_gpu_strategies = strategy_list<multisplit_strategies::tiles, multisplit_strategies::two_way,
                                                multisplit_strategies::sampled, multisplit_strategies::groups>;

/// The strategies of multisplit on a GPU by labels.
using multisplit_label_strategies = strategy_list<multisplit_strategies::by_labels>;

namespace detail {

/// Whether a second thread would share lines of most bins with the first.
constexpr bool shares_lines(const multisplit_problem& problem) {
  return problem.items * problem.widest() < 2 * multisplit_strategies::direct::least_bytes_a_thread(problem);
}

/// Whether items are few, for their bins too.
constexpr bool are_few(const multisplit_problem& problem) {
  return problem.items < tuning::cpu_sequential_items && problem.items / tuning::cpu_few_items_a_bin < problem.bins;
}

/// Whether few items are split by one thread and a plain loop, on any machine.
constexpr bool splits_by_loop(const multisplit_problem& problem) {
  if (problem.items * problem.cost() < tuning::cpu_few_items) return true;
  if (!are_few(problem)) return false;
  return problem.cost() > 1 ? problem.items < problem.bins : !tuning::on_x86 || shares_lines(problem);
}

/// Whether items are so few a bin that one thread splits them.
constexpr bool is_scarce(const multisplit_problem& problem) {
  if (problem.items >= tuning::cpu_scarce_items) return false;
  if (problem.cost() > 1) return problem.items < problem.bins;
  if (problem.items / tuning::cpu_scarce_items_a_bin < problem.bins) return true;
  return tuning::on_x86 && problem.bins >= tuning::cpu_cached_bins && shares_lines(problem);
}

/// Whether items go straight to their place because the caches hold them; `lines_fit`: they hold a line of every bin.
inline bool goes_straight_in_caches(const multisplit_problem& problem, const host& machine, bool lines_fit) {
  if (!lines_fit && problem.bytes() <= machine.l2) return true;
  if (!tuning::on_x86) return false;
  if (are_few(problem)) return true;
  const unsigned threads = problem.worth_threads(machine);
  const std::size_t cached = tuning::cpu_cached_bytes(machine.l2, threads);
  if (lines_fit) return problem.bytes() < cached && problem.bins >= tuning::cpu_cached_bins;
  const std::size_t rows = sizeof(std::uint64_t) * problem.bins * threads;
  return std::max(problem.bytes() + 1, rows) <= cached * problem.cost();
}

/// Whether items go straight to their place in many bins because the last-level cache holds them all, and a line of
/// every bin: two levels would read and write them twice.
inline bool goes_straight_in_last_cache(const multisplit_problem& problem, const host& machine, std::size_t lines) {
  const std::size_t cache = std::min(machine.l3, tuning::cpu_last_cache_bytes);
  return problem.bytes() <= cache && lines <= cache && problem.worth_threads(machine) < tuning::cpu_split_team;
}

/// Whether so many threads share many bins that each had better collect what it writes to one, however few items fit
/// the caches.
inline bool is_shared_by_many(const multisplit_problem& problem, const host& machine) {
  return tuning::on_x86 && !problem.labelled() && problem.bins >= tuning::cpu_split_team_bins &&
         problem.items / tuning::cpu_split_team_items_a_bin >= problem.bins &&
         problem.worth_threads(machine) >= tuning::cpu_split_team;
}

/// The automatic choice on a CPU.
inline choice choose_multisplit(const multisplit_problem& problem, const host& machine) {
  using multisplit_strategies::direct;
  const bool by_many = is_shared_by_many(problem, machine);
  const bool alone = tuning::on_x86 && are_few(problem) && direct::decide(problem, machine).threads == 1;
  if (!by_many && (splits_by_loop(problem) || alone)) {
    return {"sequential", "so few items are split before a team of threads has started"};
  }
  if (!by_many && is_scarce(problem)) {
    return {"sequential", "so few items a bin that threads would be in each other's way"};
  }
  if (problem.item_bytes() > line_bytes / 2) return {"direct", "an item fills most of a cache line by itself"};
  const std::size_t columns = std::size_t{problem.bins} * (problem.value_bytes == 0 ? 1 : 2);
  if (problem.bins > 2 && columns <= tuning::cpu_direct_columns) {
    return {"direct", "so few streams of output are merged by the processor itself"};
  }
  const std::size_t lines = least_buffer_bytes(problem.bins, problem.key_bytes, problem.value_bytes);
  const std::size_t room = std::max(machine.l2, std::min(tuning::cpu_line_caches * machine.l2, tuning::cpu_line_bytes));
  if (by_many) {
    const bool few_a_bin = problem.items / problem.bins < tuning::cpu_two_level_items_a_bin;
    if (few_a_bin && problem.bins >= tuning::cpu_two_level_bins && problem.cost() == 1) {
      return {"two_level", "many threads share many bins, of which each has few items"};
    }
  } else if (goes_straight_in_caches(problem, machine, lines <= room)) {
    return {"direct", "the caches hold the items, and buffers would cost more than they spare"};
  }
  if (lines <= room) return {"buffered", "the caches of a core have room for a line of every bin"};
  if (problem.labelled()) return {"direct", "many bins, and labels do not move with items that are split twice"};
  if (goes_straight_in_last_cache(problem, machine, lines)) {
    return {"direct", "the last-level cache holds the items and a line of every bin"};
  }
  return {"two_level", "the caches of a core have no room for a line of every bin"};
}

/// The temporary memory that a split into so many bins, or fewer, takes at most.
inline std::size_t most_split_bytes(const multisplit_problem& problem, const host& machine) {
  using list = multisplit_cpu_strategies;
  const plan chosen = plan_by<list>("multisplit", problem, machine, choose_multisplit(problem, machine));
  const plan by_lines = plan_by<list>("multisplit", problem, machine, {"buffered", ""});
  return std::max(chosen.temporary_bytes, by_lines.temporary_bytes);
}

/// The automatic choice on a GPU.
inline choice choose_multisplit(const multisplit_problem& problem, const device& machine) {
  if (problem.labelled()) return {"by_labels", "a bin that is no function of a key goes along with the item"};
  if (multisplit_strategies::tiles::labels(problem)) return {"tiles", "bins may take long to find: labels are split"};
  if (problem.bins > tuning::tile_bins && problem.items >= tuning::grouped_items &&
      problem.items / problem.bins >= tuning::grouped_items_a_bin &&
      multisplit_strategies::groups::refuses(problem, machine).empty()) {
    return {"groups", "many bins in any order: counted in passing, moved twice"};
  }
  if (problem.bins <= tuning::sampled_bins && problem.items >= tuning::sampled_items &&
      problem.items / problem.bins >= tuning::sampled_items_a_bin(problem.bins) &&
      multisplit_strategies::sampled::refuses(problem, machine).empty()) {
    return {"sampled", "few bins in any order: places from a sample, moved once"};
  }
  if (problem.key_bytes >= tuning::two_way_key_bytes && problem.item_bytes() <= tuning::two_way_item_bytes &&
      problem.items >= tuning::two_way_items(problem.value_bytes != 0) &&
      multisplit_strategies::two_way::refuses(problem, machine).empty()) {
    return {"two_way", "two bins: a ballot ranks 32 items, and no warp waits for another"};
  }
  return {"tiles", "tiles ordered in shared memory, long runs written"};
}

template <class Machine>
using multisplit_strategies_of =
    std::conditional_t<std::is_same_v<Machine, host>, multisplit_cpu_strategies, multisplit_gpu_strategies>;

/// The plan of a multisplit by the strategy of that name from a list, or by the automatic choice where it is empty.
template <class Machine, class List = multisplit_strategies_of<Machine>>
plan plan_multisplit(const multisplit_problem& problem, const Machine& machine, std::string_view strategy) {
  return plan_by<List>("multisplit", problem, machine,
                       asked_or(strategy, [&] { return choose_multisplit(problem, machine); }));
}

}  // namespace detail
}  // namespace peneira
