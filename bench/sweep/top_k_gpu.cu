// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A top_k on a GPU, beside CUB's sort of all items.
#include "peneira/top_k.hpp"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "bench/cub_scratch.cuh"
#include "bench/sweep/gpu_place.cuh"

namespace peneira::bench::sweep {

outcome race_top_k_gpu(const problem& p, gpu_place& at) {
  using key = std::uint32_t;
  const std::size_t k = p.asked.k;
  const made_items<key, no_value> input(p, 1, at.on.threads);
  const key* const all = input.items().keys;
  device_array<key> in(p.n);
  device_array<key> out(p.n);
  in.from_host(all);
  out.poison();
  const auto first = [least = p.asked.least](key a, key b) { return least ? a < b : b < a; };
  std::vector<key> wanted(all, all + p.n);
  std::nth_element(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(k - 1), wanted.end(), first);
  wanted.resize(k);
  std::sort(wanted.begin(), wanted.end(), first);
  const auto accepts = [&](bool sorted) {
    std::vector<key> got = taken_from(out);
    got.resize(k);
    if (!sorted) std::sort(got.begin(), got.end(), first);
    return got == wanted;
  };
  const auto cub_call = [&](void* memory, std::size_t& bytes) {
    return p.asked.least ? cub::DeviceRadixSort::SortKeys(memory, bytes, in.data(), out.data(), p.n, 0, 32, at.stream())
                         : cub::DeviceRadixSort::SortKeysDescending(memory, bytes, in.data(), out.data(), p.n, 0, 32,
                                                                    at.stream());
  };
  cub_scratch scratch(cub_call);
  std::vector<contestant> peers;
  peers.push_back({"cub::DeviceRadixSort::SortKeys", [] {}, [&] { scratch(cub_call); }, [&] { return accepts(true); }});
  outcome found;
  found.bytes = static_cast<double>((p.n + k) * sizeof(key));
  const auto call = [&](auto&& on) {
    top_k(on, items(static_cast<const key*>(in.data()), p.n), k, items(out.data(), k),
          top_k_options{.least = p.asked.least, .sorted = p.asked.sorted});
  };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers),
          {"peneira", [] {}, [&] { call(planned.place()); }, [&] { return accepts(p.asked.sorted); }}, found);
  return found;
}

}  // namespace peneira::bench::sweep
