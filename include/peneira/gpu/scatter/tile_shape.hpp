// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How large a tile is and what it needs of shared memory, as the plan and the kernels both see it.
#pragma once

#include <string_view>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/tuning/gpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Which tiles a block takes. Where their runs go is another question: run_allocators.cuh.
///
/// slices: each block has one contiguous slice of the items. round_robin: of n blocks, block k takes tiles k, k + n,
/// k + 2n, ... dynamic: blocks take the next tile from an atomic counter. By the last two, tiles that are written at
/// the same time are neighbours.
enum class tile_schedule { slices, round_robin, dynamic };

constexpr std::string_view name_of(tile_schedule by) {
  return by == tile_schedule::slices ? "slices" : by == tile_schedule::round_robin ? "round robin" : "dynamic";
}

/// Items of a thread in a tile each of whose columns has about these bytes, and which its registers can hold: key,
/// value and place of each.
PENEIRA_HD constexpr int tile_items(std::size_t key_bytes, std::size_t value_bytes, std::size_t tile_bytes) {
  const std::size_t item_bytes = key_bytes < value_bytes ? value_bytes : key_bytes;
  const std::size_t words = (key_bytes + 3) / 4 + (value_bytes + 3) / 4 + 1;
  for (const int items : {32, 28, 24, 16, 12, 8, 4, 2}) {
    const auto count = static_cast<std::size_t>(items);
    if (count * item_bytes * tuning::tile_threads <= tile_bytes && count * words <= tuning::tile_registers)
      return items;
  }
  return 1;
}

/// Items of padding after each chunk of a column, so that neighbouring chunks begin at different banks.
template <class T>
inline constexpr int pad_of = items_of_16_bytes(sizeof(T));

/// Shared memory that a block of the kernel declares itself, beside what the plan asks for.
inline constexpr std::size_t tile_static_bytes = 512;

