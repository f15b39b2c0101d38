// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The choice of bins, and the one multisplit that serves all kinds of items: of their positions, by the engine of
// `peneira split`.
#include "tools/peneira/sort/binary/split.hpp"

#include "peneira/multisplit/strategies.hpp"
#include "tools/peneira/cli/watched_split.hpp"

namespace peneira::tool {

rank_bins choose_bins(std::vector<std::uint64_t> sample, std::size_t wanted, std::uint64_t highest_rank) {
  std::sort(sample.begin(), sample.end());
  wanted = std::max<std::size_t>(2, std::min(wanted, sample.size() / 8));
  rank_bins bins{{}, {false}};
  for (std::size_t b = 1; b < wanted; ++b) {
    const std::uint64_t rank = sample[b * sample.size() / wanted];
    if (!bins.splitters.empty() && rank < bins.splitters.back()) continue;
    const auto [first, last] = std::equal_range(sample.begin(), sample.end(), rank);
    const bool heavy = static_cast<std::size_t>(last - first) * 2 * wanted > sample.size();
    if (bins.splitters.empty() || rank != bins.splitters.back()) {
      bins.splitters.push_back(rank);
      bins.one_rank.push_back(false);
    }
    if (!heavy) continue;
    bins.one_rank.back() = true;
    if (rank == highest_rank) break;
    bins.splitters.push_back(rank + 1);
    bins.one_rank.push_back(false);
  }
  return bins;
}

void split_positions(const std::uint16_t* bin_of, const std::uint32_t* positions, std::uint32_t* to, std::size_t n,
                     std::size_t bins, std::vector<std::uint64_t>& offsets, unsigned team, memory& temporary) {
  const binned by{bins, [bin_of](std::uint32_t i) { return bin_of[i]; }};
  seen_bytes seen;
  split_by<std::uint32_t>(cpu{.threads = team, .memory = &temporary}, items(positions, n), items(to, n),
                          watched_bins<std::uint32_t>(std::type_identity<std::uint32_t>{}, by, seen), offsets);
}

std::size_t split_temporary(std::size_t n, std::size_t bins, unsigned team) {
  multisplit_problem problem;
  problem.items = n;
  problem.bins = static_cast<std::uint32_t>(bins);
  problem.key_bytes = sizeof(std::uint32_t);
  problem.offset_bytes = sizeof(std::uint64_t);
  return pn::detail::most_split_bytes(problem, host::here().with_threads(team)) + memory_alignment;
}

}  // namespace peneira::tool
