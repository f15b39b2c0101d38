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
// Wins nearly everywhere, as long as a line of every bin fits the second-level cache.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/multisplit/problem.hpp"

namespace peneira::multisplit_strategies {

struct buffered {
  static constexpr std::string_view name = "buffered";
  static constexpr std::string_view about = "all threads, items leave in whole cache lines past the cache";

  static std::string refuses(const multisplit_problem& problem, const host& /*machine*/) {
    const std::size_t bytes = detail::least_buffer_bytes(problem.bins, problem.key_bytes, problem.value_bytes);
    if (bytes < problem.item_bytes() << 32U) return {};
    return "cannot number the slots of buffers for " + std::to_string(problem.bins) + " bins in 32 bits";
  }

  static plan make_plan(const multisplit_problem& problem, const host& machine) {
    const detail::split_shape shape =
        detail::buffer_shape(problem.bins, problem.key_bytes, problem.value_bytes,
                             problem.bytes() >= tuning::cpu_stream_bytes, detail::by_vectors::all);
    const std::size_t buffers = detail::split_buffer_bytes(problem.bins, problem.key_bytes, problem.value_bytes, shape);
    const unsigned slices = detail::slices_each(shape, problem.items, problem.bins, machine.threads);
    plan p;
    p.set("threads", machine.threads, "that work together");
    p.set("slices", slices, "of each thread on average; threads take them in turn");
    p.set("items a buffer", shape.per_bin, "of a thread, for each bin");
    p.set(
        "way", static_cast<std::size_t>(shape.way),
        "1: a cursor for each bin; 3: a buffer's fill count stands in the buffer; 4: vectors compressed bin by bin; 5: "
        "slots in a register; 6: slots in a table, bins by vectors");
    p.set("streaming", shape.stream ? 1 : 0, "1: full lines go past the cache to memory");
    p.set("deferred", shape.deferred ? 1 : 0, "1: full buffers wait for their place in the output");
    p.steps.push_back({"count", machine.threads});
    p.steps.push_back({"scan"});
    p.steps.push_back({"scatter", machine.threads, 1, buffers});
    p.temporary_bytes = detail::split_scratch::bytes(problem.bins, machine.threads, buffers, slices);
    if (problem.bytes() >= tuning::cpu_huge_bytes) {  // what is not used of it costs nothing
      p.temporary_bytes = std::max(p.temporary_bytes, detail::huge_block);
    }
    return p;
  }

  template <class K, class V, class F, class Offset>
  static void run(const cpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets) {
    const auto threads = static_cast<unsigned>(made.get("threads"));
    const detail::split_shape shape{static_cast<detail::scatter_way>(made.get("way")), made.get("items a buffer"),
                                    made.get("streaming") != 0, made.get("deferred") != 0,
                                    static_cast<unsigned>(made.get("slices"))};
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, nullptr);
    const auto scratch =
        detail::split_scratch::take(memory, f.bins(), threads, made.at("scatter").shared, shape.slices);
    detail::split_level(threads, in, out, f, 0, 0, offsets, scratch, shape);
    offsets[f.bins()] = static_cast<Offset>(in.size);
  }
};

}  // namespace peneira::multisplit_strategies
