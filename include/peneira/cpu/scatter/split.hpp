// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One level of a split by a team: each slice of the items is contiguous; count, one scan over bins x slices, scatter.
// Both the shape of the buffers and the scratch memory are plain numbers, so that a plan can state them.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/scatter/count.hpp"
#include "peneira/cpu/scatter/scatter.hpp"
#include "peneira/memory.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// How a level scatters.
struct split_shape {
  scatter_way way = scatter_way::direct;
  std::size_t per_bin = 0;  ///< items of a bin's buffer
  bool stream = false;      ///< full buffers go past the cache
  bool deferred = false;    ///< full buffers wait for their place in the output
  unsigned slices = 1;      ///< of each member on average: members take them in turn
};

/// The bytes of write-combining buffers with the fewest lines a bin.
inline std::size_t least_buffer_bytes(std::uint32_t bins, std::size_t key_bytes, std::size_t value_bytes) {
  return std::size_t{bins} * items_of_whole_lines(key_bytes, value_bytes) * (key_bytes + value_bytes);
}

/// Whether vectors scatter such items; no values: 0 bytes.
constexpr bool vectors_take(std::size_t key_bytes, std::size_t value_bytes) {
  return knows_avx512 && (key_bytes == 4 || key_bytes == 8) &&
         (value_bytes == 0 || value_bytes == 4 || value_bytes == 8);
}

/// Which splits are done by vectors, where the processor has them: none, those into many bins, or all.
enum class by_vectors { none, many_bins, all };

/// Buffers for this many bins: as many lines each as the budget allows, and never less than one.
inline split_shape buffer_shape(std::uint32_t bins, std::size_t key_bytes, std::size_t value_bytes, bool stream,
                                by_vectors which = by_vectors::none) {
  const std::size_t least = least_buffer_bytes(bins, key_bytes, value_bytes);
  const std::size_t items = least / (key_bytes + value_bytes) / bins;
  if (which != by_vectors::none && vectors_take(key_bytes, value_bytes) && has_avx512()) {
    if (which == by_vectors::all) {
      if (bins <= tuning::cpu_compressed_bins) return {scatter_way::compressed, tuning::cpu_compressed_items, stream};
      if (bins <= tuning::cpu_held_bins) return {scatter_way::held, tuning::cpu_held_items, stream};
    }
    const std::size_t per_bin = placed_items(key_bytes, value_bytes);
    if (bins * per_bin * (key_bytes + value_bytes) <= tuning::cpu_placed_bytes) {
      return {scatter_way::placed, per_bin, stream};
    }
    return {scatter_way::carried, items, stream};
  }
  if (stream && bins >= tuning::cpu_deferred_bins) {
    const std::size_t lines = std::bit_floor(std::clamp<std::size_t>(tuning::cpu_deferred_bytes / least, 2, 4));
    return {scatter_way::indexed, items * lines, stream, true};
  }
  const std::size_t lines =
      std::bit_floor(std::clamp<std::size_t>(tuning::cpu_buffer_bytes / least, 1, tuning::cpu_most_lines));
  if (lines < tuning::cpu_least_lines) return {scatter_way::carried, items, stream};
  return {scatter_way::indexed, items * lines, stream};
}

/// Slices of each of these threads: several, so that those whose core is shared leave some to the others, but of enough
/// items that the lines at their ends do not count. Measured for the ways of vectors alone.
inline unsigned slices_each(const split_shape& shape, std::size_t items, std::uint32_t bins, unsigned threads) {
  if (!of_vectors(shape.way) || threads < tuning::cpu_slicing_threads) return 1;
  const std::size_t least = std::max<std::size_t>(bins, 64) * tuning::cpu_slice_items_a_bin;
  return static_cast<unsigned>(std::clamp<std::size_t>(items / threads / least, 1, tuning::cpu_most_slices));
}

/// The most of them that a split into many bins can have.
inline unsigned most_slices(by_vectors which, unsigned threads) {
  return which != by_vectors::none && threads >= tuning::cpu_slicing_threads ? tuning::cpu_most_slices : 1;
}

