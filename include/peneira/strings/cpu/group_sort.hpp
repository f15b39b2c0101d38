// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One thread's part of a sort of strings: a group, whose strings agree up to a depth, by their cached words. A large
// group is split by its words' leading bits into the other of two arrays; a small one is sorted by insertion; strings
// of equal words that have not ended are a group again, deeper by the bytes that they have in common. Groups wait on a
// stack, so that no input makes the thread's own stack grow.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/strings/cpu/words.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// Strings that agree up to a depth, and whose places are a range.
struct string_group {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::size_t depth = 0;  ///< counts what a window left out; seven further on is where equal words go on
  bool other = false;     ///< which of the two arrays they are in
  bool stale = false;     ///< their words are of a lesser depth
};

/// By how many bits numbers up to `span` must be shifted to be below `most`, a power of two.
inline unsigned shift_to(std::uint64_t span, std::size_t most) {
  const auto bits = static_cast<unsigned>(std::bit_width(span));
  const auto wanted = static_cast<unsigned>(std::countr_zero(most));
  return bits > wanted ? bits - wanted : 0;
}

/// Bins by the leading bits of words between lo and hi; words beyond have a bin at either end.
struct word_bins {
  std::uint64_t lo = 0;
  unsigned shift = 0;
  std::uint32_t inner = 1;  ///< bins from lo to hi

  /// At most `most` bins between the two, which is a power of two.
  static word_bins between(std::uint64_t lo, std::uint64_t hi, std::size_t most) {
    const unsigned shift = shift_to(hi - lo, most);
    return {lo, shift, static_cast<std::uint32_t>((hi - lo) >> shift) + 1};
  }

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return inner + 2; }
  template <class Index>
  PENEIRA_HD std::uint32_t operator()(const cached_string<Index>& record) const {
    const std::uint64_t word = record.word;
    const std::uint64_t at = (word - lo) >> shift;
    return word < lo ? 0 : static_cast<std::uint32_t>(at < inner ? at : inner) + 1;
  }
  /// Whether the words of a bin are one.
  [[nodiscard]] bool exact(std::uint32_t bin) const { return shift == 0 && bin != 0 && bin <= inner; }
};

template <class Words, class Index>
class group_sorter {
 public:
  using record = cached_string<Index>;
  static constexpr std::size_t by_insertion = tuning::cpu_string_insertion;

  /// `waiting` has room for half as many groups as there are strings in one, `counts` for cpu_string_bins + 1 numbers.
  group_sorter(const Words& read, record* const (&sides)[2], Index* permutation, string_group* waiting,
               std::uint32_t* counts)
      : read_(read), sides_{sides[0], sides[1]}, permutation_(permutation), waiting_(waiting), counts_(counts) {}

  void operator()(const string_group& all) {
    std::size_t depth = 0;
    waiting_[depth++] = all;
    while (depth != 0) {
      top_ = waiting_ + depth - 1;
      look_ahead(depth);
      const string_group g = *top_;
      sort_one(g);
      depth = static_cast<std::size_t>(top_ - waiting_);
    }
  }

 private:
  [[nodiscard]] record* at(const string_group& g) const { return sides_[g.other ? 1 : 0] + g.begin; }

  /// Sorts a group, but for the groups within it, which it leaves on the stack in its stead.
  void sort_one(string_group g) {
    record* const records = at(g);
    if (g.stale) refill(g, records);
    if (g.size <= by_insertion) {
      insert_all(records, g.size);
      finish(g, records);
      return;
    }
    std::uint64_t lo = records[0].word;
    std::uint64_t hi = lo;
    for (std::size_t i = 1; i < g.size; ++i) {
      const std::uint64_t word = records[i].word;
      lo = std::min(lo, word);
      hi = std::max(hi, word);
    }
    if (lo == hi) {
      finish_equal(g, records);
      return;
    }
    split(g, records, lo, hi);
  }

