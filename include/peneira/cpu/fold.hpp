// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A run of items that lie side by side, combined the same way however many threads do it:
//
//   items    |--block 0--|--block 1--|--block 2--|--block 3--|-4-|    the last may be shorter
//            a part each, by several accumulators at once
//   parts    ((0 1) (2 3)) 4                                          in pairs, by their place in the run
//
// A chunk of 2^k neighbouring blocks, from a multiple of 2^k on, is one node of that tree, so threads may take chunks
// of any such size. How items are grouped depends on their number, their type and the operator alone.
//
// A block of floats that are added or multiplied has 8 or 16 items for each of its accumulators, so a sum of n is off
// by at most (log2(n) + 16) * epsilon / 2 * (the sum of magnitudes), as a pairwise one is; a plain loop's bound is n.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "peneira/cpu/blocks.hpp"
#include "peneira/cpu/simd/packs.hpp"
#include "peneira/ops.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// How many blocks so many items are.
template <class Blocks>
constexpr std::size_t count_blocks(std::size_t items) {
  return (items + Blocks::size - 1) / Blocks::size;
}

/// Neighbouring parts, combined in pairs and those in pairs again, in place; of an odd number the last waits.
template <class Part, class Combine>
[[gnu::always_inline]] inline Part join(Part* parts, std::size_t count, Combine&& combine) {
  if (count == 8) {  // as the loop has it, which compilers do not see through
    const Part first = combine(combine(parts[0], parts[1]), combine(parts[2], parts[3]));
    return combine(first, combine(combine(parts[4], parts[5]), combine(parts[6], parts[7])));
  }
  for (; count > 1; count = (count + 1) / 2) {
    for (std::size_t i = 0; i < count / 2; ++i) parts[i] = combine(parts[2 * i], parts[2 * i + 1]);
    if (count % 2 != 0) parts[count / 2] = parts[count - 1];
  }
  return parts[0];
}

/// Blocks up to which no function calls another for each half of them.
inline constexpr std::size_t few_blocks = 8;

/// 2^level whole blocks from each of some places, `distance` blocks from one to the next.
template <std::size_t Streams, class Blocks>
std::array<typename Blocks::part, Streams> fold_nodes(const Blocks& by, std::size_t block, std::size_t distance,
                                                      unsigned level) {
  using parts = std::array<typename Blocks::part, Streams>;
  const auto combine = [&by](parts a, const parts& b) {
    PENEIRA_UNROLL(16)
    for (std::size_t s = 0; s < Streams; ++s) a[s] = by.combine(a[s], b[s]);
    return a;
  };
  const std::size_t count = std::size_t{1} << level;
  if (count <= few_blocks) {
    std::array<parts, few_blocks> some;
    for (std::size_t b = 0; b < count; ++b) some[b] = by.template whole<Streams>(block + b, distance);
    return join(some.data(), count, combine);
  }
  const parts left = fold_nodes<Streams>(by, block, distance, level - 1);
  return combine(left, fold_nodes<Streams>(by, block + count / 2, distance, level - 1));
}

/// 2^level whole blocks, from a multiple of 2^level on; by quarters at the same time where they are many.
template <class Blocks>
typename Blocks::part fold_node(const Blocks& by, std::size_t block, unsigned level) {
  if constexpr (Blocks::streams == 4) {
    if (level >= 2 && (Blocks::size * sizeof(*by.items) << level) >= tuning::cpu_stream_run_bytes) {
      const auto quarter = fold_nodes<4>(by, block, std::size_t{1} << (level - 2), level - 2);
      return by.combine(by.combine(quarter[0], quarter[1]), by.combine(quarter[2], quarter[3]));
    }
  }
  return fold_nodes<1>(by, block, 0, level)[0];
}

/// Some blocks, of which only the run's last need not be whole, from a multiple of a power of two on that is not less
/// than they are: in pairs, as join has it.
template <class Blocks>
typename Blocks::part fold_blocks(const Blocks& by, std::size_t block, std::size_t count) {
  const bool whole = by.end - by.begin >= (block + count) * Blocks::size;
  if (count <= few_blocks) {
    std::array<typename Blocks::part, few_blocks> some;
    for (std::size_t b = 0; b + 1 < count; ++b) some[b] = by.template whole<1>(block + b, 0)[0];
    some[count - 1] = whole ? by.template whole<1>(block + count - 1, 0)[0] : by.last(block + count - 1);
    return join(some.data(), count, [&by](const auto& a, const auto& b) { return by.combine(a, b); });
  }
  if (whole && std::has_single_bit(count)) return fold_node(by, block, static_cast<unsigned>(std::countr_zero(count)));
  const auto level = static_cast<unsigned>(std::bit_width(count - 1) - 1);  // of the greatest power of two below it
  const std::size_t half = std::size_t{1} << level;
  const auto left = fold_node(by, block, level);
  return by.combine(left, fold_blocks(by, block + half, count - half));
}

/// The parts of all chunks of a run, which have 2^k blocks each, combined in place as fold_blocks combines blocks.
template <class Blocks>
typename Blocks::part join_chunks(const Blocks& by, typename Blocks::part* parts, std::size_t count) {
  return join(parts, count, [&by](const auto& a, const auto& b) { return by.combine(a, b); });
}

/// Runs cut into chunks that threads share out.
struct chunking {
  unsigned level;  ///< of a chunk, which has 2^level blocks

  /// Chunks of so many blocks in all, so few that their parts take hardly any memory, and so many that threads have
  /// much the same to do.
  static chunking of(std::size_t blocks, unsigned threads) {
    const std::size_t most = tuning::cpu_fold_chunks * threads;
    return {static_cast<unsigned>(blocks <= most ? 0 : std::bit_width((blocks - 1) / most))};
  }
  /// How many chunks so many blocks are.
  [[nodiscard]] std::size_t count(std::size_t blocks) const {
    return (blocks >> level) + (blocks % (std::size_t{1} << level) != 0 ? 1 : 0);
  }
  /// Some chunks of a run.
  template <class Blocks>
  void fold(const Blocks& by, std::size_t chunk, std::size_t until, typename Blocks::part* parts) const {
    const std::size_t blocks = count_blocks<Blocks>(by.end - by.begin);
    for (; chunk < until; ++chunk) {
      const std::size_t block = chunk << level;
      parts[chunk] = fold_blocks(by, block, std::min(blocks - block, std::size_t{1} << level));
    }
  }
};

/// The most bytes that the part of a block, of a result of so many bytes, has.
constexpr std::size_t part_bytes(std::size_t result_bytes) {
  return std::max(result_bytes, pack_bytes);
}

/// The items from begin to before end, combined; none give the identity.
template <class Result, class T, class Op>
Result fold_items(const T* items, std::size_t begin, std::size_t end, const Op& op) {
  using blocks = blocks_of<Result, T, Op>;
  if constexpr (!folds_packs<Result, T, Op>) {
    constexpr std::size_t few = rounds<Op, Result> ? tuning::cpu_short_steps : 32;
    if (end - begin < few) {
      auto all = op.template identity<Result>();
      for (std::size_t i = begin; i < end; ++i) all = op(all, lifted<Result>(op, items[i], i));
      return all;
    }
  }
  if (begin == end) return op.template identity<Result>();
  const blocks by{items, begin, end, op};
  if (end - begin <= blocks::size) return by.result(by.last(0));
  return by.result(fold_blocks(by, 0, count_blocks<blocks>(end - begin)));
}

}  // namespace peneira::detail
