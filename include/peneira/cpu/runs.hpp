// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of neighbours that are equal, found by a team: the heads of runs are counted piece by piece, a scan says which
// number the first of each piece has, and a second look at each piece does what is wanted.
//
//   keys    3 3 5 | 5 5 5 | 7 8 8          pieces
//   heads   3   5 |       | 7 8            2, 0 and 2: runs 0 1, none, 2 3
//
// Pieces depend on the number of items alone, so that what is gathered by them does not depend on the threads.
#pragma once

#include <algorithm>
#include <utility>

#include "peneira/cpu/team.hpp"
#include "peneira/group_keys.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// How a row of items is cut.
struct run_pieces {
  std::size_t items = 0;
  std::size_t size = 1;  ///< of each piece; the last may be shorter

  static run_pieces of(std::size_t items) {
    return {items, std::max(tuning::cpu_run_piece, (items + tuning::cpu_run_pieces - 1) / tuning::cpu_run_pieces)};
  }
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>((items + size - 1) / size); }
  [[nodiscard]] std::size_t begin(std::size_t piece) const { return std::min(items, piece * size); }
  [[nodiscard]] std::size_t end(std::size_t piece) const { return begin(piece + 1); }
};

/// Whether the item at i is the first of a run.
template <class K>
[[gnu::always_inline]] inline bool is_head(const K* keys, std::size_t i) {
  return i == 0 || !same_group(keys[i - 1], keys[i]);
}

/// Counts the heads of each piece and writes to firsts, which has one entry more than there are pieces, the number of
/// each piece's first; returns how many there are.
template <class K>
std::size_t count_runs(unsigned threads, const K* keys, const run_pieces& pieces, std::uint64_t* firsts) {
  on_each_part(threads, pieces.count(), [&](unsigned p, unsigned /*member*/) {
    const std::size_t begin = pieces.begin(p);
    const std::size_t end = pieces.end(p);
    std::uint64_t heads = begin == 0 && end != 0 ? 1 : 0;
    for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i)
      heads += same_group(keys[i - 1], keys[i]) ? 0U : 1U;
    firsts[p] = heads;
  });
  std::uint64_t all = 0;
  for (unsigned p = 0; p < pieces.count(); ++p) all += std::exchange(firsts[p], all);
  firsts[pieces.count()] = all;
  return static_cast<std::size_t>(all);
}

/// Calls use(run, i) for each head of a piece, whose first has the number `run`.
template <class K, class Use>
void for_heads(const K* keys, std::size_t begin, std::size_t end, std::uint64_t run, const Use& use) {
  constexpr std::size_t some = 256;
  std::uint16_t found[some];
  for (std::size_t at = begin; at < end; at += some) {
    const std::size_t size = std::min(some, end - at);
    std::size_t heads = 0;
    for (std::size_t k = 0; k < size; ++k) {  // no branch depends on a key
      found[heads] = static_cast<std::uint16_t>(k);
      heads += is_head(keys, at + k) ? 1U : 0U;
    }
    for (std::size_t h = 0; h < heads; ++h) use(run++, at + found[h]);
  }
}

/// Writes runs one behind another: their first items, and their lengths where they are wanted.
template <bool WithLengths, class K, class Length>
class run_writer {
 public:
  static constexpr std::size_t block = 32;

  run_writer(const K* keys, K* values, Length* lengths) : keys_(keys), values_(values), lengths_(lengths) {}

  /// Those that begin from `begin`, where one does, to before `end`; returns how many there are. Blocks that are all
  /// heads, or have none, are taken as a whole; in others no branch depends on a key. Nothing is written behind the
  /// last run.
  std::size_t write(std::size_t begin, std::size_t end) {
    if (begin == end) return 0;
    begin_run(begin);
    std::size_t i = begin + 1;
    for (; end - i >= block; i += block) {
      const std::size_t heads = heads_of(i);
      if (heads == 0) continue;
      if (heads == block) {
        take_all(i);
      } else {
        take_some(i, block);
      }
    }
    if (i < end) take_some(i, end - i);
    end_run(end);
    return count_;
  }

 private:
  [[nodiscard]] std::size_t heads_of(std::size_t i) const {
    const K* const keys = keys_ + i;
    bits_of<K> heads = 0;  // as wide as keys are, so that vectors hold it
    for (std::size_t k = 0; k < block; ++k) {
      heads = static_cast<bits_of<K>>(heads + (same_group(keys[k - 1], keys[k]) ? 0U : 1U));
    }
    return static_cast<std::size_t>(heads);
  }
  void begin_run(std::size_t i) {
    values_[count_++] = keys_[i];
    began_ = i;
  }
  void end_run(std::size_t end) {
    if constexpr (WithLengths) lengths_[count_ - 1] = static_cast<Length>(end - began_);
  }
  void take_all(std::size_t i) {
    end_run(i);
    std::copy_n(keys_ + i, block, values_ + count_);
    if constexpr (WithLengths) std::fill_n(lengths_ + count_, block, Length{1});
    count_ += block;
    began_ = i + block - 1;
  }
  /// Those among `size` items, a block of them or fewer.
  [[gnu::always_inline]] void take_some(std::size_t i, std::size_t size) {
    const K* const keys = keys_ + i;
    K found[block];
    std::uint8_t places[block];
    std::size_t heads = 0;
    PENEIRA_UNROLL(4)
    for (std::size_t k = 0; k < size; ++k) {
      found[heads] = keys[k];
      if constexpr (WithLengths) places[heads] = static_cast<std::uint8_t>(k);
      heads += same_group(keys[k - 1], keys[k]) ? 0U : 1U;
    }
    if (heads == 0) return;
    std::copy_n(found, heads, values_ + count_);
    if constexpr (WithLengths) {
      end_run(i + places[0]);
      for (std::size_t h = 1; h < heads; ++h) {
        lengths_[count_ + h - 1] = static_cast<Length>(places[h] - places[h - 1]);
      }
      began_ = i + places[heads - 1];
    }
    count_ += heads;
  }

  const K* keys_;
  K* values_;
  Length* lengths_;
  std::size_t count_ = 0;  ///< runs that have begun
  std::size_t began_ = 0;  ///< where the last of them did
};

/// The same as a function; lengths may be nullptr.
template <class K, class Length>
std::size_t write_runs(const K* keys, std::size_t begin, std::size_t end, K* values, Length* lengths) {
  if (lengths == nullptr) return run_writer<false, K, Length>(keys, values, lengths).write(begin, end);
  return run_writer<true, K, Length>(keys, values, lengths).write(begin, end);
}

}  // namespace peneira::detail
