// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// block: some thousand items in one launch of one block, which keeps them in its registers and its shared memory.
//
//   in -> registers -> runs of 256, merged two by two through shared memory -> out
//   in -> registers -> digit by digit through shared memory -> out, by some bits of a key, keys of 1 and 2 bytes, and
//   pairs with keys of 8
//
// Reads each item once and writes it once. Stable. So few items are a matter of latency: what counts is that there is
// one launch, little code that has to be fetched, and nobody to wait for. Merging takes the same time whatever the
// keys; of digits those in which no two keys differ cost nothing.
#pragma once

#include <algorithm>

#include "peneira/sort/gpu/block_merge_sort.cuh"
#include "peneira/sort/gpu/block_radix_sort.cuh"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::sort_strategies {

struct block {
  static constexpr std::string_view name = "block";
  static constexpr std::string_view about = "some thousand items in one launch of one block";

  static std::string refuses(const sort_problem& problem, const device& machine) {
    const std::size_t most = most_items(problem);
    if (problem.items > most) return "takes at most " + std::to_string(most) + " of these items";
    return detail::refuse_shared(shared(problem), machine);
  }

  struct parameters {
    bool merges = false;
    bool tries_buckets = false;
    step sort;

    static constexpr std::tuple fields{
        detail::field{&parameters::merges, "merges", "sorted runs; or goes digit by digit"},
        detail::field{&parameters::tries_buckets, "tries buckets",
                      "whether pairs whose keys are spread go by buckets instead"},
        detail::members{&parameters::sort}};
  };

  static parameters decide(const sort_problem& problem, const device& /*machine*/) {
    const bool tries = tries_buckets(problem);
    if (!merges(problem)) return {false, tries, {"sort_by_digits", 1, tuning::task_threads, shared(problem)}};
    const std::size_t warps = std::max<std::size_t>((problem.items + detail::merge_run - 1) / detail::merge_run, 1);
    const auto threads = tries ? detail::merge_threads : static_cast<std::uint32_t>(32 * warps);
    return {true, tries, {"sort_by_merging", 1, threads, shared(problem)}};
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (in.size == 0) return;
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    const auto items = detail::sort_arrays<U, V>::of(in, {}, out);
    if constexpr (detail::can_merge(sizeof(U), value_bytes)) {
      if (p.merges)
        return detail::launch(on, p.sort, detail::sort_by_merging<U, V>, items.in, items.out, by, p.tries_buckets);
    }
    using shape = detail::large_task_shape<sizeof(U), value_bytes>;
    detail::launch(on, p.sort, detail::sort_by_digits<shape, U, V>, items, by, detail::task_list{}, detail::task_list{},
                   static_cast<std::uint32_t>(in.size), part);
  }
#endif

  static constexpr std::size_t most_items(const sort_problem& problem) {
    return static_cast<std::size_t>(tuning::task_threads) *
           static_cast<std::size_t>(detail::large_task_items(problem.key_bytes, problem.value_bytes));
  }

 private:
  static bool merges(const sort_problem& problem) {
    return problem.whole_key() && detail::can_merge(problem.key_bytes, problem.value_bytes) &&
           problem.items <= detail::merge_most_items;
  }
  static bool tries_buckets(const sort_problem& problem) {
    if (merges(problem)) return problem.value_bytes != 0 && problem.items >= tuning::merged_pairs_by_buckets;
    return detail::few_pairs::are(problem.key_bytes, problem.value_bytes) &&
           detail::few_pairs::tries(problem.items, problem.bits());
  }
  static std::size_t shared(const sort_problem& problem) {
    if (merges(problem)) {
      return detail::merge_bytes(detail::merge_word_bytes(problem.key_bytes, problem.value_bytes), problem.items) +
             (tries_buckets(problem) ? detail::merge_buckets::bytes : 0);
    }
    const std::size_t places = detail::task_places(problem.key_bytes, problem.value_bytes, problem.items);
    const std::size_t digits = detail::digits_bytes(problem.key_bytes, places) + problem.items * problem.value_bytes;
    return tries_buckets(problem) ? std::max(digits, detail::few_pairs::shared(problem.items)) : digits;
  }
};

}  // namespace peneira::sort_strategies
