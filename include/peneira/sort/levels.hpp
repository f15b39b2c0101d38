// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// levels: split by the highest bits until a block can sort what is left, from the highest bits down.
//
//   in --level: count, divide, scatter--> 256 segments --level--> 65,536 segments --sort_tasks--> out
//
// 256 Mi u32 keys take two levels and the tasks, each key read 5 times and written 3 times: 32 bytes. Every level takes
// what is too large for a task, shared out evenly over the blocks; levels that find nothing left end at once. A segment
// whose keys agree in a digit is not moved, one whose keys are all equal is done: skew makes a sort faster, not slower.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include "peneira/device/sort_level.cuh"
#include "peneira/device/sort_tile.cuh"
#include "peneira/multisplit/tile_shape.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::sort_strategies {

struct levels {
  static constexpr std::string_view name = "levels";
  static constexpr std::string_view about =
      "split by the highest bits, level by level, until a block can sort the rest";

  static std::string refuses(const sort_problem& problem, const device& machine) {
    if (!problem.whole_key()) return "looks at whole keys only";
    const std::size_t least = small_tile_of(problem).shared(1U << tuning::level_bits, 2) + detail::tile_static_bytes;
    if (least > machine.shared_per_block) return "needs " + std::to_string(least) + " bytes of shared memory a block";
    return "";
  }

  static plan make_plan(const sort_problem& problem, const device& machine) {
    const bool stable = problem.equal_keys == order::stable;
    const detail::planned_tile large =
        detail::planned_tile::of(problem.key_bytes, problem.value_bytes, tuning::sort_tile_bytes);
    const std::size_t room = machine.shared_per_block - detail::tile_static_bytes;
    const bool is_large = problem.items >= static_cast<std::size_t>(machine.sms) * large.size &&
                          large.shared(1U << tuning::level_bits, 2) <= room;
    const detail::planned_tile tile = is_large ? large : small_tile_of(problem);
    const std::size_t resident = static_cast<std::size_t>(machine.sms) * (is_large ? 1 : 2);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + tile.size - 1) / tile.size, 1, resident);

    // As many levels of as few bits as leave tasks; further ones for what is still too large then.
    const std::size_t most = task_size(problem);
    const auto key_bits = static_cast<unsigned>(8 * problem.key_bytes);
    unsigned bits = 4;
    while (bits < key_bits && !fits(std::ldexp(static_cast<double>(problem.items), -static_cast<int>(bits)), most))
      ++bits;
    const unsigned expected = (bits + tuning::level_bits - 1) / tuning::level_bits;
    const unsigned digit_bits = (bits + expected - 1) / expected;
    const unsigned left = key_bits > expected * digit_bits ? key_bits - expected * digit_bits : 0;
    const unsigned all = expected + (left + tuning::level_bits - 1) / tuning::level_bits;
    const std::uint32_t bins = 1U << (all > expected ? tuning::level_bits : digit_bits);
    const std::uint32_t chains = tile.chains(bins, stable, room);

    plan p;
    p.set("levels", all);
    p.set("expected", expected);
    p.set("digit bits", digit_bits);
    p.set("tile", tile.size);
    p.set("large", is_large ? 1 : 0);
    p.set("chains", chains);
    p.set("keep order", stable ? 1 : 0);
    p.set("task", most);
    p.set("segments", problem.items / most + 1);
    p.set("tasks", 7 * (problem.items / most + 1) + problem.items / copy_items(most) + 64);
    p.set("wide", problem.items > 0xFFFFFFFFU ? 1 : 0);
    p.steps.push_back({"count_segments", blocks, tuning::count_threads, bins * sizeof(std::uint32_t)});
    p.steps.push_back({"divide_segments", std::min<std::size_t>(p.get("segments"), 256), 1024});
    p.steps.push_back({"scatter_segments", blocks, tuning::tile_threads, tile.shared(bins, chains)});
    const std::size_t shared = task_shared(problem);
    const std::size_t at_once = std::max<std::size_t>(1, machine.shared_per_sm / (shared + 1024));
    p.steps.push_back({"sort_tasks",
                       std::min<std::size_t>(p.get("tasks"), machine.sms * std::min<std::size_t>(at_once, 4)),
                       tuning::task_threads, shared});
    p.reserve<detail::segment_count>(all + 2);
    p.reserve<detail::sort_segment>(p.get("segments"));
    p.reserve<detail::sort_segment>(p.get("segments"));
    p.reserve<std::uint32_t>((blocks + p.get("segments")) * bins * (p.get("wide") + 1));
    p.reserve<std::uint64_t>(blocks + p.get("segments"));
    p.reserve<detail::sort_task>(p.get("tasks"));
    p.temporary_bytes += detail::workspace::round_up(problem.items * problem.key_bytes) +
                         detail::workspace::round_up(problem.items * problem.value_bytes);
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& /*part*/) {
    if (in.size == 0) return;
    constexpr bool with_values = view<K, V>::has_values;
    const auto segments = static_cast<std::size_t>(made.get("segments"));
    const step& count = made.at("count_segments");
    const step& divide = made.at("divide_segments");
    const step& scatter = made.at("scatter_segments");
    const std::size_t bins = count.shared / sizeof(std::uint32_t);

    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const counts = memory.take<detail::segment_count>(made.get("levels") + 2);
    detail::sort_segment* lists[2] = {memory.take<detail::sort_segment>(segments),
                                      memory.take<detail::sort_segment>(segments)};
    detail::sort_level level{};
    level.columns = memory.take<std::uint32_t>((count.grid + segments) * bins * (made.get("wide") + 1));
    level.differing = memory.take<std::uint64_t>(count.grid + segments);
    level.tasks = memory.take<detail::sort_task>(made.get("tasks"));
    level.task_count = reinterpret_cast<std::uint32_t*>(counts + made.get("levels") + 1);
    level.items = in.size;
    level.key_bits = 8 * sizeof(K);
    level.task_items = static_cast<std::uint32_t>(made.get("task"));
    level.copy_items = static_cast<std::uint32_t>(copy_items(level.task_items));
    level.wide = made.get("wide") != 0;
    const auto levels = static_cast<std::uint32_t>(made.get("levels"));
    const auto expected = static_cast<std::uint32_t>(made.get("expected"));
    const bool in_place = in.keys == out.keys;
    level.first_to = expected % 2 == 1 && !in_place ? detail::sort_buffer::out : detail::sort_buffer::between;

    const auto unsigned_keys = [](auto* keys) { return reinterpret_cast<U*>(const_cast<K*>(keys)); };
    detail::sort_arrays<U, V> arrays{{unsigned_keys(in.keys), in.values, in.size},
                                     {memory.take<U>(in.size), nullptr, in.size},
                                     {unsigned_keys(out.keys), out.values, in.size}};
    if constexpr (with_values) arrays.between.values = memory.take<V>(in.size);

    const auto chains = static_cast<std::uint32_t>(made.get("chains"));
    const auto scatter_by = [&]<bool Stable, class Shape>() {
      detail::launch(on, detail::start::early, scatter, detail::scatter_segments<Stable, Shape, U, V>, arrays, by,
                     level, chains);
    };
    constexpr std::size_t value_bytes = with_values ? sizeof(V) : 0;
    using large_tile = detail::tile_shape<sizeof(U), value_bytes, tuning::sort_tile_bytes>;
    using small_tile = detail::tile_shape<sizeof(U), value_bytes, tuning::small_tile_bytes>;
    const bool large = made.get("large") != 0;
    for (std::uint32_t l = 0; l < levels; ++l) {
      level.segments = lists[l % 2];
      level.next_segments = lists[(l + 1) % 2];
      level.count = counts + l;
      level.levels = levels - l;
      level.first = l == 0;
      level.digit_bits = static_cast<std::uint32_t>(l < expected ? made.get("digit bits") : std::bit_width(bins) - 1);
      detail::launch(on, l == 0 ? detail::start::after_all : detail::start::early, count, detail::count_segments<U, V>,
                     arrays, by, level);
      detail::launch(on, detail::start::early, divide, detail::divide_segments, level, count.grid);
      if (made.get("keep order") != 0) {
        if constexpr (with_values) {
          if (large) {
            scatter_by.template operator()<true, large_tile>();
          } else {
            scatter_by.template operator()<true, small_tile>();
          }
        }
      } else if (large) {
        scatter_by.template operator()<false, large_tile>();
      } else {
        scatter_by.template operator()<false, small_tile>();
      }
    }
    using task = detail::task_shape<sizeof(K), value_bytes>;
    detail::launch(on, detail::start::early, made.at("sort_tasks"), detail::sort_tasks<task, U, V>, arrays, by,
                   level.tasks, level.task_count);
  }
