// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The second half of a multisplit: each block takes its slice tile by tile, orders the tile by bin in shared memory and
// writes it out, every bin's run where the block's last one ended. The next tile is on its way meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/device/columns.cuh"
#include "peneira/device/few.cuh"
#include "peneira/device/tile_block.cuh"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Where runs go: behind the slice's last ones of their bins. Thread t knows where the next of bin t goes.
struct room_in_slice {
  std::uint64_t next;

  /// By thread `bin`: the tile has so many items of the bin, from `begin` on. Returns where in the output they go.
  __device__ std::uint64_t take(std::uint32_t /*bin*/, unsigned /*begin*/, std::uint32_t count) {
    const std::uint64_t first = next;
    next += count;
    return first;
  }
  /// By one thread: how many items of the tile go anywhere.
  __device__ void kept(unsigned /*count*/) const {}
};

/// The whole tiles of a slice, and what is left of it beside them.
enum class slice_part { all, whole, rest };

/// A few items that are left of a slice, as a function of its own to which everything goes by value: registers spill
/// otherwise.
template <bool Stable, class Shape, class K, class V, class F, class Room>
__device__ __noinline__ Room split_few_rest(const tile_block<Stable, Shape, K, V> block,
                                            const view<const K, const V> in, const view<K, V> out, const F f,
                                            const tile_part part, Room room) {
  split_few(shared_memory<unsigned char>(), block.sums, block.bins, in, out, f, part, room);
  __syncthreads();
  return room;
}

/// For a block that has its room before it begins.
struct room_is_there {
  __device__ void operator()() const {}
};

