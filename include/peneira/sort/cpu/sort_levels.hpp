// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An MSD radix sort by a team: a level splits by a digit, bins small enough for a cache are sorted as leaves, others
// are split again. The items go back and forth between the output and a temporary copy, and a leaf ends in the output
// wherever it began.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/sort/cpu/frequent.hpp"
#include "peneira/sort/cpu/leaf_sort.hpp"
#include "peneira/sort/cpu/level_digit.hpp"
#include "peneira/sort/cpu/level_shape.hpp"

namespace peneira::detail {

/// Whether all keys follow each other so: a look by a team, which ends at the first that does not.
template <follows How, class K, class Rank>
bool all_follow_by(unsigned members, const K* keys, std::size_t n, const Rank& rank) {
  constexpr std::size_t chunk = std::size_t{1} << 16U;
  constexpr std::size_t few = 256;  // tell of most input that it is not so, before a team has started
  if (!all_follow<How>(keys, std::min(n, few), rank)) return false;
  std::atomic<bool> so{true};
  on_each(members, [&](unsigned m) {
    const auto [begin, end] = slice(n, m, members);
    for (std::size_t i = begin; i < end && so.load(std::memory_order_relaxed); i += chunk) {
      const std::size_t next = std::min(n, std::min(end, i + chunk) + 1);  // with the first of what follows
      if (!all_follow<How>(keys + i, next - i, rank)) so.store(false, std::memory_order_relaxed);
    }
  });
  return so;
}

template <class K, class V, class Rank>
class level_sort {
 public:
  level_sort(const level_shape& shape, const level_memory<K, V>& memory, view<const K, const V> in, view<K, V> out,
             const Rank& rank)
      : shape_(shape),
        memory_(memory),
        in_(in),
        out_(out.part(0, in.size)),
        rank_(rank),
        alike_(rank.whole() && !view<K, V>::has_values),
        within_{0, rank.most(), false} {
    large_ = large_of(in.size);
  }

  void run() {
    const place start = in_.keys == out_.keys ? place::out : place::in;
    if (all_follow_in_team<follows::never_falls>()) return move_by_team(0, in_.size, start);
    const bool turned =
        alike_ ? all_follow_in_team<follows::never_rises>() : all_follow_in_team<follows::always_falls>();
    if (turned) return reverse();
    if constexpr (!view<K, V>::has_values && sizeof(K) >= 4 && Rank::of_whole_items) {
      if (alike_ && shape_.leaf_items != 0 && sort_frequent()) return;
    }
    by_team(0, in_.size, start, 0);
  }

  /// The same where a caller knows between which ranks all lie.
  void run(typename Rank::number low, typename Rank::number high) {
    within_ = {low, high, false};
    run();
  }

  /// Sorts some of the items among themselves, by one thread of the team. Others may sort other parts at the same time.
  void sort_part(unsigned member, std::size_t begin, std::size_t size) const {
    alone(member, begin, size, in_.keys == out_.keys ? place::out : place::in, 1);
  }

 private:
  using number = typename Rank::number;
  enum class place { in, out, between };
  static constexpr unsigned levels = most_levels(sizeof(number));

  [[nodiscard]] view<const K, const V> at(place where, std::size_t begin, std::size_t size) const {
    const view<const K, const V> all = where == place::in    ? in_
                                       : where == place::out ? view<const K, const V>(out_)
                                                             : view<const K, const V>(memory_.between);
    return all.part(begin, size);
  }
  [[nodiscard]] std::uint64_t* offsets_of(unsigned owner, unsigned depth) const {
    return memory_.offsets + (std::size_t{owner} * levels + depth) * (std::size_t{shape_.most_bins} + 1);
  }

  /// A bin larger than a good part of a thread's share would keep the others waiting: all threads take it together.
  [[nodiscard]] std::size_t large_of(std::size_t items) const {
    return std::max(shape_.leaf_items, items / shape_.threads / 8);
  }

  /// Whether all keys of the input follow each other so.
  template <follows How>
  [[nodiscard]] bool all_follow_in_team() const {
    return all_follow_by<How>(shape_.threads, in_.keys, in_.size, rank_);
  }

