// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The scatter of a multisplit: each block takes tile after tile, orders it by bin in shared memory and writes it out,
// each bin's run where a run allocator says (run_allocators.cuh). The next tile is loaded meanwhile. That tiles are
// reordered in shared memory so that writes coalesce is GPU Multisplit's idea (Ashkiani et al., PPoPP 2016).
#pragma once

#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/gpu/scatter/run_allocators.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/slice_parts.cuh"
#include "peneira/gpu/scatter/tile_block.cuh"
#include "peneira/gpu/scatter/tile_histogram.cuh"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Splits a part of a slice of `in`, tile by tile. `runs` says where the runs of a tile go; prepare() makes it ready
/// and is called once, when the first tile is being loaded. Unless the schedule is by slices, the slice is all items.
/// `others` is what a part beside larger tiles leaves out.
template <slice_part Part, bool Stable, class Shape, class K, class V, class F, class Allocator, class Prepare>
__device__ __forceinline__ void split_part(const tile_block<Stable, Shape, K, V>& block,
                                           const view<const K, const V>& in, const view<K, V>& out, const F& f,
                                           item_range mine, Allocator& runs, Prepare&& prepare,
                                           item_range others = {}) {
  constexpr bool with_values = view<K, V>::has_values;
  constexpr bool dynamic = Allocator::schedule == tile_schedule::dynamic;
  constexpr bool neighbours = Allocator::schedule != tile_schedule::slices;  // at work at the same time
  constexpr bool guessed = std::is_base_of_v<region_allocator<K, V>, Allocator>;
  const std::uint32_t bins = block.bins;
  const std::uint32_t counter_sets = block.counter_sets;
  const auto& shared = block.shared;
  const auto& where = block.where;
  const auto& counters = block.counters;
  const std::uint32_t bin = threadIdx.x;
  const std::size_t step = neighbours ? std::size_t{gridDim.x} * Shape::size : Shape::size;

  tile_column<Shape, K> keys;
  tile_column<Shape, V> values;
  // In the order of the bins a place is skipped now and then, or lanes whose columns are alike would meet at a bank.
  constexpr bool pads = tile_block<Stable, Shape, K, V>::pads;
  const auto padded = [](unsigned place) { return pads ? place + place / tile_padded_places : place; };
  constexpr int together = Shape::together;

  const auto load_whole = [&](std::size_t at) {
    if constexpr (std::is_same_v<Allocator, group_allocator>) at = runs.find(at / Shape::size, Shape::size);
    keys.load(in.keys + at);
    if constexpr (with_values) values.load(in.values + at);
  };

  // Splits the tile that the registers hold, and of which `count` items are real; loads the next whole one in passing,
  // at what after() then says, if it is not `none`.
  constexpr std::size_t none = ~std::size_t{0};
  const auto split = [&](auto whole, unsigned count, auto&& after) {
    if constexpr (Stable) {
      keys.store_raw(shared.keys, where);
      if constexpr (with_values) values.store_raw(shared.values, where);
      __syncthreads();
      keys.load_raw(shared.keys, where);
      if constexpr (with_values) values.load_raw(shared.values, where);
    }

    // The column of each item, and its rank there.
    unsigned codes[Shape::items];
    const auto find_code = [&](int i) {
      const std::uint32_t b = f(keys.mine[i]);
      codes[i] = F::safe || b < bins ? counters.code_of(b) : counters.nowhere();
      if constexpr (!decltype(whole)::value) {
        const unsigned index =
            Stable ? where.template first_item<Shape>() + i
                   : (i / Shape::group * Shape::threads + threadIdx.x) * Shape::group + i % Shape::group;
        if (index >= count) codes[i] = counters.nowhere();
      }
      if constexpr (std::is_same_v<Allocator, counting_region_allocator<K, V>>) {
        if ((F::safe && decltype(whole)::value) || codes[i] != counters.nowhere()) runs.saw(f, keys.mine[i]);
      }
    };
    constexpr int at_once = Stable && Shape::items % 16 == 0 ? 16 : together;
    if constexpr (Stable) {
#pragma unroll
      for (int i = 0; i < Shape::items; ++i) find_code(i);
      for (unsigned turn = 0; turn < 1U << where.shift; ++turn) {
        if (turn == where.turn) {
#pragma unroll
          for (int i = 0; i < Shape::items; i += at_once) counters.template rank<at_once>(codes, i);
        }
        __syncthreads();
      }
    } else {
#pragma unroll
      for (int i = 0; i < Shape::items; i += at_once) {
#pragma unroll
        for (int j = 0; j < at_once; ++j) find_code(i + j);
        counters.template rank<at_once>(codes, i);
      }
      __syncthreads();
    }

    // Where each bin begins in the tile.
    const unsigned kept = counters.scan_all(block.sums, [&](unsigned row, unsigned place) {
      const unsigned column = Stable ? 2 * row : row;
      if (column % counter_sets == 0 && (!Stable || row < block.rows)) shared.begins[column / counter_sets] = place;
    });
    if (threadIdx.x == 0) shared.begins[bins] = kept;
    __syncthreads();
    std::uint64_t first = 0;  // of the bin's run, less its place in the tile
    if (bin < bins) {
      const std::uint32_t begin = shared.begins[bin];
      first = runs.allocate(bin, begin, shared.begins[bin + 1] - begin) - begin;
    }
    if (threadIdx.x == 0) runs.kept(kept);

    // Into the order of the bins. What goes nowhere stays behind.
    constexpr bool all_go = F::safe && decltype(whole)::value;
    const unsigned end = padded(kept);
#pragma unroll
    for (int i = 0; i < Shape::items; i += together) {
#pragma unroll
      for (int j = i; j < i + together; ++j) codes[j] = padded(counters.place_of(codes[j]));
#pragma unroll
      for (int j = i; j < i + together; ++j) {
        if (all_go || codes[j] < end) shared.keys[codes[j]] = keys.mine[j];
      }
      __syncwarp();
    }
    if constexpr (with_values) {
#pragma unroll
      for (int i = 0; i < Shape::items; ++i) {
        if (all_go || codes[i] < end) shared.values[codes[i]] = values.mine[i];
      }
    }
    if (const std::size_t at = after(); at != none) load_whole(at);
    if (bin < bins) {  // not before: the atomics of an allocator take long
      const view<K, V> home = [&] {
        if constexpr (guessed) return runs.astray ? runs.spare : out;
        return out;
      }();
      shared.targets[bin].keys = home.keys + first;
      if constexpr (with_values) shared.targets[bin].values = home.values + first;
    }
    __syncthreads();
    counters.clear();

    // Out.
    const auto target_of = [&](const K& key) {
      const std::uint32_t b = f(key);
      return shared.targets[F::safe || b < bins ? b : 0];
    };
    const auto write = [&](const bin_target<K, V>& to, unsigned place, const K& key) {
      if constexpr (!F::safe) {  // f may contradict what it said when counting
        const auto inside = [&](const view<K, V>& all) {
          bool in_both = to.keys + place >= all.keys && to.keys + place < all.keys + all.size;
          if constexpr (with_values) {
            in_both = in_both && to.values + place >= all.values && to.values + place < all.values + all.size;
          }
          return in_both;
        };
        bool there = inside(out);
        if constexpr (guessed) there = there || inside(runs.spare);
        if (!there) return;
      }
      assume_global(to.keys);
      to.keys[place] = key;
      if constexpr (with_values) {
        assume_global(to.values);
        to.values[place] = shared.values[padded(place)];
      }
    };
    constexpr int batch =
        with_values && together > 4 ? 4 : together;  // the addresses of pairs take twice the registers
    unsigned place = threadIdx.x;
    for (; place - threadIdx.x + batch * Shape::threads <= kept; place += batch * Shape::threads) {
      K some[batch];
      bin_target<K, V> to[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) some[j] = shared.keys[padded(place + j * Shape::threads)];
#pragma unroll
      for (int j = 0; j < batch; ++j) to[j] = target_of(some[j]);
#pragma unroll
      for (int j = 0; j < batch; ++j) write(to[j], place + j * Shape::threads, some[j]);
    }
    for (; place < kept; place += Shape::threads) {
      const K key = shared.keys[padded(place)];
      write(target_of(key), place, key);
    }
    __syncthreads();
  };

  const auto nothing_after = [] { return none; };
  if constexpr (dynamic) {
    const tile_pieces& pieces = runs.counted.pieces;
    const bool aligned =
        aligned_for<K, Shape::group>(in.keys) && (!with_values || aligned_for<V, Shape::group>(in.values));
    const auto whole_end =
        aligned ? static_cast<std::uint32_t>(::min(std::size_t{pieces.whole}, mine.end / Shape::size)) : 0U;
    const auto begin_of = [](std::uint32_t piece) { return std::size_t{piece} * Shape::size; };
    if (runs.piece < whole_end) load_whole(begin_of(runs.piece));
    prepare();
    __syncthreads();
#pragma unroll 1
    while (runs.piece < whole_end) {
      if (threadIdx.x == 0) runs.take_next();
      std::uint32_t next = 0;
      split(std::true_type{}, Shape::size, [&] {
        next = runs.upcoming[0];
        return next < whole_end ? begin_of(next) : none;
      });
      runs.piece = next;
    }
#pragma unroll 1
    while (runs.piece < pieces.count) {
      if (threadIdx.x == 0) runs.take_next();
      const item_range some = pieces.at(runs.piece, mine.end);
      const auto count = static_cast<unsigned>(some.end - some.begin);
      if (count == 0) return;  // nor have those that follow any
      const tile_part part{some.begin, 0, count, count};
      bool few = false;
      if constexpr (few_bytes(tuning::tile_bins) <= Shape::size * sizeof(K)) few = count <= few_items;
      if (few) {
        split_few_rest(block, in, out, f, part, runs);
      } else {
        keys.template load_some<false>(in.keys + part.at, count, count, in.keys);
        if constexpr (with_values) values.template load_some<false>(in.values + part.at, count, count, in.values);
        split(std::false_type{}, count, nothing_after);
      }
      runs.piece = runs.upcoming[0];
      __syncthreads();
    }
    return;
  }

  // Whole tiles begin at an aligned item. What lies before it is split first, or where the order does not count,
  // together with what lies behind the last.
  item_range whole{mine.begin, mine.begin};
  if constexpr (Part == slice_part::beside) {
    whole = others;
  } else if constexpr (Shape::large) {
    const bool aligned =
        aligned_for<K, Shape::group>(in.keys) && (!with_values || aligned_for<V, Shape::group>(in.values));
    if (aligned) {
      whole = whole_tiles_of(mine, Shape::size, Shape::group);
    } else if constexpr (neighbours) {
      mine = slice_of_block(mine.end, blockIdx.x, gridDim.x);
      whole = {mine.begin, mine.begin};
    }
  }
  std::size_t head = whole.begin - mine.begin;
  std::size_t tail = mine.end - whole.end;
  if constexpr (neighbours) {
    if (whole.begin < whole.end) {
      if (blockIdx.x + 1 != gridDim.x) head = tail = 0;
      whole.begin += std::size_t{blockIdx.x} * Shape::size;
    }
  }
  if constexpr (Shape::large && Part != slice_part::rest) {
    if ((!Stable || head == 0) && whole.begin < whole.end) load_whole(whole.begin);
  }
  prepare();
  __syncthreads();
#pragma unroll 1
  for (bool first = Stable && head != 0, again = true; again; first = false) {
    again = first;
    if constexpr (Shape::large && Part != slice_part::rest) {
      if (Stable && !first && head != 0 && whole.begin < whole.end) load_whole(whole.begin);
      for (std::size_t at = first ? whole.end : whole.begin; at < whole.end; at += step) {
        split(std::true_type{}, Shape::size, [&] { return at + step < whole.end ? at + step : none; });
      }
    }
    if constexpr (Part == slice_part::whole) return;
    constexpr bool joined = !Stable && (Shape::large || Part == slice_part::beside);  // head and tail
    const slice_rest rest{first ? mine.begin : whole.end, first ? head : tail, mine.begin, Stable ? 0 : head};
    if constexpr (Shape::large && !guessed && few_bytes(tuning::tile_bins) <= Shape::size * sizeof(K)) {
      if (rest.size() != 0 && rest.size() <= few_items) {
        runs = split_few_rest(block, in, out, f, rest.part(0, Shape::size), runs);
        continue;
      }
    }
    for (std::size_t done = 0; done < rest.size(); done += Shape::size) {
      const tile_part part = rest.part(done, Shape::size);
      keys.template load_some<joined>(in.keys + part.at, part.count, part.joint, in.keys + part.others);
      if constexpr (with_values) {
        values.template load_some<joined>(in.values + part.at, part.count, part.joint, in.values + part.others);
      }
      split(std::false_type{}, part.count, nothing_after);
    }
  }
}

