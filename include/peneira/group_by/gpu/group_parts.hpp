// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What tables do where groups do not fit one: items are split into parts by a hash of their keys, stably, and the
// groups of a part fit a table of their own. The groups of all parts are then sorted.
//
//   items --survey: a sample--> few enough? --multisplit--> parts --tables--> groups of parts --list, sort--> groups
//
// Whether any of it happens is known on the device alone. How many groups there are, too: as many as parts have room
// for are sorted, and those that there are not come last.
#pragma once

#include "peneira/gpu/primitives/positions.cuh"
#include "peneira/group_by/gpu/table_shape.hpp"
#include "peneira/group_by/gpu/table_words.hpp"
#include "peneira/group_by/problem.hpp"
#include "peneira/multisplit/gpu/tiles.hpp"
#include "peneira/sort.hpp"
#include "peneira/strategy.hpp"

#if defined(__CUDACC__)
#include "peneira/group_by/gpu/group_parts.cuh"
#endif

namespace peneira::detail {

/// The split into parts, and what follows it.
struct group_parts {
  using split_by = multisplit_strategies::tiles;
  using sort_by = sort_strategies::msd;

  struct parameters {
    group_by_problem problem;
    device machine;
    block_table_shape shape;
    std::uint32_t parts = 0;
    std::uint32_t room = 0;
    std::uint64_t most = 0;
    std::size_t share = 0;
    std::size_t split_bytes = 0;
    std::size_t sort_bytes = 0;
    step survey;
    std::optional<step> number;
    split_by::parameters split;
    step clear;
    step fold;
    step list;
    std::optional<step> begin_sort;  ///< where no survey begins it
    sort_by::parameters sort;
    step write;

    static constexpr std::tuple fields{
        field{&parameters::parts, "parts", "of the items where groups do not fit one table"},
        field{&parameters::room, "part groups", "at most, of all parts"},
        field{&parameters::most, "expected groups", "by a sample, up to which items are split"},
        members{&parameters::survey, &parameters::number, &parameters::split, &parameters::clear, &parameters::fold,
                &parameters::list, &parameters::begin_sort, &parameters::sort, &parameters::write},
    };
  };

  /// None where it is not worth while, or not possible.
  static std::optional<parameters> decide(const group_by_problem& problem, const device& machine) {
    if (problem.items < tuning::tables_parts_items) return {};
    parameters p;
    p.problem = problem;
    p.machine = machine;
    p.parts = tuning::tables_parts;
    p.shape = block_table_shape::of(problem.key_bytes, problem.gathered_bytes(), machine, tuning::tables_part_bytes);
    p.room = p.parts * p.shape.groups;
    p.most = static_cast<std::uint64_t>(static_cast<float>(p.room) * tuning::tables_part_full);
    const sort_problem of_groups = groups_of(p);
    const multisplit_problem of_items{.items = problem.items,
                                      .bins = p.parts,
                                      .key_bytes = problem.key_bytes,
                                      .value_bytes = problem.moved_bytes,
                                      .offset_bytes = sizeof(std::uint64_t)};
    const std::size_t survey_bytes = 2 * tuning::group_survey_slots * sizeof(std::uint32_t);
    if (p.shape.warps == 0 || survey_bytes + 1024 > machine.shared_per_block ||
        choose_looking_sort(of_groups, machine).strategy != sort_by::name ||
        !split_by::refuses(of_items, machine).empty()) {
      return {};
    }
    p.split = split_by::decide(of_items, machine);
    p.sort = sort_by::decide(of_groups, machine);
    if (!p.sort.survey.has_value()) p.begin_sort = sort_by::begin_wanted;
    if (!split_by::can_be_called_off(p.split) || !sort_by::can_be_called_off(p.sort)) return {};
    p.split_bytes = temporary_bytes<split_by>(p.split);
    p.sort_bytes = temporary_bytes<sort_by>(p.sort);
    decide_steps(p, survey_bytes);
    return p;
  }

