// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A partition on a GPU, beside CUB's, which leaves its second part the wrong way round; unique and run_lengths beside
// CUB's.
#include "peneira/partition.hpp"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "bench/cub_scratch.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "bench/sweep/parts.hpp"
#include "bench/sweep/runs_answer.hpp"
#include "peneira/unique.hpp"

namespace peneira::bench::sweep {
namespace {

using key = std::uint32_t;

}  // namespace

outcome race_partition_gpu(const problem& p, gpu_place& at) {
  const made_items<key, no_value> input(p, 1, at.on.threads);
  const view<const key, const no_value> all = input.items();
  const is_below<key> f{all.keys[p.data_seed % p.n]};
  device_array<key> in(p.n);
  device_array<key> out(p.n);
  device_array<std::uint64_t> counts(2);
  in.from_host(all.keys);
  out.poison();
  const auto accepts = [&](order within, bool has_second) {
    std::vector<std::uint64_t> sizes = taken_from(counts);
    if (!has_second) sizes[1] = p.n - sizes[0];
    std::vector<key> got = taken_from(out);
    return are_parts(all, view<key>{got.data(), nullptr, p.n}, sizes.data(), f, within);
  };
  const auto cub_call = [&](void* memory, std::size_t& bytes) {
    return cub::DevicePartition::If(memory, bytes, in.data(), out.data(), counts.data(), static_cast<std::int64_t>(p.n),
                                    f, at.stream());
  };
  cub_scratch scratch(cub_call);
  std::vector<contestant> peers;
  peers.push_back(
      {"cub::DevicePartition::If", [] {}, [&] { scratch(cub_call); }, [&] { return accepts(order::any, false); }});
  outcome found;
  found.bytes = 2.0 * static_cast<double>(p.n * sizeof(key));
  const auto call = [&](auto&& on) {
    partition(on, items(static_cast<const key*>(in.data()), p.n), items(out.data(), p.n), f, items(counts.data(), 2),
              partition_options{.within_part = p.equal});
  };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers),
          {"peneira", [] {}, [&] { call(planned.place()); }, [&] { return accepts(p.equal, true); }}, found);
  return found;
}

outcome race_runs_gpu(const problem& p, gpu_place& at) {
  const bool with_lengths = p.what == primitive::run_lengths;
  const runs_input<key> input(p, 1, at.on.threads);
  device_array<key> in(p.n);
  device_array<key> values(p.n);
  device_array<std::uint32_t> lengths(with_lengths ? p.n : 0);
  device_array<std::uint64_t> count(1);
  in.from_host(input.keys());
  values.poison();
  lengths.poison();
  const auto check = [&] {
    const std::uint64_t runs = taken_from(count)[0];
    const std::vector<key> found = taken_from(values);
    const std::vector<std::uint32_t> sizes = taken_from(lengths);
    return runs <= p.n && input.accepts(0, found.data(), with_lengths ? sizes.data() : nullptr, runs);
  };
  const auto n = static_cast<std::int64_t>(p.n);
  const auto cub_call = [&](void* memory, std::size_t& bytes) {
    return with_lengths
               ? cub::DeviceRunLengthEncode::Encode(memory, bytes, in.data(), values.data(), lengths.data(),
                                                    count.data(), n, at.stream())
               : cub::DeviceSelect::Unique(memory, bytes, in.data(), values.data(), count.data(), n, at.stream());
  };
  cub_scratch scratch(cub_call);
  std::vector<contestant> peers;
  peers.push_back({with_lengths ? "cub::DeviceRunLengthEncode::Encode" : "cub::DeviceSelect::Unique", [] {},
                   [&] { scratch(cub_call); }, check});
  outcome found;
  const std::size_t runs = input.runs();
  found.bytes = static_cast<double>((p.n + runs * (with_lengths ? 2 : 1)) * sizeof(key));
  const auto call = [&](auto&& on) {
    const auto from = items(static_cast<const key*>(in.data()), p.n);
    if (with_lengths) {
      run_lengths(on, from, items(values.data(), p.n), items(lengths.data(), p.n), count.data());
    } else {
      unique(on, from, items(values.data(), p.n), count.data());
    }
  };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers), {"peneira", [] {}, [&] { call(planned.place()); }, check}, found);
  return found;
}

}  // namespace peneira::bench::sweep
