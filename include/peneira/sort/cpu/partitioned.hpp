// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// partitioned: an MSD radix sort that splits by the highest bits that differ into bins that fit a cache, then sorts
// each bin by itself.
//
//   in --split by all threads--> copy --each bin by one thread, within its cache: digits, registers--> out
//                                      (a bin too large for the cache: split again; larger than a share: by all
//                                      threads)
//
// Sorted, reversed and constant input is noticed first, then frequent keys (frequent.hpp) and skew (level_digit.hpp). A
// split takes the highest bits of the distance from the lowest key, so bits that all keys share cost nothing; keys
// alone that differ in few bits are counted and written again. Reads each key three times from memory and writes it
// twice: 20 bytes for a 32-bit key. Stable.
//
// Needs a copy of the items and, for each thread, half its second-level cache and up to 1 MiB more; in place too.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "peneira/host.hpp"
#include "peneira/sort/cpu/level_shape.hpp"
#include "peneira/sort/cpu/sort_levels.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::sort_strategies {

struct partitioned : detail::takes_all<sort_problem> {
  static constexpr std::string_view name = "partitioned";
  static constexpr std::string_view about = "all threads, split into bins that fit a cache, then each bin by itself";

  /// Few items, by one thread within its cache.
  struct leaf_parameters {
    unsigned threads = 1;
    std::size_t scratch_items = 0;

    static constexpr std::tuple fields{
        detail::field{&leaf_parameters::threads, "threads", "that work together"},
        detail::field{&leaf_parameters::scratch_items, "scratch items", "room for a second copy"},
    };
  };
  struct parameters {
    sort_problem problem;
    std::optional<leaf_parameters> leaf;  ///< all are one leaf; or else:
    std::optional<detail::level_shape> levels;
    std::optional<step> split;
    step sort;  ///< of the leaf, or of all leaves

    static constexpr std::tuple fields{
        detail::members{&parameters::leaf, &parameters::levels, &parameters::split, &parameters::sort}};
  };

  /// Whether items of so many bytes are sorted with a second copy on the stack, and a call need not plan.
  static bool is_small(std::size_t bytes, const host& machine) {
    return bytes <= std::min(tuning::cpu_sort_stack_bytes, machine.l2 / 16);
  }

  static parameters decide(const sort_problem& problem, const host& machine) {
    if (is_small(problem.bytes(), machine)) return decide_leaf(problem, 0);
    const bool counted = problem.value_bytes == 0 && problem.whole_key() && problem.key_bytes <= 2;
    const host team =
        machine.with_threads(tuning::cpu_threads(problem.bytes(), tuning::cpu_least_split_bytes, machine.threads));
    const bool few_threads = team.threads < tuning::cpu_sort_small_team;
    const bool alone = team.threads == 1 ||
                       problem.items < (few_threads ? tuning::cpu_sort_team_items : tuning::cpu_sort_small_team_items);
    const std::size_t cached = cached_items(problem, machine);
    if (alone && problem.items <= cached) return decide_leaf(problem, problem.items);
    // What is more than a thread's share would keep the others waiting, and leaves take memory: never more of it for
    // fewer items, on which group_by relies.
    const std::size_t share = std::bit_ceil(problem.items / std::max(1U, machine.threads));
    return decide_levels(problem, team, counted, std::min(cached, std::max(share, tuning::cpu_sort_least_leaf_items)));
  }

  /// The same where all are one leaf, with a second copy in memory of so many items, or else on the stack.
  static parameters decide_leaf(const sort_problem& problem, std::size_t scratch_items) {
    parameters p;
    p.problem = problem;
    p.leaf = {1, scratch_items};
    p.sort = {"sort leaf", 1, 1, 0};
    return p;
  }

  /// The same for segments, which are sorted as bins of one level are.
  static parameters decide_segments(const sort_problem& problem, const host& machine) {
    return decide_levels(problem, machine, false, cached_items(problem, machine));
  }

  /// Items that fit half of the second-level cache.
  static std::size_t cached_items(const sort_problem& problem, const host& machine) {
    return std::bit_floor(machine.l2 / 2 / problem.item_bytes());
  }

