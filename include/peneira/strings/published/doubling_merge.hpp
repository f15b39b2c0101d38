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
// 1), two where fewer than 32 threads are left. Theirs moves padded strings of one length; here the numbers of strings
// of any length move. The guard of their listing 3 (low >= n_items - tamAtual) returns where a run has no partner and
// leaves it in the buffer that the swap takes away; here such a run is copied, as half of a merge with nothing. The
// starts are checked beforehand, for which the call waits for the stream.
//
// As published half as many threads work at every width, one at the last. What they leave to future work, parallelism
// within the last merges, is merge_items: from the width on whose merges put out more strings, several threads share a
// pair of runs, and each finds by merge path where its strings begin in both.
//
//   left run   | a a a|b b|c c c c |     thread a: the first merge_items of the result, thread b: the next, ...
//   right run  | a|b b b b|c c|d d d d |
#pragma once

#include <algorithm>
#include <optional>
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

/// Two runs of neighbouring strings that are merged; the last of all may be shorter, or not there.
template <class Offset, class Index>
struct pair_of_runs {
  string_reader<Offset> read;
  const Index* from;
  bool descending;
  std::size_t begin;
  std::size_t middle;
  std::size_t end;

  PENEIRA_HD pair_of_runs(const strings<Offset>& all, const Index* numbers, std::size_t pair, std::size_t width,
                          bool from_last)
      : read(all),
        from(numbers),
        descending(from_last),
        begin(pair * 2 * width),
        middle(least(begin + width, all.size)),
        end(least(middle + width, all.size)) {}

  /// The string behind the last that a thread puts out, which begins with `first` and has a share.
  [[nodiscard]] PENEIRA_HD std::size_t last_of(std::size_t first, std::size_t share) const {
    return least(first + share, end - begin);
  }
  /// Whether of a string of the left run and one of the right run the right one comes first; of equal strings the left
  /// one does, which comes first in the input.
  [[nodiscard]] PENEIRA_HD bool right_first(std::size_t left, std::size_t right) const {
    const Index a = from[left];
    const Index b = from[right];
    return descending ? read.before(a, b) : read.before(b, a);
  }
  /// How many of the first `out` strings of the result are the left run's.
  [[nodiscard]] PENEIRA_HD std::size_t left_among(std::size_t out) const {
    std::size_t fewest = out > end - middle ? out - (end - middle) : 0;
    std::size_t most = least(out, middle - begin);
    while (fewest < most) {
      const std::size_t some = (fewest + most) / 2;
      if (right_first(begin + some, middle + out - 1 - some)) {
        most = some;
      } else {
        fewest = some + 1;
      }
    }
    return fewest;
  }
  /// Writes the result from its string `first` on, to before `last`; the first takes so many of the left run.
  PENEIRA_HD void merge(Index* to, std::size_t first, std::size_t last, std::size_t taken) const {
    std::size_t left = begin + taken;
    std::size_t right = middle + (first - taken);
    for (std::size_t at = begin + first; at < begin + last; ++at) {
      bool take_right = left == middle;
      if (!take_right && right != end) take_right = right_first(left, right);
      to[at] = from[take_right ? right++ : left++];
    }
  }

 private:
  PENEIRA_HD static std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }
};

#if defined(__CUDACC__)

/// Merges the two runs of `width` strings that are this thread's.
template <class Offset, class Index>
__global__ void merge_runs(strings<Offset> all, const Index* from, Index* to, std::size_t width, bool descending) {
  const std::size_t pair = first_item();
  if (pair * 2 * width >= all.size) return;
  const pair_of_runs<Offset, Index> runs(all, from, pair, width, descending);
  runs.merge(to, 0, runs.end - runs.begin, 0);
}

