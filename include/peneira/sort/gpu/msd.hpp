// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// levels: split by the highest bits until a block can sort what is left, from the highest bits down.
//
//   survey_keys: a sample tells whether keys are spread enough for this, or crowd so much that passes are better; where
//   one level is enough, what it counts tells that
//   in --level: count, divide, scatter--> 256 segments --level--> 65,536 segments --sort_tasks--> out
//
// 256 Mi u32 keys take two levels and the tasks, each key read 5 times and written 3 times: 32 bytes. Every level takes
// what is too large for a task, shared out evenly over the blocks; levels that find nothing left end at once. A segment
// whose keys agree in a digit is not moved, one whose keys are all equal is done. Slow where most keys agree in most
// digits, yet not in all.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/gpu/block_bucket_sort.cuh"
#include "peneira/sort/gpu/block_radix_sort.cuh"
#include "peneira/sort/gpu/cluster.hpp"
#include "peneira/sort/gpu/lsd.hpp"
#include "peneira/sort/gpu/msd_divide.cuh"
#include "peneira/sort/gpu/msd_level.cuh"
#include "peneira/sort/gpu/msd_sizes.hpp"
#include "peneira/sort/gpu/survey.cuh"
#include "peneira/sort/problem.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::sort_strategies {

struct levels : private level_sizes {
  static constexpr std::string_view name = "levels";
  static constexpr std::string_view about =
      "split by the highest bits, level by level, until a block can sort the rest";

  static std::string refuses(const sort_problem& problem, const device& machine) {
    if (!problem.whole_key()) return "looks at whole keys only";
    if (problem.items >> detail::sort_task::begin_bits != 0) return "cannot tell so many items apart";
    const std::size_t least =
        std::max({small_tile_of(problem).shared(1U << tuning::level_bits, 2) + detail::tile_static_bytes,
                  task_shared(problem), digits_shared(problem, task_size(problem))});
    if (least > machine.shared_per_block) return "needs " + std::to_string(least) + " bytes of shared memory a block";
    return "";
  }

  static plan make_plan(const sort_problem& problem, const device& machine) {
    const bool with_values = problem.value_bytes != 0;
    const bool asked_stable = problem.equal_keys == order::stable;
    const auto large_tile =
        detail::planned_tile::of(problem.key_bytes, problem.value_bytes,
                                 with_values ? tuning::sort_stable_tile_bytes : tuning::sort_any_tile_bytes);
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes;

    // As many levels of as few bits as leave tasks; further ones for what is still too large then.
    const std::size_t most = task_size(problem);
    const bool large_fits = digits_shared(problem, large_task_size(problem)) <= machine.shared_per_block;
    const std::size_t large = large_fits ? large_task_size(problem) : most;
    const auto key_bits = static_cast<unsigned>(8 * problem.key_bytes);
    unsigned bits = 4;
    while (bits < key_bits && !fits(std::ldexp(static_cast<double>(problem.items), -static_cast<int>(bits)), most))
      ++bits;
    const bool has_room = small_tile_of(problem).shared(1U << tuning::only_level_bits, 2) <= room;
    const unsigned only = has_room ? tuning::only_level_bits : tuning::level_bits;
    const unsigned expected = bits <= only ? 1 : (bits + tuning::level_bits - 1) / tuning::level_bits;
    const unsigned digit_bits = (bits + expected - 1) / expected;
    const bool can_survey = detail::survey_shared + 1024 <= machine.shared_per_block;
    const bool few = expected == 1 && passes::goes_by_rows(problem, machine);
    const bool or_passes = (can_survey || few) && passes::refuses(problem, machine).empty();
    const bool decides = or_passes && few;  // no bin that is too large is left then
    const unsigned left = !decides && key_bits > expected * digit_bits ? key_bits - expected * digit_bits : 0;
    const unsigned all = expected + (left + tuning::further_level_bits - 1) / tuning::further_level_bits;
    const std::uint32_t bins = 1U << (all > expected ? std::max(digit_bits, tuning::further_level_bits) : digit_bits);

    const auto sms = static_cast<std::size_t>(machine.sms);
    const std::size_t tiles = sms * (asked_stable ? 1 : tuning::sort_any_tiles);
    const bool is_large = problem.items >= tiles * large_tile.size && large_tile.shared(bins, 2) <= room;
    const bool ordered = asked_stable || (is_large && with_values);  // in large tiles no slower
    const detail::planned_tile tile = is_large ? large_tile : small_tile_of(problem);
    const std::size_t resident = sms * (is_large || !with_values ? 1 : 2);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, resident);
    const std::uint32_t chains = tile.chains(bins, ordered, room);