  struct arrays {
    detail::item_arrays scratch;  ///< of one leaf
    std::uint64_t* counts;        ///< this and the following: as level_memory has them
    std::uint32_t* counters;
    std::byte* buffers;
    std::uint64_t* offsets;
    std::uint64_t* frequent;
    detail::item_arrays leaves;
    detail::item_arrays between;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.leaf.has_value()) {
      a.scratch = detail::item_arrays::take(memory, p.problem, p.leaf->scratch_items);
      return a;
    }
    const detail::level_shape& shape = *p.levels;
    const std::size_t threads = shape.threads;
    a.counts = memory.template take<std::uint64_t>(threads * shape.slices * detail::counts_row(shape.most_bins));
    a.counters = memory.template take<std::uint32_t>(threads * shape.counters());
    a.buffers = memory.template take<std::byte>(threads * p.split->shared);
    a.offsets = memory.template take<std::uint64_t>((threads + 1) * detail::most_levels(p.problem.key_bytes) *
                                                    (std::size_t{shape.most_bins} + 1));
    if (shape.leaf_items == 0) return a;
    if (p.problem.value_bytes == 0) a.frequent = memory.template take<std::uint64_t>(2 * detail::frequent_slots);
    a.leaves = detail::item_arrays::take(memory, p.problem, threads * shape.leaf_room());
    a.between = detail::item_arrays::take(memory, p.problem, p.problem.items);
    return a;
  }

  /// The arrays that were laid out, as the levels take them.
  template <class K, class V>
  static detail::level_memory<K, V> memory_of_levels(const parameters& p, const arrays& a) {
    detail::level_memory<K, V> parts{a.counts, a.counters, a.buffers, a.offsets, a.frequent, p.split->shared, {}, {}};
    if (p.levels->leaf_items != 0) {
      parts.leaves = a.leaves.as<K, V>(p.levels->threads * p.levels->leaf_room());
      parts.between = a.between.as<K, V>(p.problem.items);
    }
    return parts;
  }

  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const cpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (p.leaf.has_value() && p.leaf->scratch_items == 0) return run_small(in, out, by, part);
    detail::with_rank<K>(by, part, [&](const auto& rank) { run_by<K, V>(on, p, in, out, rank); });
  }

  /// What run does, in memory that was laid out; the items may be fewer than were planned.
  template <class K, class V, class Rank>
  static void run_within(const parameters& p, const arrays& a, view<const K, const V> in, view<K, V> out,
                         const Rank& rank) {
    run_between<K, V>(p, a, in, out, rank, 0, rank.most());
  }
  /// The same where all have ranks from `low` to `high`.
  template <class K, class V, class Rank>
  static void run_between(const parameters& p, const arrays& a, view<const K, const V> in, view<K, V> out,
                          const Rank& rank, typename Rank::number low, typename Rank::number high) {
    const view<K, V> to = out.part(0, in.size);
    if (!p.leaf.has_value()) {
      return detail::level_sort<K, V, Rank>(*p.levels, memory_of_levels<K, V>(p, a), in, to, rank).run(low, high);
    }
    if (p.leaf->scratch_items == 0) return sort_on_stack(in, to, rank);
    detail::sort_leaf(in, a.scratch.as<K, V>(p.leaf->scratch_items).part(0, in.size), to, rank);
  }

  /// What run does for few items, without a plan.
  template <class K, class V, class U = detail::bits_of<K>>
  [[gnu::always_inline]] static void run_small(view<const K, const V> in, view<K, V> out,
                                               const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    detail::with_rank<K>(
        by, part, [&](const auto& rank) __attribute__((always_inline)) { run_few(in, out.part(0, in.size), rank); });
  }
  /// The same where the rank is known.
  template <class K, class V, class Rank>
  [[gnu::always_inline]] static void run_few(view<const K, const V> in, view<K, V> out, const Rank& rank) {
    if (in.size <= detail::small_items<Rank>) return detail::sort_small(in, out, rank);
    sort_on_stack(in, out, rank);
  }

 private:
  template <class K, class V, class Rank>
  [[gnu::noinline]] static void sort_on_stack(view<const K, const V> in, view<K, V> out, const Rank& rank) {
    alignas(detail::line_bytes) std::array<std::byte, tuning::cpu_sort_stack_bytes + detail::line_bytes> scratch;
    view<K, V> copy{reinterpret_cast<K*>(scratch.data()), nullptr, in.size};
    if constexpr (view<K, V>::has_values) {
      const std::size_t keys = (in.size * sizeof(K) + detail::line_bytes - 1) / detail::line_bytes * detail::line_bytes;
      copy.values = reinterpret_cast<V*>(scratch.data() + keys);
    }
    detail::sort_leaf(in, copy, out, rank);
  }

  /// With `counted` each bin of a level holds one key: there are no leaves, and no buffers.
  static parameters decide_levels(const sort_problem& problem, const host& machine, bool counted,
                                  std::size_t leaf_items) {
    const std::size_t cached = cached_items(problem, machine);
    detail::level_shape shape;
    shape.threads = machine.threads;
    shape.leaf_items = counted ? 0 : leaf_items;
    shape.bin_items = std::max<std::size_t>(
        1, std::min(cached * tuning::cpu_sort_fill_percent / 100, problem.items / machine.threads / 8));
    shape.most_bins = counted ? 1U << (8 * problem.key_bytes) : 1U << tuning::cpu_sort_level_bits;
    shape.direct_items = machine.l2 / 2 / problem.item_bytes();
    shape.stream = problem.bytes() >= tuning::cpu_stream_bytes;
    shape.vectors = detail::vectors_take(problem.key_bytes, problem.value_bytes) && detail::has_avx512();
    shape.slices = detail::most_slices(shape.ways(), machine.threads);
    const std::size_t buffers = counted ? 0 : shape.buffer_bytes(problem.key_bytes, problem.value_bytes);
    parameters p;
    p.problem = problem;
    p.levels = shape;
    p.split = {"split", shape.threads, 1, buffers};
    p.sort = {"sort leaves", shape.threads, 1, shape.leaf_items * problem.item_bytes()};
    return p;
  }

  template <class K, class V, class Rank>
  static void run_by(const cpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const Rank& rank) {
    const detail::temporary<partitioned> a(on, p);
    run_within<K, V>(p, a, in, out, rank);
  }
};

}  // namespace peneira::sort_strategies
