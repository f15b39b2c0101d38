// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of a selection and their plan both know: digits, tiles, the sample, and the numbers that kernels
// hand to one another.
#pragma once

#include <algorithm>
#include <cmath>

#include "peneira/gpu/exchange/tile_prefixes.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/plan.hpp"
#include "peneira/tuning/gpu_calls.hpp"

namespace peneira::detail {

/// Bits of a digit, its values, and how many digits a key has at most.
inline constexpr unsigned select_digit_bits = 11;
inline constexpr unsigned select_bins = 1U << select_digit_bits;
constexpr unsigned select_digits(std::size_t key_bytes) {
  return (8 * static_cast<unsigned>(key_bytes) + select_digit_bits - 1) / select_digit_bits;
}

/// Neighbouring keys that a lane has in a row, rows that a warp has at a time, and keys that a block has then: a step.
constexpr unsigned select_group(std::size_t key_bytes) {
  return static_cast<unsigned>(items_of_16_bytes(key_bytes));
}
constexpr unsigned select_rows(std::size_t key_bytes) {
  const std::size_t keys = std::min(tuning::select_lane_items, tuning::select_lane_bytes / key_bytes);
  return std::max(1U, static_cast<unsigned>(keys) / select_group(key_bytes));
}
constexpr std::size_t select_step_items(std::size_t key_bytes) {
  return std::size_t{tuning::select_threads} * select_rows(key_bytes) * select_group(key_bytes);
}

template <class U>
struct select_shape {
  static constexpr unsigned group = select_group(sizeof(U));
  static constexpr unsigned rows = select_rows(sizeof(U));
  static constexpr std::size_t step = select_step_items(sizeof(U));
  static_assert(tuning::select_steps * step <= 0xFFFF, "counts of a tile have 16 bits");

  /// Tiles of so many items, one at least, that have so many steps.
  PENEIRA_HD static std::uint32_t tiles(std::size_t items, std::uint32_t steps) {
    return static_cast<std::uint32_t>((items - 1) / (step * steps) + 1);
  }
};

/// Items that one block selects from by itself.
inline constexpr std::size_t select_in_block_items =
    std::size_t{tuning::select_block_keys} * tuning::select_find_threads;

/// Keys of the sample.
inline constexpr std::size_t select_sampled = std::size_t{tuning::select_sample_keys} * tuning::select_find_threads;

/// Which key of the sample bounds the candidates, so that the k wanted items are among them, but for one call in many
/// millions; and room for them, which is enough as often.
struct select_sample {
  std::uint32_t rank = 0;    ///< of that key, from 1 on
  std::uint32_t slack = 0;   ///< it may be so much greater
  std::size_t capacity = 0;  ///< of them there is room for so many

  static constexpr std::tuple fields{
      field{&select_sample::rank, "rank", "of the key of the sample that bounds the candidates"},
      field{&select_sample::slack, "slack", "by which that rank may be greater"},
      field{&select_sample::capacity, "capacity", "candidates that there is room for"},
  };

  static select_sample of(std::size_t items, std::size_t k) {
    const double all = static_cast<double>(items);
    const double expected = static_cast<double>(k) * static_cast<double>(select_sampled) / all;
    select_sample s;
    s.rank = static_cast<std::uint32_t>(std::ceil(far_above(expected)));
    s.slack = s.rank / 16 + 2;
    const double below = far_above(s.rank + s.slack) * all / static_cast<double>(select_sampled);
    s.capacity = std::min(items, static_cast<std::size_t>(below) + k);  // as many may equal the bound
    return s;
  }

 private:
  /// What a number of random events, of which so many are expected, hardly ever exceeds.
  static double far_above(double expected) { return expected + 6 * std::sqrt(expected) + 4; }
};

/// What tiles tell each other: how many items are below a bound, and how many equal it.
template <class Count>
struct select_counts {
  static constexpr std::uint32_t blocks = tuning::select_blocks(sizeof(Count));  ///< that count so, on a processor
  Count less;
  Count equal;
};
/// Bytes of a count of so many items.
constexpr std::size_t select_count_bytes(std::size_t items) {
  return items >> 32U == 0 ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

/// How tiles of all items are cut, and find what comes before them; candidates have one step a tile.
struct select_tiles {
  prefix_words words;
  std::uint32_t steps;
  std::uint32_t slot_words;  ///< of a tile
};

/// Numbers that kernels hand to one another. All are zero before.
struct select_state {
  std::uint64_t bound;            ///< of the candidates, as an ordered number
  unsigned long long differing;   ///< bits in which candidates differ from it
  std::uint64_t less;             ///< items of the input below the bound
  std::uint64_t equal;            ///< and equal to it
  std::uint64_t threshold;        ///< the ordered number of the last wanted item, or one between it and the next
  std::uint64_t equal_taken;      ///< so many of those equal to it are wanted
  std::uint64_t items;            ///< of which they are taken:
  std::uint32_t from_candidates;  ///< the candidates, or all
  std::uint32_t arrived;          ///< of the grid barrier
};
inline constexpr std::size_t select_state_words = sizeof(select_state) / sizeof(std::uint64_t);

/// The state, and behind it a table of counts for each digit.
struct select_header {
  std::uint64_t* words;
  std::size_t size;

  static constexpr std::size_t words_of(std::size_t key_bytes) {
    return select_state_words + std::size_t{select_digits(key_bytes)} * select_bins;
  }
  [[nodiscard]] PENEIRA_HD select_state* state() const { return reinterpret_cast<select_state*>(words); }
  [[nodiscard]] PENEIRA_HD std::uint64_t* counts(unsigned round) const {
    return words + select_state_words + std::size_t{round} * select_bins;
  }
};

}  // namespace peneira::detail
