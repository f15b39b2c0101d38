// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort on a GPU, out of place, beside CUB's.
#pragma once

#include "bench/gpu_sort_answer.cuh"
#include "bench/peers_sort_gpu.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "peneira/sort.hpp"

namespace peneira::bench::sweep {

template <class K, class V>
outcome race_sort_of(const problem& p, gpu_place& at) {
  device_items<K, V> from(p.n);
  device_items<K, V> to(p.n);
  from.from_host(made_items<K, V>(p, 1, at.on.threads).items());
  const view<const K, const V> in = from.items();
  const gpu_sort_answer<K, V> answer(in, at.stream());
  const auto accepts = [&](order equal_keys) {
    const bool right = answer.accepts(to.items(), equal_keys);
    to.poison();
    return right && answer.is_right();
  };
  to.poison();
  cub_sort<K, V> cub(in, to.items(), at.stream());
  std::vector<contestant> peers;
  peers.push_back({cub.name, [] {}, [&cub] { cub(); }, [&accepts] { return accepts(order::stable); }});

  outcome found;
  found.bytes = 2.0 * static_cast<double>(p.n) * static_cast<double>(p.item_bytes());
  const auto call = [&](auto&& on) { sort(on, in, to.items(), sort_options{.equal_keys = p.equal}); };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers), {"peneira", [] {}, [&] { call(planned.place()); }, [&] { return accepts(p.equal); }},
          found);
  return found;
}

}  // namespace peneira::bench::sweep
