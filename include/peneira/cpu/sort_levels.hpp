// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort by levels of splits, by a team: bins small enough for a cache are sorted as leaves, others are split again.
// The items go back and forth between the output and a temporary copy, and a leaf ends in the output wherever it began.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include "peneira/cpu/leaf_sort.hpp"
#include "peneira/cpu/split.hpp"
#include "peneira/cpu/team.hpp"

namespace peneira::detail {

/// The bin of a level: the highest bits of the rank's distance from the lowest.
template <class Rank>
struct level_digit {
  using number = typename Rank::number;
  Rank rank;
  number low = 0;
  unsigned shift = 0;
  std::uint32_t count = 1;

  [[nodiscard]] std::uint32_t bins() const { return count; }
  template <class K>
  std::uint32_t operator()(const K& key) const {
    return static_cast<std::uint32_t>(static_cast<number>(rank(key) - low) >> shift);
  }
};
template <class Rank>
inline constexpr bool never_misses<level_digit<Rank>> = true;
template <class Rank>
inline constexpr bool is_level<level_digit<Rank>> = true;

/// The fewest bits of a level: so the levels below each other are no more than the bytes of a key.
inline constexpr unsigned least_level_bits = 8;

/// How a sort by levels goes about it: numbers that a plan states.
struct level_shape {
  unsigned threads = 1;
  std::size_t leaf_items = 0;    ///< the most items of a leaf; 0: a level has all bits, so that there are none
  std::size_t bin_items = 0;     ///< what the bins of a level should have on average
  std::uint32_t most_bins = 0;   ///< of a level
  std::size_t direct_items = 0;  ///< so few are in the cache anyway: their split needs no buffers
  bool stream = false;           ///< full buffers go past the cache

  /// Bits of a level. Below the first, a few more than even bins would need: what is there is a bin that came out too
  /// large, so the bits are not evenly used.
  [[nodiscard]] unsigned level_bits(std::size_t items, unsigned depth) const {
    if (leaf_items == 0) return static_cast<unsigned>(std::bit_width(most_bins) - 1);
    const auto even = static_cast<unsigned>(std::bit_width(items / bin_items));
    return std::clamp<unsigned>(even + (depth == 0 ? 0 : 3), least_level_bits,
                                static_cast<unsigned>(std::bit_width(most_bins) - 1));
  }
  /// Counters of a member's split.
  [[nodiscard]] std::size_t counters() const {
    return std::max(counters_for(most_bins), counters_for(std::min(most_bins, most_bins_for_tables)));
  }
  /// Buffers of a member's split into any number of bins up to the most.
  [[nodiscard]] std::size_t buffer_bytes(std::size_t key_bytes, std::size_t value_bytes) const {
    return workspace::round_up(
               std::max(tuning::cpu_buffer_bytes, least_buffer_bytes(most_bins, key_bytes, value_bytes))) +
           3 * memory_alignment + workspace::footprint<std::int64_t>(most_bins);
  }
};

/// The memory of a sort by levels.
template <class K, class V>
struct level_memory {
  std::uint64_t* counts = nullptr;    ///< threads x most_bins
  std::uint32_t* counters = nullptr;  ///< threads x counters()
  std::byte* buffers = nullptr;       ///< threads x buffer_bytes()
  std::uint64_t* offsets = nullptr;   ///< (threads + 1) x levels x (most_bins + 1): each thread's own, then the team's
  std::size_t buffer_bytes = 0;
  view<K, V> leaves;   ///< threads x leaf_items
  view<K, V> between;  ///< as many as there are items
};

template <class K, class V, class Rank>
class level_sort {
 public:
  /// `whole`: equal ranks are equal keys.
  level_sort(const level_shape& shape, const level_memory<K, V>& memory, view<const K, const V> in, view<K, V> out,
             const Rank& rank, bool whole)
      : shape_(shape),
        memory_(memory),
        in_(in),
        out_(out.part(0, in.size)),
        rank_(rank),
        alike_(whole && !view<K, V>::has_values) {
    large_ = std::max(shape.leaf_items, in.size / shape.threads / 8);
  }

  void run() {
    const place start = in_.keys == out_.keys ? place::out : place::in;
    if (all_follow_in_team<follows::never_falls>()) return move_by_team(0, in_.size, start);
    const bool turned =
        alike_ ? all_follow_in_team<follows::never_rises>() : all_follow_in_team<follows::always_falls>();
    if (turned) return reverse();
    by_team(0, in_.size, start, 0);
  }

 private:
  using number = typename Rank::number;
  enum class place { in, out, between };
  static constexpr unsigned levels = sizeof(number) * 8 / least_level_bits;

  [[nodiscard]] view<const K, const V> at(place where, std::size_t begin, std::size_t size) const {
    const view<const K, const V> all = where == place::in    ? in_
                                       : where == place::out ? view<const K, const V>(out_)
                                                             : view<const K, const V>(memory_.between);
    return all.part(begin, size);
  }
  [[nodiscard]] std::uint64_t* offsets_of(unsigned owner, unsigned depth) const {
    return memory_.offsets + (std::size_t{owner} * levels + depth) * (std::size_t{shape_.most_bins} + 1);
  }

