// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// pieces: threads take pieces of the items in turn, first to count the runs that begin there, then to write them.
//
//   items --count heads--> numbers of runs --scan--> --heads again--> values, lengths
//
// Reads each item twice, the second time from a cache where they are few. A run's length is known to whoever finds the
// head of the next one; the last of a piece ends where a later piece has its first head.
#pragma once

#include <algorithm>

#include "peneira/cpu/runs.hpp"
#include "peneira/runs/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::runs_strategies {

struct pieces : detail::takes_all<runs_problem> {
  static constexpr std::string_view name = "pieces";
  static constexpr std::string_view about = "all threads, runs are counted and then written piece by piece";

  struct parameters {
    runs_problem problem;
    unsigned threads = 1;
    std::size_t count_of = 0;
    step count;
    step write;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::count_of, "pieces", "of the items that threads take in turn"},
        detail::members{&parameters::count, &parameters::write},
    };
  };

  static parameters decide(const runs_problem& problem, const host& machine) {
    parameters p;
    p.problem = problem;
    p.count_of = detail::run_pieces::of(problem.items).count();
    p.threads = tuning::cpu_threads(problem.bytes(), tuning::cpu_least_slice_bytes, machine.threads);
    p.count = {"count", p.threads};
    p.write = {"write", p.threads};
    return p;
  }

  struct arrays {
    std::uint64_t* firsts;  ///< numbers of the pieces' first runs, and of all
    std::uint64_t* heads;   ///< where the pieces' first runs begin; nullptr where no lengths are wanted
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.firsts = memory.template take<std::uint64_t>(p.count_of + 1);
    if (p.problem.length_bytes != 0) a.heads = memory.template take<std::uint64_t>(p.count_of + 1);
    return a;
  }

  /// Calls check(runs) when their number is known, and then writes them; lengths may be nullptr. Returns their number.
  template <class K, class Length, class Check>
  static std::size_t run(const cpu& on, const parameters& p, const K* items, std::size_t n, K* values, Length* lengths,
                         const Check& check) {
    const detail::temporary<pieces> a(on, p);
    const auto cut = detail::run_pieces::of(n);
    const std::size_t runs = detail::count_runs(p.threads, items, cut, a.firsts);
    check(runs);
    if (lengths != nullptr) find_first_heads(items, cut, a);
    detail::on_each_part(p.threads, cut.count(), [&](unsigned piece, unsigned /*member*/) {
      if (lengths == nullptr) {
        write_values<Length>(items, cut, piece, a, values);
      } else {
        write_lengths(items, cut, piece, a, values, lengths);
      }
    });
    return runs;
  }

 private:
  /// Where each piece has its first head, or else where the next one has it.
  template <class K>
  static void find_first_heads(const K* items, const detail::run_pieces& cut, const arrays& a) {
    a.heads[cut.count()] = cut.items;
    for (unsigned piece = cut.count(); piece-- > 0;) {
      a.heads[piece] = a.heads[piece + 1];
      if (a.firsts[piece] == a.firsts[piece + 1]) continue;
      a.heads[piece] = first_head(items, cut.begin(piece));
    }
  }
  /// The first head from `i` on, of which there is one.
  template <class K>
  static std::size_t first_head(const K* items, std::size_t i) {
    while (!detail::is_head(items, i)) ++i;
    return i;
  }

  template <class Length, class K>
  static void write_values(const K* items, const detail::run_pieces& cut, unsigned piece, const arrays& a, K* values) {
    const std::uint64_t first = a.firsts[piece];
    if (first == a.firsts[piece + 1]) return;
    Length* const none = nullptr;
    detail::write_runs(items, first_head(items, cut.begin(piece)), cut.end(piece), values + first, none);
  }

  template <class K, class Length>
  static void write_lengths(const K* items, const detail::run_pieces& cut, unsigned piece, const arrays& a, K* values,
                            Length* lengths) {
    const std::uint64_t first = a.firsts[piece];
    const std::uint64_t end = a.firsts[piece + 1];
    if (first == end) return;
    detail::write_runs(items, a.heads[piece], cut.end(piece), values + first, lengths + first);
    lengths[end - 1] += static_cast<Length>(a.heads[piece + 1] - cut.end(piece));  // the last goes on to the next head
  }
};

}  // namespace peneira::runs_strategies
