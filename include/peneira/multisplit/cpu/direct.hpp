// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// direct: all threads, each item straight to its place.
//
//   slice of thread t  --count-->  row t of counts  --one scan over bins x threads-->  --scatter-->  out
//
// Reads each item twice and writes it once, but every write that misses the cache drags a whole line in and out. Wins
// for items that fill much of a line by themselves, and for more bins than items.
#pragma once

#include <string>
#include <string_view>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/multisplit/problem.hpp"

namespace peneira::multisplit_strategies {

struct direct {
  static constexpr std::string_view name = "direct";
  static constexpr std::string_view about = "all threads, each item straight to its place";

  static std::string refuses(const multisplit_problem& /*problem*/, const host& /*machine*/) { return {}; }

  static plan make_plan(const multisplit_problem& problem, const host& machine) {
    plan p;
    p.set("threads", machine.threads, "that work together");
    p.steps.push_back({"count", machine.threads});
    p.steps.push_back({"scan"});
    p.steps.push_back({"scatter", machine.threads});
    p.temporary_bytes = detail::split_scratch::bytes(problem.bins, machine.threads, 0);
    return p;
  }

  template <class K, class V, class F, class Offset>
  static void run(const cpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets) {
    const auto threads = static_cast<unsigned>(made.get("threads"));
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, nullptr);
    const auto scratch = detail::split_scratch::take(memory, f.bins(), threads, 0);
    detail::split_level(threads, in, out, f, 0, 0, offsets, scratch, {});
    offsets[f.bins()] = static_cast<Offset>(in.size);
  }
};

}  // namespace peneira::multisplit_strategies
