// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// partitioned: split by the highest bits that differ into bins that fit a cache, then sort each bin by itself.
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
#include <bit>
#include <string>
#include <string_view>

#include "peneira/host.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/cpu/sort_levels.hpp"
#include "peneira/sort/problem.hpp"

namespace peneira::sort_strategies {

struct partitioned {
  static constexpr std::string_view name = "partitioned";
  static constexpr std::string_view about = "all threads, split into bins that fit a cache, then each bin by itself";

  static std::string refuses(const sort_problem& /*problem*/, const host& /*machine*/) { return ""; }

  static plan make_plan(const sort_problem& problem, const host& machine) {
    plan p;
    const std::size_t cached = std::bit_floor(machine.l2 / 2 / problem.item_bytes());
    const bool alone = problem.items < tuning::cpu_sort_team_items || machine.threads == 1;
    if (alone && problem.items <= cached) {
      const std::size_t scratch = problem.items <= tuning::cpu_sort_few ? 0 : problem.items;
      p.set("threads", 1, "that work together");
      p.set("scratch items", scratch, "room for a second copy");
      p.steps.push_back({"sort leaf", 1, 1, 0});
      p.temporary_bytes = items_bytes(problem, scratch);
      return p;
    }
    const bool counted = problem.value_bytes == 0 && problem.whole_key() && problem.key_bytes <= 2;
    detail::level_shape shape;
    shape.threads = machine.threads;
    shape.leaf_items = cached;
    shape.bin_items = std::max<std::size_t>(
        1, std::min(cached * tuning::cpu_sort_fill_percent / 100, problem.items / machine.threads / 8));
    shape.most_bins = counted ? 1U << (8 * problem.key_bytes) : 1U << tuning::cpu_sort_level_bits;
    shape.stream = problem.bytes() >= tuning::cpu_stream_bytes;
    const bool vectors = detail::vectors_take(problem.key_bytes, problem.value_bytes) && detail::has_avx512();
    shape.vectors = vectors ? detail::by_vectors::many_bins : detail::by_vectors::none;
    shape.slices = detail::most_slices(shape.vectors, machine.threads);
    const std::size_t buffers = counted ? 0 : shape.buffer_bytes(problem.key_bytes, problem.value_bytes);
    p.set("threads", shape.threads, "that work together");
    p.set("leaf items", counted ? 0 : shape.leaf_items,
          "that fit half of the second-level cache, and are sorted there");
    p.set("bin items", shape.bin_items, "that a split aims at");
    p.set("most bins", shape.most_bins, "of a split");
    p.set("direct items", machine.l2 / 2 / problem.item_bytes(),
          "up to which a split writes each item straight to its place");
    p.set("streaming", shape.stream ? 1 : 0, "1: full lines go past the cache to memory");
    p.set("vectors", vectors ? 1 : 0, "1: a split may go by AVX-512");
    p.set("slices", shape.slices, "of each thread at most, in a split; threads take them in turn");
    p.steps.push_back({"split", shape.threads, 1, buffers});
    p.steps.push_back({"sort leaves", shape.threads, 1, counted ? 0 : shape.leaf_items * problem.item_bytes()});
    p.reserve<std::uint64_t>(std::size_t{shape.threads} * shape.slices * shape.most_bins);
    p.reserve<std::uint32_t>(shape.threads * shape.counters());
    p.reserve<std::byte>(shape.threads * buffers);
    p.reserve<std::uint64_t>((std::size_t{shape.threads} + 1) * detail::most_levels(problem.key_bytes) *
                             (std::size_t{shape.most_bins} + 1));
    if (!counted) {
      if (problem.value_bytes == 0) p.reserve<std::uint64_t>(2 * detail::frequent_slots);
      p.temporary_bytes += items_bytes(problem, shape.threads * shape.leaf_items) + items_bytes(problem, problem.items);
    }
    return p;
  }

  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const cpu& on, const plan& made, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    const bool whole = part.count == detail::key_order<U>::width;
    if constexpr (!std::is_floating_point_v<K>) {
      if (whole) return run_by<K, V>(on, made, in, out, detail::flipped_rank<U>{by.flip}, true);
    }
    run_by<K, V>(on, made, in, out, detail::part_rank<U>{by, part}, whole);
  }

 private:
  static std::size_t items_bytes(const sort_problem& problem, std::size_t items) {
    return detail::workspace::round_up(items * problem.key_bytes) +
           detail::workspace::round_up(items * problem.value_bytes);
  }

  template <class K, class V>
  static view<K, V> take_items(detail::workspace& memory, std::size_t n) {
    view<K, V> items{memory.take<K>(n), nullptr, n};
    if constexpr (view<K, V>::has_values) items.values = memory.take<V>(n);
    return items;
  }

  template <class K, class V, class Rank>
  static void run_by(const cpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const Rank& rank,
                     bool whole) {
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, nullptr);
    if (made.steps.size() == 1) {
      const view<K, V> scratch = take_items<K, V>(memory, made.get("scratch items"));
      return detail::sort_leaf(in, scratch, out.part(0, in.size), rank);
    }
    detail::level_shape shape;
    shape.threads = static_cast<unsigned>(made.get("threads"));
    shape.leaf_items = made.get("leaf items");
    shape.bin_items = made.get("bin items");
    shape.most_bins = static_cast<std::uint32_t>(made.get("most bins"));
    shape.direct_items = made.get("direct items");
    shape.stream = made.get("streaming") != 0;
    shape.vectors = made.get("vectors") != 0 ? detail::by_vectors::many_bins : detail::by_vectors::none;
    shape.slices = static_cast<unsigned>(made.get("slices"));
    detail::level_memory<K, V> parts;
    parts.buffer_bytes = made.at("split").shared;
    parts.counts = memory.take<std::uint64_t>(std::size_t{shape.threads} * shape.slices * shape.most_bins);
    parts.counters = memory.take<std::uint32_t>(shape.threads * shape.counters());
    parts.buffers = memory.take<std::byte>(shape.threads * parts.buffer_bytes);
    parts.offsets = memory.take<std::uint64_t>((std::size_t{shape.threads} + 1) * detail::most_levels(sizeof(K)) *
                                               (std::size_t{shape.most_bins} + 1));
    if (shape.leaf_items != 0) {
      if constexpr (!view<K, V>::has_values) parts.frequent = memory.take<std::uint64_t>(2 * detail::frequent_slots);
      parts.leaves = take_items<K, V>(memory, shape.threads * shape.leaf_items);
      parts.between = take_items<K, V>(memory, in.size);
    }
    detail::level_sort<K, V, Rank>(shape, parts, in, out, rank, whole).run();
  }
};

}  // namespace peneira::sort_strategies
