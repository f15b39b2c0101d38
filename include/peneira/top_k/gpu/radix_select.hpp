// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// radix_select: a sample bounds the candidates, which one pass over the input takes; the k-th of them is found digit by
// digit, and what comes before it is taken and, if asked for, sorted.
//
//   sample_bound:        8,192 keys --> a bound that the k wanted items are below, most likely
//   collect_candidates:  in --one read--> all items up to the bound, in their order
//   find_threshold:      candidates --11 bits at a time--> the k-th, and how many that equal it are wanted
//   take_wanted:         candidates --> out --sort-->
//
// Where the sample misled, which find_threshold sees, it and take_wanted read the input instead of the candidates: a
// read a digit, and one more. So they do where no sample is taken: of keys that stay in the cache, and where k is a
// good part of the items. Keys that are all equal, or have few values, are no trouble: of those that equal the bound k
// are taken.
//
// Some thousand items are all the work of one block, select_in_block: one launch, and no memory.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "peneira/gpu/exchange/tile_pipeline.cuh"
#include "peneira/sort.hpp"
#include "peneira/strategy.hpp"
#include "peneira/top_k/gpu/select_sizes.hpp"
#include "peneira/top_k/problem.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/top_k/gpu/find_threshold.cuh"
#include "peneira/top_k/gpu/select_in_block.cuh"
#include "peneira/top_k/gpu/take_items.cuh"
#endif

namespace peneira::top_k_strategies {

struct radix_select {
  static constexpr std::string_view name = "radix_select";
  static constexpr std::string_view about = "candidates by a sample, in one pass; the k-th of them digit by digit";

  static std::string refuses(const top_k_problem& problem, const device& machine) {
    if (steps_of(problem, problem.items) > 0x7FFFFFFFU) return "has no more tiles than 2^31 - 1";
    const std::size_t table = detail::select_bins * sizeof(std::uint32_t);
    const std::string no_room = detail::refuse_shared(std::max(take_shared, table) + static_bytes, machine);
    if (!no_room.empty() || !problem.sorted || problem.k < 2) return no_room;
    return detail::refuse_sort("top_k", sort_of(problem), machine);
  }

  struct parameters {
    top_k_problem problem;
    std::size_t tile = 0;
    std::uint32_t steps = 1;
    std::uint32_t tiles = 0;
    std::uint32_t copies = 1;
    std::optional<detail::select_sample> sample;
    detail::prefix_plan prefixes;
    std::uint32_t each = 0;
    std::optional<step> in_block;  ///< instead of all others
    std::optional<step> clear;     ///< where there is a sample, as the next two
    std::optional<step> sample_bound;
    std::optional<step> collect;
    std::optional<step> find;
    std::optional<step> take;
    std::size_t sort_bytes = 0;
    std::vector<step> sort;

    [[nodiscard]] std::size_t capacity() const { return sample.has_value() ? sample->capacity : 0; }

    static constexpr std::tuple fields{
        detail::field{&parameters::tile, "tile",
                      "keys of the input that a block takes items from before it writes them"},
        detail::field{&parameters::steps, "steps", "in which it does so"},
        detail::field{&parameters::copies, "copies", "of a block's table of digits, for neighbouring lanes"},
        detail::members{&parameters::sample},
        detail::field{&parameters::sort_bytes, "sort bytes", "of the temporary memory of the sort of k items"},
        detail::members{&parameters::in_block, &parameters::clear, &parameters::sample_bound, &parameters::collect,
                        &parameters::find, &parameters::take, &parameters::sort},
    };
  };

  static parameters decide(const top_k_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.steps = problem.items * problem.key_bytes < tuning::select_steps_bytes ? 1 : tuning::select_steps;
    p.tile = p.steps * detail::select_step_items(problem.key_bytes);
    if (problem.k == 0) return p;
    decide_sort(p, machine);
    if (problem.items <= detail::select_in_block_items) {
      constexpr std::uint32_t threads = tuning::select_find_threads;
      p.each = static_cast<std::uint32_t>((problem.items + threads - 1) / threads);
      p.in_block = step{"select_in_block", 1, threads};
      return p;
    }
    if (is_sampled(problem)) p.sample = detail::select_sample::of(problem.items, problem.k);
    const std::size_t tiles = (problem.items - 1) / p.tile + 1;
    p.tiles = static_cast<std::uint32_t>(tiles);
    const std::size_t count_bytes = detail::select_count_bytes(problem.items);
    p.prefixes = detail::prefix_plan::of(std::max(tiles, steps_of(problem, p.capacity())), 2 * count_bytes);
    const std::size_t table = detail::select_bins * sizeof(std::uint32_t);
    const std::size_t room = std::min(tuning::select_table_bytes, machine.shared_per_block - static_bytes);
    p.copies = static_cast<std::uint32_t>(std::bit_floor(room / table));
    if (p.sample.has_value()) {
      p.clear = p.prefixes.clear;
      p.sample_bound = step{"sample_bound", 1, tuning::select_find_threads, p.copies * table};
      const std::size_t most = tuning::select_blocks(count_bytes);
      p.collect = step{"collect_candidates", detail::pipeline_blocks(tiles, most, take_shared, machine),
                       tuning::select_threads, take_shared};
    }
    const std::size_t useful = (problem.items - 1) / tuning::select_block_items + 1;
    p.find = step{"find_threshold",
                  std::min(useful, static_cast<std::size_t>(machine.sms)),
                  tuning::select_find_threads,
                  p.copies * table,
                  1,
                  true};
    p.take = step{"take_wanted", detail::pipeline_blocks(tiles, tuning::take_blocks, take_shared, machine),
                  tuning::select_threads, take_shared};
    return p;
  }

