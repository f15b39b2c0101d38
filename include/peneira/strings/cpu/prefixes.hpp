// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// prefixes: partition by cached words, deeper only where strings still agree.
//
//   strings --7 bytes of each, after what all have in common, beside its number--> records
//   records --all threads: split by the words' leading bits--> bins
//   bins    --each by one thread, in cache--> runs of equal words --7 bytes further on--> ... --> permutation
//   a bin that holds a large part of everything is split again by all threads
//   strings that are in order already, or in strictly the opposite one, are left at that
//
// A string is touched once for every seven bytes that it takes to tell it from the others, not counting bytes that its
// whole group shares, which are skipped at once; and in input order within its group, since every split is stable.
// 12 bytes of record a string and array (16 with 64-bit numbers), two arrays.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <numeric>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/strategy.hpp"
#include "peneira/strings/cpu/group_sort.hpp"
#include "peneira/strings/cpu/words.hpp"
#include "peneira/strings/problem.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

namespace detail {

template <>
inline constexpr bool never_misses<word_bins> = true;

/// How a team sorts strings.
struct string_team_parameters {
  std::size_t items = 0;
  std::size_t record_bytes = 0;
  unsigned threads = 1;
  std::size_t task = 0;
  std::optional<step> cache_words;  ///< this and the next: where there are more strings than a task has
  std::optional<step> split;
  step sort_bins;

  using self = string_team_parameters;
  static constexpr std::tuple fields{
      field{&self::threads, "threads", "that work together"},
      field{&self::task, "strings a task", "that one thread sorts by itself, at most"},
      members{&self::cache_words, &self::split, &self::sort_bins},
  };
};

/// The sizes of a team's sort, whatever its words are.
struct string_team_sizes {
  static constexpr std::uint32_t most_bins = tuning::cpu_string_bins + 2;
  using parameters = string_team_parameters;

  static parameters decide(std::size_t items, std::size_t record_bytes, const host& machine) {
    const std::size_t useful = std::max<std::size_t>(1, items / tuning::cpu_string_task);
    const std::size_t threads = std::min<std::size_t>(useful, machine.threads);
    const std::size_t task = std::max(items / threads / tuning::cpu_string_tasks, tuning::cpu_string_task);
    parameters p;
    p.items = items;
    p.record_bytes = record_bytes;
    p.threads = static_cast<unsigned>(threads);
    p.task = std::min(items, task);
    if (items > task) {
      const bool stream = shape_of(most_bins, items, record_bytes).stream;
      p.cache_words = {"cache words", threads};
      p.split = {"split", threads, 1, most_split_buffer_bytes(most_bins, record_bytes, 0, stream)};
    }
    p.sort_bins = {"sort bins", threads, 1, own_bytes(p.task)};
    return p;
  }

  struct arrays {
    void* sides[2];          ///< the records, on which a split goes back and forth
    std::uint64_t* offsets;  ///< of the bins of a split; this and the next two: where there are splits
    string_group* large;     ///< groups that wait for all threads
    split_scratch scratch;
    std::byte* own;  ///< of each thread: its groups that wait, and its counts
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    for (void*& side : a.sides) side = memory.take_bytes(p.items * p.record_bytes);
    if (p.split.has_value()) {
      a.offsets = memory.template take<std::uint64_t>(most_bins + 1);
      a.large = memory.template take<string_group>(p.items / (p.task + 1) + 1);
      a.scratch = split_scratch::take(memory, most_bins, p.threads, p.split->shared);
    }
    a.own = memory.template take<std::byte>(p.threads * own_bytes(p.task));
    return a;
  }

 protected:
  static std::size_t own_bytes(std::size_t task) {
    return workspace::footprint<string_group>(task / 2 + 1) + workspace::footprint<std::uint32_t>(most_bins + 1);
  }
  static split_shape shape_of(std::uint32_t bins, std::size_t strings, std::size_t record_bytes) {
    return buffer_shape(bins, record_bytes, 0, strings * record_bytes >= tuning::cpu_stream_bytes);
  }
};

/// The team's part: groups that are too large for one thread.
template <class Words, class Index>
class string_team : public string_team_sizes {
 public:
  using record = cached_string<Index>;

