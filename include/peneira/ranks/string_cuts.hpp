// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the strings of all ranks are cut so that every rank gets exactly its share of the sorted order. Each rank has
// sorted its own. A cut goes down the strings: what those around it have in common is skipped, the next 7 bytes are a
// number that is searched for as cuts.hpp does it, and the strings with that number are what is left. So no string goes
// to another rank before the cuts are known, and strings of any length cost as many bytes a round.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "peneira/ranks/cuts.hpp"
#include "peneira/strings/view.hpp"

namespace peneira::detail {

/// 7 bytes of a string as a number, first byte first, and behind them how many there are; 8: more. Strings with the
/// same number of at most 7 are equal from here on.
inline std::uint64_t first_word(std::string_view rest) {
  std::uint64_t word = 0;
  for (std::size_t b = 0; b < 7; ++b) word = word << 8U | (b < rest.size() ? static_cast<unsigned char>(rest[b]) : 0U);
  return word << 8U | std::min<std::uint64_t>(rest.size(), 8);
}

/// A cut, and what is known of where it lies.
struct string_cut {
  std::size_t number;
  std::uint64_t begin;   ///< this rank's strings that it lies among
  std::uint64_t end;     ///< to before this one
  std::size_t depth;     ///< bytes that these have in common with those of all ranks
  std::uint64_t target;  ///< how many of all ranks' come before it
};

template <transport Transport, class Offset, class Index>
class string_cut_finder {
 public:
  /// Of strings whose order is known.
  string_cut_finder(Transport& between, const strings<Offset>& all, const std::vector<Index>& order, bool descending)
      : between_(between), all_(all), order_(order), descending_(descending) {}

  /// Where they are cut.
  std::vector<std::uint64_t> find(const rank_sizes& to) {
    cuts_.assign(to.begins.size(), 0);
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      if (to.begins[c] == to.all()) {
        cuts_[c] = order_.size();
      } else if (to.begins[c] != 0) {
        open_.push_back({c, 0, order_.size(), 0, to.begins[c]});
      }
    }
    while (!open_.empty()) {
      while (skip()) {
      }
      settle(search());
    }
    return cuts_;
  }

 private:
  static constexpr std::size_t some = tuning::rank_common_bytes;
  static constexpr std::uint64_t differs = 1000;  ///< no byte

  [[nodiscard]] std::string_view rest(std::uint64_t i, std::size_t depth) const {
    return all_[order_[i]].substr(depth);
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t i, std::size_t depth) const {
    return descending_ ? ~first_word(rest(i, depth)) : first_word(rest(i, depth));
  }
  /// How many strings of this rank that a cut lies among have a lesser word.
  [[nodiscard]] std::uint64_t below(const string_cut& cut, std::uint64_t x) const {
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(cut.begin);
    const auto last = order_.begin() + static_cast<std::ptrdiff_t>(cut.end);
    const auto less = [&](Index i) {
      const std::uint64_t w = first_word(all_[i].substr(cut.depth));
      return (descending_ ? ~w : w) < x;
    };
    return static_cast<std::uint64_t>(std::partition_point(first, last, less) - first);
  }

  /// Skips up to `some` bytes that all strings around a cut have in common. Returns whether there may be more.
  bool skip() {
    // Numbers of all ranks are equal where the square of their sum is their number times the sum of their squares.
    std::vector<std::uint64_t> sums(open_.size() * (2 * some + 1), 0);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      std::uint64_t* const at = sums.data() + i * (2 * some + 1);
      const string_cut& cut = open_[i];
      if (cut.begin == cut.end) continue;
      const std::string_view first = rest(cut.begin, cut.depth);
      const std::string_view last = rest(cut.end - 1, cut.depth);
      at[0] = 1;
      bool common = true;
      for (std::size_t b = 0; b < some; ++b) {
        common = common && b < first.size() && b < last.size() && first[b] == last[b];
        const std::uint64_t x = common ? static_cast<unsigned char>(first[b]) : differs;
        at[1 + 2 * b] = x;
        at[2 + 2 * b] = x * x;
      }
    }
    between_.sum_all(sums);
    bool more = false;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::uint64_t* const at = sums.data() + i * (2 * some + 1);
      std::size_t b = 0;
      while (b < some && at[1 + 2 * b] < differs * at[0] && at[1 + 2 * b] * at[1 + 2 * b] == at[0] * at[2 + 2 * b]) ++b;
      open_[i].depth += b;
      more = more || b == some;
    }
    return more;
  }

  /// The word at each open cut.
  std::vector<open_cut<std::uint64_t>> search() {
    std::vector<open_cut<std::uint64_t>> words;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      words.push_back({i, 0, open_[i].target, 0, ~std::uint64_t{0}, false});
    }
    const auto less = [&](const open_cut<std::uint64_t>& cut, std::uint64_t x) { return below(open_[cut.number], x); };
    while (narrow_cuts(between_, words, less)) {
    }
    return words;
  }

  /// Closes cuts at their words, where these tell all, and leaves the others the strings with that word.
  void settle(const std::vector<open_cut<std::uint64_t>>& words) {
    std::vector<std::uint64_t> less(open_.size());
    std::vector<std::uint64_t> equal(open_.size());
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::uint64_t x = words[i].low;
      less[i] = below(open_[i], x);
      equal[i] = (x == ~std::uint64_t{0} ? open_[i].end - open_[i].begin : below(open_[i], x + 1)) - less[i];
    }
    std::vector<std::uint64_t> less_of_all = less;
    std::vector<std::uint64_t> before = equal;
    between_.sum_all(less_of_all);
    between_.sum_before(before);
    std::vector<string_cut> left;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      string_cut cut = open_[i];
      const std::uint64_t word = descending_ ? ~words[i].low : words[i].low;
      cut.target -= less_of_all[i];
      cut.begin += less[i];
      cut.end = cut.begin + equal[i];
      if (cut.target != 0 && (word & 0xFFU) > 7) {
        cut.depth += 7;
        left.push_back(cut);
      } else {
        cuts_[cut.number] = cut.begin + std::min(cut.target > before[i] ? cut.target - before[i] : 0, equal[i]);
      }
    }
    open_ = std::move(left);
  }

  Transport& between_;
  strings<Offset> all_;
  const std::vector<Index>& order_;
  bool descending_;
  std::vector<std::uint64_t> cuts_;
  std::vector<string_cut> open_;
};

}  // namespace peneira::detail