  struct arrays {
    detail::select_header header;
    detail::prefix_words prefixes;  ///< none of a single tile
    detail::item_arrays candidates;
    void* sort_memory;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.problem.k == 0) return a;
    a.sort_memory = memory.take_bytes(p.sort_bytes);
    if (p.in_block.has_value()) return a;
    a.header.size = detail::select_header::words_of(p.problem.key_bytes);
    a.header.words = memory.template take<std::uint64_t>(a.header.size);
    a.prefixes = p.prefixes.take(memory);
    a.candidates = detail::item_arrays::take(memory, p.problem, p.capacity());
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by) {
    if (p.problem.k == 0) return;
    const detail::temporary<radix_select> a(on, p);
    const view<const U, const V> from{reinterpret_cast<const U*>(in.keys), in.values, in.size};
    const view<U, V> to{reinterpret_cast<U*>(out.keys), out.values, p.problem.k};
    if (p.in_block.has_value()) {
      detail::launch(on, *p.in_block, detail::select_in_block<U, V>, from, to, by, p.each);
    } else if (detail::select_count_bytes(in.size) == sizeof(std::uint32_t)) {
      select<std::uint32_t>(on, p, a, from, to, by);
    } else {
      select<std::uint64_t>(on, p, a, from, to, by);
    }
    if (p.sort.empty()) return;
    arena sort_memory(a.sort_memory, p.sort_bytes);
    const gpu sorting{.stream = on.stream, .memory = &sort_memory};
    const view<K, V> taken{out.keys, out.values, p.problem.k};
    detail::sort_in_order<sort_gpu_strategies>(sorting, view<const K, const V>(taken), taken, by, {});
  }
#endif

 private:
  static constexpr std::size_t static_bytes = 2048;  ///< that a kernel declares itself, at most

  /// Two of detail::tile_marks.
  static constexpr std::size_t take_shared =
      2 * sizeof(std::uint32_t) * (tuning::select_steps * tuning::select_threads + 2 * tuning::select_threads / 32);

  static void decide_sort(parameters& p, const device& machine) {
    if (!p.problem.sorted || p.problem.k < 2) return;
    const sort_problem last = sort_of(p.problem);
    const plan sorting =
        detail::plan_by<sort_gpu_strategies>("sort", last, machine, detail::choose_sort(last, machine));
    p.sort_bytes = sorting.temporary_bytes;
    p.sort = sorting.steps;
  }
  /// Steps that so many items take.
  static std::size_t steps_of(const top_k_problem& problem, std::size_t items) {
    return (items + detail::select_step_items(problem.key_bytes) - 1) / detail::select_step_items(problem.key_bytes);
  }
  static bool is_sampled(const top_k_problem& problem) {
    return problem.items * problem.key_bytes >= tuning::select_sampled_bytes &&
           problem.k <= problem.items / tuning::select_share;
  }
  static sort_problem sort_of(const top_k_problem& problem) {
    sort_problem wanted = sort_problem::by_whole_keys(problem.k, problem.key_bytes, problem.value_bytes);
    wanted.in_place = true;
    return wanted;
  }

#if defined(__CUDACC__)
  static unsigned copies_shift(const parameters& p) {
    return static_cast<unsigned>(std::countr_zero(p.copies));
  }

  template <class Count, class U, class V>
  static void select(const gpu& on, const parameters& p, const arrays& a, const view<const U, const V>& from,
                     const view<U, V>& to, const detail::key_order<U>& by) {
    const view<U, V> candidates = a.candidates.template as<U, V>(p.capacity());
    const auto slot_words = static_cast<std::uint32_t>(detail::slot_words(2 * sizeof(Count)));
    const detail::select_tiles cut{a.prefixes, p.steps, slot_words};
    const detail::start when = begin<Count>(on, p, a, from, candidates, by, cut);
    detail::launch(on, when, *p.find, detail::find_threshold<U>, from.keys, from.size, p.problem.k, candidates.keys,
                   p.capacity(), by, copies_shift(p), a.header, cut);
    detail::launch(on, detail::start::early, *p.take, detail::take_wanted<Count, U, V>, from, candidates, to, by,
                   a.header, cut);
  }

  /// Sets the header to zero, and collects candidates where that is planned. Returns when the next kernel may start.
  template <class Count, class U, class V>
  static detail::start begin(const gpu& on, const parameters& p, const arrays& a, const view<const U, const V>& from,
                             const view<U, V>& candidates, const detail::key_order<U>& by,
                             const detail::select_tiles& cut) {
    if (!p.collect.has_value()) {
      detail::check(cudaMemsetAsync(a.header.words, 0, a.header.size * sizeof(std::uint64_t), on.stream),
                    "cudaMemsetAsync");
      return detail::start::after_all;
    }
    detail::clear(on, p.prefixes, a.prefixes);
    detail::launch(on, detail::start::early, *p.sample_bound, detail::sample_bound<U>, from.keys, from.size, by,
                   *p.sample, copies_shift(p), a.header);
    detail::launch(on, detail::start::early, *p.collect, detail::collect_candidates<Count, U, V>, from, p.problem.k,
                   candidates, by, a.header, cut, p.tiles);
    return detail::start::early;
  }
#endif
};

}  // namespace peneira::top_k_strategies
