// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// cluster: up to 64 Ki items in one launch, in the shared memory of the blocks of one cluster.
//
//   in -> shared memory of up to 16 blocks -> digit by digit, each item straight to its next block -> out
//   or, keys of 4 or 8 bytes alone, if spread evenly enough: each to the block of its range, which sorts them -> out
//
// Reads each item once and writes it once. Digits in which no two keys differ cost nothing. Stable, for whole keys and
// for some of their bits. Needs thread block clusters: compute capability 9.0.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/sort/gpu/cluster.cuh"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::sort_strategies {

struct cluster {
  static constexpr std::string_view name = "cluster";
  static constexpr std::string_view about =
      "up to 64 Ki items in one launch, in the shared memory of a cluster of blocks";

  static std::string refuses(const sort_problem& problem, const device& machine) {
    if (machine.arch < 90) return "needs thread block clusters, compute capability 9.0";
    if (problem.items > most_items) return "takes at most " + std::to_string(most_items) + " items";
    return detail::refuse_shared(shared(problem) + detail::cluster_static_bytes, machine);
  }

  struct parameters {
    step sort;

    static constexpr std::tuple fields{detail::members{&parameters::sort}};
  };

  static parameters decide(const sort_problem& problem, const device& /*machine*/) {
    constexpr std::size_t size = detail::cluster_shape::size;
    const std::size_t blocks = std::max<std::size_t>(std::bit_ceil((problem.items + size - 1) / size), 1);
    return {{"sort_in_cluster", blocks, detail::cluster_shape::threads, shared(problem),
             static_cast<std::uint32_t>(blocks)}};
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (in.size == 0) return;
    const view<const U, const V> from{reinterpret_cast<const U*>(in.keys), in.values, in.size};
    const view<U, V> to{reinterpret_cast<U*>(out.keys), out.values, in.size};
    detail::launch(on, p.sort, detail::sort_in_cluster<U, V>, from, to, by, part);
  }
#endif

  static constexpr std::size_t most_items =
      std::size_t{detail::cluster_shape::most_blocks} * detail::cluster_shape::size;

 private:
  static std::size_t shared(const sort_problem& problem) {
    const bool by_range = problem.key_bytes >= 4 && problem.value_bytes == 0;
    return 2 * std::size_t{detail::cluster_shape::size} * problem.item_bytes() +
           (by_range ? detail::cluster_buckets_shape::buckets * sizeof(std::uint32_t) : 0);
  }
};

}  // namespace peneira::sort_strategies
