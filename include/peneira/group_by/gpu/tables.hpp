// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tables: groups in shared memory, where they are few; or else sorted.
//
//   items --blocks: tables--> groups of each, and the set of all --merge--> groups
//   too many groups: a flag ends these kernels, and items are sorted and folded; where it is not set, those end at once
//
// Each item is read once. Which way is taken is known on the device alone.
#pragma once

#include "peneira/group_by/folding.hpp"
#include "peneira/group_by/gpu/sorted_tiles.hpp"
#include "peneira/group_by/gpu/table_shape.hpp"
#include "peneira/group_by/problem.hpp"
#include "peneira/strategy.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/group_by/gpu/fold_tables.cuh"
#endif

namespace peneira::group_by_strategies {

struct block_tables {
  static constexpr std::string_view name = "tables";
  static constexpr std::string_view about = "blocks gather few groups in shared memory; more are sorted and folded";

  static std::string refuses(const group_by_problem& problem, const device& machine) {
    if (std::string why = sorted_tiles::refuses(problem, machine); !why.empty()) return why;
    if (shape_of(problem, machine).warps == 0) return "has no room in shared memory for what so many groups gather";
    if (!sorted_tiles::can_be_called_off(problem, machine)) return "sorts such items in a way that cannot be called off";
    return {};
  }

  struct parameters {
    group_by_problem problem;
    detail::block_table_shape shape;
    std::size_t groups = 0;
    std::size_t stretch = 0;
    step clear;
    step fold;
    step merge;
    sorted_tiles::parameters or_sorted;

    static constexpr std::tuple fields{
        detail::field{&parameters::groups, "groups", "at most, that tables have room for"},
        detail::field{&parameters::stretch, "stretch", "neighbouring items that a warp gathers"},
        detail::members{&parameters::clear, &parameters::fold, &parameters::merge, &parameters::or_sorted},
    };
  };

  static parameters decide(const group_by_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.shape = shape_of(problem, machine);
    p.groups = p.shape.groups;
    const std::size_t rows = 32 * detail::table_rows(problem.state_bytes);
    const std::size_t warps = static_cast<std::size_t>(machine.sms) * p.shape.warps;
    p.stretch = (problem.items / warps / rows + 1) * rows;
    const std::size_t of_block = p.stretch * p.shape.warps;
    const std::size_t merge_warps = tuning::merge_threads / 32;
    p.clear = {"clear_tables", p.shape.heads / tuning::merge_threads + 1, tuning::merge_threads};
    p.fold = {"fold_tables", problem.items / of_block + 1, 32 * p.shape.warps, p.shape.shared()};
    p.merge = {"merge_tables", (p.groups + merge_warps - 1) / merge_warps, tuning::merge_threads};
    p.or_sorted = sorted_tiles::decide(problem, machine);
    return p;
  }

  struct arrays {
    std::uint32_t* heads;   ///< of the set of all blocks; then its count, and whether there are too many
    std::uint32_t* next;
    void* keys;
    void* states;           ///< of the groups of each block
    std::byte* for_sorted;
    std::size_t sorted_bytes;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.heads = memory.template take<std::uint32_t>(p.shape.heads + 2);
    a.next = memory.template take<std::uint32_t>(p.groups);
    a.keys = memory.take_bytes(p.groups * p.shape.key_bytes);
    a.states = memory.take_bytes(p.groups * p.fold.grid * p.shape.state_bytes);
    a.sorted_bytes = detail::temporary_bytes<sorted_tiles>(p.or_sorted);
    a.for_sorted = memory.template take<std::byte>(a.sorted_bytes);
    return a;
  }

#if defined(__CUDACC__)
  /// As sorted_tiles::run.
  template <class K, class Folding, class Count>
  static void run(const gpu& on, const parameters& p, view<const K, const typename Folding::moved> in,
                  const Folding& by, K* unique_keys, Count* count, std::size_t room) {
    using U = detail::set_bits<K>;
    using state = typename Folding::state;
    const detail::temporary<block_tables> a(on, p);
    std::uint32_t* const numbers = a.heads + p.shape.heads;
    const auto shift = static_cast<std::uint32_t>(65 - std::bit_width(p.shape.heads));
    const detail::group_set<U, std::uint32_t> set{static_cast<U*>(a.keys), a.next, a.heads, numbers,
                                                  p.shape.groups,          shift};
    const detail::table_results<U, state> tables{set, static_cast<state*>(a.states), numbers + 1};
    const detail::groups_out<K, Count> out{unique_keys, count, room};
    const auto grid = static_cast<std::uint32_t>(p.fold.grid);
    detail::launch(on, p.clear, detail::clear_tables<U, state>, tables, p.shape.heads);
    detail::launch(on, detail::start::early, p.fold, detail::fold_tables<K, Folding>, in, by, p.shape, tables,
                   p.stretch);
    detail::launch(on, p.merge, detail::merge_tables<K, Folding, Count>, by, tables, grid, p.shape.groups,
                   detail::order_of<K>(false), out);
    arena memory(a.for_sorted, a.sorted_bytes);
    sorted_tiles::run<K, Folding>({.stream = on.stream, .memory = &memory}, p.or_sorted, in, by, unique_keys, count,
                                  room, tables.too_many);
  }
#endif

 private:
  static detail::block_table_shape shape_of(const group_by_problem& problem, const device& machine) {
    return detail::block_table_shape::of(problem.key_bytes, problem.moved_bytes == 0 ? 0 : problem.state_bytes, machine);
  }
};

}  // namespace peneira::group_by_strategies