    plan p;
    p.set("levels", all, "the most that keys can need");
    p.set("expected", expected, "levels that uniform keys need");
    p.set("digit bits", digit_bits, "that an expected level goes by");
    p.set("tile", tile.size, "items that a block orders at a time");
    p.set("large", is_large ? 1 : 0, "1: large tiles; 0: small ones, for few items");
    p.set("chains", chains, "parts that a bin's counters are in, so that warps wait less");
    p.set("ordered tiles", ordered ? 1 : 0, "1: tiles keep their order");
    p.set("keep order", asked_stable ? 1 : 0, "1: equal keys stay in their order");
    p.set("apart", with_values ? expected : 0, "levels that have launches of their own; the others are one launch");
    p.set("cursors", !asked_stable && digit_bits >= tuning::sort_cursor_bits ? 1 : 0,
          "1: the tiles of the first level take room one after the other");
    p.set("task", most, "items that a block sorts by itself");
    p.set("large task", large, "that it sorts digit by digit, at most");
    p.set("segments", problem.items / large + 1, "room for what a level leaves too large for a task");
    p.set("tasks", most_tasks(problem.items, most, p), "room for tasks");
    p.set("wide", problem.items > 0xFFFFFFFFU ? 1 : 0, "1: counts of 64 bits");
    const std::size_t at_once = std::min(blocks, sms);
    p.set("row bytes", row_bytes(problem.items, at_once, asked_stable), "of a count of a piece");
    const bool fit_between = (blocks << digit_bits) * p.get("row bytes") <= problem.items * problem.key_bytes;
    p.set("rows between", expected == 1 && !problem.in_place && fit_between ? 1 : 0,
          "1: the copy holds what the blocks of the first level count, until items come");
    p.set("decides", decides ? 1 : 0, "1: what the first level counts tells whether passes are better");
    if (or_passes && !decides) p.steps.push_back({"survey_keys", 1, detail::survey_threads, detail::survey_shared});
    if (with_values) {
      p.steps.push_back({"count_segments", blocks, tuning::count_threads, bins * sizeof(std::uint32_t)});
      p.steps.push_back({"divide_segments", std::min<std::size_t>(p.get("segments"), 8 * sms),
                         1U << std::max(digit_bits, tuning::level_bits)});
      p.steps.push_back({"scatter_segments", blocks, tuning::tile_threads, tile.shared(bins, chains)});
    }
    if (all > p.get("apart")) {
      p.steps.push_back({"split_further", at_once, tuning::tile_threads, tile.shared(bins, chains), 1, true});
    }
    const std::size_t shared = task_shared(problem);
    const std::size_t resident_tasks = sms * std::clamp<std::size_t>(machine.shared_per_sm / (shared + 1024), 1, 2);
    p.steps.push_back(
        {"sort_tasks", std::min<std::size_t>(p.get("tasks"), resident_tasks), tuning::task_threads, shared});
    p.steps.push_back({"sort_by_digits", std::min<std::size_t>(p.get("tasks"), sms), tuning::task_threads,
                       digits_shared(problem, large)});
    if (or_passes) {
      const plan other = passes::make_plan(problem, machine, false);
      p.steps.push_back(other.steps[0]);
      for (const parameter& of_passes : other.parameters) p.set(of_passes.name, of_passes.value, of_passes.about);
    }
    p.reserve<std::uint64_t>(header_words(p, passes::total_words(p, key_bits, problem.items)));
    p.temporary_bytes +=  // levels or passes: one of both runs
        std::max(level_bytes(p, problem.items), detail::workspace::footprint<std::uint32_t>(passes::count_words(p)));
    p.temporary_bytes += detail::workspace::round_up(problem.items * problem.key_bytes) +
                         detail::workspace::round_up(problem.items * problem.value_bytes);
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (in.size == 0) return;
    constexpr bool with_values = view<K, V>::has_values;
    constexpr std::size_t value_bytes = with_values ? sizeof(V) : 0;
    const auto segments = static_cast<std::size_t>(made.get("segments"));
    const bool surveyed = made.has("survey_keys");
    const bool in_place = in.keys == out.keys;
    const auto expected = static_cast<std::uint32_t>(made.get("expected"));
    const auto levels = static_cast<std::uint32_t>(made.get("levels"));
    const std::size_t most = made.get("task");

    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    const std::size_t words_of_passes = passes::total_words(made, 8 * sizeof(K), in.size);
    const std::size_t header = header_words(made, words_of_passes);
    auto* const counts = reinterpret_cast<detail::segment_count*>(memory.take<std::uint64_t>(header));
    auto* const differing =
        reinterpret_cast<unsigned long long*>(counts + levels + 1);         // of the first level, of passes
    auto* const numbers = reinterpret_cast<std::uint32_t*>(differing + 2);  // six
    auto* const lists = memory.take<detail::sort_segment>(2 * segments);
    auto* const words = memory.take<unsigned char>(count_bytes(made));