PENEIRA_HD constexpr std::size_t round_to_16(std::size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

/// Places of a tile in the order of its bins after which one is left out.
inline constexpr unsigned tile_padded_places = 32;

/// Bytes of one column of a tile of which each thread has so many items, with a padding for each chunk, or in the order
/// of the bins.
PENEIRA_HD constexpr std::size_t tile_column_bytes(std::size_t bytes, int items, std::size_t chunks) {
  const std::size_t all = static_cast<std::size_t>(items) * tuning::tile_threads;
  const std::size_t by_chunk = chunks * static_cast<std::size_t>(items_of_16_bytes(bytes));
  const std::size_t in_order = chunks == 0 ? 0 : all / tile_padded_places + 1;
  return round_to_16(bytes * (all + (by_chunk < in_order ? in_order : by_chunk)));
}

/// Counters of a tile: a row for every two counter sets of a bin, of a word a lane, and one row more.
PENEIRA_HD constexpr std::uint32_t tile_rows(std::uint32_t bins, std::uint32_t counter_sets) {
  return bins * counter_sets / 2;
}
PENEIRA_HD constexpr std::size_t tile_counter_bytes(std::uint32_t rows) {
  return (std::size_t{rows} + 1) * 32 * sizeof(std::uint32_t);
}

/// Rows of the same size for a tile in any order: a word a thread.
inline constexpr std::uint32_t tile_tally_rows = tuning::tile_threads / 32;

/// As many items as are split without a tile, two a thread.
inline constexpr std::size_t few_items = 2 * tuning::tile_threads;
/// The same where nothing else is under way: eight a thread, of those that are small.
PENEIRA_HD constexpr std::size_t most_few_items(std::size_t item_bytes) {
  return item_bytes <= 16 ? 4 * few_items : few_items;
}
/// Shared memory for that: where each bin goes, and a counter a warp.
PENEIRA_HD constexpr std::size_t few_bytes(std::uint32_t bins) {
  return bins * (sizeof(std::uint64_t) + tuning::tile_threads / 32 * sizeof(std::uint32_t));
}

/// A tile as a plan sees it.
struct planned_tile {
  std::size_t key_bytes;
  std::size_t value_bytes;  ///< 0: no values
  int items;                ///< of a thread
  std::size_t size;

  static constexpr planned_tile of(std::size_t key_bytes, std::size_t value_bytes, std::size_t tile_bytes) {
    const int items = tile_items(key_bytes, value_bytes, tile_bytes);
    return {key_bytes, value_bytes, items, static_cast<std::size_t>(items) * tuning::tile_threads};
  }
  /// Shared memory of a block.
  [[nodiscard]] constexpr std::size_t shared(std::uint32_t bins, std::uint32_t counter_sets) const {
    const auto column = [&](std::size_t bytes) {
      return bytes == 0 ? 0 : tile_column_bytes(bytes, items, counter_sets * 32);
    };
    const std::uint32_t rows =
        tile_rows(bins, counter_sets) < tile_tally_rows ? tile_tally_rows : tile_rows(bins, counter_sets);
    return column(key_bytes) + column(value_bytes) + tile_counter_bytes(rows) +
           round_to_16(bins * (value_bytes == 0 ? 1 : 2) * sizeof(void*)) +
           round_to_16((std::size_t{bins} + 1) * sizeof(std::uint32_t));
  }
  /// The same of a padded tile in any order.
  [[nodiscard]] constexpr std::size_t shared_in_any_order(std::uint32_t bins) const {
    const auto column = [&](std::size_t bytes) { return bytes == 0 ? 0 : tile_column_bytes(bytes, items, 1); };
    return column(key_bytes) + column(value_bytes) + tile_counter_bytes(tile_tally_rows) +
           round_to_16(bins * (value_bytes == 0 ? 1 : 2) * sizeof(void*)) +
           round_to_16((std::size_t{bins} + 1) * sizeof(std::uint32_t));
  }
  /// Columns of counters a bin, of a padded tile in any order.
  [[nodiscard]] static constexpr std::uint32_t columns(std::uint32_t bins) {
    std::uint32_t columns = 1;
    while (columns < tuning::padded_tally_columns && bins * columns * 2 <= tuning::tile_threads) columns *= 2;
    return columns;
  }
  /// Counter sets, where the order is kept or may be any.
  [[nodiscard]] constexpr std::uint32_t counter_sets(std::uint32_t bins, bool stable, std::size_t room) const {
    std::uint32_t sets = stable ? 2 : 1;
    while (stable && sets < tuning::tile_threads / 32 &&
           std::size_t{bins} * sets * 2 <= tuning::tile_counter_rows(bins, items) && shared(bins, sets * 2) <= room) {
      sets *= 2;
    }
    while (!stable && sets < tuning::most_tally_columns && bins * sets * 2 <= tuning::tile_threads) sets *= 2;
    return sets;
  }
};

/// A tile of keys and values of so many bytes (no values: 0), as a type. Padded: also where its order is any, places
/// are left out.
template <std::size_t KeyBytes, std::size_t ValueBytes, std::size_t TileBytes, bool Padded = false>
struct tile_shape {
  static constexpr int threads = tuning::tile_threads;
  static constexpr int items = tile_items(KeyBytes, ValueBytes, TileBytes);
  static constexpr int size = threads * items;
  /// Whether whole tiles have code of their own: not worth fetching where a block has one or two.
  static constexpr bool large = TileBytes > tuning::small_tile_bytes;
  /// Whether registers are left beside those of the items.
  static constexpr bool roomy = large && ValueBytes == 0;
  static constexpr bool padded = Padded;
  /// Neighbouring items that a thread loads together.
  static constexpr int group = [] {
    int most = items_of_16_bytes(KeyBytes);
    if (ValueBytes != 0 && items_of_16_bytes(ValueBytes) < most) most = items_of_16_bytes(ValueBytes);
    while (items % most != 0) most /= 2;
    return most;
  }();
  /// Items whose accesses to shared memory overlap.
  static constexpr int together = items % 8 == 0 ? 8 : items % 4 == 0 ? 4 : items % 2 == 0 ? 2 : 1;
};

/// The tiles that a call with these keys and values may choose from.
template <class K, class V>
struct tile_shapes {
  static constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
  using stable = tile_shape<sizeof(K), value_bytes, tuning::stable_tile_bytes>;
  using any = tile_shape<sizeof(K), value_bytes, tuning::any_tile_bytes>;
  using padded = tile_shape<sizeof(K), value_bytes, tuning::any_tile_bytes, true>;
  using small = tile_shape<sizeof(K), value_bytes, tuning::small_tile_bytes>;
};

}  // namespace peneira::detail
