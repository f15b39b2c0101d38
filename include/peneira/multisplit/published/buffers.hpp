// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// buffers: what the published strategies with a buffer of 32 items a bin share. They differ in what a thread does that
// finds its buffer full (Insert) and in whether they take more bins than there is room for.
//
//   slice of a block --f--> buffer of the bin, 32 items, shared memory --a warp, when full--> 32 neighbours of out
//
// Shared memory of a block, for as many bins at once as fit (136 bytes a bin of 32-bit keys: 361 in 48 KiB):
//
//   keys[bin][32] | values[bin][32] | cursors[bin] | waiting[bin]
//
// Who may touch what, between two barriers of the block:
//   insert   any thread reserves a slot by an atomic on waiting[bin] and writes that slot, which is its alone
//            (buffer_global: or moves the cursor by an atomic, and writes to the output)
//   flush    only the warp of the thread that took the last slot reads the buffer and moves cursor and waiting back
#pragma once

#include "peneira/multisplit/published/histograms.hpp"

namespace peneira::multisplit_strategies {

/// Items of a buffer: one for each lane of the warp that writes it out.
inline constexpr unsigned buffer_items = 32;

/// Bytes of shared memory for the buffer of one bin.
inline std::size_t buffer_bytes(const multisplit_problem& problem) {
  return buffer_items * problem.item_bytes() + cursor_bytes(problem) + sizeof(unsigned);
}

/// How many buffers a block has.
inline std::size_t buffers_of(const multisplit_problem& problem, const device& machine) {
  const std::size_t room = shared_of(problem, machine) / buffer_bytes(problem);
  return problem.published.buffers == 0 ? room : std::min(room, problem.published.buffers);
}

/// Why the buffers do not do for `bins` bins at once.
inline std::string refuse_buffers(const multisplit_problem& problem, const device& machine, std::size_t bins) {
  if (std::string refusal = refuse_all(problem, machine); !refusal.empty()) return refusal;
  const std::size_t room = buffers_of(problem, machine);
  if (bins <= room) return {};
  return "has room for " + std::to_string(room) + " buffers of 32 items of " + std::to_string(problem.item_bytes()) +
         " bytes in shared memory, but needs " + std::to_string(bins);
}

#if defined(__CUDACC__)

namespace published_kernels {

/// The buffers of the bins that a block works on.
template <class K, class V, class Cursor>
struct buffers {
  K* keys;
  V* values;
  Cursor* cursors;    ///< where in the output the next item of the bin goes
  unsigned* waiting;  ///< slots that were asked for; more than buffer_items where threads came too late

  __device__ explicit buffers(std::size_t count) {
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    unsigned char* const bytes = shared_bytes();  // each part takes a multiple of 32 bytes, but for the last two
    keys = reinterpret_cast<K*>(bytes);
    values = reinterpret_cast<V*>(bytes + count * buffer_items * sizeof(K));
    cursors = reinterpret_cast<Cursor*>(bytes + count * buffer_items * (sizeof(K) + value_bytes));
    waiting = reinterpret_cast<unsigned*>(cursors + count);
  }

  __device__ void open(const group_of_bins& group, const std::uint64_t* positions) const {
    for (std::uint32_t b = threadIdx.x; b < group.size; b += blockDim.x) {
      cursors[b] = static_cast<Cursor>(positions[group.entry(b)]);
      waiting[b] = 0;
    }
  }

  /// Puts item `at` of the input, whose key is at hand, into the buffer, and returns its slot; buffer_items or more
  /// where there was no room for it.
  __device__ unsigned put(std::uint32_t b, const K& key, view<const K, const V> in, std::size_t at) const {
    const unsigned slot = atomicAdd(&waiting[b], 1U);
    if (slot < buffer_items) {
      keys[b * buffer_items + slot] = key;
      if constexpr (view<K, V>::has_values) values[b * buffer_items + slot] = in.values[at];
    }
    return slot;
  }

  /// The whole warp writes what waits in one buffer to the output, and empties it.
  __device__ void flush(std::uint32_t b, view<K, V> out) const {
    const unsigned lane = threadIdx.x % 32;
    unsigned count = 0;
    Cursor cursor = 0;
    if (lane == 0) {  // one lane alone touches the numbers, so that the others need not be waited for
      count = waiting[b] < buffer_items ? waiting[b] : buffer_items;
      cursor = cursors[b];
      cursors[b] = cursor + count;
      waiting[b] = 0;
    }
    count = __shfl_sync(0xFFFFFFFFU, count, 0);
    cursor = __shfl_sync(0xFFFFFFFFU, cursor, 0);
    const std::size_t to = std::size_t{cursor} + lane;
    if (lane < count && to < out.size) {  // beyond it only if f contradicts what it said when counting
      out.keys[to] = keys[b * buffer_items + lane];
      if constexpr (view<K, V>::has_values) out.values[to] = values[b * buffer_items + lane];
    }
  }

  /// The warp flushes, one after another, the buffers that its threads filled. All its lanes call this.
  __device__ void flush_filled(bool filled, std::uint32_t b, view<K, V> out) const {
    for (unsigned left = __ballot_sync(0xFFFFFFFFU, filled); left != 0; left &= left - 1) {
      flush(__shfl_sync(0xFFFFFFFFU, b, __ffs(static_cast<int>(left)) - 1), out);
    }
  }
};

/// Algorithm 1 of the paper, for one group of bins after another. Insert::run gets a thread's item into its buffer or
/// to the output; all threads of the block call it together, and it ends with a barrier.
template <class Insert, class K, class V, class F, class Cursor>
__global__ void __launch_bounds__(most_threads)
    fill_buffers(view<const K, const V> in, view<K, V> out, F f, const std::uint64_t* positions, std::size_t slice,
                 std::size_t at_once) {
  const buffers<K, V, Cursor> held(at_once);
  const slice_of_block mine = my_slice(in.size, slice);
  const std::uint32_t bins = f.bins();
  out.size = in.size;  // nothing is written beyond, even if there is room
  for (std::size_t first = 0; first < bins; first += at_once) {
    const group_of_bins group(first, at_once, bins);
    held.open(group, positions);
    __syncthreads();
    for (std::size_t row = mine.begin; row < mine.end; row += blockDim.x) {
      const std::size_t at = row + threadIdx.x;
      const K key = in.keys[at < mine.end ? at : row];  // threads without an item look at another's
      const std::uint32_t number = group.number_of(detail::bin_of(f, key));
      Insert::run(held, at < mine.end && number < group.size, number, key, in, at, out);
    }
    for (std::uint32_t b = threadIdx.x / 32; b < group.size; b += blockDim.x / 32) held.flush(b, out);
    __syncthreads();
  }
}

}  // namespace published_kernels

#endif

/// A strategy that fills buffers by Insert; where it goes through its slice in rounds, it takes any number of bins.
template <class Insert, bool InRounds = false>
struct fills_buffers : two_stages {
  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    return refuse_buffers(problem, machine, InRounds ? 1 : problem.bins);
  }
  static parameters decide(const multisplit_problem& problem, const device& machine) {
    return two_stages::decide(problem, machine, Insert::kernel, {buffer_bytes(problem), buffers_of(problem, machine)});
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    two_stages::run<K, V>(on, p, in, f, offsets, checked, [&](const std::uint64_t* positions, auto cursor) {
      detail::launch(on, p.stage_two, published_kernels::fill_buffers<Insert, K, V, F, decltype(cursor)>, in, out, f,
                     positions, p.slice, p.bins_at_once);
    });
  }
#endif
};

}  // namespace peneira::multisplit_strategies