/// The rest of a slice, as a function of its own to which everything goes by value: registers spill otherwise.
template <bool Stable, class Shape, class K, class V, class F, class Allocator>
__device__ __noinline__ Allocator split_rest(const tile_block<Stable, Shape, K, V> block,
                                             const view<const K, const V> in, const view<K, V> out, const F f,
                                             const item_range mine, Allocator runs) {
  split_part<slice_part::rest>(block, in, out, f, mine, runs, allocator_is_ready{});
  return runs;
}

/// What a slice has beside its whole tiles, by smaller ones, whose code may serve slices of few items, too: the shared
/// memory of a block is free for them. At most half as many rows of counters as threads.
template <bool Stable, class Small, class K, class V, class F, class Allocator>
__device__ __noinline__ Allocator split_beside(const std::uint32_t bins, const std::uint32_t counter_sets,
                                               std::uint32_t* const sums, const view<const K, const V> in,
                                               const view<K, V> out, const F f, const item_range mine,
                                               const item_range whole, Allocator runs) {
  const tile_block<Stable, Small, K, V> block(bins, counter_sets, sums);
  __builtin_assume(block.rows <= Small::threads / 2);
  split_part<slice_part::beside>(block, in, out, f, mine, runs, allocator_is_ready{}, whole);
  return runs;
}

/// Splits the items of a slice of `in`, tile by tile, as split_part does.
template <bool Stable, class Shape, class K, class V, class F, class Allocator, class Prepare = allocator_is_ready>
__device__ __forceinline__ void split_slice(const tile_block<Stable, Shape, K, V>& block,
                                            const view<const K, const V>& in, const view<K, V>& out, const F& f,
                                            const item_range mine, Allocator& runs, Prepare&& prepare = {}) {
  if constexpr (Stable || !Shape::large) {
    split_part<slice_part::all>(block, in, out, f, mine, runs, prepare);
  } else {
    split_part<slice_part::whole>(block, in, out, f, mine, runs, prepare);
    runs = split_rest(block, in, out, f, mine, runs);
  }
}

}  // namespace peneira::detail
