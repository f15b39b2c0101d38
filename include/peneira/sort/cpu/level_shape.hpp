// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How an MSD radix sort goes about its levels, and the memory that it takes.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/plan.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// The fewest bits of a level: so the levels below each other are no more than the bytes of a key.
inline constexpr unsigned least_level_bits = 8;
/// The first so many levels may be split by octaves, which need not take as many bits.
inline constexpr unsigned octave_levels = 4;
/// The most levels below each other.
constexpr unsigned most_levels(std::size_t key_bytes) {
  return octave_levels + static_cast<unsigned>(key_bytes) * 8 / least_level_bits;
}

/// How an MSD radix sort goes about its levels.
struct level_shape {
  unsigned threads = 1;
  std::size_t leaf_items = 0;    ///< the most items of a leaf; 0: a level has all bits, so that there are none
  std::size_t bin_items = 0;     ///< what the bins of a level should have on average
  std::uint32_t most_bins = 0;   ///< of a level
  std::size_t direct_items = 0;  ///< so few are in the cache anyway: their split needs no buffers
  bool stream = false;           ///< full buffers go past the cache
  bool vectors = false;          ///< a split into many bins may go by AVX-512
  unsigned slices = 1;           ///< of each thread at most, in a split by all
  unsigned leaf_copies = 1;      ///< what the sort of a leaf needs room for, beside its input and output

  static constexpr std::tuple fields{
      field{&level_shape::threads, "threads", "that work together"},
      field{&level_shape::leaf_items, "leaf items", "that fit half of the second-level cache, and are sorted there"},
      field{&level_shape::bin_items, "bin items", "that a split aims at"},
      field{&level_shape::most_bins, "most bins", "of a split"},
      field{&level_shape::direct_items, "direct items", "up to which a split writes each item straight to its place"},
      field{&level_shape::stream, "streaming", "whether full lines go past the cache to memory"},
      field{&level_shape::vectors, "vectors", "whether a split may go by AVX-512"},
      field{&level_shape::slices, "slices", "of each thread at most, in a split; threads take them dynamically"},
  };

  /// Bits of a level. Below the first, a few more than even bins would need: what is there is a bin that came out too
  /// large, so the bits are not evenly used.
  [[nodiscard]] unsigned level_bits(std::size_t items, unsigned depth) const {
    if (leaf_items == 0) return static_cast<unsigned>(std::bit_width(most_bins) - 1);
    const auto even = static_cast<unsigned>(std::bit_width(items / bin_items));
    return std::clamp<unsigned>(even + (depth == 0 ? 0 : 3), least_level_bits,
                                static_cast<unsigned>(std::bit_width(most_bins) - 1));
  }
  /// Items that the sort of a leaf has room for.
  [[nodiscard]] std::size_t leaf_room() const { return leaf_items * leaf_copies; }
  /// Counters of a member's split.
  [[nodiscard]] std::size_t counters() const { return counters_for(most_bins); }
  /// Which splits go by vectors.
  [[nodiscard]] by_vectors ways() const { return vectors ? by_vectors::many_bins : by_vectors::none; }
  /// Buffers of a member's split into any number of bins up to the most.
  [[nodiscard]] std::size_t buffer_bytes(std::size_t key_bytes, std::size_t value_bytes) const {
    return most_split_buffer_bytes(most_bins, key_bytes, value_bytes, stream, ways());
  }
};

/// The memory of the levels.
template <class K, class V>
struct level_memory {
  std::uint64_t* counts = nullptr;    ///< threads x slices x counts_row(most_bins)
  std::uint32_t* counters = nullptr;  ///< threads x counters()
  std::byte* buffers = nullptr;       ///< threads x buffer_bytes()
  std::uint64_t* offsets = nullptr;   ///< (threads + 1) x levels x (most_bins + 1): each thread's own, then the team's
  std::uint64_t* frequent = nullptr;  ///< 2 x frequent_slots, for keys alone
  std::size_t buffer_bytes = 0;
  view<K, V> leaves;   ///< threads x leaf_room()
  view<K, V> between;  ///< as many as there are items
};

}  // namespace peneira::detail