  /// Whether all keys of the input follow each other so.
  template <follows How>
  [[nodiscard]] bool all_follow_in_team() const {
    constexpr std::size_t chunk = std::size_t{1} << 16U;
    std::atomic<bool> so{true};
    on_each(shape_.threads, [&](unsigned m) {
      const auto [begin, end] = slice(in_.size, m, shape_.threads);
      for (std::size_t i = begin; i < end && so.load(std::memory_order_relaxed); i += chunk) {
        const std::size_t next = std::min(in_.size, std::min(end, i + chunk) + 1);  // with the first of what follows
        if (!all_follow<How>(in_.keys + i, next - i, rank_)) so.store(false, std::memory_order_relaxed);
      }
    });
    return so;
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

  /// The extent of a part, by all threads. A few samples that are far apart already fill the range: then it is not
  /// worth a look at every key.
  [[nodiscard]] extent<number> look_by_team(view<const K, const V> part) const {
    constexpr std::size_t samples = 256;
    extent<number> found;
    for (std::size_t s = 0; s < samples; ++s) {
      const number x = rank_(part.keys[part.size / samples * s]);
      found.join({x, x, false});
    }
    if (found.bits() == rank_.bits()) return {0, rank_.most(), false};
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

  /// Splits a part into the bins of a digit, between the output and its copy.
  place split(unsigned members, std::size_t begin, std::size_t size, place from, const level_digit<Rank>& digit,
              const split_scratch& scratch, std::uint64_t* offsets) const {
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    constexpr std::size_t columns = view<K, V>::has_values ? 2 : 1;
    const bool direct = size <= shape_.direct_items || digit.bins() * columns <= tuning::cpu_direct_columns;
    const split_shape shape =
        direct ? split_shape{} : buffer_shape(digit.bins(), sizeof(K), value_bytes, shape_.stream);
    const place to = from == place::out ? place::between : place::out;
    const view<K, V> target = to == place::out ? out_ : memory_.between;
    split_level(members, at(from, begin, size), target.part(begin, size), digit, begin, 0, offsets, scratch, shape);
    offsets[digit.bins()] = size;
    return to;
  }

  void by_team(std::size_t begin, std::size_t size, place from, unsigned depth) {
    const auto found = look_by_team(at(from, begin, size));
    if (found.sorted) return move_by_team(begin, size, from);
    const level_digit<Rank> digit = digit_of(found, size, depth);
    std::uint64_t* const offsets = offsets_of(shape_.threads, depth);
    const split_scratch scratch{memory_.counts, memory_.counters, memory_.buffers};
    if constexpr (!view<K, V>::has_values) {
      if (alike_ && digit.shift == 0) return count_and_write(begin, size, from, digit, offsets);
    }
    const place to = split(shape_.threads, begin, size, from, digit, scratch, offsets);
    if (digit.shift == 0) return move_by_team(begin, size, to);

    // A bin larger than a good part of a thread's share would keep the others waiting: all threads take it together.
    for (std::uint32_t b = 0; b < digit.bins(); ++b) {
      const std::size_t items = offsets[b + 1] - offsets[b];
      if (items > large_) by_team(begin + offsets[b], items, to, depth + 1);
    }
    std::atomic<std::uint32_t> next{0};
    on_each(shape_.threads, [&](unsigned m) {
      for (std::uint32_t b = next++; b < digit.bins(); b = next++) {
        const std::size_t items = offsets[b + 1] - offsets[b];
        if (items <= large_) alone(m, begin + offsets[b], items, to, 1);
      }
    });
  }

  /// A part by one thread.
  void alone(unsigned m, std::size_t begin, std::size_t size, place from, unsigned depth) const {
    const view<const K, const V> part = at(from, begin, size);
    const view<K, V> target = out_.part(begin, size);
    if (size <= shape_.leaf_items) {
      return sort_leaf(part, memory_.leaves.part(m * shape_.leaf_items, size), target, rank_);
    }
    const auto found = extent_of(part.keys, size, rank_);
    if (found.sorted) return copy_items(part, target);
    const level_digit<Rank> digit = digit_of(found, size, depth);
    std::uint64_t* const offsets = offsets_of(m, depth);
    const split_scratch mine{memory_.counts + m * std::size_t{shape_.most_bins},
                             memory_.counters + m * shape_.counters(), memory_.buffers + m * memory_.buffer_bytes};
    const place to = split(1, begin, size, from, digit, mine, offsets);
    if (digit.shift == 0) return copy_items(at(to, begin, size), target);
    for (std::uint32_t b = 0; b < digit.bins(); ++b) {
      alone(m, begin + offsets[b], offsets[b + 1] - offsets[b], to, depth + 1);
    }
  }

  /// Keys alone of which each bin holds one: they are counted, and written again from the counts.
  void count_and_write(std::size_t begin, std::size_t size, place from, const level_digit<Rank>& digit,
                       std::uint64_t* offsets) const {
    const std::size_t bins = digit.bins();
    const K* const keys = at(from, begin, size).keys;
    on_each(shape_.threads, [&](unsigned m) {
      const auto [first, last] = slice(size, m, shape_.threads);
      count_slice(digit, keys + first, 0, last - first, memory_.counters + m * counters_for(digit.bins()),
                  memory_.counts + m * bins);
    });
    scan_counts(memory_.counts, bins, shape_.threads, 0, offsets);
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
  std::size_t large_;
};

}  // namespace peneira::detail
