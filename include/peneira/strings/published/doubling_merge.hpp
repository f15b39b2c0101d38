// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// doubling_merge: runs of doubling width, each pair of them merged by one thread, between two buffers on the device.
//
//   | s | s | s | s | s | s | s | s |  --a thread a pair-->  | s s | s s | s s | s s |  -->  | s s s s | s s s s |  -->
//   ...
//
// After Colichio, Pimenta, Borges, Menecucci, Barros and Guardia, "Ordenacao Paralela com OpenMP e CUDA": the buffers
// swap after every width, nothing goes back to the host in between, and the threads of a block are a knob (their table
// 1), two where fewer than 32 pairs are left. Theirs moves padded strings of one length; here the numbers of strings of
// any length move. Half as many threads work at every width, one at the last. The starts are checked beforehand, for
// which the call waits for the stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "peneira/gpu/primitives/positions.cuh"
#include "peneira/plan.hpp"
#include "peneira/strings/gpu/check.cuh"
#include "peneira/strings/gpu/words.cuh"
#include "peneira/strings/problem.hpp"
#include "peneira/strings/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira {

namespace detail {

#if defined(__CUDACC__)

/// Merges the two runs of `width` strings that are this thread's; the last ones may be shorter.
template <class Offset, class Index>
__global__ void merge_runs(strings<Offset> all, const Index* from, Index* to, std::size_t width, bool descending) {
  const std::size_t begin = first_item() * 2 * width;
  if (begin >= all.size) return;
  const std::size_t middle = ::min(begin + width, all.size);
  const std::size_t end = ::min(middle + width, all.size);
  const string_reader read(all);
  std::size_t left = begin;
  std::size_t right = middle;
  for (std::size_t at = begin; at < end; ++at) {
    bool take_right = left == middle;
    if (!take_right && right != end) {  // of equal strings the left one, which comes first in the input
      const Index a = from[left];
      const Index b = from[right];
      take_right = descending ? read.before(a, b) : read.before(b, a);
    }
    to[at] = from[take_right ? right++ : left++];
  }
}

#endif

}  // namespace detail

namespace sort_strings_strategies {

struct doubling_merge {
  static constexpr std::string_view name = "doubling_merge";
  static constexpr std::string_view about = "runs of doubling width, each pair merged by one thread (CUDA, published)";
  static constexpr bool published = true;  ///< stands behind a call of its own

  static std::string refuses(const sort_strings_problem& problem, const device& /*machine*/) {
    const std::size_t threads = problem.merges.block_threads;
    if (threads == 0 || threads > 1024) return "needs block_threads of 1 to 1024, not " + std::to_string(threads);
    if (problem.items / 2 / threads >= most_blocks) return "takes fewer strings with so few threads a block";
    return "";
  }

  static plan make_plan(const sort_strings_problem& problem, const device& machine) {
    const auto threads = static_cast<std::uint32_t>(problem.merges.block_threads);
    std::size_t widths = 0;
    while (problem.items > std::size_t{1} << widths) ++widths;
    plan p;
    p.set("widths", widths, "of runs, each twice the one before");
    p.steps.push_back(detail::each_string_step("check_strings", problem.items, machine));
    p.steps.push_back(detail::number_items_step(problem.items, machine));
    p.steps.push_back({"merge_runs", blocks_of(problem.items, 1, threads), threads});
    if (problem.items == 0) return p;
    p.reserve<detail::start_check>(1);
    p.temporary_bytes += detail::workspace::round_up(problem.items * problem.index_bytes);
    return p;
  }

#if defined(__CUDACC__)
  template <class Offset, class Index>
  static void run(const gpu& on, const plan& made, const strings<Offset>& all, Index* permutation, bool descending) {
    if (all.size == 0) return;
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const found = memory.take<detail::start_check>(1);
    Index* from = memory.take<Index>(all.size);
    Index* to = permutation;
    detail::check_starts(on, made, all, permutation, found);
    const std::size_t widths = made.get("widths");
    if (widths % 2 == 0) std::swap(from, to);  // so that the last one writes to the permutation
    detail::launch(on, made.at("number_items"), detail::number_items<Index>, from, all.size);
    for (std::size_t w = 0; w < widths; ++w) {
      const std::size_t width = std::size_t{1} << w;
      step merge = made.at("merge_runs");
      if (pairs_of(all.size, width) < few_pairs) merge.block = std::min(merge.block, 2U);
      merge.grid = blocks_of(all.size, width, merge.block);
      detail::launch(on, merge, detail::merge_runs<Offset, Index>, all, from, to, width, descending);
      std::swap(from, to);
    }
  }
#endif

 private:
  static constexpr std::size_t most_blocks = 0x7FFFFFFF;

  static constexpr std::size_t few_pairs = 32;  ///< with fewer, blocks have two threads

  static std::size_t pairs_of(std::size_t items, std::size_t width) {
    return (items + 2 * width - 1) / (2 * width);
  }
  static std::size_t blocks_of(std::size_t items, std::size_t width, std::size_t threads) {
    return std::max<std::size_t>((pairs_of(items, width) + threads - 1) / threads, 1);
  }
};

}  // namespace sort_strings_strategies
}  // namespace peneira
