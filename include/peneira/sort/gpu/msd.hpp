// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// msd: split by the highest bits until a block can sort what is left, from the highest bits down.
//
//   survey_keys: a sample says whether keys are spread enough for this, or crowd so much that lsd is better; where
//   one level is enough, what it counts says that
//   in --level: count, divide, scatter--> 256 segments --level--> 65,536 segments --sort_tasks--> out
//
// 256 Mi u32 keys take two levels and the tasks, each key read 5 times and written 3 times: 32 bytes. Every level takes
// what is too large for a task, shared out evenly over the blocks; levels that find nothing left end at once. A segment
// whose keys agree in a digit is not moved, one whose keys are all equal is done. Slow where most keys agree in most
// digits, yet not in all.
#pragma once

#include <algorithm>

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

struct msd : private level_sizes {
  static constexpr std::string_view name = "msd";
  static constexpr std::string_view former_name = "levels";
  static constexpr std::string_view about =
      "split by the highest bits, level by level, until a block can sort the rest";

  static std::string refuses(const sort_problem& problem, const device& machine) {
    if (!problem.whole_key()) return "looks at whole keys only";
    if (problem.items >> detail::sort_task::begin_bits != 0) return "cannot tell so many items apart";
    const std::size_t least =
        std::max({small_tile_of(problem).shared(1U << tuning::level_bits, 2) + detail::tile_static_bytes,
                  task_shared(problem), digits_shared(problem, task_size(problem))});
    return detail::refuse_shared(least, machine);
  }

  using parameters = level_parameters;

  using level_sizes::decide;
  using level_sizes::decide_given;
  using level_sizes::survey_of;

  /// Arrays of a call. Levels or passes: one of both runs, so that what they count is in the same place.
  struct arrays {
    std::size_t header_words;
    std::uint64_t* header;           ///< all that is zero before: it begins with the next five
    detail::segment_count* counts;   ///< of the levels' segments, and of one level more
    unsigned long long* differing;   ///< bits in which keys differ: of the first level, of passes
    std::uint32_t* numbers;          ///< six
    unsigned long long* first_sums;  ///< what the first level counts
    unsigned long long* totals_of_passes;
    detail::sort_segment* lists;
    std::uint32_t* counts_of_passes;  ///< there, too
    unsigned char* words;             ///< count_bytes
    unsigned long long* differing_of_segments;
    detail::sort_task* tasks;     ///< then the large ones
    detail::item_arrays between;  ///< where items are between two levels
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    constexpr std::size_t differing_words = 2;
    constexpr std::size_t number_words = 3;
    const std::size_t of_passes = p.or_lsd.has_value() ? lsd::total_words(*p.or_lsd) : 0;
    arrays a{};
    a.header_words = p.levels + 1 + differing_words + number_words + (std::size_t{1} << p.digit_bits) + of_passes;
    a.header = memory.template take<std::uint64_t>(a.header_words);
    a.counts = reinterpret_cast<detail::segment_count*>(a.header);
    a.differing = reinterpret_cast<unsigned long long*>(a.header) + p.levels + 1;
    a.numbers = reinterpret_cast<std::uint32_t*>(a.differing + differing_words);
    a.first_sums = a.differing + differing_words + number_words;
    a.totals_of_passes = a.first_sums + (std::size_t{1} << p.digit_bits);
    const std::size_t begin = memory.used();
    a.lists = memory.template take<detail::sort_segment>(2 * p.segments);
    a.counts_of_passes = reinterpret_cast<std::uint32_t*>(a.lists);
    a.words = memory.template take<unsigned char>(count_bytes(p));
    a.differing_of_segments = memory.template take<unsigned long long>(2 * p.segments);
    a.tasks = memory.template take<detail::sort_task>(p.tasks + large_tasks(p));
    const std::size_t for_lsd = p.or_lsd.has_value() ? lsd::count_words(*p.or_lsd) * sizeof(std::uint32_t) : 0;
    const std::size_t taken = memory.used() - begin;
    memory.take_bytes(std::max(taken, for_lsd) - taken);
    a.between = detail::item_arrays::take(memory, p.problem, p.levels == 0 ? 0 : p.problem.items);
    return a;
  }

#if defined(__CUDACC__)
  /// Where it can be called off, *wanted says on the device whether to sort at all; nullptr: yes.
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part,
                  const std::uint32_t* wanted = nullptr) {
    if (in.size == 0) return;
    const detail::temporary<msd> a(on, p);
    const auto items = detail::sort_arrays<U, V>::of(in, a.between, out);
    const detail::level_series series = series_of(p, a);
    split<false>(on, begin(on, p, a, items.in, by, wanted), p, a, items, by, series);
    sort_tasks(on, p, a, items, by, series.common);
    if (p.or_lsd.has_value()) {
      lsd::launch(on, detail::start::early, *p.or_lsd, items, by, part,
                  {a.differing + 1, a.totals_of_passes, a.counts_of_passes, a.numbers + arrived_of_passes,
                   a.numbers + upwards});
    }
  }

  /// The first level of segments that are given: a kernel lists them there, and large tasks. The header is zero before.
  static detail::sort_level first_level(const parameters& p, const arrays& a) {
    return series_of(p, a).at(0);
  }

  /// Sorts what such a kernel has listed. Equal keys keep their order.
  template <class U, class V>
  static void sort_given(const gpu& on, const parameters& p, const arrays& a, const detail::sort_arrays<U, V>& items,
                         const detail::key_order<U>& by) {
    const detail::level_series series = series_of(p, a);
    if (p.levels != 0) split<true>(on, detail::start::early, p, a, items, by, series);
    sort_tasks(on, p, a, items, by, series.common);
  }