  void reverse() const {
    const std::size_t n = in_.size;
    on_each(shape_.threads, [&](unsigned m) {
      if (in_.keys == out_.keys) {
        const auto [begin, end] = slice(n / 2, m, shape_.threads);
        for (std::size_t i = begin; i < end; ++i) {
          std::swap(out_.keys[i], out_.keys[n - 1 - i]);
          if constexpr (view<K, V>::has_values) std::swap(out_.values[i], out_.values[n - 1 - i]);
        }
      } else {
        const auto [begin, end] = slice(n, m, shape_.threads);
        std::reverse_copy(in_.keys + (n - end), in_.keys + (n - begin), out_.keys + begin);
        if constexpr (view<K, V>::has_values) {
          std::reverse_copy(in_.values + (n - end), in_.values + (n - begin), out_.values + begin);
        }
      }
    });
  }

  void move_by_team(std::size_t begin, std::size_t size, place from) const {
    if (from == place::out) return;
    on_each(shape_.threads, [&](unsigned m) {
      const auto [first, last] = slice(size, m, shape_.threads);
      copy_items(at(from, begin + first, last - first), out_.part(begin + first, last - first));
    });
  }

  /// The extent of a part, by all threads. If the sample already fills the range that it lies within, that is not worth
  /// a look at every key.
  [[nodiscard]] extent<number> look_by_team(view<const K, const V> part, extent<number> found) const {
    if (found.bits() == within_.bits()) return within_;
    found.sorted = true;
    std::mutex join;
    on_each(shape_.threads, [&](unsigned m) {
      const auto [begin, end] = slice(part.size, m, shape_.threads);
      const auto mine = extent_of(part.keys + begin, std::min(end + 1, part.size) - begin, rank_);
      const std::lock_guard lock(join);
      found.join(mine);
    });
    return found;
  }

  [[nodiscard]] level_digit<Rank> digit_of(const extent<number>& found, std::size_t size, unsigned depth) const {
    const unsigned bits = found.bits();
    const unsigned used = std::min(bits, shape_.level_bits(size, depth));
    const auto highest = static_cast<number>(static_cast<number>(found.high - found.low) >> (bits - used));
    return {rank_, found.low, bits - used, static_cast<std::uint32_t>(highest) + 1};
  }

  /// What to split a part by. If a sample says that its highest bits would leave many items to be split again, more of
  /// them, or octaves, are tried on the sample. False if a look at the whole part finds it sorted.
  template <class Look>
  [[nodiscard]] bool choose_digit(const level_sample<number>& sample, std::size_t size, unsigned depth,
                                  octave_table<number>& table, const Look& look, level_digit<Rank>& digit) const {
    constexpr auto least = static_cast<std::uint32_t>(table_size<number>) + 2;
    const level_digit<Rank> even = digit_of(sample.seen(), size, depth);
    unsigned finer = 0;
    if (even.shift != 0 && depth < octave_levels && shape_.most_bins >= 4 * least) {
      const std::size_t many = std::max<std::size_t>(4, sample.size * shape_.leaf_items / size);
      const std::size_t crowded = sample.crowded(even, many);
      if (crowded >= sample.size / 4) {
        const std::uint32_t bins = (1U << shape_.level_bits(size, depth)) - least;
        const std::size_t crowded_finer = sample.crowded(digit_of(sample.seen(), size, depth + 1), many);
        digit = octaves_of(rank_, sample, bins, table);
        if (sample.crowded(digit, many) + sample.size / 4 <= crowded_finer) return true;
        finer = crowded_finer + sample.size / 8 <= crowded ? 1 : 0;
      }
    }
    const extent<number> found = look();
    digit = digit_of(found, size, depth + finer);
    return !found.sorted;
  }

