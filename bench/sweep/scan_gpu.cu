// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A scan on a GPU, beside CUB's, and a gather, beside Thrust's.
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cub/device/device_scan.cuh>

#include "bench/cub_scratch.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "bench/sweep/parts.hpp"
#include "bench/sweep/scan_answer.hpp"
#include "peneira/gather.hpp"
#include "peneira/scan.hpp"

namespace peneira::bench::sweep {
namespace {

template <class T, class Op>
outcome race_scan_on_gpu(const problem& p, gpu_place& at) {
  const made_items<T, no_value> input(p, 1, at.on.threads);
  device_array<T> in(p.n);
  device_array<T> out(p.n);
  in.from_host(input.items().keys);
  out.poison();
  const bool inclusive = p.asked.inclusive;
  const auto check = [&] {
    std::vector<T> got(p.n);
    out.to_host(got.data());
    out.poison();
    return is_scan(input.items().keys, got.data(), p.n, Op{}, inclusive);
  };
  const auto cub_call = [&](void* memory, std::size_t& bytes) {
    const T start = Op{}.template identity<T>();
    return inclusive
               ? cub::DeviceScan::InclusiveScan(memory, bytes, in.data(), out.data(), Op{}, p.n, at.stream())
               : cub::DeviceScan::ExclusiveScan(memory, bytes, in.data(), out.data(), Op{}, start, p.n, at.stream());
  };
  cub_scratch scratch(cub_call);
  std::vector<contestant> peers;
  peers.push_back({inclusive ? "cub::DeviceScan::InclusiveScan" : "cub::DeviceScan::ExclusiveScan", [] {},
                   [&] { scratch(cub_call); }, check});
  outcome found;
  found.bytes = 2.0 * static_cast<double>(p.n * sizeof(T));
  const auto call = [&](auto&& on) {
    scan(on, items(static_cast<const T*>(in.data()), p.n), items(out.data(), p.n), Op{},
         scan_options{.inclusive = inclusive});
  };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers), {"peneira", [] {}, [&] { call(planned.place()); }, check}, found);
  return found;
}

}  // namespace

outcome race_scan_gpu(const problem& p, gpu_place& at) {
  if (p.type == item_type::u32) return race_scan_on_gpu<std::uint32_t, plus>(p, at);
  if (p.type == item_type::f64) return race_scan_on_gpu<double, plus>(p, at);
  throw std::logic_error("a scan was drawn that nobody compiled");
}

outcome race_gather_gpu(const problem& p, gpu_place& at) {
  using item = std::uint32_t;
  std::vector<item> places(p.n);
  std::vector<item> from(p.n);
  fill_positions(made_items<item, no_value>(p, 1, at.on.threads).items(), p.n, places.data());
  for (std::size_t i = 0; i < p.n; ++i) from[i] = static_cast<item>(mix64(i));
  device_array<item> positions(p.n);
  device_array<item> in(p.n);
  device_array<item> out(p.n);
  positions.from_host(places.data());
  in.from_host(from.data());
  out.poison();
  const auto check = [&] {
    std::vector<item> got(p.n);
    out.to_host(got.data());
    out.poison();
    for (std::size_t i = 0; i < p.n; ++i) {
      if (got[i] != from[places[i]]) return false;
    }
    return true;
  };
  std::vector<contestant> peers;
  peers.push_back({"thrust::gather", [] {},
                   [&] {
                     thrust::gather(thrust::cuda::par_nosync.on(at.stream()), positions.data(), positions.data() + p.n,
                                    in.data(), out.data());
                   },
                   check});
  outcome found;
  found.bytes = 3.0 * static_cast<double>(p.n * sizeof(item));
  const auto call = [&](auto&& on) {
    gather(on, items(static_cast<const item*>(in.data()), p.n), items(static_cast<const item*>(positions.data()), p.n),
           items(out.data(), p.n));
  };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers), {"peneira", [] {}, [&] { call(planned.place()); }, check}, found);
  return found;
}

}  // namespace peneira::bench::sweep