#endif

  /// Whether a word on the device can say that nothing is to be sorted.
  static bool can_be_called_off(const parameters& p) {
    return p.survey.has_value() || p.decides;
  }

  /// Room for large tasks that are given.
  static std::size_t large_room(const parameters& p) {
    return large_tasks(p);
  }

  /// Whether so few items take levels rather than a cluster: pairs with wide keys, for each of whose digits a cluster
  /// exchanges all.
  static bool takes_few(const sort_problem& problem) {
    return problem.key_bytes == 8 && problem.value_bytes != 0 && problem.items >= tuning::sort_few_by_levels &&
           problem.items <= cluster::most_items;
  }

  /// Of a sort that a word on the device may call off, the step that looks at it where no survey does.
  static constexpr step begin_wanted{"begin_wanted_sort", 1, detail::survey_threads};
  template <class Add>
  static void each_step_before(const sort_problem& problem, const device& machine, const Add& add) {
    if (!decide(problem, machine).survey.has_value()) add(begin_wanted);
  }

  /// Whether so few items are sorted upwards at once, without a look at them: levels are little faster than passes even
  /// where keys are uniform, and a look takes as long as that gains.
  static bool leaves_all(const sort_problem& problem) {
    return problem.key_bytes == 4 && problem.value_bytes <= 4 &&
           problem.items <= tuning::sort_few_by_passes(problem.value_bytes != 0);
  }

 private:
  /// The numbers that kernels hand to one another.
  enum number : unsigned { task_count, large_task_count, crowded_count, arrived, upwards, arrived_of_passes };

