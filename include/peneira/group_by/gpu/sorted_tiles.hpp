// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sorted_tiles: items are sorted by their keys, and one pass over tiles of them folds each run of equal keys.
//
//   items --sort--> runs --tiles: heads, folds; exchange--> groups begun before, what the last gathered --> groups
//
// A sort of pairs, then each sorted item is read once and each group written once. Values move with their keys; several
// columns, and operators that want an item's position, have positions moved instead, and are read where they are. Keys
// of floats are copied first, since those of one group may differ.
#pragma once

#include "peneira/arguments.hpp"
#include "peneira/gpu/exchange/tile_prefixes.cuh"
#include "peneira/gpu/primitives/positions.cuh"
#include "peneira/group_by/folding.hpp"
#include "peneira/group_by/gpu/fold_shape.hpp"
#include "peneira/group_by/problem.hpp"
#include "peneira/sort.hpp"
#include "peneira/strategy.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/group_by/gpu/fold_groups.cuh"
#endif

namespace peneira::group_by_strategies {

struct sorted_tiles {
  static constexpr std::string_view name = "sorted";
  static constexpr std::string_view about = "items are sorted, then tiles fold the runs of equal keys in one pass";

  static std::string refuses(const group_by_problem& problem, const device& machine) {
    if (tiles_of(problem) > 0x7FFFFFFFU) return "has no more tiles than 2^31 - 1";
    return detail::refuse_sort("group_by", sort_of(problem), machine);
  }

  /// Whether a word on the device can call all of it off.
  static bool can_be_called_off(const group_by_problem& problem, const device& machine) {
    const sort_problem sorting = sort_of(problem);
    if (problem.items == 0 || detail::choose_looking_sort(sorting, machine).strategy != sort_strategies::msd::name)
      return false;
    return sort_strategies::msd::can_be_called_off(sort_strategies::msd::decide(sorting, machine));
  }

  struct parameters {
    group_by_problem problem;
    device machine;
    std::size_t tile = 0;
    std::size_t sort_bytes = 0;
    bool may_end_at_once = false;  ///< whether a word on the device calls all of it off, or not
    std::optional<step> number;
    std::optional<step> unify;
    detail::prefix_plan prefixes;
    step fold;

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile", "sorted items that a block folds"},
        detail::field{&parameters::sort_bytes, "sort bytes", "of the sort's temporary memory"},
    };

    /// Steps in their order, the sort's own among them.
    template <class Add>
    void each_step(const Add& add) const {
      if (number.has_value()) add(*number);
      if (unify.has_value()) add(*unify);
      if (problem.items != 0) {
        const sort_problem sorting = sort_of(problem);
        const detail::choice chosen = detail::choose_looking_sort(sorting, machine);
        if (may_end_at_once) sort_strategies::msd::each_step_before(sorting, machine, add);
        for (const step& s : detail::plan_by<sort_gpu_strategies>("sort", sorting, machine, chosen).steps) add(s);
      }
      if (prefixes.clear.has_value()) add(*prefixes.clear);
      add(fold);
    }
  };

  static parameters decide(const group_by_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.machine = machine;
    p.tile = sizes_of(problem).tile();
    const std::size_t count = tiles_of(problem);
    p.prefixes = detail::prefix_plan::of(count, sizes_of(problem).told_bytes());
    p.fold = {"fold_groups", count, tuning::fold_threads};
    if (problem.items == 0) return p;
    p.sort_bytes = bytes_of_sort(sort_of(problem), machine);
    const step over_items = detail::number_items_step(problem.items, machine);
    if (problem.by_position) p.number = over_items;
    if (problem.keys_vary) p.unify = {"unify_keys", over_items.grid, over_items.block};
    return p;
  }

  struct arrays {
    void* keys;       ///< sorted
    void* values;     ///< sorted with them; none where they go to the caller
    void* own_keys;   ///< to sort, where keys of one group may differ
    void* positions;  ///< to sort, where these move
    void* sort_memory;
    detail::prefix_words prefixes;  ///< none of a single tile
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    const group_by_problem& problem = p.problem;
    arrays a{};
    a.keys = memory.take_bytes(problem.items * problem.key_bytes);
    if (!problem.keeps_items) a.values = memory.take_bytes(problem.items * problem.moved_bytes);
    if (problem.keys_vary) a.own_keys = memory.take_bytes(problem.items * problem.key_bytes);
    if (problem.by_position) a.positions = memory.take_bytes(problem.items * problem.moved_bytes);
    a.sort_memory = memory.take_bytes(p.sort_bytes);
    a.prefixes = p.prefixes.take(memory);
    return a;
  }

#if defined(__CUDACC__)
  /// group_by: `in` has no values where positions move. Writes the first `room` groups, and to *count how many there
  /// are. Where the sort can be called off, *wanted may say on the device whether to do anything.
  template <class K, class Folding, class Count>
  static void run(const gpu& on, const parameters& p, view<const K, const typename Folding::moved> in,
                  const Folding& by, K* unique_keys, Count* count, std::size_t room,
                  const std::uint32_t* wanted = nullptr) {
    using moved = typename Folding::moved;
    const detail::temporary<sorted_tiles> a(on, p);
    view<K, moved> sorted{static_cast<K*>(a.keys), nullptr, in.size};
    if constexpr (view<K, moved>::has_values) sorted.values = static_cast<moved*>(a.values);
    sort_items<K, moved>(on, p, a, in, sorted, wanted);
    fold<K, Folding>(on, p, a, sorted, by, detail::groups_out<K, Count>{unique_keys, count, room}, wanted);
  }

