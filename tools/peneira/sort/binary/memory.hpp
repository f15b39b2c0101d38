// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of items that are in memory. Numbers are sorted themselves. Of records the ranks are, each with the record's
// position; those that tie are sorted by what follows in their keys, and no record moves before it is written.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "peneira/host.hpp"
#include "peneira/sort.hpp"
#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/sort/binary/items.hpp"
#include "tools/peneira/sort/binary/sort.hpp"
#include "tools/peneira/sort/binary/work_memory.hpp"

namespace peneira::tool {

/// The temporary bytes of a sort in place. The standard library's own, which a plan does not know, are assumed.
inline std::size_t sort_temporary(std::size_t n, std::size_t key_bytes, std::size_t value_bytes,
                                  const sort_request& o) {
  const sort_problem problem{n,
                             key_bytes,
                             value_bytes,
                             0,
                             static_cast<unsigned>(8 * key_bytes),
                             value_bytes == 0 ? order::any : order::stable,
                             true};
  const host machine = host::here().with_threads(o.team());
  const auto choose = [&] { return pn::detail::choose_sort(problem, machine); };
  const plan made =
      pn::detail::plan_by<sort_cpu_strategies>("sort", problem, machine, pn::detail::asked_or(o.strategy, choose));
  return std::max(made.temporary_bytes + memory_alignment, n * (key_bytes + value_bytes));
}

/// Ends a sort whose -S is too small for so many items.
[[noreturn]] inline void refuse_memory(std::uint64_t limit, std::size_t count, std::size_t item_bytes) {
  throw std::runtime_error(fmt::format("{} of memory is too little to sort {} items of {} bytes; a larger -S allows it",
                                       print_bytes(static_cast<double>(limit)), count, item_bytes));
}

/// Numbers in memory. Use: begin() with their number; a member of the team loads parts to room() and calls loaded();
/// sort(); fill() gives them in order.
template <class U>
class sorted_numbers {
 public:
  /// Takes its arrays from `memory`, which need not be there yet.
  sorted_numbers(const number_items<U>& kind, const sort_request& o, work_memory& memory, phase_times& times)
      : kind_(kind), o_(o), memory_(memory), times_(times) {}

  /// Bytes of memory for so many.
  [[nodiscard]] std::size_t need(std::size_t n) const {
    return pn::detail::workspace::footprint<U>(n) + sort_temporary(n, sizeof(U), 0, o_);
  }
  [[nodiscard]] bool fits(std::size_t n, std::size_t bytes) const { return need(n) <= bytes; }
  /// Throws, as it takes so few at a time that a file of `count` would never be done.
  [[noreturn]] void refuse(std::uint64_t limit, std::size_t count) const { refuse_memory(limit, count, kind_.bytes()); }

  void begin(std::size_t n) {
    n_ = n;
    items_ = memory_.take<U>(n);
  }
  char* room(unsigned /*member*/, std::size_t first) { return reinterpret_cast<char*>(items_ + first); }
  void loaded(unsigned /*member*/, std::size_t /*first*/, std::size_t /*count*/, std::size_t /*window*/) {}
  void sort(std::size_t /*window*/) {
    const phase_times::scope computing(times_, phase::computing, n_ * sizeof(U), times_.team());
    spare_memory rest = memory_.rest();
    pn::sort(cpu{.threads = o_.team(), .memory = &rest}, items(items_, n_), {.strategy = o_.strategy});
  }
  void fill(unsigned /*member*/, char* to, std::size_t first, std::size_t count) const {
    const phase_times::scope computing(times_, phase::computing);
    std::memcpy(to, items_ + first, count * sizeof(U));
    kind_.release(to, count);
  }

 private:
  const number_items<U>& kind_;
  const sort_request& o_;
  work_memory& memory_;
  phase_times& times_;
  std::size_t n_ = 0;
  U* items_ = nullptr;
};

/// Records in memory, of which there are less than 2^32.
class sorted_records {
 public:
  sorted_records(const record_items& kind, const sort_request& o, work_memory& memory, phase_times& times)
      : kind_(kind), o_(o), memory_(memory), times_(times) {}