#if defined(__CUDACC__)
  static detail::level_series series_of(const parameters& p, const arrays& a) {
    detail::level_series series{};
    series.lists = a.lists;
    series.counts = a.counts;
    series.first_sums = {a.first_sums, p.wide};
    series.first_differing = a.differing;
    series.sums = a.words;
    series.differing = a.differing_of_segments;
    series.segments = p.segments;
    series.sums_size = counts_of(p).sums;
    series.expected = p.expected;
    series.apart = static_cast<std::uint32_t>(p.apart.size());
    series.first_by_cursors = p.cursors;
    series.levels = p.levels;
    series.expected_bits = p.digit_bits;
    series.given = p.given_above != 0;
    series.further_bits = further_bits(p);
    detail::sort_level& level = series.common;
    level.rows = {a.words + sum_bytes(p), p.row_bytes};
    level.tasks = a.tasks;
    level.large_tasks = a.tasks + p.tasks;
    level.task_count = a.numbers + task_count;
    level.large_task_count = a.numbers + large_task_count;
    level.upwards = p.decides ? a.numbers + upwards : nullptr;
    level.items = p.problem.items;
    level.key_bits = static_cast<std::uint32_t>(8 * p.problem.key_bytes);
    level.task_items = static_cast<std::uint32_t>(p.task);
    level.large_task_items = static_cast<std::uint32_t>(p.large_task);
    level.copy_items = static_cast<std::uint32_t>(copy_items(p.task));
    level.surveyed = p.survey.has_value();
    level.stable = p.keep_order;
    const bool first_to_out = p.given_above != 0 || p.expected % 2 == 1;
    level.first_to = first_to_out && !p.problem.in_place ? detail::sort_buffer::out : detail::sort_buffer::between;
    series.first_rows = level.rows;
    if (p.rows_between) series.first_rows.words = a.between.keys;
    return series;
  }

  /// Sets the header to zero, and surveys the keys where that is planned. Returns when the next kernel may start.
  template <class U, class V>
  static detail::start begin(const gpu& on, const parameters& p, const arrays& a, view<const U, const V> in,
                             const detail::key_order<U>& by, const std::uint32_t* wanted) {
    if (!p.survey.has_value() && wanted != nullptr) {
      detail::launch(on, begin_wanted, detail::begin_wanted_sort<>, a.header, a.header_words, wanted,
                     a.numbers + upwards);
      return detail::start::early;
    }
    if (!p.survey.has_value()) {
      detail::check(cudaMemsetAsync(a.header, 0, a.header_words * sizeof(std::uint64_t), on.stream), "cudaMemsetAsync");
      return detail::start::after_all;
    }
    detail::launch(on, detail::start::after_all, *p.survey, detail::survey_keys<U>, in.keys, by, survey_of(p),
                   detail::survey_answer{a.counts, a.numbers + upwards, a.header, a.header_words, wanted});
    return detail::start::early;
  }

  /// All levels. `Given`: of segments that are given, of which all keep the order of pairs and none has its own launch.
  template <bool Given, class U, class V>
  static void split(const gpu& on, detail::start when, const parameters& p, const arrays& a,
                    const detail::sort_arrays<U, V>& items, const detail::key_order<U>& by,
                    const detail::level_series& series) {
    if constexpr (!view<U, V>::has_values) {
      using shape = detail::tile_shape<sizeof(U), 0, tuning::sort_any_tile_bytes>;
      using small = detail::tile_shape<sizeof(U), 0, tuning::small_tile_bytes>;
      return detail::launch(on, when, *p.further, detail::split_keys<shape, small, U>, items, by, series,
                            p.counter_sets, p.large, a.numbers + arrived);
    } else {
      if constexpr (!Given) {
        if (!p.ordered_tiles) {
          return split_pairs<Given, false, tuning::small_tile_bytes>(on, when, p, a, items, by, series);
        }
      }
      if (p.large) return split_pairs<Given, true, tuning::sort_stable_tile_bytes>(on, when, p, a, items, by, series);
      split_pairs<Given, true, tuning::small_tile_bytes>(on, when, p, a, items, by, series);
    }
  }

  template <bool Given, bool Stable, std::size_t TileBytes, class U, class V>
  static void split_pairs(const gpu& on, detail::start when, const parameters& p, const arrays& a,
                          const detail::sort_arrays<U, V>& items, const detail::key_order<U>& by,
                          const detail::level_series& series) {
    using shape = detail::tile_shape<sizeof(U), sizeof(V), TileBytes>;
    if constexpr (!Given) {
      for (std::uint32_t l = 0; l < series.apart; ++l) {
        split_apart<Stable, shape>(on, when, p, p.apart[l], items, by, series.at(l));
        when = detail::start::early;
      }
    }
    if (p.further.has_value()) {
      detail::launch(on, when, *p.further, detail::split_further<Stable, shape, U, V>, items, by, series,
                     p.counter_sets, a.numbers + arrived);
    }
  }

  /// A level that has launches of its own.
  template <bool Stable, class Shape, class U, class V>
  static void split_apart(const gpu& on, detail::start when, const parameters& p, const level_steps& steps,
                          const detail::sort_arrays<U, V>& items, const detail::key_order<U>& by,
                          const detail::sort_level& level) {
    constexpr unsigned least = 1U << tuning::level_bits;
    detail::launch(on, when, steps.count, detail::count_segments<U, V>, items, by, level);
    detail::launch(on, detail::start::early, steps.divide,
                   steps.divide.block == least ? detail::divide_segments<least> : detail::divide_segments<2 * least>,
                   level);
    detail::launch(on, detail::start::early, steps.scatter, detail::scatter_segments<Stable, Shape, U, V>, items, by,
                   level, p.counter_sets);
  }

  template <class U, class V>
  static void sort_tasks(const gpu& on, const parameters& p, const arrays& a, const detail::sort_arrays<U, V>& items,
                         const detail::key_order<U>& by, const detail::sort_level& level) {
    constexpr std::size_t value_bytes = view<U, V>::has_values ? sizeof(V) : 0;
    using task = detail::task_shape<sizeof(U), value_bytes>;
    using large_task = detail::large_task_shape<sizeof(U), value_bytes>;
    constexpr sort_problem of_types{0, sizeof(U), value_bytes};
    static_assert(sizeof(detail::task_memory<task, U, V>) <= task_shared(of_types));
    auto* const crowded = reinterpret_cast<std::uint32_t*>(a.words);  // once all levels are done
    if (p.levels != 0) {
      detail::launch(on, detail::start::early, p.sort_tasks, detail::sort_tasks<task, U, V>, items, by, level.tasks,
                     level.task_count, crowded, a.numbers + crowded_count);
    }
    detail::launch(on, detail::start::early, p.sort_large_tasks, detail::sort_by_digits<large_task, U, V>, items, by,
                   detail::task_list{level.large_tasks, nullptr, level.large_task_count},
                   detail::task_list{level.tasks, crowded, a.numbers + crowded_count}, level.large_task_items);
  }
#endif
};

}  // namespace peneira::sort_strategies
