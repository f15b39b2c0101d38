// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The partition of items that memory does not hold: where the bins begin, and the split of one block of items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "peneira/bins.hpp"
#include "peneira/multisplit.hpp"
#include "tools/peneira/sort_binary_memory.hpp"

namespace peneira::tool {

/// Bins by rank. A bin of one rank alone needs no further split by it.
struct rank_bins {
  std::vector<std::uint64_t> splitters;  ///< the first rank of every bin but the first
  std::vector<bool> one_rank;            ///< by bin

  [[nodiscard]] std::size_t count() const { return one_rank.size(); }
};

/// About `wanted` bins of equal size, by the ranks of a sample; a rank that fills half of such a bin gets its own, so
/// that every bin of several ranks is smaller than the whole.
inline rank_bins choose_bins(std::vector<std::uint64_t> sample, std::size_t wanted, std::uint64_t highest_rank) {
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

/// The temporary bytes of a multisplit.
inline std::size_t split_temporary(std::size_t n, std::size_t bins, std::size_t key_bytes, unsigned team) {
  multisplit_problem problem;
  problem.items = n;
  problem.bins = static_cast<std::uint32_t>(bins);
  problem.key_bytes = key_bytes;
  problem.offset_bytes = sizeof(std::uint64_t);
  return pn::detail::plan_multisplit(problem, host::here().with_threads(team), "").temporary_bytes + memory_alignment;
}

/// A block of numbers. Use: load them to data(); split(); fill() gives them bin by bin.
template <class U>
class split_numbers {
 public:
  static std::size_t need(const number_items<U>& /*kind*/, std::size_t n, std::size_t bins, unsigned team) {
    return 2 * pn::detail::workspace::footprint<U>(n) + split_temporary(n, bins, sizeof(U), team);
  }

  split_numbers(const number_items<U>& /*kind*/, unsigned team, work_memory& memory, std::size_t most)
      : team_(team), memory_(memory), in_(memory.take<U>(most)), out_(memory.take<U>(most)) {}

  char* data() { return reinterpret_cast<char*>(in_); }
  void split(std::size_t n, const rank_bins& bins, std::size_t /*window*/, std::vector<std::uint64_t>& offsets) {
    const std::vector<U> firsts(bins.splitters.begin(), bins.splitters.end());
    arena rest = memory_.rest();
    multisplit(cpu{.threads = team_, .memory = &rest}, items(static_cast<const U*>(in_), n), items(out_, n),
               splitters<U>(firsts), offsets);
  }
  void fill(char* to, std::size_t first, std::size_t count) const { std::memcpy(to, out_ + first, count * sizeof(U)); }

 private:
  unsigned team_;
  work_memory& memory_;
  U* in_;
  U* out_;
};

/// A block of records, in the same way: their positions are split.
class split_records {
 public:
  static std::size_t need(const record_items& kind, std::size_t n, std::size_t bins, unsigned team) {
    using pn::detail::workspace;
    return workspace::round_up(n * kind.bytes()) + 2 * workspace::footprint<std::uint32_t>(n) +
           split_temporary(n, bins, sizeof(std::uint32_t), team);
  }

  split_records(const record_items& kind, unsigned team, work_memory& memory, std::size_t most)
      : kind_(kind),
        team_(team),
        memory_(memory),
        records_(memory.take<char>(most * kind.bytes())),
        from_(memory.take<std::uint32_t>(most)),
        to_(memory.take<std::uint32_t>(most)) {
    std::iota(from_, from_ + most, 0U);
  }

  char* data() { return records_; }
  void split(std::size_t n, const rank_bins& bins, std::size_t window, std::vector<std::uint64_t>& offsets) {
    n_ = n;
    const splitters<std::uint64_t> by(bins.splitters);
    const auto bin = [&](std::uint32_t i) { return by(kind_.rank(records_ + i * kind_.bytes(), window)); };
    arena rest = memory_.rest();
    multisplit(cpu{.threads = team_, .memory = &rest}, items(static_cast<const std::uint32_t*>(from_), n),
               items(to_, n), binned{by.bins(), bin}, offsets);
  }
  void fill(char* to, std::size_t first, std::size_t count) const {
    gather_records(to, records_, kind_.bytes(), to_, n_, first, count);
  }

 private:
  const record_items& kind_;
  unsigned team_;
  work_memory& memory_;
  char* records_;
  std::uint32_t* from_;
  std::uint32_t* to_;
  std::size_t n_ = 0;
};

}  // namespace peneira::tool
