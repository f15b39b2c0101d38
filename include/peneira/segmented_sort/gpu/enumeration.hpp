// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// enumeration: some thousand items in segments of any shape, each placed by counting the keys of its segment before it.
//
//   all keys, offsets -> shared memory of each block -> of each of its items, a warp counts those before -> out
//
// One launch; in place, for several blocks, a copy of the items before it.
#pragma once

#include <algorithm>

#include "peneira/segmented_sort/gpu/enumeration.cuh"
#include "peneira/segmented_sort/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu.hpp"
#include "peneira/tuning/gpu_calls.hpp"
#include "peneira/view.hpp"

namespace peneira::segmented_sort_strategies {

struct enumeration {
  static constexpr std::string_view name = "enumeration";
  static constexpr std::string_view about = "some thousand items, each placed by counting the keys of its segment";

  static std::string refuses(const segmented_sort_problem& problem, const device& machine) {
    constexpr std::size_t most = tuning::enumerated_segment_items;
    if (problem.items > most) return "takes at most " + std::to_string(most) + " items";
    if (problem.segments > most) return "takes at most " + std::to_string(most) + " segments";
    return detail::refuse_shared(shared(problem) + static_bytes, machine);
  }

  struct parameters {
    segmented_sort_problem problem;
    std::uint32_t of_block = 0;
    std::optional<step> copy;  ///< in place, for more than one block
    std::optional<step> sort;

    static constexpr std::tuple fields{
        detail::field{&parameters::of_block, "items a block", "that it places"},
        detail::members{&parameters::copy, &parameters::sort},
    };
  };

  static parameters decide(const segmented_sort_problem& problem, const device& machine) {
    using shape = detail::enumeration_shape;
    parameters p;
    p.problem = problem;
    if (problem.items == 0 || problem.segments == 0) return p;
    const auto parts = [&](std::size_t size) { return (problem.items + size - 1) / size; };
    const bool alone = problem.in_place && problem.items <= tuning::enumerated_by_one_block;
    const std::size_t share = alone ? problem.items : parts(static_cast<std::size_t>(machine.sms));
    p.of_block = static_cast<std::uint32_t>(std::clamp<std::size_t>(share, shape::least_items, shape::threads));
    const std::size_t warps = std::min<std::size_t>(std::max(std::size_t{p.of_block}, parts(32)), shape::most_warps);
    p.sort =
        step{"sort_segments_by_counting", parts(p.of_block), static_cast<std::uint32_t>(32 * warps), shared(problem)};
    if (problem.in_place && p.sort->grid > 1)
      p.copy = step{"copy_unsorted", parts(shape::copy_threads), shape::copy_threads};
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
  template <class K, class V, class Segments, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, const Segments& segments,
                  view<K, V> out, const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (!p.sort.has_value()) return;
    const detail::temporary<enumeration> a(on, p);
    const auto items = detail::sort_arrays<U, V>::of(in, a.copy, out);
    const bool copied = p.copy.has_value();
    if (copied) detail::launch(on, *p.copy, detail::copy_unsorted<U, V>, items.in, items.between);
    detail::launch(on, copied ? detail::start::early : detail::start::after_all, *p.sort,
                   detail::sort_segments_by_counting<U, V, Segments>,
                   copied ? view<const U, const V>(items.between) : items.in, items.out, by, part, segments,
                   static_cast<unsigned>(p.problem.segments), p.of_block);
  }
#endif

 private:
  static constexpr std::size_t static_bytes = 8192;  ///< that the kernel declares itself, at most

  static std::size_t shared(const segmented_sort_problem& problem) {
    return problem.items * detail::counted_word_bytes(problem.key_bytes) +
           (problem.segments + 1) * sizeof(std::uint32_t);
  }
};

}  // namespace peneira::segmented_sort_strategies
