// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// First by keys, which sort_strings does; then lines with equal keys by all their bytes.
#include "tools/peneira/sort/text/order.hpp"

#include <algorithm>
#include <mutex>
#include <string_view>
#include <vector>

#include "peneira/cpu/team.hpp"
#include "peneira/strings/cpu/line_words.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/sort/text/ties.hpp"

namespace peneira::tool {
namespace {

struct run_of_rows {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Sorts rows whose keys are equal by their lines.
template <class Offset>
class tie_breaker {
 public:
  tie_breaker(const text_chunk& chunk, const chunk_starts<Offset>& starts, const sort_text_options& o, unsigned team,
              std::uint32_t* rows)
      : chunk_(chunk),
        lines_(chunk.all_lines(starts)),
        keys_(chunk.all_keys(starts)),
        descending_(o.reverse),
        ties_(o),
        team_(team),
        rows_(rows) {}

  void run() {
    constexpr std::size_t least = std::size_t{1} << 12U;
    const std::size_t size = lines_.size;
    const auto members = static_cast<unsigned>(std::clamp<std::size_t>(size / least, 1, team_));
    std::vector<run_of_rows> large;
    std::mutex mutex;
    // A run belongs to the thread in whose slice it begins. All find their first one before any of them moves a row,
    // and look at no row of the next thread's.
    std::vector<std::size_t> firsts(members + std::size_t{1}, size);
    pn::detail::on_each(members, [&](unsigned m) {
      const std::size_t begin = pn::detail::slice(size, m, members).first;
      firsts[m] = begin == 0 ? 0 : end_of_run(begin - 1, size);
    });
    pn::detail::on_each(members, [&](unsigned m) {
      for (std::size_t at = firsts[m]; at < firsts[m + 1];) {
        const run_of_rows one{at, end_of_run(at, firsts[m + 1])};
        at = one.end;
        if (one.size() == 1 || all_alike(one)) continue;
        if (one.size() <= most_alone) {
          sort_alone(one);
        } else {
          const std::lock_guard lock(mutex);
          large.push_back(one);
        }
      }
    });
    for (const run_of_rows& one : large) sort_together(one);
  }

 private:
  static constexpr std::size_t most_alone = std::size_t{1} << 15U;  ///< rows that one thread sorts

  /// A line with the first of its bytes that can differ, as a number.
  struct cached_line {
    std::uint64_t bytes;
    std::uint32_t row;
  };

  /// The end of the rows from `first` on that have the same key, at most `last`.
  [[nodiscard]] std::size_t end_of_run(std::size_t first, std::size_t last) const {
    std::size_t at = first + 1;
    while (at < last && chunk_.same_key(keys_, rows_[first], rows_[at])) ++at;
    return at;
  }

  [[nodiscard]] bool all_alike(const run_of_rows& one) const {
    const std::string_view first = lines_[rows_[one.begin]];
    return std::all_of(rows_ + one.begin + 1, rows_ + one.end, [&](std::uint32_t row) { return lines_[row] == first; });
  }

  /// Whether a line comes first, of which so many bytes are the same.
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b, std::size_t depth) const {
    if (ties_.by_locale()) return ties_.compare(lines_[a], lines_[b]) < 0;
    const int order = lines_[a].substr(depth).compare(lines_[b].substr(depth));
    return descending_ ? order > 0 : order < 0;
  }

  /// Sorts items by what comes before what. Lines that a locale takes for equal keep their order; and its order is not
  /// always one, which only a stable sort survives.
  template <class Item, class Less>
  void sort_items(Item* first, Item* last, const Less& less) const {
    ties_.by_locale() ? std::stable_sort(first, last, less) : std::sort(first, last, less);
  }

  void sort_alone(const run_of_rows& one) const {
    sort_items(rows_ + one.begin, rows_ + one.end,
               [this](std::uint32_t a, std::uint32_t b) { return before(a, b, 0); });
  }

  [[nodiscard]] std::uint64_t bytes_at(std::string_view line, std::size_t depth) const {
    if (ties_.by_locale()) return 0;
    std::uint64_t bytes = 0;
    for (std::size_t i = depth; i < std::min(line.size(), depth + 8); ++i) {
      bytes |= std::uint64_t{static_cast<unsigned char>(line[i])} << (8 * (7 - (i - depth)));
    }
    return descending_ ? ~bytes : bytes;
  }

