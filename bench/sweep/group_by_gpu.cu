// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A group_by on a GPU, which adds up, beside CUB's sort of pairs and its reduction by keys.
#include "peneira/group_by.hpp"

#include <cub/device/device_reduce.cuh>

#include "bench/cub_scratch.cuh"
#include "bench/peers_sort_gpu.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "bench/sweep/groups_answer.hpp"

namespace peneira::bench::sweep {
namespace {

template <class K, class V, class Sum>
outcome race_groups(const problem& p, gpu_place& at) {
  const made_items<K, V> input(p, 1, at.on.threads);
  const groups_answer<K, Sum> answer(input.items(), p.n, 1, at.on.threads);
  device_items<K, V> from(p.n);
  device_items<K, V> sorted(p.n);
  device_array<K> keys(p.n);
  device_array<V> sums(p.n);
  device_array<std::uint64_t> count(1);
  from.from_host(input.items());
  const view<const K, const V> in = from.items();
  const auto accepts = [&](bool ascending) {
    const std::uint64_t groups = taken_from(count)[0];
    const std::vector<K> found = taken_from(keys);
    const std::vector<V> added = taken_from(sums);
    return groups <= p.n && answer.accepts(0, found.data(), added.data(), groups, ascending);
  };
  cub_sort<K, V> cub(in, sorted.items(), at.stream());
  const auto add_up = [&](void* memory, std::size_t& bytes) {
    const view<K, V> all = sorted.items();
    return cub::DeviceReduce::ReduceByKey(memory, bytes, all.keys, keys.data(), all.values, sums.data(), count.data(),
                                          plus{}, static_cast<std::int64_t>(p.n), at.stream());
  };
  cub_scratch scratch(add_up);
  std::vector<contestant> peers;
  peers.push_back({"CUB SortPairs + ReduceByKey", [] {},
                   [&] {
                     cub();
                     scratch(add_up);
                   },
                   [&] { return accepts(true); }});
  outcome found;
  found.bytes = static_cast<double>((p.n + answer.count()) * p.item_bytes());
  const auto call = [&](auto&& on) {
    group_by(on, items(in.keys, p.n), items(in.values, p.n), items(keys.data(), p.n), items(sums.data(), p.n), plus{},
             count.data(), group_by_options{.groups = p.equal});
  };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers),
          {"peneira", [] {}, [&] { call(planned.place()); }, [&] { return accepts(p.equal == order::stable); }}, found);
  return found;
}

}  // namespace

outcome race_group_by_gpu(const problem& p, gpu_place& at) {
  if (p.type == item_type::u64_u64) return race_groups<std::uint64_t, std::uint64_t, std::uint64_t>(p, at);
  return race_groups<std::uint32_t, float, double>(p, at);
}

}  // namespace peneira::bench::sweep
