// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// buffered: all threads, items gathered into whole cache lines before they are written (software write combining).
//
//   slice of thread t --count--> row t --scan--> --scatter--> lines of each bin, in cache --full, streamed--> out
//
// Reads each item twice and writes it once, and with streaming stores that is all the memory sees: 12 bytes for a
// 32-bit key. A few bins get several lines each; many bins one line that carries its own fill count (x86), or some that
// wait, once full, for their page. With AVX-512 vectors find the bins of sixteen items, and for few bins their slots.
// Wins nearly everywhere, as long as a core's caches have room for a line of every bin.
#pragma once

#include <algorithm>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::multisplit_strategies {

struct buffered {
  static constexpr std::string_view name = "buffered";
  static constexpr std::string_view about = "all threads, items leave in whole cache lines past the cache";

  static std::string refuses(const multisplit_problem& problem, const host& /*machine*/) {
    const std::size_t bytes = detail::least_buffer_bytes(problem.bins, problem.key_bytes, problem.value_bytes);
    if (bytes < problem.item_bytes() << 32U) return {};
    return "cannot number the slots of buffers for " + std::to_string(problem.bins) + " bins in 32 bits";
  }

  struct parameters {
    multisplit_problem problem;
    unsigned threads = 0;
    unsigned slices = 0;
    std::size_t items_a_buffer = 0;
    detail::scatter_way way{};
    bool streaming = false;
    bool deferred = false;
    step count;
    step scan;
    step scatter;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::slices, "slices", "of each thread on average; threads take them from a counter"},
        detail::field{&parameters::items_a_buffer, "items a buffer", "of a thread, for each bin"},
        detail::field{
            &parameters::way, "way",
            "indexed: a cursor for each bin; carried: a buffer's fill count stands in the buffer; compressed: "
            "vectors compressed bin by bin; held: slots in a register; placed: slots in a table, bins by vectors"},
        detail::field{&parameters::streaming, "streaming", "whether full lines go past the cache to memory"},
        detail::field{&parameters::deferred, "deferred", "whether full buffers wait for their place in the output"},
        detail::members{&parameters::count, &parameters::scan, &parameters::scatter},
    };
    [[nodiscard]] detail::split_shape shape() const { return {way, items_a_buffer, streaming, deferred, slices}; }
  };

  static parameters decide(const multisplit_problem& problem, const host& machine) {
    parameters p;
    p.problem = problem;
    p.threads = problem.worth_threads(machine);
    const bool streamed = problem.bytes() >= tuning::cpu_streamed_bytes(machine.l2, p.threads);
    const detail::split_shape shape =
        detail::buffer_shape(problem.bins, problem.key_bytes, problem.value_bytes, streamed, detail::by_vectors::all);
    p.slices = detail::slices_each(shape, problem.items, problem.bins, p.threads);
    p.items_a_buffer = shape.per_bin;
    p.way = shape.way;
    p.streaming = shape.stream;
    p.deferred = shape.deferred;
    p.count = {"count", p.threads};
    p.scan = {"scan"};
    p.scatter = {"scatter", p.threads, 1,
                 detail::split_buffer_bytes(problem.bins, problem.key_bytes, problem.value_bytes, shape)};
    return p;
  }

  template <class Memory>
  static detail::split_scratch lay_out(Memory& memory, const parameters& p) {
    const auto scratch = detail::split_scratch::take(memory, p.problem.bins, p.threads, p.scatter.shared, p.slices);
    if (p.problem.bytes() >= tuning::cpu_huge_bytes) {  // for huge pages; what is not used of it costs nothing
      memory.take_bytes(std::max(memory.used(), detail::huge_block) - memory.used());
    }
    return scratch;
  }

  template <class K, class V, class F, class Offset>
  static void run(const cpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets) {
    const detail::temporary<buffered> memory(on, p);
    detail::split_level(p.threads, in, out, f, 0, 0, offsets, memory, p.shape());
    offsets[f.bins()] = static_cast<Offset>(in.size);
  }
};

}  // namespace peneira::multisplit_strategies
