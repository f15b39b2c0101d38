// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the items of all ranks are cut so that every rank gets exactly its share of the sorted order.
//
//   sample of all keys --quantiles--> two splitters around each cut --count--> the bin that each cut lies in
//   that bin alone, sorted by each rank: up to 255 pivots a round, counted by all ranks --> the key at the cut
//   items with that key are cut by rank and position, so that equal keys keep their order
//
// A splitter that the sample repeats has a bin of its own (cut_bins.hpp). So keys that repeat are cut without further
// ado, whatever the input; and of keys that do not, a bin that holds a cut has a few of a hundred items. Nothing is
// ever shifted afterwards: shares are exact. The pivots follow the exact splitting of multiway merge sort (Varman,
// Scheufler, Iyer, Ricard: Merging multiple lists on hierarchical-memory multiprocessors, 1991).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "peneira/hash.hpp"
#include "peneira/ranks/cut_bins.hpp"
#include "peneira/ranks/transport.hpp"
#include "peneira/tuning/ranks.hpp"

namespace peneira::detail {

/// Sizes of an array that all ranks have a part of.
struct rank_sizes {
  std::vector<std::size_t> begins;  ///< of each rank's part, and behind them the size of the whole

  [[nodiscard]] std::size_t all() const { return begins.back(); }
};

template <transport Transport>
rank_sizes sizes_of(Transport& between, std::size_t mine) {
  const std::vector<std::size_t> sizes = gather_values(between, mine);
  rank_sizes found{std::vector<std::size_t>(sizes.size() + 1, 0)};
  std::inclusive_scan(sizes.begin(), sizes.end(), found.begins.begin() + 1);
  return found;
}

/// Which of a rank's items is the i-th of its part of a sample: at random in parts of equal size, so that it is the
/// same for the same input.
PENEIRA_HD constexpr std::size_t sample_place(std::size_t i, std::size_t count, std::size_t items) {
  const std::size_t begin = i * items / count;
  const std::size_t end = (i + 1) * items / count;
  return begin + mix64(std::uint64_t{i} ^ items) % (end - begin);
}

/// A sample of the keys of all ranks, as numbers in order, for so many cuts. take(numbers) fills this rank's part of it
/// from the keys at the sample's places.
template <class Number, transport Transport, class Take>
std::vector<Number> sample_all(Transport& between, const rank_sizes& in, std::size_t cuts, const Take& take) {
  const unsigned ranks = between.ranks();
  const std::size_t wanted = tuning::rank_sample(cuts, in.all() / ranks);
  const auto begin_of = [&](unsigned r) {  // of the sample's keys that come from a rank: as its items are of all
    if (in.all() <= wanted) return in.begins[r];
    return static_cast<std::size_t>(static_cast<double>(in.begins[r]) / static_cast<double>(in.all()) *
                                    static_cast<double>(wanted));
  };
  std::vector<std::size_t> counts(ranks);
  for (unsigned r = 0; r < ranks; ++r) {
    counts[r] = std::min(begin_of(r + 1) - begin_of(r), in.begins[r + 1] - in.begins[r]);
  }
  std::vector<Number> mine(counts[between.rank()]);
  take(mine);
  std::vector<Number> all = gather_arrays<Number>(between, mine, counts);
  std::sort(all.begin(), all.end());
  return all;
}

/// The same of keys that the host can read.
template <transport Transport, class K>
std::vector<bits_of<K>> sample_all(Transport& between, const K* keys, const rank_sizes& in, const key_number<K>& of,
                                   std::size_t cuts) {
  const std::size_t n = in.begins[between.rank() + 1] - in.begins[between.rank()];
  return sample_all<bits_of<K>>(between, in, cuts, [&](std::vector<bits_of<K>>& mine) {
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = of(keys[sample_place(i, mine.size(), n)]);
  });
}

/// Numbers of a sample around each place where `out` is cut: wide enough that the cut will nearly always lie between
/// the two. Where there are so many cuts that they would meet, numbers at equal distances.
template <class U>
std::vector<U> choose_splitters(const std::vector<U>& sample, const rank_sizes& out) {
  std::vector<U> chosen;
  const auto most = static_cast<double>(sample.size());
  const std::size_t cuts = out.begins.size() - 2;
  const double widest = tuning::rank_sample_deviations * std::sqrt(most) / 2 + 1;
  if (4 * widest * static_cast<double>(cuts) > most) {
    const std::size_t step = std::max<std::size_t>(1, sample.size() / (tuning::rank_bins_a_cut * (cuts + 1)));
    for (std::size_t i = step; i < sample.size(); i += step) chosen.push_back(sample[i]);
  } else {
    for (std::size_t c = 1; c <= cuts; ++c) {
      const double part = static_cast<double>(out.begins[c]) / static_cast<double>(out.all());
      const double half = tuning::rank_sample_deviations * std::sqrt(part * (1 - part) * most) + 1;
      for (const double place : {part * most - half, part * most + half}) {
        if (place >= 0 && place < most) chosen.push_back(sample[static_cast<std::size_t>(place)]);
      }
    }
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

/// The borders of bins: the splitters, and what follows on one that the sample repeats, which so has a bin of its own.
template <class U>
bin_borders<U> choose_borders(const std::vector<U>& sample, const rank_sizes& out) {
  std::vector<U> borders;
  for (const U x : choose_splitters(sample, out)) {
    const auto found = std::lower_bound(sample.begin(), sample.end(), x);
    const bool repeated = found + 1 < sample.end() && *(found + 1) == x;
    if (x != 0 && (borders.empty() || borders.back() != x)) borders.push_back(x);
    if (repeated && x != std::numeric_limits<U>::max()) borders.push_back(static_cast<U>(x + 1));
  }
  return bin_borders<U>(std::move(borders));
}

/// Where keys in ascending order are cut into the bins of cut_bins.
template <class K>
std::vector<std::uint64_t> bins_of_sorted(const K* keys, std::size_t n, const bin_borders<bits_of<K>>& borders,
                                          const key_number<K>& of) {
  std::vector<std::uint64_t> offsets{0};
  for (std::size_t j = 0; j < borders.size(); ++j) {
    const auto below = [&](const K& key) { return of(key) < borders[j]; };
    offsets.push_back(static_cast<std::uint64_t>(std::partition_point(keys + offsets.back(), keys + n, below) - keys));
  }
  offsets.push_back(n);
  return offsets;
}

/// Keys that a rank has counted and has not among its items: ascending numbers, and how many it has up to each.
struct counted_keys {
  const std::uint64_t* number = nullptr;
  const std::uint64_t* until = nullptr;
  std::size_t size = 0;

  /// Those with a number less than x.
  [[nodiscard]] std::uint64_t below(std::uint64_t x) const {
    const auto at = std::lower_bound(number, number + size, x) - number;
    return at == 0 ? 0 : until[at - 1];
  }
  [[nodiscard]] std::uint64_t up_to(std::uint64_t x) const {
    const auto at = std::upper_bound(number, number + size, x) - number;
    return at == 0 ? 0 : until[at - 1];
  }
};

/// A cut within a bin, while its key is looked for.
template <class U>
struct open_cut {
  std::size_t number;    ///< of the cut
  std::size_t bin;       ///< in which it lies
  std::uint64_t target;  ///< items of that bin, of all ranks, that come before it
  U low;                 ///< its key is one of these
  U high;
  bool found = false;  ///< that it is low
};

/// The distance of the pivots between which the key of a cut will be.
template <class U>
std::uint64_t pivot_step(const open_cut<U>& cut, std::uint64_t pivots) {
  return (static_cast<std::uint64_t>(cut.high) - cut.low) / (pivots + 1) + 1;
}
template <class U>
std::uint64_t pivots_of(const open_cut<U>& cut, std::uint64_t pivots) {
  return (static_cast<std::uint64_t>(cut.high) - cut.low) / pivot_step(cut, pivots);
}

/// One round: each open cut is left with a small part of the keys it could have. below(cut, x) is how many items of
/// this rank, where the cut lies, are less than x. Returns whether there was one still open.
template <transport Transport, class U, class Below>
bool narrow_cuts(Transport& between, std::vector<open_cut<U>>& open, const Below& below) {
  const auto closed = [](const open_cut<U>& cut) { return cut.found; };
  if (std::all_of(open.begin(), open.end(), closed)) return false;
  const std::uint64_t pivots = tuning::rank_pivots(open.size());
  std::vector<std::uint64_t> counts;
  for (const auto& cut : open) {
    if (cut.found) continue;
    const std::uint64_t step = pivot_step(cut, pivots);
    for (std::uint64_t i = 1; i <= pivots_of(cut, pivots); ++i) {
      counts.push_back(below(cut, static_cast<U>(cut.low + i * step)));
    }
  }
  between.sum_all(counts);
  const std::uint64_t* at = counts.data();
  for (auto& cut : open) {
    if (cut.found) continue;
    const std::uint64_t count = pivots_of(cut, pivots);
    const auto inside = static_cast<std::uint64_t>(std::upper_bound(at, at + count, cut.target) - at);
    const std::uint64_t step = pivot_step(cut, pivots);
    const bool exact = inside != 0 && at[inside - 1] == cut.target;
    if (inside != count) cut.high = static_cast<U>(cut.low + (inside + 1) * step - 1);
    cut.low = static_cast<U>(cut.low + inside * step);
    cut.found = exact || cut.low == cut.high;
    at += count;
  }
  return true;
}

/// Finds the cuts of one rank's items, which lie in bins.
template <transport Transport, class K>
class cut_finder {
 public:
  using number = bits_of<K>;

  /// Counted keys are among those that are cut, but in no bin here: where they lie it is for the caller to know.
  cut_finder(Transport& between, const K* keys, const std::vector<std::uint64_t>& offsets,
             const bin_borders<number>& borders, const key_number<K>& of, const counted_keys& counted = {})
      : between_(between),
        keys_(keys),
        offsets_(offsets),
        borders_(borders),
        of_(of),
        counted_(counted),
        begins_(offsets.size(), 0) {
    std::vector<std::uint64_t> counts(offsets.size() - 1);
    for (std::size_t b = 0; b < counts.size(); ++b) {
      counts[b] = size_of(b) + counted_.up_to(borders_.high(b, of_.most())) - counted_.below(borders_.low(b));
    }
    between_.sum_all(counts);
    std::inclusive_scan(counts.begin(), counts.end(), begins_.begin() + 1);
  }

  /// Where this rank's items are cut, by bins alone; a cut within a bin is put down as open.
  std::vector<std::uint64_t> cut_at_bins(const rank_sizes& out) {
    std::vector<std::uint64_t> cuts(out.begins.size());
    keys_at_.assign(cuts.size(), of_.most());
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      const auto behind = std::upper_bound(begins_.begin(), begins_.end(), std::uint64_t{out.begins[c]});
      const auto bin = static_cast<std::size_t>(behind - begins_.begin()) - 1;
      cuts[c] = offsets_[bin];
      if (bin < borders_.bins()) keys_at_[c] = borders_.low(bin);
      if (out.begins[c] != begins_[bin]) open_.push_back(opened(c, bin, out.begins[c] - begins_[bin]));
    }
    return cuts;
  }

  /// The bins that have to be sorted before refine(): those of several keys with a cut within.
  [[nodiscard]] std::vector<std::size_t> bins_to_sort() const {
    std::vector<std::size_t> bins;
    for (const auto& one : open_) {
      if (!one.found && (bins.empty() || bins.back() != one.bin)) bins.push_back(one.bin);
    }
    return bins;
  }

  /// Moves the open cuts before the key that they fall into, so that no key is on both sides of one.
  void refine_between_keys(std::vector<std::uint64_t>& cuts) {
    while (narrow()) {
    }
    for (const auto& cut : open_) cuts[cut.number] = offsets_[cut.bin] + held_below(cut, cut.low);
  }

  /// Moves the open cuts to where they belong.
  void refine(std::vector<std::uint64_t>& cuts) {
    while (narrow()) {
    }
    std::vector<std::uint64_t> less(open_.size());
    std::vector<std::uint64_t> equal(open_.size());
    std::vector<std::uint64_t> less_of_all(open_.size());
    for (std::size_t i = 0; i < open_.size(); ++i) {
      less[i] = held_below(open_[i], open_[i].low);
      less_of_all[i] = items_below(open_[i], open_[i].low);
      const bool last = open_[i].low == of_.most();
      const std::uint64_t upto =
          last ? size_of(open_[i].bin) : held_below(open_[i], static_cast<number>(open_[i].low + 1));
      equal[i] = upto - less[i];
    }
    std::vector<std::uint64_t> equal_before = equal;
    between_.sum_all(less_of_all);
    between_.sum_before(equal_before);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::uint64_t wanted = open_[i].target - less_of_all[i];  // of the equal ones of all ranks
      const std::uint64_t left = wanted > equal_before[i] ? wanted - equal_before[i] : 0;
      cuts[open_[i].number] = offsets_[open_[i].bin] + less[i] + std::min(left, equal[i]);
      keys_at_[open_[i].number] = open_[i].low;
    }
  }
  /// The number of the first key behind each cut, or a lower one that no key before the cut exceeds.
  [[nodiscard]] const std::vector<number>& keys_at() const { return keys_at_; }

 private:
  [[nodiscard]] open_cut<number> opened(std::size_t cut, std::size_t bin, std::uint64_t target) const {
    const number low = borders_.low(bin);
    const number high = borders_.high(bin, of_.most());
    return {cut, bin, target, low, high, low == high};
  }
  [[nodiscard]] std::uint64_t size_of(std::size_t bin) const { return offsets_[bin + 1] - offsets_[bin]; }
  /// Items of the cut's bin that lie on this rank and are less than a number.
  [[nodiscard]] std::uint64_t held_below(const open_cut<number>& cut, number x) const {
    const number low = borders_.low(cut.bin);
    if (low == borders_.high(cut.bin, of_.most())) return low < x ? size_of(cut.bin) : 0;  // of one key
    const K* const begin = keys_ + offsets_[cut.bin];
    const K* const end = keys_ + offsets_[cut.bin + 1];
    return static_cast<std::uint64_t>(std::partition_point(begin, end, [&](const K& key) { return of_(key) < x; }) -
                                      begin);
  }
  /// And with them those that were counted.
  [[nodiscard]] std::uint64_t items_below(const open_cut<number>& cut, number x) const {
    return held_below(cut, x) + counted_.below(x) - counted_.below(borders_.low(cut.bin));
  }
  bool narrow() {
    return narrow_cuts(between_, open_, [&](const open_cut<number>& cut, number x) { return items_below(cut, x); });
  }

  Transport& between_;
  const K* keys_;
  const std::vector<std::uint64_t>& offsets_;
  const bin_borders<number>& borders_;
  key_number<K> of_;
  counted_keys counted_;
  std::vector<std::uint64_t> begins_;  ///< of the bins, of all ranks
  std::vector<open_cut<number>> open_;
  std::vector<number> keys_at_;  ///< the cuts
};

}  // namespace peneira::detail
