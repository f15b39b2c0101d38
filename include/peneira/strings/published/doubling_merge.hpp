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
#include <utility>

#include "peneira/gpu/primitives/positions.cuh"
#include "peneira/strategy.hpp"
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

  struct parameters {
    sort_strings_problem problem;
    std::size_t widths = 0;
    step check_strings;
    step number_items;
    step merge_runs;  ///< of the first width; the others have fewer blocks

    static constexpr std::tuple fields{
        detail::field{&parameters::widths, "widths", "of runs, each twice the one before"},
        detail::members{&parameters::check_strings, &parameters::number_items, &parameters::merge_runs},
    };
  };

  static parameters decide(const sort_strings_problem& problem, const device& machine) {
    const auto threads = static_cast<std::uint32_t>(problem.merges.block_threads);
    parameters p;
    p.problem = problem;
    while (problem.items > std::size_t{1} << p.widths) ++p.widths;
    p.check_strings = detail::each_string_step("check_strings", problem.items, machine);
    p.number_items = detail::number_items_step(problem.items, machine);
    p.merge_runs = {"merge_runs", blocks_of(problem.items, 1, threads), threads};
    return p;
  }

  struct arrays {
    detail::start_check* found;
    void* between;  ///< numbers of strings, between two widths
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.problem.items == 0) return a;
    a.found = memory.template take<detail::start_check>(1);
    a.between = memory.take_bytes(p.problem.items * p.problem.index_bytes);
    return a;
  }

#if defined(__CUDACC__)
  template <class Offset, class Index>
  static void run(const gpu& on, const parameters& p, const strings<Offset>& all, Index* permutation, bool descending) {
    if (all.size == 0) return;
    const detail::temporary<doubling_merge> a(on, p);
    detail::check_starts(on, p.check_strings, all, permutation, a.found);
    auto* from = static_cast<Index*>(a.between);
    Index* to = permutation;
    if (p.widths % 2 == 0) std::swap(from, to);  // so that the last one writes to the permutation
    detail::launch(on, p.number_items, detail::number_items<Index>, from, all.size);
    for (std::size_t w = 0; w < p.widths; ++w) {
      const std::size_t width = std::size_t{1} << w;
      step merge = p.merge_runs;
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
