// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Frequent keys of a sort of keys alone over ranks: each rank counts its own, only the others travel, and every rank
// writes its share of the frequent ones from the counts of all.
//
//   in    5 5 1 9 5 7     5 is frequent, as the sample of all ranks says
//         ▼ a look into a table for each key
//   room  .  .  .  1 9 7  5: 3 times, of all ranks 8 times
//         ▼ split, cut, exchanged and sorted as any other keys; cuts know of the counted ones
//   out   5 5 7 9         this rank's share: so many of the counted ones lie between the others
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "peneira/ranks/in_order.hpp"
#include "peneira/sort/cpu/frequent.hpp"

namespace peneira::detail {

template <class K>
class frequent_keys {
 public:
  using number = bits_of<K>;

  explicit frequent_keys(const key_number<K>& of) : ranked_{of.by, of.part} {}

  /// Chooses them from the sample of all ranks, in order, so that all choose the same. False: too few to be worth it.
  /// That a key comes once more than it does elsewhere counts, as one that comes twice may be there by chance.
  bool choose(const std::vector<number>& sample) {
    std::size_t repeated = 0;
    for (std::size_t i = 1; i < sample.size(); ++i) repeated += sample[i] == sample[i - 1] ? 1U : 0U;
    if (!tuning::rank_counts(repeated, sample.size())) return false;
    table_.resize(frequent_slots);
    numbers_.resize(frequent_slots);
    until_.resize(frequent_slots);
    found_ = {table_.data(), numbers_.data(), until_.data()};
    std::vector<std::uint64_t> times(frequent_slots);
    const std::size_t known = found_.choose(
        sample.data(), sample.size(), [](number x) { return x; }, times.data());
    return tuning::rank_counts(known - found_.size, sample.size());
  }

  /// Counts this rank's, and leaves its other keys at the end of the room, which has room for as many as `in`. False:
  /// they are more than half of all, and what was done is of no use.
  bool sift(const cpu& here, view<const K, const no_value> in, view<K> room) {
    const std::size_t half = in.size / 2;
    const unsigned members = members_for(here, in.size);
    std::vector<std::uint64_t> counts(members * frequent_slots, 0);
    std::vector<std::size_t> others(members, 0);
    std::atomic<bool> fits{true};
    on_each(members, [&](unsigned m) {
      const auto [begin, end] = slice(in.size, m, members);
      const auto [to, stop] = slice(half, m, members);
      K* const rest = room.keys + (in.size - half) + to;
      std::uint64_t* const mine = counts.data() + m * frequent_slots;
      for (std::size_t i = begin; i < end; i += sifted_together) {
        const std::size_t size = std::min(sifted_together, end - i);
        if (others[m] + size > stop - to || !fits.load(std::memory_order_relaxed)) {
          fits = false;
          return;
        }
        others[m] += found_.filter_more(in.keys + i, size, ranked_, rest + others[m], mine);
      }
    });
    if (!fits) return false;
    found_.count(members, [&](unsigned m) { return counts.data() + m * frequent_slots; });
    rest_ = room.part(in.size - half, 0);
    for (unsigned m = 0; m < members; ++m) {
      const K* const theirs = room.keys + (in.size - half) + slice(half, m, members).first;
      if (theirs != rest_.keys + rest_.size) std::copy_n(theirs, others[m], rest_.keys + rest_.size);
      rest_.size += others[m];
    }
    return true;
  }
  /// The keys that are not counted, where they are.
  [[nodiscard]] view<const K, const no_value> rest() const { return {rest_.keys, nullptr, rest_.size}; }
  [[nodiscard]] counted_keys counted() const { return {numbers_.data(), until_.data(), found_.size}; }

  /// Adds up what all ranks have counted. A call of all ranks.
  template <transport Transport>
  void add_up(Transport& between) {
    between.sum_all(std::span<std::uint64_t>(until_).first(found_.size));
  }

  /// Writes a rank's share of all: its other keys, in order, and those of the counted ones that lie between. `first`
  /// and `last`: how many of the counted ones of all ranks come before it and before the next one.
  void write(const cpu& here, view<K> others, std::uint64_t first, std::uint64_t last, view<K> out) {
    for (std::size_t f = 0; f < found_.size; ++f) until_[f] = std::clamp(until_[f], first, last) - first;
    const unsigned members = members_for(here, out.size);
    on_each(members, [&](unsigned m) {
      const auto [begin, end] = slice(out.size, m, members);
      found_.write(others.keys, others.size, ranked_, begin, end, out.keys);
    });
  }

 private:
  static constexpr std::size_t sifted_together = 4096;

  part_rank<number> ranked_;
  std::vector<number> table_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint64_t> until_;
  frequent_ranks<number> found_;
  view<K> rest_{};
};

}  // namespace peneira::detail