/// The same where several threads share two runs: each puts out `share` strings.
template <class Offset, class Index>
__global__ void merge_parts(strings<Offset> all, const Index* from, Index* to, std::size_t width, bool descending,
                            std::size_t share) {
  const std::size_t parts = (2 * width + share - 1) / share;
  const std::size_t pair = first_item() / parts;
  if (pair * 2 * width >= all.size) return;
  const pair_of_runs<Offset, Index> runs(all, from, pair, width, descending);
  const std::size_t first = (first_item() - pair * parts) * share;
  if (first >= runs.end - runs.begin) return;
  runs.merge(to, first, runs.last_of(first, share), runs.left_among(first));
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
    const std::size_t share = problem.merges.merge_items;
    const std::size_t pieces =
        share == 0 ? problem.items / 2 : std::max(problem.items / 2, 4 * (problem.items / share));
    if (pieces / threads >= most_blocks) return "takes fewer strings with so few threads a block";
    return detail::refuse_merge_items(problem.merges);
  }

  struct parameters {
    sort_strings_problem problem;
    std::size_t widths = 0;
    std::size_t split_widths = 0;
    step check_strings;
    step number_items;
    step merge_runs;                  ///< of the first width; the others have fewer blocks
    std::optional<step> merge_parts;  ///< of the first width that is split, which has the most blocks

    static constexpr std::tuple fields{
        detail::field{&parameters::widths, "widths", "of runs, each twice the one before"},
        detail::field{&parameters::split_widths, "split widths",
                      "the last of them, whose merges several threads share"},
        detail::members{&parameters::check_strings, &parameters::number_items, &parameters::merge_runs,
                        &parameters::merge_parts},
    };
  };

  static parameters decide(const sort_strings_problem& problem, const device& machine) {
    const auto threads = static_cast<std::uint32_t>(problem.merges.block_threads);
    parameters p;
    p.problem = problem;
    while (problem.items > std::size_t{1} << p.widths) ++p.widths;
    p.check_strings = detail::each_string_step("check_strings", problem.items, machine);
    p.number_items = detail::number_items_step(problem.items, machine);
    p.merge_runs = {"merge_runs", blocks_of(pairs_of(problem.items, 1), threads), threads};
    const std::size_t share = problem.merges.merge_items;
    if (share == 0) return p;
    std::size_t together = 0;  // the widths whose merges are one thread's
    while (together < p.widths && std::size_t{2} << together <= share) ++together;
    p.split_widths = p.widths - together;
    if (p.split_widths != 0) p.merge_parts = split_step(p, std::size_t{1} << together);
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
    detail::launch(on, p.number_items, detail::number_items<Index>, from, all.size, nullptr);
    for (std::size_t w = 0; w < p.widths; ++w) {
      const std::size_t width = std::size_t{1} << w;
      if (w + p.split_widths < p.widths) {
        step merge = p.merge_runs;
        const std::size_t pairs = pairs_of(all.size, width);
        if (pairs < few_threads) merge.block = std::min(merge.block, 2U);
        merge.grid = blocks_of(pairs, merge.block);
        detail::launch(on, merge, detail::merge_runs<Offset, Index>, all, from, to, width, descending);
      } else {
        detail::launch(on, split_step(p, width), detail::merge_parts<Offset, Index>, all, from, to, width, descending,
                       p.problem.merges.merge_items);
      }
      std::swap(from, to);
    }
  }
#endif

 private:
  static constexpr std::size_t most_blocks = 0x7FFFFFFF;

  static constexpr std::size_t few_threads = 32;  ///< with fewer in all, blocks have two

  static std::size_t pairs_of(std::size_t items, std::size_t width) {
    return (items + 2 * width - 1) / (2 * width);
  }
  static std::size_t blocks_of(std::size_t wanted, std::size_t threads) {
    return std::max<std::size_t>((wanted + threads - 1) / threads, 1);
  }
  /// Merges of a width whose pairs of runs several threads share.
  static step split_step(const parameters& p, std::size_t width) {
    const std::size_t share = p.problem.merges.merge_items;
    const std::size_t threads = pairs_of(p.problem.items, width) * ((2 * width + share - 1) / share);
    const std::uint32_t block = threads < few_threads ? std::min(p.merge_runs.block, 2U) : p.merge_runs.block;
    return {"merge_parts", blocks_of(threads, block), block};
  }
};

}  // namespace sort_strings_strategies
}  // namespace peneira