/// Slots of one member's buffers.
inline std::size_t split_slots(std::uint32_t bins, const split_shape& shape) {
  if (shape.way == scatter_way::compressed) return std::max(bins, tuning::cpu_compressed_bins) * shape.per_bin;
  return (bins + (shape.deferred ? tuning::cpu_deferred : 0)) * shape.per_bin;
}

/// The private memory of one member.
inline std::size_t split_buffer_bytes(std::uint32_t bins, std::size_t key_bytes, std::size_t value_bytes,
                                      const split_shape& shape) {
  if (shape.way == scatter_way::direct) return 0;
  const std::size_t slots = split_slots(bins, shape);
  return workspace::round_up(slots * key_bytes) + workspace::round_up(slots * value_bytes) +
         2 * workspace::footprint<std::int64_t>(bins);
}

/// The same for any number of bins up to the most, by vectors at most where there are many.
inline std::size_t most_split_buffer_bytes(std::uint32_t most_bins, std::size_t key_bytes, std::size_t value_bytes,
                                           bool stream, by_vectors which = by_vectors::none) {
  const std::size_t least = least_buffer_bytes(most_bins, key_bytes, value_bytes);
  std::size_t most = std::max(tuning::cpu_buffer_bytes, least);
  if (which != by_vectors::none && vectors_take(key_bytes, value_bytes) && has_avx512()) {
    const std::size_t placed = most_bins * (key_bytes + value_bytes) * placed_items(key_bytes, value_bytes);
    most = std::max(most, std::min(placed, tuning::cpu_placed_bytes));
  }
  if (stream && most_bins >= tuning::cpu_deferred_bins) {
    most = std::max({most, tuning::cpu_deferred_bytes, 2 * least}) + tuning::cpu_deferred * 4 * (least / most_bins);
  }
  return workspace::round_up(most) + 2 * memory_alignment + 2 * workspace::footprint<std::int64_t>(most_bins);
}

/// Scratch of one split by a team.
struct split_scratch {
  std::uint64_t* counts = nullptr;    ///< members x slices x counts_row(bins)
  std::uint32_t* counters = nullptr;  ///< members x counters_for(bins)
  std::byte* buffers = nullptr;       ///< members x split_buffer_bytes

  static std::size_t bytes(std::uint32_t bins, unsigned members, std::size_t buffer_bytes, unsigned slices = 1) {
    return workspace::footprint<std::uint64_t>(std::size_t{members} * slices * counts_row(bins)) +
           workspace::footprint<std::uint32_t>(members * counters_for(bins)) +
           workspace::footprint<std::byte>(members * buffer_bytes);
  }
  template <class Memory>
  static split_scratch take(Memory& from, std::uint32_t bins, unsigned members, std::size_t buffer_bytes,
                            unsigned slices = 1) {
    split_scratch s;
    s.counts = from.template take<std::uint64_t>(std::size_t{members} * slices * counts_row(bins));
    s.counters = from.template take<std::uint32_t>(members * counters_for(bins));
    s.buffers = from.template take<std::byte>(members * buffer_bytes);
    return s;
  }
};