  [[nodiscard]] std::size_t need(std::size_t n) const {
    using pn::detail::workspace;
    if (n > std::numeric_limits<std::uint32_t>::max()) return std::numeric_limits<std::size_t>::max();
    return workspace::round_up(n * kind_.bytes()) + workspace::footprint<std::uint64_t>(n) +
           workspace::footprint<std::uint32_t>(n) + sort_temporary(n, 8, 4, o_);
  }
  [[nodiscard]] bool fits(std::size_t n, std::size_t bytes) const { return need(n) <= bytes; }
  /// Throws, as it takes so few at a time that a file of `count` would never be done.
  [[noreturn]] void refuse(std::uint64_t limit, std::size_t count) const { refuse_memory(limit, count, kind_.bytes()); }

  void begin(std::size_t n) {
    n_ = n;
    records_ = memory_.take<char>(n * kind_.bytes());
    ranks_ = memory_.take<std::uint64_t>(n);
    positions_ = memory_.take<std::uint32_t>(n);
  }
  char* room(unsigned /*member*/, std::size_t first) { return records_ + first * kind_.bytes(); }
  /// Records [first, first + count) are there, and in the cache still.
  void loaded(unsigned /*member*/, std::size_t first, std::size_t count, std::size_t window) {
    for (std::size_t i = first; i < first + count; ++i) ranks_[i] = kind_.rank(record(i), window);
    std::iota(positions_ + first, positions_ + first + count, static_cast<std::uint32_t>(first));
  }

  void sort(std::size_t window) {
    const phase_times::scope computing(times_, phase::computing, n_ * kind_.bytes(), times_.team());
    std::vector<tie> ties{{0, n_, window}};
    for (bool ranked = true; !ties.empty(); ranked = false) {
      const tie one = ties.back();
      ties.pop_back();
      if (!ranked) rank_again(one);
      spare_memory rest = memory_.rest();
      pn::sort(cpu{.threads = o_.team(), .memory = &rest}, pairs(ranks_ + one.first, positions_ + one.first, one.count),
               {.strategy = o_.strategy});
      poll_interrupt();
      if (kind_.goes_on_after(one.window)) break_ties(one, ties);
    }
  }

  void fill(unsigned /*member*/, char* to, std::size_t first, std::size_t count) const {
    const phase_times::scope computing(times_, phase::computing);
    kind_.gather(to, records_, positions_, n_, first, count);
  }

 private:
  /// Records whose keys agree before a window.
  struct tie {
    std::size_t first;
    std::size_t count;
    std::size_t window;
  };
  static constexpr std::size_t compared_at_most = 4096;  ///< larger ties are worth a sort by all threads

  [[nodiscard]] const char* record(std::size_t i) const { return records_ + i * kind_.bytes(); }

  void rank_again(const tie& one) {
    on_slices(o_.team(), one.count, [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
      for (std::size_t i = one.first + begin; i < one.first + end; ++i) {
        ranks_[i] = kind_.rank(record(positions_[i]), one.window);
      }
    });
  }

  /// Sorts the short runs of equal ranks and puts the long ones on the list.
  void break_ties(const tie& among, std::vector<tie>& to) {
    std::vector<std::vector<tie>> found(o_.team());
    const std::size_t last = among.first + among.count;
    on_slices(o_.team(), among.count, [&](unsigned m, std::size_t begin, std::size_t end) {
      std::size_t i = among.first + begin;
      // A run belongs to the thread in whose slice it begins.
      while (begin != 0 && i < last && ranks_[i] == ranks_[i - 1]) ++i;
      while (i < among.first + end) {
        std::size_t next = i + 1;
        while (next < last && ranks_[next] == ranks_[i]) ++next;
        const tie run{i, next - i, among.window + 1};
        if (run.count > compared_at_most) {
          found[m].push_back(run);
        } else if (run.count > 1) {
          std::stable_sort(positions_ + i, positions_ + next, [&](std::uint32_t a, std::uint32_t b) {
            return kind_.less(record(a), record(b), run.window);
          });
        }
        i = next;
      }
    });
    for (const std::vector<tie>& some : found) to.insert(to.end(), some.begin(), some.end());
  }

  const record_items& kind_;
  const sort_request& o_;
  work_memory& memory_;
  phase_times& times_;
  std::size_t n_ = 0;
  char* records_ = nullptr;
  std::uint64_t* ranks_ = nullptr;
  std::uint32_t* positions_ = nullptr;
};

}  // namespace peneira::tool