  static parameters decide(std::size_t items, const host& machine) {
    return string_team_sizes::decide(items, sizeof(record), machine);
  }

  string_team(const cpu& on, const parameters& p, const Words& read, Index* permutation)
      : read_(read),
        size_(p.items),
        permutation_(permutation),
        threads_(p.threads),
        task_(p.task),
        memory_(memory_of(on), temporary_bytes<string_team_sizes>(p), nullptr) {
    const arrays a = lay_out(memory_, p);
    sides_[0] = static_cast<record*>(a.sides[0]);
    sides_[1] = static_cast<record*>(a.sides[1]);
    offsets_ = a.offsets;
    large_ = a.large;
    scratch_ = a.scratch;
    own_ = a.own;
  }

  /// What the words know string i by is number(i).
  template <class Number>
  void sort(Number&& number) {
    on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = slice(size_, m, threads_);
      for (std::size_t i = begin; i < end; ++i) sides_[0][i].index = number(i);
    });
    if (is_run([](std::uint64_t before, std::uint64_t word) { return before <= word; })) return take(false);
    if (is_run([](std::uint64_t before, std::uint64_t word) { return before > word; })) return take(true);
    const string_group all{0, size_, 0, false, true};
    if (size_ <= task_) return sorter_of(0)(all);
    large_[waiting_++] = all;
    while (waiting_ != 0) split_one(large_[--waiting_]);
  }

 private:
  /// Whether good(before, word) holds for each string and the one before it, of the words where they differ. Of strings
  /// in any order that is known after a few.
  template <class Good>
  [[nodiscard]] bool is_run(const Good& good) const {
    constexpr std::size_t few = 64;
    const auto fits = [&](std::size_t i) {
      const std::size_t before = sides_[0][i - 1].index;
      const std::size_t index = sides_[0][i].index;
      const std::size_t depth = read_.common(before, index, 0);
      return good(read_(before, depth), read_(index, depth));
    };
    for (std::size_t i = 1; i < std::min(size_, few); ++i) {
      if (!fits(i)) return false;
    }
    std::atomic<bool> all{true};
    on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = slice(size_, m, threads_);
      for (std::size_t i = std::max(begin, few); i < end && all.load(std::memory_order_relaxed); ++i) {
        if (!fits(i)) all.store(false, std::memory_order_relaxed);
      }
    });
    return all.load(std::memory_order_relaxed);
  }
  /// Takes the strings as they came, or backwards.
  void take(bool backwards) {
    on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = slice(size_, m, threads_);
      for (std::size_t i = begin; i < end; ++i) permutation_[i] = sides_[0][backwards ? size_ - 1 - i : i].index;
    });
  }

  [[nodiscard]] group_sorter<Words, Index> sorter_of(unsigned member) const {
    std::byte* const mine = own_ + member * own_bytes(task_);
    auto* const counts = reinterpret_cast<std::uint32_t*>(mine + workspace::footprint<string_group>(task_ / 2 + 1));
    return {read_, sides_, permutation_, reinterpret_cast<string_group*>(mine), counts};
  }

  /// Sets the words of a large group.
  void refill(string_group& g) {
    record* const records = sides_[g.other ? 1 : 0] + g.begin;
    const std::size_t first = records[0].index;
    const string_window guess = guess_window(read_, records, g.size, g.depth);
    std::mutex mutex;
    string_window all = guess;  // what all members found
    std::size_t most_gap = 0;
    bool done = true;
    const auto by_all = [&](std::size_t depth, const string_window& window) {
      on_each(threads_, [&](unsigned m) {
        const auto [begin, end] = slice(g.size, m, threads_);
        const auto [mine, mine_done] = refill_words(read_, records + begin, end - begin, first, depth, window);
        const std::lock_guard lock(mutex);
        if (mine.depth < all.depth) all = mine;
        all.gap = std::min(all.gap, mine.gap);
        most_gap = std::max(most_gap, mine.gap);
        done = done && mine_done;
      });
    };
    by_all(g.depth, guess);
    if (!done || all.gap != most_gap) by_all(all.depth, string_window(all));
    g.depth = all.depth + all.gap;
    g.stale = false;
  }

  /// Bins for a group, by the looks of some of its words.
  [[nodiscard]] word_bins bins_for(const string_group& g) const {
    constexpr std::size_t looks = 256;
    constexpr std::size_t beyond = 2;  // words of the sample that are left to the bins at either end
    const record* const records = sides_[g.other ? 1 : 0] + g.begin;
    std::array<std::uint64_t, looks> sample;
    for (std::size_t k = 0; k < looks; ++k) sample[k] = records[g.size / looks * k + g.size % looks * k / looks].word;
    std::sort(sample.begin(), sample.end());
    const std::size_t most = std::clamp<std::size_t>(std::bit_floor(g.size / 64), 64, tuning::cpu_string_bins);
    return word_bins::between(sample[beyond], sample[looks - 1 - beyond], most);
  }

  /// Splits a group by all threads, then sorts the small ones of its parts and leaves the large ones to do.
  void split_one(string_group g) {
    if (g.stale) refill(g);
    const word_bins f = bins_for(g);
    record* const from = sides_[g.other ? 1 : 0] + g.begin;
    record* const to = sides_[g.other ? 0 : 1] + g.begin;
    split_level(threads_, view<const record, const no_value>{from, nullptr, g.size}, view<record>{to, nullptr, g.size},
                f, 0, 0, offsets_, scratch_, shape_of(f.bins(), g.size, sizeof(record)));
    offsets_[f.bins()] = g.size;
    for (std::uint32_t b = 0; b < f.bins(); ++b) {
      const string_group part{g.begin + offsets_[b], offsets_[b + 1] - offsets_[b], g.depth, !g.other, false};
      if (part.size > task_) keep_large(part, f.exact(b));
    }
    shared_parts bins(f.bins());
    on_each(threads_, [&](unsigned m) {
      auto sort_group = sorter_of(m);
      bins.take([&](std::uint32_t b) {
        const std::size_t size = offsets_[b + 1] - offsets_[b];
        if (size != 0 && size <= task_) sort_group({g.begin + offsets_[b], size, g.depth, !g.other, false});
      });
    });
  }

  void keep_large(string_group part, bool one_word) {
    const record* const records = sides_[part.other ? 1 : 0] + part.begin;
    if (one_word && read_.ended(records[0].word)) {
      on_each(threads_, [&](unsigned m) {
        const auto [begin, end] = slice(part.size, m, threads_);
        for (std::size_t i = begin; i < end; ++i) permutation_[part.begin + i] = records[i].index;
      });
      return;
    }
    if (one_word) {
      part.depth += word_bytes;
      part.stale = true;
    }
    large_[waiting_++] = part;
  }

  Words read_;
  std::size_t size_;
  Index* permutation_;
  unsigned threads_;
  std::size_t task_;
  workspace memory_;
  record* sides_[2] = {};
  std::uint64_t* offsets_ = nullptr;
  string_group* large_ = nullptr;
  std::size_t waiting_ = 0;
  split_scratch scratch_;
  std::byte* own_ = nullptr;
};

}  // namespace detail

