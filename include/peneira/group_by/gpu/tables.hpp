// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tables: groups in shared memory, where they are few; or else sorted.
//
//   items --blocks: tables--> groups of each, and the set of all --merge--> groups
//   too many groups: a flag ends these kernels; items are split into parts whose groups fit (group_parts.hpp), or else
//   sorted and folded. Where the flag is not set, those kernels end at once
//
// Each item is read once where groups are few. Which way is taken is known on the device alone.
#pragma once

#include "peneira/group_by/folding.hpp"
#include "peneira/group_by/gpu/group_parts.hpp"
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
    if (!sorted_tiles::can_be_called_off(problem, machine))
      return "sorts such items in a way that cannot be called off";
    return {};
  }

  struct parameters {
    group_by_problem problem;
    detail::block_table_shape shape;
    std::size_t groups = 0;
    std::size_t share = 0;
    step clear;
    step fold;
    step merge;
    std::optional<detail::group_parts::parameters> parts;
    sorted_tiles::parameters or_sorted;

    static constexpr std::tuple fields{
        detail::field{&parameters::groups, "groups", "at most, that tables have room for"},
        detail::field{&parameters::share, "share", "neighbouring items that a block gathers"},
        detail::members{&parameters::clear, &parameters::fold, &parameters::merge, &parameters::parts,
                        &parameters::or_sorted},
    };
  };

  static parameters decide(const group_by_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.shape = shape_of(problem, machine);
    p.groups = p.shape.groups;
    p.share = (problem.items / static_cast<std::size_t>(machine.sms) + 1 + 63) / 64 * 64;
    const std::size_t merge_warps = tuning::merge_threads / 32;
    p.clear = {"clear_tables", p.shape.heads / tuning::merge_threads + 1, tuning::merge_threads};
    p.fold = {"fold_tables", (problem.items + p.share - 1) / p.share, 32 * p.shape.warps, p.shape.shared()};
    p.merge = {"merge_tables", (p.groups + merge_warps - 1) / merge_warps, tuning::merge_threads};
    p.parts = detail::group_parts::decide(problem, machine);
    p.or_sorted = sorted_tiles::decide(problem, machine);
    p.or_sorted.may_end_at_once = true;
    const std::size_t resident = static_cast<std::size_t>(machine.sms) * tuning::fold_blocks(problem.state_bytes);
    p.or_sorted.fold.grid = std::min(p.or_sorted.fold.grid, resident);  // few blocks to end at once
    return p;
  }

  struct arrays {
    detail::table_words* words;
    std::uint32_t* heads;  ///< of the set of all blocks
    std::uint32_t* next;
    void* keys;
    void* rows;         ///< states of the groups of each block
    std::byte* others;  ///< memory of the other ways, of which one is taken
    std::size_t others_bytes;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.words = memory.template take<detail::table_words>(1);
    a.heads = memory.template take<std::uint32_t>(p.shape.heads);
    a.next = memory.template take<std::uint32_t>(p.groups);
    a.keys = memory.take_bytes(p.groups * p.shape.key_bytes);
    a.rows = memory.take_bytes(p.groups * p.fold.grid * p.shape.state_bytes);
    a.others_bytes = detail::temporary_bytes<sorted_tiles>(p.or_sorted);
    if (p.parts.has_value()) {
      detail::workspace_size of_parts;
      detail::group_parts::lay_out(of_parts, *p.parts);
      a.others_bytes = std::max(a.others_bytes, of_parts.used());
    }
    a.others = memory.template take<std::byte>(a.others_bytes);
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
    const auto shift = static_cast<std::uint32_t>(33 - std::bit_width(p.shape.heads));
    const detail::group_set<U, std::uint32_t> set{static_cast<U*>(a.keys), a.next,         a.heads,
                                                  &a.words->count,         p.shape.groups, shift};
    const detail::table_results<U, state> tables{set, static_cast<state*>(a.rows), &a.words->too_many};
    const detail::table_parts all{nullptr, 1, 0, p.share, nullptr};
    const detail::groups_out<K, Count> out{unique_keys, count, room};
    const auto grid = static_cast<std::uint32_t>(p.fold.grid);
    detail::launch(on, p.clear, detail::clear_tables<U>, set, p.shape.heads, a.words);
    detail::launch(on, detail::start::early, p.fold, detail::fold_tables<K, Folding>, in, by, p.shape, tables, all);
    detail::launch(on, detail::start::early, p.merge, detail::merge_tables<K, Folding, Count>, by, tables, grid,
                   p.shape.groups, detail::order_of<K>(false), out);
    const std::uint32_t* by_sort = &a.words->too_many;
    if (p.parts.has_value()) {
      arena memory(a.others, a.others_bytes);
      detail::workspace others(memory, a.others_bytes, on.stream);
      detail::group_parts::run<K, Folding>(on, *p.parts, detail::group_parts::lay_out(others, *p.parts), in, by,
                                           unique_keys, count, room, a.words);
      by_sort = &a.words->by_sort;
    }
    arena memory(a.others, a.others_bytes);
    sorted_tiles::run<K, Folding>({.stream = on.stream, .memory = &memory}, p.or_sorted, in, by, unique_keys, count,
                                  room, by_sort);
  }
#endif

 private:
  static detail::block_table_shape shape_of(const group_by_problem& problem, const device& machine) {
    return detail::block_table_shape::of(problem.key_bytes, problem.gathered_bytes(), machine);
  }
};

}  // namespace peneira::group_by_strategies
