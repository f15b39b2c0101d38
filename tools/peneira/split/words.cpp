// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/split/words.hpp"

#include "peneira/multisplit.hpp"

namespace peneira::tool {

template <class U>
void split_by(const cpu& on, std::string_view strategy, view<const U> in, view<U> to, const watched_bins<U>& by,
              std::vector<std::uint64_t>& offsets) {
  multisplit(on, in, to, by, offsets, {.strategy = strategy});
}

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
  split_by<U>(cpu{.threads = o.threads}, o.strategy, items(call.in, call.n), items(call.to, call.n), by, call.offsets);
}

template void split_by(const cpu&, std::string_view, view<const std::uint32_t>, view<std::uint32_t>,
                       const watched_bins<std::uint32_t>&, std::vector<std::uint64_t>&);

template void split_watched(const split_call<std::uint8_t>&, const watched_bins<std::uint8_t>&, const seen_bytes&);
template void split_watched(const split_call<std::uint16_t>&, const watched_bins<std::uint16_t>&, const seen_bytes&);
template void split_watched(const split_call<std::uint32_t>&, const watched_bins<std::uint32_t>&, const seen_bytes&);
template void split_watched(const split_call<std::uint64_t>&, const watched_bins<std::uint64_t>&, const seen_bytes&);

}  // namespace peneira::tool
