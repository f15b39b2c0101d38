// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// two_level: neighbouring bins first go together, then each such coarse bin is split again by itself.
//
//   in --buffered, coarse = bin >> shift--> one copy of the items --each coarse bin by one thread--> out
//                                            (a coarse bin larger than a thread's share: by all threads)
//
// Reads each item four times and writes it twice: 24 bytes for a 32-bit key. Wins where a core's caches have no room
// for a line of every bin: a million bins cost little more than a thousand twice. The lower level goes direct where
// a coarse bin fits the cache anyway. Items that come in runs, as sorted ones do, are split at once: each write is then
// beside the one before it.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::multisplit_strategies {

struct two_level {
  static constexpr std::string_view name = "two_level";
  static constexpr std::string_view about = "all threads, neighbouring bins together first, then each group by itself";

  static std::string refuses(const multisplit_problem& problem, const host& /*machine*/) {
    if (problem.labelled()) return "asks for the bins of items that it has moved, and labels do not move with them";
    return problem.bins < 4 ? "needs at least 4 bins" : "";
  }

  struct parameters {
    multisplit_problem problem;
    unsigned threads = 0;
    std::uint32_t coarse_bins = 0;
    std::uint32_t fine_bins = 0;
    unsigned shift = 0;
    bool streaming = false;
    bool fine_direct = false;
    std::size_t fine_direct_up_to = 0;
    step coarse;
    step fine;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::coarse_bins, "coarse bins", "of the first level"},
        detail::field{&parameters::fine_bins, "fine bins", "of each of them, at the second level"},
        detail::field{&parameters::shift, "shift", "bits of a bin's number that the second level goes by"},
        detail::field{&parameters::streaming, "streaming", "whether full lines go past the cache to memory"},
        detail::field{&parameters::fine_direct, "fine direct",
                      "whether the second level writes each item straight to its place"},
        detail::field{&parameters::fine_direct_up_to, "fine direct up to",
                      "items of a coarse bin for which it does in any case"},
        detail::members{&parameters::coarse, &parameters::fine},
    };
  };

  static parameters decide(const multisplit_problem& problem, const host& machine) {
    const auto bits = static_cast<unsigned>(std::bit_width(problem.bins - 1));
    parameters p;
    p.problem = problem;
    p.threads = problem.worth_threads(machine);
    p.shift = std::max(bits / 2, bits - std::min(bits, tuning::cpu_most_coarse_bits));
    p.coarse_bins = ((problem.bins - 1) >> p.shift) + 1;
    p.fine_bins = 1U << p.shift;
    p.streaming = problem.bytes() >= tuning::cpu_stream_bytes;
    // Past this many fine bins their lines leave the cache, and the coarse bins are small: go direct.
    p.fine_direct = detail::least_buffer_bytes(p.fine_bins, problem.key_bytes, problem.value_bytes) > machine.l2 / 2;
    p.fine_direct_up_to = p.fine_direct ? problem.items : machine.l2 / 2 / problem.item_bytes();
    p.coarse = {"split coarse", p.threads, 1, buffer_bytes(p.coarse_bins, problem)};
    p.fine = {"split fine", p.threads, 1, p.fine_direct ? 0 : buffer_bytes(p.fine_bins, problem)};
    return p;
  }

  struct arrays {
    detail::split_scratch coarse;
    detail::split_scratch fine;
    std::uint64_t* groups;        ///< where coarse bins begin, and the end
    detail::item_arrays between;  ///< items between the two levels
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.coarse = detail::split_scratch::take(memory, p.coarse_bins, p.threads, p.coarse.shared);
    a.fine = detail::split_scratch::take(memory, p.fine_bins, p.threads, p.fine.shared);
    a.groups = memory.template take<std::uint64_t>(std::size_t{p.coarse_bins} + 1);
    a.between = detail::item_arrays::take(memory, p.problem, p.problem.items);
    return a;
  }

  template <class K, class V, class F, class Offset>
  static void run(const cpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets) {
    const detail::temporary<two_level> a(on, p);
    if (goes_straight(p, in, f)) return split_straight(p, a, in, out, f, offsets);
    const view<K, V> between = a.between.template as<K, V>(in.size);

    detail::split_level(p.threads, in, between, detail::coarse_bins<F>{f, p.shift}, 0, 0, a.groups, a.coarse,
                        detail::buffer_shape(p.coarse_bins, sizeof(K), p.problem.value_bytes, p.streaming));
    a.groups[p.coarse_bins] = in.size;
    offsets[f.bins()] = static_cast<Offset>(in.size);
    split_groups<K, V>(p, a, between, out, f, offsets);
  }

 private:
  /// Whether items go straight to their places: they come in runs, and the memory for what lies between the two levels
  /// has room for counters of all bins.
  template <class K, class V, class F>
  static bool goes_straight(const parameters& p, view<const K, const V> in, const F& f) {
    return detail::split_scratch::bytes(f.bins(), p.threads, 0) <= in.size * sizeof(K) &&
           detail::come_in_runs(f, in.keys, in.size);
  }
  template <class K, class V, class F, class Offset>
  static void split_straight(const parameters& p, const arrays& a, view<const K, const V> in, view<K, V> out,
                             const F& f, Offset* offsets) {
    detail::memory_part room(a.between.keys);
    const auto scratch = detail::split_scratch::take(room, f.bins(), p.threads, 0);
    detail::split_level(p.threads, in, out, f, 0, 0, offsets, scratch, {});
    offsets[f.bins()] = static_cast<Offset>(in.size);
  }

  /// The second level: each coarse bin by one thread, and those larger than a thread's share by all of them, since they
  /// would keep the others waiting.
  template <class K, class V, class F, class Offset>
  static void split_groups(const parameters& p, const arrays& a, view<const K, const V> in, view<K, V> out, const F& f,
                           Offset* offsets) {
    const std::size_t large = in.size / p.threads / 2;
    const auto size_of = [&](std::uint32_t group) { return a.groups[group + 1] - a.groups[group]; };
    detail::on_each_part(p.threads, p.coarse_bins, [&](std::uint32_t group, unsigned m) {
      if (p.threads != 1 && size_of(group) > large) return;
      detail::split_scratch mine = a.fine;
      mine.counts += m * detail::counts_row(p.fine_bins);
      mine.counters += m * detail::counters_for(p.fine_bins);
      mine.buffers += m * p.fine.shared;
      split_group(p, a, group, 1, mine, in, out, f, offsets);
    });
    for (std::uint32_t group = 0; p.threads > 1 && group < p.coarse_bins; ++group) {
      if (size_of(group) > large) split_group(p, a, group, p.threads, a.fine, in, out, f, offsets);
    }
  }

  /// Splits one coarse bin by so many threads.
  template <class K, class V, class F, class Offset>
  static void split_group(const parameters& p, const arrays& a, std::uint32_t group, unsigned members,
                          const detail::split_scratch& scratch, view<const K, const V> in, view<K, V> out, const F& f,
                          Offset* offsets) {
    const std::uint32_t first = group << p.shift;
    const detail::fine_bins<F> fine{f, first, std::min(p.fine_bins, f.bins() - first)};
    const std::size_t begin = a.groups[group];
    const std::size_t size = a.groups[group + 1] - begin;
    const bool direct = p.fine_direct || size <= p.fine_direct_up_to;
    const detail::split_shape shape =
        direct ? detail::split_shape{}
               : detail::buffer_shape(p.fine_bins, sizeof(K), p.problem.value_bytes, p.streaming);
    detail::split_level(members, in.part(begin, size), out.part(begin, size), fine, begin, begin, offsets + first,
                        scratch, shape);
  }

  static std::size_t buffer_bytes(std::uint32_t bins, const multisplit_problem& problem) {
    return detail::split_buffer_bytes(bins, problem.key_bytes, problem.value_bytes,
                                      detail::buffer_shape(bins, problem.key_bytes, problem.value_bytes, true));
  }
};

}  // namespace peneira::multisplit_strategies