namespace sort_strings_strategies {

struct prefixes : detail::takes_all<sort_strings_problem> {
  static constexpr std::string_view name = "prefixes";
  static constexpr std::string_view about = "all threads, partition by seven cached bytes at a time";

  using parameters = detail::string_team_parameters;

  static parameters decide(const sort_strings_problem& problem, const host& machine) {
    const std::size_t record_bytes = problem.index_bytes == 4 ? sizeof(detail::cached_string<std::uint32_t>)
                                                              : sizeof(detail::cached_string<std::uint64_t>);
    return detail::string_team_sizes::decide(problem.items, record_bytes, machine);
  }

  template <class Memory>
  static auto lay_out(Memory& memory, const parameters& p) {
    return detail::string_team_sizes::lay_out(memory, p);
  }

  template <class Offset, class Index>
  static void run(const cpu& on, const parameters& p, const strings<Offset>& all, Index* permutation, bool descending) {
    if (all.size < 2) return std::iota(permutation, permutation + all.size, Index{0});
    const detail::string_words<Offset> words(all, descending);
    detail::string_team<detail::string_words<Offset>, Index>(on, p, words, permutation).sort([](std::size_t i) {
      return static_cast<Index>(i);
    });
  }
};

}  // namespace sort_strings_strategies
}  // namespace peneira