/// Splits `in` into `out` by f. Item numbers in messages start at `first`; offsets at `base`. Writes an offset for each
/// bin; the end of the last one is for the caller to write.
template <class K, class V, class F, class Offset>
void split_level(unsigned members, view<const K, const V> in, view<K, V> out, const F& f, std::size_t first,
                 std::size_t base, Offset* offsets, const split_scratch& scratch, const split_shape& shape) {
  const std::uint32_t bins = f.bins();
  std::uint64_t* const counts = scratch.counts;
  const std::size_t row = counts_row(bins);
  const unsigned slices = members * shape.slices;
  on_each_part(members, slices, [&](unsigned s, unsigned m) {
    const auto [begin, end] = slice(in.size, s, slices);
    count_slice(f, in.keys + begin, first + begin, end - begin, scratch.counters + m * counters_for(bins),
                counts + s * row);
  });
  scan_counts(counts, bins, slices, members, base, offsets);

  const std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
  const std::size_t buffer_bytes = split_buffer_bytes(bins, sizeof(K), value_bytes, shape);
  on_each_part(members, slices, [&](unsigned s, unsigned m) {
    const auto [begin, stop] = slice(in.size, s, slices);
    const view<const K, const V> mine = in.part(begin, stop - begin);
    std::uint64_t* const start = counts + s * row;
    if (shape.way == scatter_way::direct) {
      scatter_direct(mine, f, first + begin, out, start);
      return;
    }
    // This slice's items of a bin end where the next one's begin, and the last one's where the bin ends.
    const auto end_of = [&, s](std::uint32_t b) -> std::uint64_t {
      if (s + 1 < slices) return start[row + b];
      return b + 1 < bins ? static_cast<std::uint64_t>(offsets[b + 1]) - base : in.size;
    };
    const bin_ends end(end_of);
    std::byte* memory = scratch.buffers + m * buffer_bytes;
    line_buffers<K, V> buffers;
    const std::size_t slots = split_slots(bins, shape);
    // A plan may come from where vectors are compiled and be run where they are not, as by nvcc: then by cursors.
    constexpr bool has_vector_ways =
        vectors_take(sizeof(K), view<K, V>::has_values ? sizeof(V) : 0) && (!is_level<F> || is_sort_level<F>);
    const bool vectors =
        has_vector_ways && (of_vectors(shape.way) || (shape.way == scatter_way::carried && has_avx512()));
    const bool has_room_behind = shape.way == scatter_way::compressed || shape.way == scatter_way::held;
    buffers.per_bin = shape.per_bin;
    buffers.lead = vectors && has_room_behind ? items_of_whole_lines(sizeof(K), value_bytes) : shape.per_bin;
    buffers.deferred = shape.deferred;
    buffers.stage = bins * shape.per_bin;
    buffers.keys = reinterpret_cast<K*>(memory);
    memory += workspace::round_up(slots * sizeof(K));
    if constexpr (view<K, V>::has_values) {
      buffers.values = reinterpret_cast<V*>(memory);
      memory += workspace::round_up(slots * sizeof(V));
    }
    buffers.home = reinterpret_cast<std::int64_t*>(memory);
    buffers.next = scratch.counters + m * counters_for(bins);
    memory += workspace::footprint<std::int64_t>(bins);
    buffers.start = reinterpret_cast<std::uint64_t*>(memory);
    std::copy_n(start, bins, buffers.start);
    buffers.out = out;
    buffers.stream_keys = buffers.stream_values = shape.stream;
    buffers.align();
    if (vectors) {
      if constexpr (has_vector_ways) {
        if (shape.way == scatter_way::placed) {
          scatter_buffered<scatter_way::placed, true>(mine, f, first + begin, buffers, end);
        } else if (shape.way == scatter_way::carried) {
          scatter_buffered<scatter_way::carried, true>(mine, f, first + begin, buffers, end);
        } else if constexpr (!is_level<F>) {
          if (shape.way == scatter_way::compressed) {
            scatter_buffered<scatter_way::compressed, true>(mine, f, first + begin, buffers, end);
          } else {
            scatter_buffered<scatter_way::held, true>(mine, f, first + begin, buffers, end);
          }
        }
      }
    } else if (bins == 2 && !is_level<F>) {
      if constexpr (!is_level<F>) scatter_buffered<scatter_way::halved, false>(mine, f, first + begin, buffers, end);
    } else if (shape.way == scatter_way::indexed || of_vectors(shape.way)) {
      scatter_buffered<scatter_way::indexed, false>(mine, f, first + begin, buffers, end);
    } else {
      scatter_buffered<scatter_way::carried, false>(mine, f, first + begin, buffers, end);
    }
  });
}

}  // namespace peneira::detail