  /// The length of the prefix that all lines of a run share.
  [[nodiscard]] std::size_t shared_prefix(const run_of_rows& one) const {
    const std::string_view first = lines_[rows_[one.begin]];
    std::size_t shared = first.size();
    for (std::size_t i = one.begin + 1; i < one.end && shared > 0; ++i) {
      const std::string_view line = lines_[rows_[i]];
      const auto differ = std::mismatch(line.begin(), line.begin() + std::min(shared, line.size()), first.begin());
      shared = static_cast<std::size_t>(differ.first - line.begin());
    }
    return shared;
  }

  void sort_together(const run_of_rows& one) {
    const std::size_t depth = shared_prefix(one);
    const auto less = [&](const cached_line& a, const cached_line& b) {
      if (a.bytes != b.bytes) return a.bytes < b.bytes;
      return before(a.row, b.row, depth);
    };
    const std::size_t size = one.size();
    cached_.reserve(size);
    const auto edge = [&](unsigned part) { return size * part / team_; };
    pn::detail::on_each(team_, [&](unsigned m) {
      poll_interrupt();
      for (std::size_t i = edge(m); i < edge(m + 1); ++i) {
        const std::uint32_t row = rows_[one.begin + i];
        cached_[i] = {bytes_at(lines_[row], depth), row};
      }
      sort_items(cached_.data() + edge(m), cached_.data() + edge(m + 1), less);
    });
    for (unsigned width = 1; width < team_; width *= 2) {
      const unsigned pairs = (team_ + 2 * width - 1) / (2 * width);
      pn::detail::on_each(pairs, [&](unsigned p) {
        const unsigned first = 2 * width * p;
        cached_line* const at = cached_.data();
        std::inplace_merge(at + edge(first), at + edge(std::min(first + width, team_)),
                           at + edge(std::min(first + 2 * width, team_)), less);
      });
    }
    for (std::size_t i = 0; i < size; ++i) rows_[one.begin + i] = cached_[i].row;
  }

  const text_chunk& chunk_;
  strings<Offset> lines_;
  strings<Offset> keys_;
  bool descending_;
  tie_order ties_;
  unsigned team_;
  std::uint32_t* rows_;
  paged_array<cached_line> cached_;
};

}  // namespace

std::size_t bytes_to_order(std::size_t lines, const sort_text_options& o, unsigned team, bool wide) {
  if (lines < 2) return 0;
  // A sort of strings has the same records, and gives the lines' numbers.
  const bool rows = !o.keys.empty() || o.where == sort_text_options::place::gpu;
  const bool narrow = rows || !wide;
  const std::size_t temporary = narrow ? pn::detail::bytes_to_sort_lines<std::uint32_t>(lines, team)
                                       : pn::detail::bytes_to_sort_lines<std::uint64_t>(lines, team);
  return temporary + (rows ? lines * sizeof(std::uint32_t) : 0);
}

bool order_lines(text_chunk& chunk, const sort_text_options& o, unsigned team, sort_place& where,
                 paged_array<std::uint32_t>& rows) {
  return chunk.with_starts([&]<class Offset>(chunk_starts<Offset>& starts) {
    const strings<Offset> all = chunk.all_keys(starts);
    if (!chunk.has_keys && !where.is_gpu(chunk.lines, chunk.line_bytes())) {
      pn::detail::sort_lines(pn::cpu{.threads = team}, {chunk.text.data(), chunk.line_bytes()}, o.terminator,
                             starts.lines.data(), chunk.lines, o.reverse);
      return false;
    }
    rows.reserve(chunk.lines);
    const tie_order ties(o);
    // Lines that are equal as a whole cannot be told from each other, where bytes order them.
    const bool stable = chunk.has_keys && (!ties.any() || ties.by_locale());
    const pn::order equal = stable ? pn::order::stable : pn::order::any;
    // Where there are keys, they say themselves what is reversed.
    where.sort(all, rows.data(), {.descending = !chunk.has_keys && o.reverse, .equal_strings = equal});
    poll_interrupt();
    if (ties.any()) tie_breaker<Offset>(chunk, starts, o, team, rows.data()).run();
    return true;
  });
}

}  // namespace peneira::tool