  struct arrays {
    void* keys;  ///< of the items, in parts
    void* values;
    void* positions;  ///< to move, where these do
    std::uint64_t* begins;
    std::uint32_t* heads;  ///< of the sets of parts, then their counts
    std::uint32_t* next;
    void* set_keys;
    void* rows;
    void* group_keys;  ///< listed, and sorted
    std::uint32_t* numbers;
    void* states;
    std::byte* split_memory;
    std::byte* sort_memory;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    const group_by_problem& problem = p.problem;
    arrays a{};
    a.keys = memory.take_bytes(problem.items * problem.key_bytes);
    a.values = memory.take_bytes(problem.items * problem.moved_bytes);
    if (problem.by_position) a.positions = memory.take_bytes(problem.items * problem.moved_bytes);
    a.begins = memory.template take<std::uint64_t>(p.parts + 1);
    a.heads = memory.template take<std::uint32_t>(heads_of(p) + p.parts);
    a.next = memory.template take<std::uint32_t>(p.room);
    a.set_keys = memory.take_bytes(p.room * p.shape.key_bytes);
    a.rows = memory.take_bytes((p.fold.grid + p.parts) * p.shape.groups * p.shape.state_bytes);
    a.group_keys = memory.take_bytes(2 * p.room * problem.key_bytes);
    a.numbers = memory.template take<std::uint32_t>(2 * std::size_t{p.room});
    a.states = memory.take_bytes(p.room * p.shape.state_bytes);
    a.split_memory = memory.template take<std::byte>(p.split_bytes);
    a.sort_memory = memory.template take<std::byte>(p.sort_bytes);
    return a;
  }

#if defined(__CUDACC__)
  /// Decides on the device, by *words; does it where groups are few enough, or else says there that items are to be
  /// sorted.
  template <class K, class Folding, class Count>
  static void run(const gpu& on, const parameters& p, const arrays& a, view<const K, const typename Folding::moved> in,
                  const Folding& by, K* unique_keys, Count* count, std::size_t room, table_words* words) {
    using U = set_bits<K>;
    using state = typename Folding::state;
    using moved = typename Folding::moved;
    launch(on, start::early, p.survey, survey_groups<K>, in.keys, in.size, p.most, words);
    if constexpr (is_position<moved>) {
      if (p.number.has_value()) {
        launch(on, *p.number, number_items<moved>, static_cast<moved*>(a.positions), in.size, &words->by_parts);
        in.values = static_cast<moved*>(a.positions);
      }
    }
    view<K, moved> items{static_cast<K*>(a.keys), nullptr, in.size};
    if constexpr (view<K, moved>::has_values) items.values = static_cast<moved*>(a.values);
    arena split_memory(a.split_memory, p.split_bytes);
    split_by::run<K, moved>({.stream = on.stream, .memory = &split_memory}, p.split, in, items, group_part<K>{p.parts},
                            a.begins, false, &words->kept);

    const auto shift = static_cast<std::uint32_t>(33 - std::bit_width(p.shape.heads));
    const group_set<U, std::uint32_t> sets{static_cast<U*>(a.set_keys), a.next,         a.heads,
                                           a.heads + heads_of(p),       p.shape.groups, shift};
    const table_results<U, state> tables{sets, static_cast<state*>(a.rows), &words->by_sort};
    const table_parts parts{a.begins, p.parts, tuning::tables_part_extra, p.share, &words->by_parts};
    launch(on, start::early, p.clear, clear_part_sets<U>, sets, heads_of(p), p.parts, words);
    launch(on, start::early, p.fold, fold_tables<K, Folding>, items, by, p.shape, tables, parts);
    const group_list<K, state> listed{static_cast<K*>(a.group_keys), a.numbers, static_cast<state*>(a.states), p.room};
    launch(on, start::early, p.list, list_groups<K, Folding, Count>, by, tables, p.shape, parts, order_of<K>(false),
           words, listed, count);
    const group_list<K, state> sorted{listed.keys + p.room, listed.numbers + p.room, listed.states, p.room};
    arena sort_memory(a.sort_memory, p.sort_bytes);
    sort_by::run<K, std::uint32_t>({.stream = on.stream, .memory = &sort_memory}, p.sort,
                                   {listed.keys, listed.numbers, p.room}, {sorted.keys, sorted.numbers, p.room},
                                   order_of<K>(false), {}, &words->listed);
    launch(on, start::early, p.write, write_groups<K, Folding>, by, sorted, words, unique_keys, room);
  }
#endif

 private:
  static std::size_t heads_of(const parameters& p) {
    return std::size_t{p.parts} * p.shape.heads;
  }
  static sort_problem groups_of(const parameters& p) {
    return sort_problem::by_whole_keys(p.room, p.problem.key_bytes, sizeof(std::uint32_t));
  }
  static void decide_steps(parameters& p, std::size_t survey_bytes) {
    const auto sms = static_cast<std::size_t>(p.machine.sms);
    const std::size_t steps_in_all = p.problem.items + p.parts * tuning::tables_part_extra;
    p.share = (steps_in_all / sms + 1 + 63) / 64 * 64;
    p.survey = {"survey_groups", tuning::group_surveys, tuning::group_survey_threads, survey_bytes};
    if (p.problem.by_position) p.number = number_items_step(p.problem.items, p.machine);
    p.clear = {"clear_part_sets", 4 * sms, tuning::merge_threads};
    p.fold = {"fold_tables", (steps_in_all + p.share - 1) / p.share, 32 * p.shape.warps, p.shape.shared()};
    p.list = {"list_groups", p.parts, tuning::merge_threads};
    p.write = {"write_groups", 4 * sms, tuning::merge_threads};
  }
};

}  // namespace peneira::detail
