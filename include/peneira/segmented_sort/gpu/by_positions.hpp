// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// by_positions: by some bits of a key alone. These bits as numbers of their own, with the positions of their items as
// values, are sorted by `tasks`; then items are gathered.
//
//   keys --number_parts--> bits that count, positions --tasks--> sorted --gather_sorted--> out
//
// Stable. Needs a number and a position an item, in place a copy of the items, and what tasks needs for them.
#pragma once

#include <algorithm>
#include <limits>

#include "peneira/segmented_sort/gpu/tasks.hpp"
#include "peneira/segmented_sort/problem.hpp"
#include "peneira/strategy.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira {

#if defined(__CUDACC__)
namespace detail {

template <class U, class P>
__global__ void number_parts(const U* keys, std::size_t items, key_order<U> by, bit_range<U> part, U* numbers,
                             P* positions) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < items; i += stride) {
    numbers[i] = part(by(keys[i]));
    positions[i] = static_cast<P>(i);
  }
}

/// Moves the items of all segments from their positions. Nothing where offsets are wrong.
template <class U, class V, class P, class Segments>
__global__ void gather_sorted(view<const U, const V> in, const P* positions, Segments segments, std::size_t count,
                              const std::uint32_t* wrong, view<U, V> out) {
  if (*wrong != 0) return;
  const std::size_t end = segments.end(count - 1);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = segments.begin(0) + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += stride) {
    const auto from = static_cast<std::size_t>(positions[i]);
    out.keys[i] = in.keys[from];
    if constexpr (view<U, V>::has_values) out.values[i] = in.values[from];
  }
}

}  // namespace detail
#endif

namespace segmented_sort_strategies {

struct by_positions {
  static constexpr std::string_view name = "by_positions";
  static constexpr std::string_view about = "positions sorted by the bits that count, then items gathered";

  static std::string refuses(const segmented_sort_problem& problem, const device& machine) {
    return tasks::refuses(positions_of(problem), machine);
  }

  struct parameters {
    segmented_sort_problem problem;
    step number;
    tasks::parameters sort;
    step gather;

    static constexpr std::tuple fields{detail::members{&parameters::number, &parameters::sort, &parameters::gather}};
  };

  static parameters decide(const segmented_sort_problem& problem, const device& machine) {
    constexpr std::size_t threads = 256;
    const std::size_t most = 8 * static_cast<std::size_t>(machine.sms);
    const std::size_t blocks = std::clamp<std::size_t>((problem.items + threads - 1) / threads, 1, most);
    parameters p{problem, {}, tasks::decide(positions_of(problem), machine), {}};
    if (problem.segments == 0 || problem.items == 0) return p;
    p.number = {"number_parts", blocks, threads};
    p.gather = {"gather_sorted", blocks, threads};
    return p;
  }

  struct arrays {
    void* numbers;
    void* positions;
    detail::item_arrays copy;  ///< in place: of the items
    tasks::arrays sort;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.problem.segments == 0 || p.problem.items == 0) return a;
    a.numbers = memory.take_bytes(p.problem.items * p.problem.key_bytes);
    a.positions = memory.take_bytes(p.problem.items * p.sort.problem.value_bytes);
    a.copy = detail::item_arrays::take(memory, p.problem, p.problem.in_place ? p.problem.items : 0);
    a.sort = tasks::lay_out(memory, p.sort);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class Segments, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, const Segments& segments,
                  view<K, V> out, const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (p.problem.segments == 0 || p.problem.items == 0) return;
    const detail::temporary<by_positions> a(on, p);
    const auto items = detail::sort_arrays<U, V>::of(in, a.copy, out);
    if (p.problem.in_place) copy_items(on, items.in, items.between);
    const view<const U, const V> from = p.problem.in_place ? view<const U, const V>(items.between) : items.in;
    if (p.sort.problem.value_bytes == sizeof(std::uint32_t)) {
      sort_positions<std::uint32_t>(on, p, a, from, segments, items.out, by, part);
    } else {
      sort_positions<std::uint64_t>(on, p, a, from, segments, items.out, by, part);
    }
  }
#endif

 private:
  /// The numbers and positions as tasks sorts them, in place.
  static segmented_sort_problem positions_of(const segmented_sort_problem& problem) {
    segmented_sort_problem of = problem;
    const bool wide = problem.items > std::numeric_limits<std::uint32_t>::max();
    of.value_bytes = wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
    of.first_bit = 0;
    of.last_bit = static_cast<unsigned>(8 * problem.key_bytes);
    of.in_place = true;
    return of;
  }

#if defined(__CUDACC__)
  template <class U, class V>
  static void copy_items(const gpu& on, view<const U, const V> from, view<U, V> to) {
    const auto copy = [&](void* there, const void* here, std::size_t bytes) {
      detail::check(cudaMemcpyAsync(there, here, bytes, cudaMemcpyDeviceToDevice, on.stream), "cudaMemcpyAsync");
    };
    copy(to.keys, from.keys, from.size * sizeof(U));
    if constexpr (view<U, V>::has_values) copy(to.values, from.values, from.size * sizeof(V));
  }

  template <class P, class U, class V, class Segments>
  static void sort_positions(const gpu& on, const parameters& p, const arrays& a, view<const U, const V> from,
                             const Segments& segments, view<U, V> out, const detail::key_order<U>& by,
                             const detail::bit_range<U>& part) {
    const view<U, P> numbered{static_cast<U*>(a.numbers), static_cast<P*>(a.positions), from.size};
    detail::launch(on, p.number, detail::number_parts<U, P>, from.keys, from.size, by, part, numbered.keys,
                   numbered.values);
    tasks::sort<U, P>(on, p.sort, a.sort, numbered, segments, numbered, detail::key_order<U>{});
    detail::launch(on, p.gather, detail::gather_sorted<U, V, P, Segments>, from, numbered.values, segments,
                   p.problem.segments, &a.sort.numbers->wrong, out);
  }
#endif
};

}  // namespace segmented_sort_strategies
}  // namespace peneira
