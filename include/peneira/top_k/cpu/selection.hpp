// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The k items of lowest rank, in their input order, by a team of threads:
//
//   sample --sorted--> [a, b], which the k-th lowest rank is in, most likely
//   keys --one look: how many of each block are below a, and which are from a to b--> the k-th lowest, the threshold
//   blocks that have any of these --gathered--> those below the threshold, and the first that equal it
//
// The look takes packs of keys; a pack without a rank up to b costs a comparison. If the sample was wrong, or many
// ranks are close together, the range is divided into 2,048 bins, which are counted, until few enough are left in one:
// each time it has 11 bits less, so that there is no input that takes more than a few looks.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include "peneira/cpu/team.hpp"
#include "peneira/hash.hpp"
#include "peneira/sort/cpu/leaf_sort.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// What a block of items has of those that are wanted.
struct kept_block {
  std::uint64_t before;  ///< of the wanted items, those in blocks before; at first, where its collected ranks are
  std::uint32_t less;    ///< items below the threshold; at first, below the range that is looked at
  std::uint32_t equal;   ///< of those that equal it, the wanted ones; at first, those inside the range
};

/// How much memory a selection takes.
struct selection_size {
  std::size_t samples = 0;
  std::size_t collected = 0;
  std::size_t blocks = 0;

  /// Collected ranks up to which all are sorted where one of them is looked for.
  static constexpr std::size_t sorted = 2 * tuning::cpu_top_k_block;

  static selection_size of(std::size_t n) {
    const std::size_t samples =
        std::clamp(n / tuning::cpu_top_k_samples_of, tuning::cpu_top_k_least_samples, tuning::cpu_top_k_samples);
    const std::size_t block = tuning::cpu_top_k_block;
    return {samples, std::max(n / 32, std::min(n, 2 * block)), n / block + (n % block != 0 ? 1 : 0)};
  }
};

/// The memory of a selection of ranks that are U.
template <class U>
struct selection_memory {
  U* samples = nullptr;    ///< twice as many
  U* collected = nullptr;  ///< twice as many, and room to sort up to selection_size::sorted of them
  kept_block* blocks = nullptr;
  selection_size size;
};
/// The same as it is laid out, where only the size of ranks is known.
template <>
struct selection_memory<void> {
  void* samples = nullptr;
  void* collected = nullptr;
  kept_block* blocks = nullptr;
  selection_size size;

  template <class Memory>
  static selection_memory take(Memory& memory, std::size_t rank_bytes, const selection_size& size) {
    selection_memory m;
    m.samples = memory.take_bytes(2 * size.samples * rank_bytes);
    m.collected =
        memory.take_bytes((2 * size.collected + std::min(size.collected, selection_size::sorted)) * rank_bytes);
    m.blocks = memory.template take<kept_block>(size.blocks);
    m.size = size;
    return m;
  }
  template <class U>
  [[nodiscard]] selection_memory<U> as() const {
    return {static_cast<U*>(samples), static_cast<U*>(collected), blocks, size};
  }
};

template <class K, class V, class Rank>
class selection {
  using number = typename Rank::number;
  static constexpr number highest = std::numeric_limits<number>::max();
  static constexpr std::size_t block_items = tuning::cpu_top_k_block;

 public:
  /// `k` is from 1 to the number of items; `memory` is at least of their size.
  selection(unsigned threads, const selection_memory<number>& memory, view<const K, const V> in, std::size_t k,
            view<K, V> out, const Rank& rank)
      : threads_(threads), memory_(memory), in_(in), k_(k), out_(out), rank_(rank) {
    blocks_ = selection_size::of(in.size).blocks;
  }

  void run() {
    if (k_ == in_.size) return copy_all();
    const number found = threshold();
    place_blocks();
    gather(found);
  }

 private:
  /// Ranks from low to high.
  struct range {
    number low = 0;
    number high = highest;
  };
  /// What a look at all keys found.
  struct looked {
    std::size_t below = 0;
    std::size_t inside = 0;
    void add(const looked& other) {
      below += other.below;
      inside += other.inside;
    }
  };

