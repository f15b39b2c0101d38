// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tasks: neighbouring small segments together, larger ones by themselves, and giants by all blocks.
//
//   segments  |a|b||c| d |      e      |                 f                  |g|h|
//   pack      [packed task] large task   segment of an MSD radix sort's level [packed task]
//
//   pack_segments   lists what is to be sorted, on the device, and checks the offsets
//   split_...       levels of sort's msd, for segments that are larger than a large task; all items shared out evenly
//   sort_tasks, sort_by_digits   what levels leave, and large tasks, a block each
//   sort_short      packed tasks of short segments, which lanes of a warp sort
//   sort_packed, sort_crowded    other packed tasks, a block each
//
// An item of a packed or large task is read once and written once; one of a giant as often as by msd. Stable. Needs the
// lists, and where segments may be larger than a large task, a copy of all items.
#pragma once

#include <algorithm>
#include <optional>

#include "peneira/segmented_sort/gpu/pack_segments.cuh"
#include "peneira/segmented_sort/gpu/packed_task.cuh"
#include "peneira/segmented_sort/gpu/sort_packed.cuh"
#include "peneira/segmented_sort/gpu/sort_short.cuh"
#include "peneira/segmented_sort/problem.hpp"
#include "peneira/sort/gpu/msd.hpp"
#include "peneira/strategy.hpp"

namespace peneira::segmented_sort_strategies {

struct tasks {
  static constexpr std::string_view name = "tasks";
  static constexpr std::string_view about = "small segments packed for a block each, giants split by all blocks";

  static std::string refuses(const segmented_sort_problem& problem, const device& machine) {
    if (!problem.whole_key()) return "looks at whole keys only";
    const std::size_t shared =
        std::max({detail::packed_shared(problem.key_bytes, problem.value_bytes),
                  detail::short_shared(problem.key_bytes, problem.value_bytes),
                  detail::crowded_shared(problem.key_bytes, problem.value_bytes) + crowded_own_shared});
    const std::string why = detail::refuse_shared(shared, machine);
    return why.empty() && has_larger(problem) ? sort_strategies::msd::refuses(sort_of(problem), machine) : why;
  }

  struct parameters {
    segmented_sort_problem problem;
    std::uint32_t packed = 0;
    std::uint32_t segments = 0;
    std::uint32_t window = 0;
    std::size_t tasks = 0;
    std::optional<sort_strategies::msd::parameters> larger;  ///< for segments that are too large for a packed task
    step pack;
    step sort_short;
    step sort_packed;
    step sort_crowded;

    static constexpr std::tuple fields{
        detail::field{&parameters::packed, "packed", "items of neighbouring segments that a block sorts together"},
        detail::field{&parameters::segments, "segments", "that a block packs"},
        detail::field{&parameters::window, "window", "items among which short segments begin that a block sorts"},
        detail::field{&parameters::tasks, "tasks", "room for packed ones"},
    };
    /// In their order.
    template <class Add>
    void each_step(const Add& add) const {
      if (problem.segments == 0 || problem.items == 0) return;
      add(pack);
      add(sort_short);
      if (larger.has_value()) {
        if (larger->further.has_value()) add(*larger->further);
        if (larger->levels != 0) add(larger->sort_tasks);
        add(larger->sort_large_tasks);
      }
      add(sort_packed);
      add(sort_crowded);
    }
  };

  static parameters decide(const segmented_sort_problem& problem, const device& machine) {
    const auto sms = static_cast<std::size_t>(machine.sms);
    parameters p;
    p.problem = problem;
    p.packed = detail::packed_size;
    const std::size_t even = (problem.segments + 2 * sms - 1) / (2 * sms);
    p.segments = static_cast<std::uint32_t>(std::clamp<std::size_t>(even, least_packed, detail::pack_most));
    const std::size_t packers = (problem.segments + p.segments - 1) / p.segments;
    const auto short_blocks = static_cast<std::size_t>(tuning::short_blocks(problem.key_bytes, problem.value_bytes));
    const auto packed_blocks = static_cast<std::size_t>(tuning::packed_blocks(problem.key_bytes, problem.value_bytes));
    p.window = static_cast<std::uint32_t>(std::clamp<std::size_t>(
        problem.items / (sms * short_blocks), tuning::short_least, detail::packed_size - detail::short_segment));
    // As pack_segments counts them.
    p.tasks = std::max(3 * (problem.items / detail::packed_size), problem.items / (p.window - 1)) + 2 * packers + 1;
    if (has_larger(problem)) {
      p.larger = sort_strategies::msd::decide_given(sort_of(problem), machine, detail::packed_size, problem.longest());
    }
    p.pack = {"pack_segments", packers, tuning::pack_threads};
    const std::size_t key = problem.key_bytes;
    const std::size_t value = problem.value_bytes;
    p.sort_short = {"sort_short", 0, tuning::short_threads, detail::short_shared(key, value)};
    p.sort_short.grid = blocks_of(p, p.sort_short, short_blocks, machine);
    p.sort_packed = {"sort_packed", 0, tuning::packed_threads, detail::packed_shared(key, value)};
    p.sort_packed.grid = blocks_of(p, p.sort_packed, packed_blocks, machine);
    p.sort_crowded = {"sort_crowded", std::min(p.tasks, sms), tuning::task_threads,
                      detail::crowded_shared(problem.key_bytes, problem.value_bytes)};
    return p;
  }

