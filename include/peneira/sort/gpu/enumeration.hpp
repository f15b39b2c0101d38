// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// enumeration: up to some 10,000 items in one launch, each placed by counting the keys that come before it.
//
//   all keys -> shared memory of each block -> each block counts for its own items -> out
//
// Stable. So few items are a matter of latency: there are no passes, no two blocks wait for one another, and all
// multiprocessors take part. The work grows with the square of the items, whatever the keys. In place the items are
// copied first, unless one block sorts them.
#pragma once

#include <algorithm>
#include <optional>

#include "peneira/sort/gpu/enumeration.cuh"
#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::sort_strategies {

struct enumeration {
  static constexpr std::string_view name = "enumeration";
  static constexpr std::string_view about = "some thousand items, each placed by counting the keys before it";

  static std::string refuses(const sort_problem& problem, const device& machine) {
    const std::size_t most = most_items(problem, machine);
    if (problem.items > most) return "takes at most " + std::to_string(most) + " of these items";
    return detail::refuse_shared(shared(problem), machine);
  }

  struct parameters {
    sort_problem problem;
    std::uint32_t of_block = 0;
    std::uint32_t of_warp = 0;
    std::optional<step> copy;  ///< in place, for more than one block
    step sort;

    static constexpr std::tuple fields{
        detail::field{&parameters::of_block, "items a block", "that it places"},
        detail::field{&parameters::of_warp, "items a warp", "of those"},
        detail::members{&parameters::copy, &parameters::sort},
    };
  };

  static parameters decide(const sort_problem& problem, const device& machine) {
    using shape = detail::enumeration_shape;
    const std::size_t n = std::max<std::size_t>(problem.items, 1);
    const auto parts = [n](std::size_t size) { return (n + size - 1) / size; };
    const bool alone = problem.in_place && n <= tuning::enumerated_by_one_block;
    const std::size_t share = alone ? n : parts(static_cast<std::size_t>(machine.sms));
    const std::size_t of_block = std::clamp(share, shape::least_items, shape::most_items);
    const std::size_t of_warp = of_block <= shape::most_warps * shape::few_items ? shape::few_items : shape::more_items;
    const std::size_t to_load = std::min(parts(32), shape::most_warps);  // a key a thread, or more
    const std::size_t warps = std::max(to_load, (of_block + of_warp - 1) / of_warp);
    parameters p;
    p.problem = problem;
    p.of_block = static_cast<std::uint32_t>(of_block);
    p.of_warp = static_cast<std::uint32_t>(of_warp);
    p.sort = {"sort_by_counting", parts(of_block), static_cast<std::uint32_t>(32 * warps), shared(problem)};
    if (problem.in_place && p.sort.grid > 1)
      p.copy = {"copy_unsorted", parts(shape::copy_threads), shape::copy_threads};
    return p;
  }

  struct arrays {
    detail::item_arrays copy;  ///< of the items
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    return {detail::item_arrays::take(memory, p.problem, p.copy.has_value() ? p.problem.items : 0)};
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (in.size == 0) return;
    const detail::temporary<enumeration> a(on, p);
    const auto items = detail::sort_arrays<U, V>::of(in, a.copy, out);
    const bool copied = p.copy.has_value();
    if (copied) detail::launch(on, *p.copy, detail::copy_unsorted<U, V>, items.in, items.between);
    detail::launch(on, copied ? detail::start::early : detail::start::after_all, p.sort, detail::sort_by_counting<U, V>,
                   copied ? view<const U, const V>(items.between) : items.in, items.out, by, part, p.of_block,
                   p.of_warp);
  }
#endif

  static std::size_t most_items(const sort_problem& problem, const device& machine) {
    return tuning::enumerated_items(problem.bits(), problem.value_bytes, machine.sms);
  }

 private:
  static std::size_t shared(const sort_problem& problem) {
    const std::size_t word = detail::counted_word_bytes(problem.key_bytes);
    return detail::counted_places(word, problem.items) * word;
  }
};

}  // namespace peneira::sort_strategies
