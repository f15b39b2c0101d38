// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// slices: every thread counts the parts of a slice of the items, and then moves these to where they belong.
//
//   slice of thread t  --count-->  row t  --scan over parts x threads-->  --a block at a time, by buffers-->  out
//
// Reads each item twice and writes it once. Where vectors do not move them (vector_parts.hpp), items go by buffers on
// the stacks of the threads.
#pragma once

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "peneira/cpu/team.hpp"
#include "peneira/partition/cpu/blocks.hpp"
#include "peneira/partition/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::partition_strategies {

struct slices : detail::takes_all<partition_problem> {
  static constexpr std::string_view name = "slices";
  static constexpr std::string_view about = "all threads, a slice each: counted, then moved by vectors or by buffers";

  struct parameters {
    std::uint32_t ways = 2;
    std::size_t threads = 1;
    step count;
    step scan;
    step move;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::members{&parameters::count, &parameters::scan, &parameters::move},
    };
  };

  static parameters decide(const partition_problem& problem, const host& machine) {
    parameters p;
    p.ways = problem.ways;
    p.threads = tuning::cpu_threads(problem.bytes(), tuning::cpu_least_split_bytes, machine.threads);
    p.count = {"count", p.threads};
    p.scan = {"scan"};
    p.move = {"move", p.threads};
    return p;
  }

  struct arrays {
    std::uint64_t* rows;  ///< threads x ways: counts, and then where a slice's items of a part begin
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.rows = memory.template take<std::uint64_t>(p.threads * p.ways);
    return a;
  }

  template <std::size_t Ways, class K, class V, class F, class Count>
  static void run(const cpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Count* counts) {
    const detail::temporary<slices> memory(on, p);
    const auto threads = static_cast<unsigned>(p.threads);
    auto* const rows = reinterpret_cast<std::array<std::uint64_t, Ways>*>(memory.rows);
    detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = detail::slice(in.size, m, threads);
      new (rows + m) std::array<std::uint64_t, Ways>(detail::count_parts<Ways>(f, in.keys + begin, begin, end - begin));
    });
    std::uint64_t position = 0;
    for (std::size_t w = 0; w < Ways; ++w) {
      const std::uint64_t begin = position;
      for (unsigned m = 0; m < threads; ++m) position += std::exchange(rows[m][w], position);
      counts[w] = static_cast<Count>(position - begin);
    }
    detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = detail::slice(in.size, m, threads);
      std::array<std::uint64_t, Ways> ends{};
      for (std::size_t w = 0; w < Ways; ++w) {
        ends[w] = m + 1 < threads ? rows[m + 1][w] : w + 1 < Ways ? rows[0][w + 1] : in.size;
      }
      detail::split_parts<Ways>(in.part(begin, end - begin), f, begin, out, rows[m], ends);
    });
  }
};

}  // namespace peneira::partition_strategies
