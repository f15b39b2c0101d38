// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort over ranks on GPUs. The way of ranks on CPUs (ranks/sort.hpp), in device memory:
//
//   keys --sample, all ranks--> borders --multisplit into the room--> bins, of which those with a cut are sorted, and
//   their keys come to the host --cuts.hpp--> exact cuts
//   room --device_rooms.hpp--> out: what is this rank's share, unsorted --sort, here--> out
#pragma once

#include <memory>
#include <vector>

#include "peneira/ranks/sort_numbers.hpp"
#include "peneira/sort.hpp"

#if defined(__CUDACC__)
#include "peneira/ranks/gpu/device_rooms.hpp"
#include "peneira/ranks/gpu/sample.cuh"
#include "peneira/ranks/gpu/split.hpp"

namespace peneira::detail {

/// Splits this rank's items into its room, and returns where they are cut so that each rank gets its share.
template <transport Transport, class K, class V>
std::vector<std::uint64_t> split_and_cut(Transport& between, const gpu& here, view<const K, const V> in,
                                         view<K, V> room, const bin_borders<bits_of<K>>& borders, const rank_sizes& to,
                                         const sort_options& options) {
  using number = bits_of<K>;
  const key_number<K> of = number_for<K>(options);
  std::vector<std::uint64_t> offsets(borders.bins() + 1);
  std::unique_ptr<K[]> held;  // pages that no bin with a cut lies in are never touched
  together(between, [&] {
    held.reset(new K[in.size]);
    workspace memory(memory_of(here), workspace::footprint<number>(borders.size()), here.stream);
    auto* const there = memory.take<number>(borders.size());
    copy_to_device(here, borders.sorted(), borders.size(), there);
    const device_cut_bins<K> f{of, {there, borders.size()}};
    split_for_host<K, V>(here, in, room, f, offsets, {.within_bin = options.equal_keys});
  });
  cut_finder<Transport, K> finder(between, held.get(), offsets, borders, of);
  std::vector<std::uint64_t> cuts = finder.cut_at_bins(to);
  together(between, [&] {
    for (const std::size_t bin : finder.bins_to_sort()) {
      const std::size_t begin = offsets[bin];
      const std::size_t size = offsets[bin + 1] - begin;
      sort(here, room.part(begin, size), options);
      copy_to_host(here, room.keys + begin, size, held.get() + begin);
    }
  });
  finder.refine(cuts);
  return cuts;
}

/// Bytes that the sort of a rank's share takes where it lies; what is sorted in place takes other memory.
template <class K, class V>
std::size_t bytes_to_sort(view<K, V> share, const sort_options& options) {
  const auto call = [&](auto& on) { sort(on, share, options); };
  return explain(call, current_device()).temporary_bytes + memory_alignment;
}

/// sort over ranks on GPUs. What it ends with, the sort of a rank's share, is queued on the stream.
template <transport Transport, class K, class V>
void sort_over_gpus(Transport& between, device_rooms<Transport>& rooms, const gpu& here, view<const K, const V> in,
                    view<K, V> out, const sort_options& options) {
  const call_sizes sizes = meet(between, "sort on a GPU", in.size, out.size, sort_signature<K, V>(options));
  const rank_sizes& to = sizes.out;
  std::size_t room_bytes = 0;
  together(between, [&] {
    check_rank_arrays<K, V, gpu>("sort", in, out);
    check_sort<gpu, K, V>("sort", in.part(0, 0), out.part(0, 0), options);  // the options
    room_bytes = std::max(room_columns<K, V>{in.size}.bytes(), bytes_to_sort(out, options));
  });
  check_rank_sizes("sort", "out", sizes.in, to);

  const key_number<K> of = number_for<K>(options);
  const auto take = [&](std::vector<bits_of<K>>& mine) {
    together(between, [&] {
      if (mine.empty()) return;
      workspace memory(memory_of(here), workspace::footprint<bits_of<K>>(mine.size()), here.stream);
      auto* const sample = memory.take<bits_of<K>>(mine.size());
      launch(here, take_rank_sample_step(mine.size()), take_rank_sample<K>, in.keys, in.size, of, sample, mine.size());
      copy_to_host(here, sample, mine.size(), mine.data());
    });
  };
  const auto sample = sample_all<bits_of<K>>(between, sizes.in, to.begins.size() - 2, take);
  const room_columns<K, V> columns{in.size};
  const view<K, V> room = columns.in(rooms.make_room(room_bytes));
  const auto cuts = split_and_cut(between, here, in, room, choose_borders(sample, to), to, options);
  exchange_items(rooms, columns, cuts, out);
  together(between, [&] {
    arena memory(rooms.room(), room_bytes);  // the room is free again
    sort(gpu{here.stream, &memory}, out, options);
  });
}

}  // namespace peneira::detail

#endif