#endif

 private:
  /// Whether segments of so many items on average are tasks, by six deviations.
  static bool fits(double average, std::size_t most) {
    return average + 6 * std::sqrt(average) <= static_cast<double>(most);
  }
  static detail::planned_tile small_tile_of(const sort_problem& problem) {
    return detail::planned_tile::of(problem.key_bytes, problem.value_bytes, tuning::small_tile_bytes);
  }
  static std::size_t task_size(const sort_problem& problem) {
    return static_cast<std::size_t>(tuning::task_threads) *
           (problem.value_bytes == 0 ? tuning::task_items : tuning::task_pairs);
  }
  static std::size_t copy_items(std::size_t task) {
    return 16 * task;
  }
  /// As detail::task_memory has it.
  static std::size_t task_shared(const sort_problem& problem) {
    const std::size_t items = task_size(problem);
    const std::size_t buckets =
        std::size_t{1} << (problem.value_bytes == 0 ? tuning::task_bucket_bits : tuning::task_pair_bucket_bits);
    const std::size_t word = problem.value_bytes == 0 ? problem.key_bytes : sizeof(std::uint64_t);
    const std::size_t by_bucket = buckets * sizeof(std::uint32_t) + (items + 64) * word;
    return by_bucket + items * problem.value_bytes + 1024;
  }
};

}  // namespace peneira::sort_strategies