  /// Asks for the strings of groups that are soon to be sorted: first where they start, then what is there.
  void look_ahead(std::size_t depth) const {
    constexpr std::size_t far = 8;
    constexpr std::size_t near = 4;
    constexpr std::size_t strings = 16;
    const auto each = [&](std::size_t below, auto&& ask) {
      if (depth <= below) return;
      const string_group& g = waiting_[depth - 1 - below];
      if (!g.stale) return;
      const record* const records = at(g);
      for (std::size_t i = 0; i < std::min(g.size, strings); ++i) ask(records[i].index, g.depth);
    };
    each(far, [&](std::size_t i, std::size_t /*depth*/) { read_.prefetch_start(i); });
    each(near, [&](std::size_t i, std::size_t from) { read_.prefetch_bytes(i, from); });
  }

  void refill(string_group& g, record* records) {
    const std::size_t first = records[0].index;
    const string_window guess = guess_window(read_, records, g.size, g.depth);
    const std::size_t seen = g.size <= window_looks ? guess.depth : g.depth;
    auto [window, done] = refill_words(read_, records, g.size, first, seen, guess);
    if (!done) refill_words(read_, records, g.size, first, window.depth, window);
    g.depth = window.depth + window.gap;
    g.stale = false;
  }

  static void insert_all(record* records, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
      const record moving = records[i];
      std::size_t to = i;
      for (; to > 0 && records[to - 1].word > moving.word; --to) records[to] = records[to - 1];
      records[to] = moving;
    }
  }

  void split(const string_group& g, const record* records, std::uint64_t lo, std::uint64_t hi) {
    const std::size_t wanted = std::clamp<std::size_t>(std::bit_ceil(g.size) / 4, 16, tuning::cpu_string_bins);
    const unsigned shift = shift_to(hi - lo, wanted);
    const std::size_t used = ((hi - lo) >> shift) + 1;
    std::uint32_t* const counts = counts_;
    std::fill_n(counts, used + 1, 0U);
    for (std::size_t i = 0; i < g.size; ++i) ++counts[((records[i].word - lo) >> shift) + 1];
    for (std::size_t b = 1; b < used; ++b) counts[b + 1] += counts[b];
    record* const to = sides_[g.other ? 0 : 1] + g.begin;
    for (std::size_t i = 0; i < g.size; ++i) to[counts[(records[i].word - lo) >> shift]++] = records[i];
    std::size_t begin = 0;
    for (std::size_t b = 0; b < used; ++b) {
      const std::size_t end = counts[b];
      if (begin == end) continue;
      const string_group part{g.begin + begin, end - begin, g.depth, !g.other, false};
      if (part.size == 1) {
        permutation_[part.begin] = to[begin].index;
      } else if (shift == 0) {
        finish_equal(part, to + begin);
      } else if (part.size <= by_insertion) {
        insert_all(to + begin, part.size);
        finish(part, to + begin);
      } else {
        *top_++ = part;
      }
      begin = end;
    }
  }

  /// Strings in the order of their words: those of equal words are left to do.
  void finish(const string_group& g, const record* records) {
    for (std::size_t begin = 0; begin < g.size;) {
      const std::uint64_t word = records[begin].word;
      std::size_t end = begin + 1;
      while (end < g.size && records[end].word == word) ++end;
      if (end - begin == 1) {
        permutation_[g.begin + begin] = records[begin].index;
      } else {
        finish_equal({g.begin + begin, end - begin, g.depth, g.other, false}, records + begin);
      }
      begin = end;
    }
  }

  /// Strings of one word: either they are equal, or a deeper group.
  void finish_equal(const string_group& g, const record* records) {
    if (read_.ended(records[0].word)) {
      for (std::size_t i = 0; i < g.size; ++i) permutation_[g.begin + i] = records[i].index;
    } else {
      *top_++ = {g.begin, g.size, g.depth + word_bytes, g.other, true};
    }
  }

  Words read_;
  record* sides_[2];
  Index* permutation_;
  string_group* waiting_;
  std::uint32_t* counts_;
  string_group* top_ = nullptr;
};

}  // namespace peneira::detail