  struct arrays {
    detail::packed_numbers* numbers;  ///< zero before, as is the header of msd, which lies behind
    std::size_t zero_bytes;
    sort_strategies::msd::arrays larger;
    detail::packed_task* tasks;
    std::uint32_t* crowded;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.problem.segments == 0 || p.problem.items == 0) return a;
    const std::size_t begin = memory.used();
    a.numbers = memory.template take<detail::packed_numbers>(1);
    a.zero_bytes = memory.used() - begin;
    if (p.larger.has_value()) {
      a.larger = sort_strategies::msd::lay_out(memory, *p.larger);  // whose header comes first
      a.zero_bytes += a.larger.header_words * sizeof(std::uint64_t);
    }
    a.tasks = memory.template take<detail::packed_task>(p.tasks);
    a.crowded = memory.template take<std::uint32_t>(p.tasks);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class Segments, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, const Segments& segments,
                  view<K, V> out, const detail::key_order<U>& by, const detail::bit_range<U>& /*part*/) {
    if (p.problem.segments == 0 || p.problem.items == 0) return;
    const detail::temporary<tasks> a(on, p);
    sort(on, p, a, in, segments, out, by);
  }

  /// The same with arrays that were laid out. There are segments and items.
  template <class K, class V, class Segments, class U = detail::bits_of<K>>
  static void sort(const gpu& on, const parameters& p, const arrays& a, view<const K, const V> in,
                   const Segments& segments, view<K, V> out, const detail::key_order<U>& by) {
    const auto items = detail::sort_arrays<U, V>::of(in, a.larger.between, out);
    detail::check(cudaMemsetAsync(a.numbers, 0, a.zero_bytes, on.stream), "cudaMemsetAsync");
    detail::launch(on, p.pack, detail::pack_segments<Segments>, segments, packing_of(p, a));
    detail::launch(on, detail::start::early, p.sort_short, detail::sort_short<U, V, Segments>, items.in, items.out, by,
                   segments, static_cast<const detail::packed_task*>(a.tasks),
                   static_cast<const detail::packed_numbers*>(a.numbers));
    if (p.larger.has_value()) sort_strategies::msd::sort_given(on, *p.larger, a.larger, items, by);
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    using shape = detail::large_task_shape<sizeof(U), value_bytes>;
    // Short tasks lie in front, the others from the end backwards.
    const detail::packed_list list{a.tasks + p.tasks - 1, a.numbers, a.crowded};
    detail::launch(on, detail::start::early, p.sort_packed, detail::sort_packed<U, V, Segments>, items.in, items.out,
                   by, segments, list);
    detail::launch(on, detail::start::early, p.sort_crowded, detail::sort_crowded<shape, U, V, Segments>, items.in,
                   items.out, by, segments, list);
  }
#endif

 private:
  /// Segments of a block that packs, at least.
  static constexpr std::size_t least_packed = 256;
  /// Shared memory that sort_crowded declares itself.
  static constexpr std::size_t crowded_own_shared = 2048;

  /// Blocks for tasks, of which so many at most are on a processor at a time.
  static std::size_t blocks_of(const parameters& p, const step& planned, std::size_t most, const device& machine) {
    const std::size_t fit = machine.shared_per_sm / (planned.shared + 1024);
    return std::min(p.tasks, static_cast<std::size_t>(machine.sms) * std::clamp<std::size_t>(fit, 1, most));
  }

  static bool has_larger(const segmented_sort_problem& problem) {
    return problem.longest() > detail::packed_size;
  }

  /// The sort of all items, for what segments that are too large take of it.
  static sort_problem sort_of(const segmented_sort_problem& problem) {
    sort_problem all = sort_problem::by_whole_keys(problem.items, problem.key_bytes, problem.value_bytes);
    all.in_place = problem.in_place;
    return all;
  }

#if defined(__CUDACC__)
  static detail::packing packing_of(const parameters& p, const arrays& a) {
    detail::packing to{};
    to.items = p.problem.items;
    to.count = p.problem.segments;
    to.each = p.segments;
    to.tasks = a.tasks;
    to.room = static_cast<std::uint32_t>(p.tasks);
    to.windows = static_cast<std::uint32_t>(((std::uint64_t{1} << 32U) + p.window - 1) / p.window);
    to.numbers = a.numbers;
    to.has_larger = p.larger.has_value();
    if (to.has_larger) {
      to.level = sort_strategies::msd::first_level(*p.larger, a.larger);
      to.large_room = sort_strategies::msd::large_room(*p.larger);
      to.level_room = p.larger->levels == 0 ? 0 : p.larger->segments;
    }
    return to;
  }
#endif
};

}  // namespace peneira::segmented_sort_strategies