    detail::level_series series{};
    series.lists = lists;
    series.counts = counts;
    series.first_sums = {differing + 5, made.get("wide") != 0};
    series.first_differing = differing;
    series.sums = words;
    series.differing = memory.take<unsigned long long>(2 * segments);
    series.segments = segments;
    series.sums_size = counts_of(made).sums;
    series.expected = expected;
    series.apart = static_cast<std::uint32_t>(made.get("apart"));
    series.first_by_cursors = made.get("cursors") != 0;
    series.levels = levels;
    series.expected_bits = static_cast<std::uint32_t>(made.get("digit bits"));
    series.further_bits = tuning::further_level_bits;
    detail::sort_level& level = series.common;
    level.rows = {words + sum_bytes(made), static_cast<std::uint32_t>(made.get("row bytes"))};
    level.tasks = memory.take<detail::sort_task>(made.get("tasks") + large_tasks(in.size, most));
    level.large_tasks = level.tasks + made.get("tasks");
    auto* const counts_of_passes = reinterpret_cast<std::uint32_t*>(lists);
    const std::size_t taken = level_bytes(made, in.size);
    memory.take<unsigned char>(std::max(taken, detail::workspace::footprint<std::uint32_t>(passes::count_words(made))) -
                               taken);
    auto* const crowded = reinterpret_cast<std::uint32_t*>(words);  // once all levels are done
    level.task_count = numbers;
    level.large_task_count = numbers + 1;
    level.upwards = made.get("decides") != 0 ? numbers + 4 : nullptr;
    auto* const crowded_count = numbers + 2;
    auto* const arrived = numbers + 3;
    auto* const upwards = numbers + 4;
    level.items = in.size;
    level.key_bits = 8 * sizeof(K);
    level.task_items = static_cast<std::uint32_t>(most);
    level.large_task_items = static_cast<std::uint32_t>(made.get("large task"));
    level.copy_items = static_cast<std::uint32_t>(copy_items(most));
    level.surveyed = surveyed;
    level.stable = made.get("keep order") != 0;
    level.first_to = expected % 2 == 1 && !in_place ? detail::sort_buffer::out : detail::sort_buffer::between;

    const auto unsigned_keys = [](auto* keys) { return reinterpret_cast<U*>(const_cast<K*>(keys)); };
    detail::sort_arrays<U, V> arrays{{unsigned_keys(in.keys), in.values, in.size},
                                     {memory.take<U>(in.size), nullptr, in.size},
                                     {unsigned_keys(out.keys), out.values, in.size}};
    if constexpr (with_values) arrays.between.values = memory.take<V>(in.size);
    series.first_rows = level.rows;
    if (made.get("rows between") != 0) series.first_rows.words = arrays.between.keys;