  /// Splits a part into the bins of a digit, between the output and its copy.
  place split(unsigned members, std::size_t begin, std::size_t size, place from, const level_digit<Rank>& digit,
              const split_scratch& scratch, std::uint64_t* offsets) const {
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    constexpr std::size_t columns = view<K, V>::has_values ? 2 : 1;
    const bool direct = size <= shape_.direct_items || digit.bins() * columns <= tuning::cpu_direct_columns;
    split_shape shape;
    if (!direct) {
      shape = buffer_shape(digit.bins(), sizeof(K), value_bytes, shape_.stream, shape_.ways());
      shape.slices = std::min(shape_.slices, slices_each(shape, size, digit.bins(), members));
    }
    const place to = from == place::out ? place::between : place::out;
    const view<K, V> target = to == place::out ? out_ : memory_.between;
    split_level(members, at(from, begin, size), target.part(begin, size), digit, begin, 0, offsets, scratch, shape);
    offsets[digit.bins()] = size;
    return to;
  }

  void by_team(std::size_t begin, std::size_t size, place from, unsigned depth) {
    const view<const K, const V> part = at(from, begin, size);
    const auto sample = level_sample<number>::of(part.keys, size, rank_);
    octave_table<number> table;
    level_digit<Rank> digit;
    const auto look = [&] { return look_by_team(part, sample.seen()); };
    if (!choose_digit(sample, size, depth, table, look, digit)) return move_by_team(begin, size, from);
    std::uint64_t* const offsets = offsets_of(shape_.threads, depth);
    const split_scratch scratch{memory_.counts, memory_.counters, memory_.buffers};
    if constexpr (!view<K, V>::has_values && Rank::of_whole_items) {
      if (alike_ && digit.all_bits()) return count_and_write(begin, size, from, digit, offsets);
    }
    const place to = split(shape_.threads, begin, size, from, digit, scratch, offsets);
    if (digit.all_bits()) return move_by_team(begin, size, to);

    for (std::uint32_t b = 0; b < digit.bins(); ++b) {
      const std::size_t items = offsets[b + 1] - offsets[b];
      if (items <= large_) continue;
      if (digit.is_exact(b)) {
        move_by_team(begin + offsets[b], items, to);
      } else {
        by_team(begin + offsets[b], items, to, depth + 1);
      }
    }
    on_each_part(shape_.threads, digit.bins(), [&](std::uint32_t b, unsigned m) {
      const std::size_t items = offsets[b + 1] - offsets[b];
      if (items <= large_) bin_alone(m, begin + offsets[b], items, to, 1, digit.is_exact(b));
    });
  }

  /// A bin by one thread; `exact`: all have one rank.
  void bin_alone(unsigned m, std::size_t begin, std::size_t size, place from, unsigned depth, bool exact) const {
    if (exact) return copy_items(at(from, begin, size), out_.part(begin, size));
    alone(m, begin, size, from, depth);
  }

  /// A part by one thread.
  void alone(unsigned m, std::size_t begin, std::size_t size, place from, unsigned depth) const {
    const view<const K, const V> part = at(from, begin, size);
    const view<K, V> target = out_.part(begin, size);
    if (size <= shape_.leaf_items) {
      return sort_leaf(part, memory_.leaves.part(m * shape_.leaf_room(), size), target, rank_);
    }
    octave_table<number> table;
    level_digit<Rank> digit;
    const auto sample = level_sample<number>::of(part.keys, size, rank_);
    const auto look = [&] { return extent_of(part.keys, size, rank_); };
    if (!choose_digit(sample, size, depth, table, look, digit)) return copy_items(part, target);
    std::uint64_t* const offsets = offsets_of(m, depth);
    const split_scratch mine{memory_.counts + m * counts_row(shape_.most_bins),
                             memory_.counters + m * shape_.counters(), memory_.buffers + m * memory_.buffer_bytes};
    const place to = split(1, begin, size, from, digit, mine, offsets);
    if (digit.all_bits()) return copy_items(at(to, begin, size), target);
    for (std::uint32_t b = 0; b < digit.bins(); ++b) {
      bin_alone(m, begin + offsets[b], offsets[b + 1] - offsets[b], to, depth + 1, digit.is_exact(b));
    }
  }