  void copy_all() const {
    on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = slice(in_.size, m, threads_);
      copy_items(in_.part(begin, end - begin), out_.part(begin, end - begin));
    });
  }

  /// Calls work(block, member) for every block, some of them at a time.
  template <class Work>
  void on_blocks(const Work& work) const {
    if (threads_ == 1) {
      for (std::size_t b = 0; b < blocks_; ++b) work(b, 0U);
      return;
    }
    const auto parts = static_cast<unsigned>(std::min<std::size_t>(blocks_, std::size_t{threads_} * 16));
    on_each_part(threads_, parts, [&](unsigned part, unsigned m) {
      const auto [first, last] = slice(blocks_, part, parts);
      for (std::size_t b = first; b < last; ++b) work(b, m);
    });
  }
  [[nodiscard]] view<const K, const V> block(std::size_t b) const {
    return in_.part(b * block_items, std::min(block_items, in_.size - b * block_items));
  }

  /// Calls look(i) for the keys of a block, though not of packs that have no rank up to `most`.
  template <class Look>
  [[gnu::always_inline]] void on_low_keys(const K* keys, std::size_t n, number most, const Look& look) const {
    using p = pack<number>;
    constexpr std::size_t step = look_keys<number>;
    const Rank rank = rank_;  // its own, which no write can alias
    const p border = p::all(most);
    std::size_t i = 0;
    for (; i + step <= n; i += step) {
      std::array<p, look_packs> x;
      load_ranks(keys + i, rank, x);
      typename p::mask low{};
      PENEIRA_UNROLL(4)
      for (std::size_t q = 0; q < look_packs; ++q) low |= ~p::less(border, x[q]);
      if (!any_bit<number>(low)) continue;
      for (std::size_t j = i; j < i + step; ++j) look(j, rank(keys[j]));
    }
    for (; i < n; ++i) look(i, rank(keys[i]));
  }

  /// The k-th lowest rank. What each block has below it and equal to it is known then.
  [[nodiscard]] number threshold() const {
    if (in_.size <= memory_.size.collected) return threshold_of_few();
    range known;
    range tried = sampled_range();
    for (;;) {
      const looked found = look_at_all(tried);
      if (found.below >= k_) {
        known.high = static_cast<number>(tried.low - 1);
        tried = known;
      } else if (found.below + found.inside < k_) {
        known.low = static_cast<number>(tried.high + 1);
        tried = known;
      } else if (tried.low == tried.high) {
        return tried.low;
      } else if (found.inside <= memory_.size.collected) {
        return threshold_of_collected(found.inside, k_ - found.below);
      } else {
        tried = narrowed(tried, k_ - found.below);
      }
    }
  }
  [[nodiscard]] number threshold_of_few() const {
    for (std::size_t i = 0; i < in_.size; ++i) memory_.collected[i] = rank_(in_.keys[i]);
    for (std::size_t b = 0; b < blocks_; ++b) {
      memory_.blocks[b] = {b * block_items, 0, static_cast<std::uint32_t>(block(b).size)};
    }
    return threshold_of_collected(in_.size, k_);
  }

  /// The rank that comes at a place among those that were collected. Each block learns of its own which are below it.
  [[nodiscard]] number threshold_of_collected(std::size_t many, std::size_t place) const {
    number* const copy = memory_.collected + memory_.size.collected;
    if (many <= selection_size::sorted) {
      const view<number> sorted{copy, nullptr, many};
      number* const scratch = copy + memory_.size.collected;
      sort_leaf<number, no_value>({memory_.collected, nullptr, many}, {scratch, nullptr, many}, sorted,
                                  flipped_rank<number>{});
    } else {
      std::copy_n(memory_.collected, many, copy);
      std::nth_element(copy, copy + (place - 1), copy + many);
    }
    const number found = copy[place - 1];
    for (std::size_t b = 0; b < blocks_; ++b) {
      kept_block& kept = memory_.blocks[b];
      const number* const own = memory_.collected + kept.before;
      std::uint32_t less = 0;
      std::uint32_t equal = 0;
      for (std::uint32_t i = 0; i < kept.equal; ++i) {
        less += own[i] < found ? 1 : 0;
        equal += own[i] == found ? 1 : 0;
      }
      kept.less += less;
      kept.equal = equal;
    }
    return found;
  }

  /// The range in which a sample says the threshold is, but for one time in hundreds.
  [[nodiscard]] range sampled_range() const {
    const std::size_t many = selection_size::of(in_.size).samples;
    const std::size_t apart = in_.size / many;
    for (std::size_t s = 0; s < many; ++s) {
      const std::size_t within = ((mix64(s) >> 32U) * apart) >> 32U;
      memory_.samples[s] = rank_(in_.keys[s * apart + within]);
    }
    const view<number> samples{memory_.samples, nullptr, many};
    sort_leaf<number, no_value>(samples, {memory_.samples + many, nullptr, many}, samples, flipped_rank<number>{});
    const double part = static_cast<double>(k_) / static_cast<double>(in_.size);
    const double middle = part * static_cast<double>(many);
    const double off = 3 * std::sqrt(middle * (1 - part)) + 4;
    range found;
    if (middle > off) found.low = memory_.samples[static_cast<std::size_t>(middle - off)];
    if (middle + off < static_cast<double>(many)) {
      found.high = memory_.samples[static_cast<std::size_t>(middle + off)];
    }
    return found;
  }

  /// Counts the ranks below a range and inside of it, of each block too. Collects these, if there is room for all.
  [[nodiscard]] looked look_at_all(const range& in) const {
    const bool collects = in.low != in.high;
    const std::size_t room = memory_.size.collected;
    std::atomic<std::size_t> next{0};
    std::mutex join;
    looked all;
    on_blocks([&](std::size_t b, unsigned /*m*/) {
      std::array<number, block_items> inside;
      const auto wide = static_cast<number>(in.high - in.low);
      std::size_t below = 0;
      std::size_t many = 0;
      const view<const K, const V> items = block(b);
      on_low_keys(items.keys, items.size, in.high, [&](std::size_t /*i*/, number x) {
        below += x < in.low ? 1 : 0;
        inside[many] = x;
        many += static_cast<number>(x - in.low) <= wide ? 1 : 0;
      });
      kept_block& kept = memory_.blocks[b];
      kept = {0, static_cast<std::uint32_t>(below), static_cast<std::uint32_t>(many)};
      if (below + many == 0) return;
      if (collects && many != 0) {
        kept.before = next.fetch_add(many, std::memory_order_relaxed);
        if (kept.before <= room && many <= room - kept.before) {
          std::copy_n(inside.data(), many, memory_.collected + kept.before);
        }
      }
      const std::lock_guard lock(join);
      all.add({below, many});
    });
    return all;
  }

  /// The bin of a range that has the rank which comes at a place among those inside.
  [[nodiscard]] range narrowed(const range& in, std::size_t place) const {
    constexpr unsigned bits = 11;
    using histogram = std::array<std::uint64_t, std::size_t{1} << bits>;
    const auto wide = static_cast<number>(in.high - in.low);
    const auto used = static_cast<unsigned>(std::bit_width(wide));
    const unsigned shift = used > bits ? used - bits : 0;
    histogram all{};
    std::mutex join;
    on_each(threads_, [&](unsigned m) {
      histogram mine{};
      const auto [first, last] = slice(blocks_, m, threads_);
      for (std::size_t b = first; b < last; ++b) {
        const view<const K, const V> items = block(b);
        on_low_keys(items.keys, items.size, in.high, [&](std::size_t /*i*/, number x) {
          const auto distance = static_cast<number>(x - in.low);
          if (distance <= wide) ++mine[static_cast<std::size_t>(distance >> shift)];
        });
      }
      const std::lock_guard lock(join);
      for (std::size_t h = 0; h < mine.size(); ++h) all[h] += mine[h];
    });
    std::size_t bin = 0;
    for (std::size_t before = 0; before + all[bin] < place; ++bin) before += all[bin];
    const auto low = static_cast<number>(in.low + static_cast<number>(static_cast<number>(bin) << shift));
    const auto last = static_cast<number>((number{1} << shift) - 1);
    return {low, static_cast<number>(low + std::min(last, static_cast<number>(in.high - low)))};
  }

  /// Where the wanted items of each block go: those below the threshold, and the first of those that equal it.
  void place_blocks() const {
    std::size_t less = 0;
    for (std::size_t b = 0; b < blocks_; ++b) less += memory_.blocks[b].less;
    std::size_t equal = k_ - less;
    std::uint64_t before = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      kept_block& kept = memory_.blocks[b];
      kept.before = before;
      kept.equal = static_cast<std::uint32_t>(std::min<std::size_t>(kept.equal, equal));
      equal -= kept.equal;
      before += std::uint64_t{kept.less} + kept.equal;
    }
  }

  /// Moves the wanted items of each block to their place.
  void gather(number found) const {
    on_blocks([&](std::size_t b, unsigned /*m*/) {
      const kept_block kept = memory_.blocks[b];
      std::size_t at = kept.before;
      const std::size_t end = at + kept.less + kept.equal;
      if (at == end) return;
      std::uint32_t equal = 0;
      const view<const K, const V> items = block(b);
      const view<K, V> out = out_;
      on_low_keys(items.keys, items.size, found, [&](std::size_t i, number x) {
        if (at == end) return;  // so that what is written beyond the wanted items is overwritten by one of them
        out.keys[at] = items.keys[i];
        if constexpr (view<K, V>::has_values) out.values[at] = items.values[i];
        const std::uint32_t is_equal = x == found ? 1 : 0;
        at += x < found || (is_equal != 0 && equal < kept.equal) ? 1 : 0;
        equal += is_equal;
      });
    });
  }

  unsigned threads_;
  selection_memory<number> memory_;
  view<const K, const V> in_;
  std::size_t k_;
  view<K, V> out_;
  Rank rank_;
  std::size_t blocks_ = 0;
};

}  // namespace peneira::detail
