// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tables: hash tables that stay in a core's cache. A sample of the keys tells how.
//
//   few groups    items, piece by piece --table--> lists of groups --merged in order--> groups
//   many          items --split by hash--> partitions, a table each --> groups
//   most differ   as `sorted` does it
//   then          groups --sort--> ascending
//
// A partition that has very many items is cut into pieces as well. Partitions and pieces depend on the items alone, so
// the results have the same bits with any number of threads. Where a table overflows, since the sample was wrong or
// keys were made to collide, there are partitions instead of pieces, or at last a sort.
#pragma once

#include "peneira/group_by/cpu/table_job.hpp"

namespace peneira::group_by_strategies {

struct tables : detail::takes_all<group_by_problem> {
  static constexpr std::string_view name = "tables";
  static constexpr std::string_view about = "all threads, hash tables in cache, of all keys or of partitions by hash";

  struct parameters {
    group_by_problem problem;
    unsigned threads = 1;
    std::size_t slots = 0;
    std::size_t sample = 0;
    std::uint32_t partitions = 1;
    std::size_t listed = 0;
    sorted::parameters sort;
    step look;
    step split;
    step fold;
    step order;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::slots, "slots", "of a table, at most"},
        detail::field{&parameters::sample, "sample", "keys that are looked at; 0: one table will do"},
        detail::field{&parameters::partitions, "partitions", "of the keys by their hashes, at most"},
        detail::field{&parameters::listed, "listed", "groups that tables may find; of more the items are sorted"},
        detail::members{&parameters::look, &parameters::split, &parameters::fold, &parameters::order},
    };
  };

  static parameters decide(const group_by_problem& problem, const host& machine) {
    parameters p;
    p.problem = problem;
    p.sort = sorted::decide(problem, machine);
    p.threads = p.sort.threads;
    p.slots = std::bit_floor(std::clamp<std::size_t>(machine.l2 / 2 / problem.entry_bytes, 64, 1U << 16U));
    p.sample = problem.items <= p.slots / 4 ? 0 : std::min(problem.items / 4, tuning::cpu_group_sample);
    p.partitions = static_cast<std::uint32_t>(
        std::bit_floor(std::clamp<std::size_t>(4 * problem.items / p.slots, 1, tuning::cpu_group_partitions)));
    p.listed = list_room(problem, p.slots);
    p.look = {"look"};
    p.split = {"split", p.threads, 1, p.partitions == 1 ? 0 : buffer_bytes(problem, p.partitions)};
    p.fold = {"fold", p.threads, 1, table_bytes(p)};
    p.order = {"order", p.threads};
    return p;
  }

  struct arrays {
    sorted::arrays sort;
    detail::table_memory own;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.sort = sorted::lay_out(memory, p.sort);
    a.own.between = a.sort.between;
    if (p.partitions > 1) {
      a.own.split = detail::split_scratch::take(memory, p.partitions, p.threads, p.split.shared);
    }
    a.own.partitions = memory.template take<std::uint64_t>(std::size_t{p.partitions} + 1);
    a.own.pieces = memory.template take<detail::group_piece>(p.partitions + tuning::cpu_group_pieces);
    a.own.first_pieces = memory.template take<std::size_t>(std::size_t{p.partitions} + 1);
    a.own.first_groups = memory.template take<std::size_t>(std::size_t{p.partitions} + 1);
    a.own.tables = memory.template take<std::byte>(p.threads * p.fold.shared);
    a.own.scratch = memory.template take<std::byte>(scratch_bytes(p));
    return a;
  }

  template <class K, class Folding>
  static std::size_t run(const cpu& on, const parameters& p,
                         const detail::group_arrays<K, typename Folding::moved>& given, const Folding& by) {
    const detail::temporary<tables> memory(on, p);
    const detail::table_shape shape = shape_of(p);
    detail::table_job<K, Folding> job(shape, memory.own, given, by);
    auto how = job.look();
    if (how.has_value()) {
      if (const auto groups = job.run(*how)) return *groups;
      how = how->bits == 0 ? job.most_partitions() : std::nullopt;
    }
    if (how.has_value()) {
      if (const auto groups = job.run(*how)) return *groups;
    }
    return sorted::run_in(memory.sort, p.sort, given, by);
  }

 private:
  static detail::table_shape shape_of(const parameters& p) {
    detail::table_shape s;
    s.threads = p.threads;
    s.machine = p.sort.machine;
    s.slots = p.slots;
    s.sample = p.sample;
    s.most_bits = static_cast<unsigned>(std::bit_width(p.partitions) - 1);
    s.listed = p.listed;
    s.table_bytes = p.fold.shared;
    s.scratch_bytes = scratch_bytes(p);
    s.groups = p.problem.groups;
    return s;
  }
  static std::size_t table_bytes(const parameters& p) {
    return detail::workspace::round_up(detail::table_entries(p.slots) * p.problem.entry_bytes);
  }
  static std::size_t buffer_bytes(const group_by_problem& problem, std::uint32_t bins) {
    return detail::most_split_buffer_bytes(bins, problem.key_bytes, problem.moved_bytes,
                                           problem.bytes() >= tuning::cpu_stream_bytes);
  }
  /// Groups that all lists together have room for.
  static std::size_t list_room(const group_by_problem& problem, std::size_t slots) {
    if (problem.items <= slots) return 2 * problem.items;
    return std::min(problem.most_groups() + problem.items / 16, problem.items / 2) + slots;
  }
  /// Bytes of what lists and sorts share, since most of them are not wanted at the same time.
  static std::size_t scratch_bytes(const parameters& p) {
    using detail::workspace;
    const group_by_problem& q = p.problem;
    const auto sort_bytes = [&](std::size_t items, std::size_t value_bytes) {
      return detail::group_sort::most_bytes(items, q.key_bytes, value_bytes, p.sort.machine);
    };
    const std::size_t lists = workspace::round_up(p.listed * q.entry_bytes);
    const std::size_t positions = q.by_position ? q.items * q.moved_bytes : 0;
    const std::size_t most = std::min(p.listed, q.most_groups());
    const std::size_t sample = workspace::round_up(p.sample * q.key_bytes) + sort_bytes(p.sample, 0);
    if (q.results_move) return std::max({lists, positions, sample, sort_bytes(most, q.result_bytes)});
    const std::size_t behind = workspace::footprint<std::uint64_t>(p.listed) + sort_bytes(most, sizeof(std::uint64_t));
    return std::max({lists + behind, positions, sample});
  }
};

}  // namespace peneira::group_by_strategies