  /// Sorts by counting the keys that a sample has often. False, and nothing is done, if it has few of them.
  bool sort_frequent() {
    static_assert(levels >= 8 && frequent_slots <= std::size_t{8} << tuning::cpu_sort_level_bits);
    static_assert(frequent_slots * sizeof(number) <= tuning::cpu_buffer_bytes);
    const std::size_t n = in_.size;
    const auto few = level_sample<number>::of(in_.keys, n, rank_);
    if (few.repeated() < few.size / 8 || digit_of(few.seen(), n, 0).shift == 0) return false;
    frequent_ranks<number> frequent{reinterpret_cast<number*>(memory_.buffers), memory_.frequent,
                                    memory_.frequent + frequent_slots};
    const std::size_t samples = std::min({frequent_samples, shape_.leaf_items, n / 128});
    const view<K, V> sample = memory_.between.part(0, samples);
    for (std::size_t s = 0; s < samples; ++s) sample.keys[s] = in_.keys[somewhere(n, s, samples)];
    sort_leaf<K, V>(sample, memory_.leaves.part(0, samples), sample, rank_);
    const std::size_t known = frequent.choose(sample.keys, samples, rank_, offsets_of(0, 0));
    if (known == 0 || known < samples / 8) return false;

    const auto rest_of = [&](unsigned m) -> std::uint64_t& { return memory_.counts[m]; };
    on_each(shape_.threads, [&](unsigned m) {
      const auto [begin, end] = slice(n, m, shape_.threads);
      const std::size_t rest =
          frequent.filter(in_.keys + begin, end - begin, rank_, memory_.between.keys + begin, offsets_of(m, 0));
      rest_of(m) = rest;
    });
    frequent.count(shape_.threads, [&](unsigned m) { return offsets_of(m, 0); });
    std::size_t others = 0;
    for (unsigned m = 0; m < shape_.threads; ++m) others += std::exchange(rest_of(m), others);
    on_each(shape_.threads, [&](unsigned m) {
      const std::size_t size = (m + 1 < shape_.threads ? rest_of(m + 1) : others) - rest_of(m);
      copy_items(at(place::between, slice(n, m, shape_.threads).first, size), out_.part(rest_of(m), size));
    });

    large_ = large_of(others);
    if (others <= shape_.leaf_items) {
      alone(0, 0, others, place::out, 1);
    } else {
      by_team(0, others, place::out, 0);
    }
    on_each(shape_.threads, [&](unsigned m) {
      const auto [begin, end] = slice(others, m, shape_.threads);
      copy_items(at(place::out, begin, end - begin), memory_.between.part(begin, end - begin));
    });
    on_each(shape_.threads, [&](unsigned m) {
      const auto [begin, end] = slice(n, m, shape_.threads);
      frequent.write(memory_.between.keys, others, rank_, begin, end, out_.keys);
    });
    return true;
  }

  /// Keys alone of which each bin holds one: they are counted, and written again from the counts.
  void count_and_write(std::size_t begin, std::size_t size, place from, const level_digit<Rank>& digit,
                       std::uint64_t* offsets) const {
    const std::size_t bins = digit.bins();
    const K* const keys = at(from, begin, size).keys;
    on_each(shape_.threads, [&](unsigned m) {
      const auto [first, last] = slice(size, m, shape_.threads);
      count_slice(digit, keys + first, 0, last - first, memory_.counters + m * counters_for(digit.bins()),
                  memory_.counts + m * counts_row(bins));
    });
    scan_counts(memory_.counts, bins, shape_.threads, shape_.threads, 0, offsets);
    offsets[bins] = size;
    on_each(shape_.threads, [&](unsigned m) {
      const auto [first, last] = slice(size, m, shape_.threads);
      std::size_t i = first;
      for (auto* end = std::upper_bound(offsets, offsets + bins, first); i < last; ++end) {
        const std::size_t stop = std::min<std::size_t>(last, *end);
        const auto bin = static_cast<number>(end - offsets - 1);
        std::fill(out_.keys + begin + i, out_.keys + begin + stop,
                  rank_.template back<K>(static_cast<number>(digit.low + bin)));
        i = stop;
      }
    });
  }

  level_shape shape_;
  level_memory<K, V> memory_;
  view<const K, const V> in_;
  view<K, V> out_;
  Rank rank_;
  bool alike_;  ///< items of one rank cannot be told apart
  extent<number> within_;
  std::size_t large_;
};

}  // namespace peneira::detail
