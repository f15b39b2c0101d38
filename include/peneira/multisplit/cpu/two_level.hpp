// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// two_level: neighbouring bins first go together, then each such coarse bin is split again by itself.
//
//   in --buffered, coarse = bin >> shift--> one copy of the items --each coarse bin by one thread--> out
//                                            (a coarse bin larger than a thread's share: by all threads)
//
// Reads each item four times and writes it twice: 24 bytes for a 32-bit key. Wins where a line of every bin no longer
// fits the second-level cache: a million bins cost little more than a thousand twice. The lower level goes direct where
// a coarse bin fits the cache anyway.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>
#include <string_view>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/multisplit/problem.hpp"

namespace peneira::multisplit_strategies {

struct two_level {
  static constexpr std::string_view name = "two_level";
  static constexpr std::string_view about = "all threads, neighbouring bins together first, then each group by itself";

  static std::string refuses(const multisplit_problem& problem, const host& /*machine*/) {
    return problem.bins < 4 ? "needs at least 4 bins" : "";
  }

  static plan make_plan(const multisplit_problem& problem, const host& machine) {
    const auto bits = static_cast<unsigned>(std::bit_width(problem.bins - 1));
    const unsigned shift = std::max(bits / 2, bits - std::min(bits, tuning::cpu_most_coarse_bits));
    const std::uint32_t coarse = ((problem.bins - 1) >> shift) + 1;
    const std::uint32_t fine = 1U << shift;
    const bool stream = problem.bytes() >= tuning::cpu_stream_bytes;
    const std::size_t coarse_buffers = buffer_bytes(coarse, problem.key_bytes, problem.value_bytes);
    // Past this many fine bins their lines leave the cache, and the coarse bins are small: go direct.
    const bool direct = detail::least_buffer_bytes(fine, problem.key_bytes, problem.value_bytes) > machine.l2 / 2;
    const std::size_t fine_buffers = direct ? 0 : buffer_bytes(fine, problem.key_bytes, problem.value_bytes);
    plan p;
    p.set("threads", machine.threads, "that work together");
    p.set("coarse bins", coarse, "of the first level");
    p.set("fine bins", fine, "of each of them, at the second level");
    p.set("shift", shift, "bits of a bin's number that the second level goes by");
    p.set("streaming", stream ? 1 : 0, "1: full lines go past the cache to memory");
    p.set("fine direct", direct ? 1 : 0, "1: the second level writes each item straight to its place");
    p.set("fine direct up to", direct ? problem.items : machine.l2 / 2 / problem.item_bytes(),
          "items of a coarse bin for which it does in any case");
    p.steps.push_back({"split coarse", machine.threads, 1, coarse_buffers});
    p.steps.push_back({"split fine", machine.threads, 1, fine_buffers});
    p.temporary_bytes = detail::split_scratch::bytes(coarse, machine.threads, coarse_buffers) +
                        detail::split_scratch::bytes(fine, machine.threads, fine_buffers) +
                        detail::workspace::footprint<std::uint64_t>(coarse + 1) +
                        detail::workspace::round_up(problem.items * problem.key_bytes) +
                        detail::workspace::round_up(problem.items * problem.value_bytes);
    return p;
  }

  template <class K, class V, class F, class Offset>
  static void run(const cpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets) {
    const auto threads = static_cast<unsigned>(made.get("threads"));
    const auto shift = static_cast<unsigned>(made.get("shift"));
    const detail::coarse_bins<F> coarse{f, shift};
    const auto fine_count = static_cast<std::uint32_t>(made.get("fine bins"));
    const std::size_t coarse_buffers = made.at("split coarse").shared;
    const std::size_t fine_buffers = made.at("split fine").shared;
    const bool stream = made.get("streaming") != 0;
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;

    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, nullptr);
    const auto coarse_scratch = detail::split_scratch::take(memory, coarse.bins(), threads, coarse_buffers);
    const auto fine_scratch = detail::split_scratch::take(memory, fine_count, threads, fine_buffers);
    auto* const groups = memory.take<std::uint64_t>(std::size_t{coarse.bins()} + 1);
    view<K, V> between{memory.take<K>(in.size), nullptr, in.size};
    if constexpr (view<K, V>::has_values) between.values = memory.take<V>(in.size);

    detail::split_level(threads, in, between, coarse, 0, 0, groups, coarse_scratch,
                        detail::buffer_shape(coarse.bins(), sizeof(K), value_bytes, stream));

    groups[coarse.bins()] = in.size;
    offsets[f.bins()] = static_cast<Offset>(in.size);

    const auto split_group = [&](std::uint32_t group, unsigned members, const detail::split_scratch& scratch) {
      const std::uint32_t first = group << shift;
      const detail::fine_bins<F> fine{f, first, std::min(fine_count, f.bins() - first)};
      const std::size_t begin = groups[group];
      const std::size_t size = groups[group + 1] - begin;
      const bool direct = made.get("fine direct") != 0 || size <= made.get("fine direct up to");
      const detail::split_shape shape =
          direct ? detail::split_shape{} : detail::buffer_shape(fine_count, sizeof(K), value_bytes, stream);
      detail::split_level(members, view<const K, const V>(between).part(begin, size), out.part(begin, size), fine,
                          begin, begin, offsets + first, scratch, shape);
    };
    // A group larger than its thread's share would keep the others waiting: all threads take it together.
    const std::size_t large = in.size / threads / 2;
    std::atomic<std::uint32_t> next{0};
    detail::on_each(threads, [&](unsigned m) {
      detail::split_scratch mine = fine_scratch;
      mine.counts += m * std::size_t{fine_count};
      mine.counters += m * detail::counters_for(fine_count);
      mine.buffers += m * fine_buffers;
      for (std::uint32_t group = next++; group < coarse.bins(); group = next++) {
        if (threads == 1 || groups[group + 1] - groups[group] <= large) split_group(group, 1, mine);
      }
    });
    for (std::uint32_t group = 0; threads > 1 && group < coarse.bins(); ++group) {
      if (groups[group + 1] - groups[group] > large) split_group(group, threads, fine_scratch);
    }
  }

 private:
  static std::size_t buffer_bytes(std::uint32_t bins, std::size_t key_bytes, std::size_t value_bytes) {
    return detail::split_buffer_bytes(bins, key_bytes, value_bytes,
                                      detail::buffer_shape(bins, key_bytes, value_bytes, true));
  }
};

}  // namespace peneira::multisplit_strategies
