// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// persistent: persistent blocks stride over the array, and the first of them combines their results; one launch. What
// one block can have in flight at a time is left to one block. What 128 small blocks can have is read in rows, so that
// each thread has all of its loads in flight at once; more is read tile by tile.
//
//   rows or tiles b, b + B, b + 2 B, ... --block b--> one value --stamped slot--> the first block, in their order
//
// Reads each item once. Which thread combines which items depends on n and the device alone, so the result has the same
// bits on every run. Neighbouring items go to different threads: the operator must be commutative.
#pragma once

#include <algorithm>

#include "peneira/gpu/exchange/stamped_slots.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/ops.hpp"
#include "peneira/reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu_reduce.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/reduce/gpu/persistent.cuh"
#endif

namespace peneira::reduce_strategies {

struct persistent {
  static constexpr std::string_view name = "persistent";
  static constexpr std::string_view former_name = "striped";
  static constexpr std::string_view about = "one launch; blocks stride over the tiles, one gathers";

  static std::string refuses(const reduce_problem& problem, const device& /*machine*/) {
    return problem.commutative ? "" : "needs an operator that says that it is commutative";
  }

  /// The kernel; the name of the step tells it.
  enum class kernel { one_tile, rows, tiles };

  struct parameters {
    reduce_problem problem;
    kernel by{};
    std::optional<std::uint32_t> loads;
    std::size_t tile = 0;
    std::optional<bool> streamed;
    step reduce;

    static constexpr std::tuple fields{
        detail::field{&parameters::loads, "loads", "of 16 bytes that a thread has in flight at once"},
        detail::field{&parameters::tile, "tile", "items that a block reads at a time"},
        detail::field{&parameters::streamed, "streamed", "whether items are loaded past the cache"},
        detail::members{&parameters::reduce},
    };
  };

  static parameters decide(const reduce_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    if (!decide_one_tile(p) && !decide_rows(p, machine)) decide_tiles(p, machine);
    return p;
  }

  struct arrays {
    detail::stamped_word* slots;  ///< of all blocks but the first
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    const std::size_t words = detail::slot_words(p.problem.result_bytes);
    a.slots = memory.template take<detail::stamped_word>((p.reduce.grid - 1) * words);
    return a;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, Result* result, const Op& op) {
    if constexpr (detail::is_commutative<Op>) {
      const detail::item_groups<T> in(items, n);
      if (p.by == kernel::one_tile) return launch_one_tile(on, p, in, result, op);
      const detail::temporary<persistent> memory(on, p);
      const detail::stamped_slots<Result> slots{memory.slots, detail::fresh_stamp()};
      if (p.by == kernel::rows) {
        launch_rows(on, p, in, slots, result, op);
      } else {
        launch_tiles(on, p, in, slots, result, op);
      }
    }
  }
#endif

 private:
  /// Items that so many threads read with so many loads each.
  static std::size_t tile_of(const reduce_problem& problem, std::size_t threads, std::size_t loads) {
    return threads * loads * static_cast<std::size_t>(detail::items_of_16_bytes(problem.item_bytes));
  }

  /// One block, if it reads all items at a time.
  static bool decide_one_tile(parameters& p) {
    for (const std::uint32_t threads : {tuning::reduce_threads_alone_few, tuning::reduce_threads_alone}) {
      const std::size_t tile = tile_of(p.problem, threads, tuning::reduce_groups_alone);
      if (p.problem.items > tile) continue;
      p.by = kernel::one_tile;
      p.tile = tile;
      p.reduce = {"reduce_tile", 1, threads};
      return true;
    }
    return false;
  }
  /// Small blocks that read a tile each, if those are few enough.
  static bool decide_rows(parameters& p, const device& machine) {
    const auto group = static_cast<std::size_t>(detail::items_of_16_bytes(p.problem.item_bytes));
    for (const std::uint32_t loads : tuning::reduce_row_loads) {
      if (loads > tuning::reduce_most_row_loads(group)) break;
      const std::size_t tile = tile_of(p.problem, tuning::reduce_row_threads, loads);
      const std::size_t workers = (p.problem.items + tile - 1) / tile;
      const bool fit = workers <= tuning::reduce_row_threads && workers < static_cast<std::size_t>(machine.sms);
      if (!fit || workers <= loads) continue;  // more workers than loads: all rows but the last are full
      p.by = kernel::rows;
      p.loads = loads;
      p.tile = tile;
      p.reduce = {"reduce_rows", workers + 1, tuning::reduce_row_threads};
      return true;
    }
    return false;
  }
  /// Persistent blocks, with as few loads as leave no processor without work.
  static void decide_tiles(parameters& p, const device& machine) {
    const tuning::reduce_shape& shape = tuning::reduce_tiled;
    const std::size_t most = shape.blocks * static_cast<std::size_t>(machine.sms) - 1;
    const std::size_t all = most * tile_of(p.problem, shape.threads, 1);
    const std::size_t loads = std::min<std::size_t>((p.problem.items + all - 1) / all, shape.groups);
    p.by = kernel::tiles;
    p.loads = static_cast<std::uint32_t>(loads);
    p.tile = tile_of(p.problem, shape.threads, loads);
    p.streamed = p.problem.bytes() <= tuning::reduce_streamed_bytes;
    const std::size_t workers = std::min((p.problem.items + p.tile - 1) / p.tile, most);
    p.reduce = {"reduce_tiles", workers + 1, shape.threads};
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void launch_one_tile(const gpu& on, const parameters& p, const detail::item_groups<T>& in, Result* result,
                              const Op& op) {
    constexpr std::uint32_t few = tuning::reduce_threads_alone_few;
    constexpr std::uint32_t more = tuning::reduce_threads_alone;
    const detail::item_rows<T> rows(in);
    if (p.reduce.block == few) {
      detail::launch(on, p.reduce, reduce_tile<few, T, Result, Op>, rows, result, op);
    } else {
      detail::launch(on, p.reduce, reduce_tile<more, T, Result, Op>, rows, result, op);
    }
  }
  template <class T, class Result, class Op>
  static void launch_rows(const gpu& on, const parameters& p, const detail::item_groups<T>& in,
                          const detail::stamped_slots<Result>& slots, Result* result, const Op& op) {
    const auto launch = [&](auto kernel) {
      detail::launch(on, p.reduce, kernel, detail::item_rows<T>(in), slots, result, op);
    };
    constexpr auto& choice = tuning::reduce_row_loads;
    if (in.groups == 0) return launch(reduce_rows<0, T, Result, Op>);
    if (*p.loads == choice[0]) return launch(reduce_rows<choice[0], T, Result, Op>);
    if (*p.loads == choice[1]) return launch(reduce_rows<choice[1], T, Result, Op>);
    if constexpr (choice[2] <= tuning::reduce_most_row_loads(detail::item_rows<T>::group)) {
      launch(reduce_rows<choice[2], T, Result, Op>);
    }
  }
  template <class T, class Result, class Op>
  static void launch_tiles(const gpu& on, const parameters& p, const detail::item_groups<T>& in,
                           const detail::stamped_slots<Result>& slots, Result* result, const Op& op) {
    const auto launch = [&](auto kernel) { detail::launch(on, p.reduce, kernel, in, op, *p.loads, slots, result); };
    if (*p.streamed) return launch(reduce_tiles<true, T, Result, Op>);
    launch(reduce_tiles<false, T, Result, Op>);
  }
#endif
};

}  // namespace peneira::reduce_strategies
