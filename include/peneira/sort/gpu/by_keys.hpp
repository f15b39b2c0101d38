// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// by_keys: records by the key that a function gives. Keys are written as numbers, with positions, and sorted as pairs;
// then each record moves once.
//
//   records --write_keys--> numbers, positions --sort--> positions in order --gather--> out
//
// Stable. Needs a number and a position a record, in place a copy of the records, and what the sort of pairs needs.
#pragma once

#include <limits>

#include "peneira/gather/gpu/lanes.hpp"
#include "peneira/sort/gpu/numbered_sort.hpp"
#include "peneira/sort/gpu/numbers.cuh"

namespace peneira::sort_strategies {

struct by_keys {
  static constexpr std::string_view name = "by_keys";
  static constexpr std::string_view about = "keys sorted with positions, then records gathered";

  static std::string refuses(const record_sort_problem& problem, const device& machine) {
    return detail::refuse_sort("sort", pairs_of(problem), machine);
  }

  struct parameters {
    record_sort_problem problem;
    std::size_t position_bytes = 0;
    std::size_t sort_bytes = 0;
    step write;
    detail::numbered_sort sort;
    gather_strategies::lanes::parameters gather;

    static constexpr std::tuple fields{
        detail::field{&parameters::position_bytes, "position bytes", "of a record's place in the input"},
        detail::field{&parameters::sort_bytes, "sort bytes", "of the temporary memory of the sort of pairs"},
    };
    template <class Add>
    void each_step(const Add& add) const {
      if (problem.items == 0) return;
      add(write);
      sort.each_step(add);
      add(*gather.move);
    }
  };

  static parameters decide(const record_sort_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    if (problem.items == 0) return p;
    const sort_problem pairs = pairs_of(problem);
    p.position_bytes = pairs.value_bytes;
    p.write = detail::over_items_step("write_keys", problem.items, machine);
    p.sort = detail::numbered_sort::of(pairs, machine);
    p.sort_bytes = p.sort.bytes;
    p.gather = gather_strategies::lanes::decide(gather_problem{problem.items, problem.record_bytes, p.position_bytes},
                                                machine);
    return p;
  }

  struct arrays {
    void* numbers;
    void* positions;
    void* copy;  ///< in place: of the records
    void* sort_memory;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.numbers = memory.take_bytes(p.problem.items * p.problem.key_bytes);
    a.positions = memory.take_bytes(p.problem.items * p.position_bytes);
    if (p.problem.in_place) a.copy = memory.take_bytes(p.problem.items * p.problem.record_bytes);
    a.sort_memory = memory.take_bytes(p.sort_bytes);
    return a;
  }

#if defined(__CUDACC__)
  /// Records in an order of their keys' bits, of which a part counts.
  template <class Record, class F, class U>
  static void run(const gpu& on, const parameters& p, view<const Record, const no_value> in, view<Record, no_value> out,
                  const F& f, const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (p.problem.items == 0) return;
    const detail::temporary<by_keys> a(on, p);
    if (p.position_bytes == sizeof(std::uint32_t)) {
      run_with<std::uint32_t>(on, p, a, in, out, f, by, part);
    } else {
      run_with<std::uint64_t>(on, p, a, in, out, f, by, part);
    }
  }
#endif

 private:
  static sort_problem pairs_of(const record_sort_problem& problem) {
    const bool wide = problem.items != 0 && problem.items - 1 > std::numeric_limits<std::uint32_t>::max();
    return detail::numbered_sort::problem_of(problem.items, problem.key_bytes,
                                             wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
  }

#if defined(__CUDACC__)
  template <class Position, class Record, class F, class U>
  static void run_with(const gpu& on, const parameters& p, const arrays& a, view<const Record, const no_value> in,
                       view<Record, no_value> out, const F& f, const detail::key_order<U>& by,
                       const detail::bit_range<U>& part) {
    const view<U, Position> numbered{static_cast<U*>(a.numbers), static_cast<Position*>(a.positions), in.size};
    detail::launch(on, p.write, detail::write_keys<Record, F, U, Position>, in.keys, in.size, f, by, part,
                   numbered.keys, numbered.values);
    p.sort.run(on, a.sort_memory, numbered);
    if (p.problem.in_place) {
      detail::check(cudaMemcpyAsync(a.copy, in.keys, in.size * sizeof(Record), cudaMemcpyDeviceToDevice, on.stream),
                    "cudaMemcpyAsync");
      in.keys = static_cast<const Record*>(a.copy);
    }
    gather_strategies::lanes::run<true>(on, p.gather, std::tuple{in}, numbered.values, in.size, std::tuple{out},
                                        in.size);
  }
#endif
};

}  // namespace peneira::sort_strategies