/// Splits a part of a slice of `in`, tile by tile, each tile's runs where the room for them is; find_room() is called
/// once, when the first tile is on its way.
template <slice_part Part, bool Stable, class Shape, class K, class V, class F, class Room, class Find>
__device__ __forceinline__ void split_part(const tile_block<Stable, Shape, K, V>& block,
                                           const view<const K, const V>& in, const view<K, V>& out, const F& f,
                                           const item_range mine, Room& room, Find&& find_room) {
  constexpr bool with_values = view<K, V>::has_values;
  const std::uint32_t bins = block.bins;
  const std::uint32_t chains = block.chains;
  const auto& shared = block.shared;
  const auto& where = block.where;
  const auto& counters = block.counters;
  const std::uint32_t bin = threadIdx.x;

  tile_column<Shape, K> keys;
  tile_column<Shape, V> values;
  // In the order of the bins a place is skipped now and then, or lanes whose chunks are alike would meet at a bank.
  const auto padded = [](unsigned place) { return Stable ? place + place / tile_padded_places : place; };
  constexpr int together = Shape::together;

  const auto load_whole = [&](std::size_t at) {
    keys.load(in.keys + at);
    if constexpr (with_values) values.load(in.values + at);
  };

  // Splits the tile at `at` that the registers hold, and of which `count` items are real; loads the next one in passing
  // where there is `more`.
  const auto split = [&](auto whole, std::size_t at, unsigned count, bool more) {
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
    };
    const auto count_some = [&](int i) {
      std::uint32_t counted[together];
#pragma unroll
      for (int j = 0; j < together; ++j) counted[j] = counters.count(codes[i + j]);
#pragma unroll
      for (int j = 0; j < together; ++j) codes[i + j] = counters.ranked(codes[i + j], counted[j]);
      __syncwarp();
    };
    if constexpr (Stable) {
#pragma unroll
      for (int i = 0; i < Shape::items; ++i) find_code(i);
      for (unsigned turn = 0; turn < 1U << where.shift; ++turn) {
        if (turn == where.turn) {
#pragma unroll
          for (int i = 0; i < Shape::items; i += together) count_some(i);
        }
        __syncthreads();
      }
    } else {
#pragma unroll
      for (int i = 0; i < Shape::items; i += together) {
#pragma unroll
        for (int j = 0; j < together; ++j) find_code(i + j);
        count_some(i);
      }
      __syncthreads();
    }

    // Where each bin begins in the tile.
    const unsigned kept = counters.scan_all(block.sums, [&](unsigned row, unsigned place) {
      const unsigned column = Stable ? 2 * row : row;
      if (column % chains == 0 && (!Stable || row < block.rows)) shared.begins[column / chains] = place;
    });
    if (threadIdx.x == 0) shared.begins[bins] = kept;
    __syncthreads();
    if (bin < bins) {
      const std::uint32_t begin = shared.begins[bin];
      const std::uint64_t first = room.take(bin, begin, shared.begins[bin + 1] - begin);
      shared.targets[bin].keys = out.keys + (first - begin);
      if constexpr (with_values) shared.targets[bin].values = out.values + (first - begin);
    }
    if (threadIdx.x == 0) room.kept(kept);

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
    if (more) load_whole(at + Shape::size);
    __syncthreads();
    counters.clear();

    // Out.
    const auto target_of = [&](const K& key) {
      const std::uint32_t b = f(key);
      return shared.targets[F::safe || b < bins ? b : 0];
    };
    const auto write = [&](const bin_target<K, V>& to, unsigned place, const K& key) {
      if constexpr (!F::safe) {  // f may contradict what it said when counting
        if (static_cast<std::size_t>(to.keys + place - out.keys) >= out.size) return;
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

  // Whole tiles begin at an aligned item. What lies before it is split first, or where the order does not count,
  // together with what lies behind the last.
  item_range whole{mine.begin, mine.begin};
  if constexpr (Shape::large) {
    const bool aligned =
        aligned_for<K, Shape::group>(in.keys) && (!with_values || aligned_for<V, Shape::group>(in.values));
    if (aligned) whole = whole_tiles_of(mine, Shape::size, Shape::group);
  }
  const std::size_t head = whole.begin - mine.begin;
  const std::size_t tail = mine.end - whole.end;
  if constexpr (Shape::large && Part != slice_part::rest) {
    if ((!Stable || head == 0) && whole.begin < whole.end) load_whole(whole.begin);
  }
  find_room();
  __syncthreads();
#pragma unroll 1
  for (bool first = Stable && head != 0, again = true; again; first = false) {
    again = first;
    if constexpr (Shape::large && Part != slice_part::rest) {
      if (Stable && !first && head != 0 && whole.begin < whole.end) load_whole(whole.begin);
      for (std::size_t at = first ? whole.end : whole.begin; at < whole.end; at += Shape::size) {
        split(std::true_type{}, at, Shape::size, at + Shape::size < whole.end);
      }
    }
    if constexpr (Part == slice_part::whole) return;
    constexpr bool joined = !Stable && Shape::large;  // head and tail
    const slice_rest rest{first ? mine.begin : whole.end, first ? head : tail, mine.begin, Stable ? 0 : head};
    if constexpr (Shape::large && few_bytes(tuning::tile_bins) <= Shape::size * sizeof(K)) {
      if (rest.size() != 0 && rest.size() <= few_items) {
        room = split_few_rest(block, in, out, f, rest.part(0, Shape::size), room);
        continue;
      }
    }
    for (std::size_t done = 0; done < rest.size(); done += Shape::size) {
      const tile_part part = rest.part(done, Shape::size);
      keys.template load_some<joined>(in.keys + part.at, part.count, part.joint, in.keys + part.others);
      if constexpr (with_values) {
        values.template load_some<joined>(in.values + part.at, part.count, part.joint, in.values + part.others);
      }
      split(std::false_type{}, part.at, part.count, false);
    }
  }
}

/// The rest of a slice, as a function of its own to which everything goes by value: registers spill otherwise.
template <bool Stable, class Shape, class K, class V, class F, class Room>
__device__ __noinline__ Room split_rest(const tile_block<Stable, Shape, K, V> block, const view<const K, const V> in,
                                        const view<K, V> out, const F f, const item_range mine, Room room) {
  split_part<slice_part::rest>(block, in, out, f, mine, room, room_is_there{});
  return room;
}

/// Splits the items of a slice of `in`, tile by tile, as split_part does.
template <bool Stable, class Shape, class K, class V, class F, class Room, class Find = room_is_there>
__device__ __forceinline__ void split_slice(const tile_block<Stable, Shape, K, V>& block,
                                            const view<const K, const V>& in, const view<K, V>& out, const F& f,
                                            const item_range mine, Room& room, Find&& find_room = {}) {
  if constexpr (Stable || !Shape::large) {
    split_part<slice_part::all>(block, in, out, f, mine, room, find_room);
  } else {
    split_part<slice_part::whole>(block, in, out, f, mine, room, find_room);
    room = split_rest(block, in, out, f, mine, room);
  }
}

/// What the blocks of one pass know.
struct scatter_pass {
  std::uint32_t bins;            ///< of this pass
  std::uint32_t chains;          ///< of a tile
  std::uint32_t unit;            ///< items that stay together when blocks share them out
  const std::uint64_t* kept;     ///< how many items there are; nullptr: all of the input
  const std::uint64_t* columns;  ///< where each block begins within each bin; nullptr: there is one tile only
  const std::uint64_t* totals;   ///< the size of each bin
  std::uint64_t* starts;         ///< where each bin begins, and at its end how many items were kept; written
};

/// Tells where bins begin.
template <class Offset>
struct bin_begins {
  std::uint64_t* starts;
  Offset* offsets;  ///< nullptr: nobody asks

  __device__ void tell(std::uint32_t bin, std::uint64_t at) const {
    starts[bin] = at;
    if (offsets != nullptr) offsets[bin] = static_cast<Offset>(at);
  }
};

/// The room of a slice, or where there is one tile only and nothing was counted, of that tile, which then tells where
/// each bin begins.
template <class Offset>
struct room_of_pass : room_in_slice {
  bool alone;
  std::uint32_t bins;
  bin_begins<Offset> begins;

  __device__ std::uint64_t take(std::uint32_t bin, unsigned begin, std::uint32_t count) {
    if (alone) begins.tell(bin, next = begin);
    return room_in_slice::take(bin, begin, count);
  }
  __device__ void kept(unsigned count) const {
    if (alone) begins.tell(bins, count);
  }
};

template <class K, class V, class F, class Offset>
__global__ void __launch_bounds__(tuning::tile_threads)
    scatter_few(view<const K, const V> in, view<K, V> out, F f, std::uint32_t bins, bin_begins<Offset> begins) {
  __shared__ std::uint32_t sums[tuning::tile_threads / 32];
  room_of_pass<Offset> room{{}, true, bins, begins};
  const auto count = static_cast<unsigned>(in.size);
  split_few(shared_memory<unsigned char>(), sums, bins, in, out, f, {0, 0, count, count}, room);
}

template <bool Stable, class Shape, class K, class V, class F, class Offset>
__global__ void __launch_bounds__(Shape::threads, Shape::large ? 1 : 2)
    scatter_tiles(view<const K, const V> in, view<K, V> out, F f, scatter_pass pass, Offset* offsets) {
  __shared__ std::uint32_t sums[Shape::threads / 32];
  const tile_block<Stable, Shape, K, V> block(pass.bins, pass.chains, sums);
  using scan = cub::BlockScan<std::uint64_t, Shape::threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage scratch;
  static_assert(sizeof(scratch) + sizeof(sums) <= tile_static_bytes);

  if (pass.kept != nullptr) wait_for_kernels_before();  // the items of the first pass are there before
  const item_range mine = slice_in_units(items_of_pass(in.size, pass.kept), blockIdx.x, gridDim.x, pass.unit);
  const bin_begins<Offset> begins{pass.starts, offsets};
  room_of_pass<Offset> room{{}, pass.columns == nullptr, pass.bins, begins};
  split_slice(block, in, out, f, mine, room, [&] {
    wait_for_kernels_before();
    let_next_kernel_start();
    if (pass.columns == nullptr) return;
    const std::uint32_t bin = threadIdx.x;
    const bool real = bin < pass.bins;
    const std::uint64_t before = real ? pass.columns[std::size_t{blockIdx.x} * pass.bins + bin] : 0;
    std::uint64_t all = 0;
    scan(scratch).ExclusiveSum(real ? pass.totals[bin] : 0, room.next, all);
    if (blockIdx.x == 0 && real) begins.tell(bin, room.next);
    if (blockIdx.x == 0 && bin == 0) begins.tell(pass.bins, all);
    room.next += before;
  });
}

}  // namespace peneira::detail