    const auto chains = static_cast<std::uint32_t>(made.get("chains"));
    using task = detail::task_shape<sizeof(K), value_bytes>;
    using large_task = detail::large_task_shape<sizeof(K), value_bytes>;
    constexpr sort_problem of_types{0, sizeof(K), value_bytes};
    static_assert(sizeof(detail::task_memory<task, U, V>) <= task_shared(of_types));
    auto* const first_words = reinterpret_cast<std::uint64_t*>(counts);  // zero before all
    if (!surveyed) {
      detail::check(cudaMemsetAsync(first_words, 0, header * sizeof(std::uint64_t), on.stream), "cudaMemsetAsync");
    } else {
      const unsigned sampled = in.size < tuning::sort_many(with_values) ? 2 : detail::survey_keys_a_thread;
      const std::size_t crowd = 2 * made.get("large task") * sampled * detail::survey_threads / in.size;
      const detail::sort_survey survey{in.size,
                                       sampled,
                                       8 * sizeof(K),
                                       expected * series.expected_bits,
                                       static_cast<std::uint32_t>(std::max<std::size_t>(crowd, 3)),
                                       tuning::costs_of(expected, in.size, with_values),
                                       counts,
                                       upwards,
                                       first_words,
                                       header};
      detail::launch(on, detail::start::after_all, made.at("survey_keys"), detail::survey_keys<U>, arrays.in.keys, by,
                     survey);
    }
    detail::start when = surveyed ? detail::start::early : detail::start::after_all;
    [[maybe_unused]] const auto split_pairs = [&]<bool Stable, std::size_t Bytes>() {
      using shape = detail::tile_shape<sizeof(U), value_bytes, Bytes>;
      for (std::uint32_t l = 0; l < series.apart; ++l) {
        const detail::sort_level here = series.at(l);
        detail::launch(on, when, made.at("count_segments"), detail::count_segments<U, V>, arrays, by, here);
        when = detail::start::early;
        const step& divide = made.at("divide_segments");
        constexpr unsigned least = 1U << tuning::level_bits;
        detail::launch(on, when, divide,
                       divide.block == least ? detail::divide_segments<least> : detail::divide_segments<2 * least>,
                       here);
        detail::launch(on, when, made.at("scatter_segments"), detail::scatter_segments<Stable, shape, U, V>, arrays, by,
                       here, chains);
      }
      if (made.has("split_further")) {
        detail::launch(on, when, made.at("split_further"), detail::split_further<Stable, shape, U, V>, arrays, by,
                       series, chains, arrived);
      }
    };
    const bool large = made.get("large") != 0;
    if constexpr (!with_values) {
      using shape = detail::tile_shape<sizeof(U), value_bytes, tuning::sort_any_tile_bytes>;
      using small = detail::tile_shape<sizeof(U), value_bytes, tuning::small_tile_bytes>;
      detail::launch(on, when, made.at("split_further"), detail::split_keys<shape, small, U>, arrays, by, series,
                     chains, large, arrived);
    } else if (made.get("ordered tiles") == 0) {
      split_pairs.template operator()<false, tuning::small_tile_bytes>();
    } else if (large) {
      split_pairs.template operator()<true, tuning::sort_stable_tile_bytes>();
    } else {
      split_pairs.template operator()<true, tuning::small_tile_bytes>();
    }
    detail::launch(on, detail::start::early, made.at("sort_tasks"), detail::sort_tasks<task, U, V>, arrays, by,
                   level.tasks, level.task_count, crowded, crowded_count);
    detail::launch(on, detail::start::early, made.at("sort_by_digits"), detail::sort_by_digits<large_task, U, V>,
                   arrays, by, detail::task_list{level.large_tasks, nullptr, level.large_task_count},
                   detail::task_list{level.tasks, crowded, crowded_count}, level.large_task_items);
    if (passes::count_words(made) != 0) {
      passes::launch(on, detail::start::early, made, arrays, by, part,
                     {differing + 1, differing + 5 + (std::size_t{1} << made.get("digit bits")), counts_of_passes,
                      numbers + 5, upwards});
    }
  }
#endif

  /// Whether so few items take levels rather than a cluster: pairs with wide keys, for each of whose digits a cluster
  /// exchanges all.
  static bool takes_few(const sort_problem& problem) {
    return problem.key_bytes == 8 && problem.value_bytes != 0 && problem.items >= tuning::sort_few_by_levels &&
           problem.items <= cluster::most_items;
  }
};

}  // namespace peneira::sort_strategies