  /// group: the values, or positions, go to `to`; there is room for an offset more than keys.
  template <class K, class V, class Offset, class Count>
  static void run_items(const gpu& on, const parameters& p, view<const K, const V> in, V* to, K* unique_keys,
                        Offset* offsets, Count* count, std::size_t room) {
    const detail::temporary<sorted_tiles> a(on, p);
    const view<K, V> sorted{static_cast<K*>(a.keys), to, in.size};
    sort_items<K, V>(on, p, a, in, sorted, nullptr);
    const detail::group_offsets_out<K, Offset, Count> out{{unique_keys, count, room}, offsets};
    fold<K, detail::key_folding>(on, p, a, view<const K, const no_value>{sorted.keys, nullptr, in.size}, {}, out,
                                 nullptr);
  }
#endif

 private:
  /// Where groups keep their items, these are not looked at again.
  static detail::fold_sizes sizes_of(const group_by_problem& problem) {
    return {problem.key_bytes, problem.keeps_items ? 0 : problem.moved_bytes, problem.state_bytes};
  }
  /// No items make a tile, too, which writes that there are no groups.
  static std::size_t tiles_of(const group_by_problem& problem) {
    return problem.items == 0 ? 1 : (problem.items - 1) / sizes_of(problem).tile() + 1;
  }
  static sort_problem sort_of(const group_by_problem& problem) {
    return sort_problem::by_whole_keys(problem.items, problem.key_bytes, problem.moved_bytes);
  }
  static std::size_t bytes_of_sort(const sort_problem& sorting, const device& machine) {
    std::size_t bytes = 0;
    sort_gpu_strategies::with("sort", detail::choose_looking_sort(sorting, machine).strategy, [&](auto sort) {
      bytes = detail::temporary_bytes<decltype(sort)>(sort.decide(sorting, machine));
    });
    return bytes;
  }

#if defined(__CUDACC__)
  template <class K, class V>
  static void sort_items(const gpu& on, const parameters& p, const arrays& a, view<const K, const V> in,
                         view<K, V> sorted, const std::uint32_t* wanted) {
    if (in.size == 0) return;
    if constexpr (detail::is_position<V>) {
      if (p.number.has_value()) {
        detail::launch(on, *p.number, detail::number_items<V>, static_cast<V*>(a.positions), in.size, wanted);
        in.values = static_cast<V*>(a.positions);
      }
    }
    if constexpr (detail::is_float_key<K>) {
      detail::launch(on, *p.unify, detail::unify_keys<K>, in.keys, in.size, static_cast<K*>(a.own_keys), wanted);
      in.keys = static_cast<K*>(a.own_keys);
    }
    arena memory(a.sort_memory, p.sort_bytes);
    const gpu sorting{.stream = on.stream, .memory = &memory};
    if (wanted != nullptr) {
      using surveyed = sort_strategies::msd;
      return surveyed::run<K, V>(sorting, surveyed::decide(sort_of(p.problem), p.machine), in, sorted,
                                 detail::order_of<K>(false), {}, wanted);
    }
    const sort_problem all = sort_of(p.problem);
    detail::sort_by_plan<sort_gpu_strategies, K, V>(sorting, all, detail::choose_looking_sort(all, p.machine).strategy,
                                                    in, sorted, detail::order_of<K>(false), {});
  }

  template <class K, class Folding, class Out>
  static void fold(const gpu& on, const parameters& p, const arrays& a,
                   view<const K, const typename Folding::moved> sorted, const Folding& by, const Out& out,
                   const std::uint32_t* wanted) {
    using told = detail::groups_so_far<typename Folding::state>;
    static_assert(sizeof(told) <= detail::fold_shape<K, Folding>::sizes.told_bytes());
    detail::clear(on, p.prefixes, a.prefixes);
    detail::launch(on, p.prefixes.early(), p.fold, detail::fold_groups<K, Folding, Out>, sorted, by, out, a.prefixes,
                   p.prefixes.tiles, wanted);
  }
#endif
};

}  // namespace peneira::group_by_strategies
