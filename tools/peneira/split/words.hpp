// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The split of items on the CPU: once for each width, since nothing but the bin function needs their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "peneira/multisplit/strategies.hpp"
#include "tools/peneira/cli/watched_split.hpp"
#include "tools/peneira/split/split.hpp"

namespace peneira::tool {

/// Items as words of their width, and where they go.
template <class U>
struct split_call {
  const split_options& o;
  const U* in;
  U* to;
  std::size_t n;
  std::vector<std::uint64_t>& offsets;
};

/// Splits by bins that tell `seen` how far it has come.
template <class U>
void split_watched(const split_call<U>& call, const watched_bins<U>& by, const seen_bytes& seen) {
  const split_options& o = call.o;
  multisplit_problem problem;
  problem.items = call.n;
  problem.bins = by.bins();
  problem.key_bytes = sizeof(U);
  problem.offset_bytes = sizeof(std::uint64_t);
  const plan made = pn::detail::plan_multisplit(problem, host::here().with_threads(o.team()), o.strategy);
  // Each level counts its items, and moves them.
  const watcher watching("split", call.n * sizeof(U), made.strategy == "two_level" ? 4 : 2, o.quiet, seen);
  split_by<U>(cpu{.threads = o.threads}, items(call.in, call.n), items(call.to, call.n), by, call.offsets, o.strategy);
}

/// Splits by a function of keys of T.
template <class U, class T, class F>
void split_words(const split_call<U>& call, std::type_identity<T> keys, const F& by) {
  seen_bytes seen;
  split_watched(call, watched_bins<U>(keys, by, seen), seen);
}

}  // namespace peneira::tool
