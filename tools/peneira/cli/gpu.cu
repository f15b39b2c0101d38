// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/cli/gpu.hpp"

#include <cuda_runtime.h>

#include "bench/gpu_harness.cuh"
#include "peneira/multisplit.hpp"

namespace peneira::tool {
using pn::detail::check;

std::vector<gpu_info> find_gpus(std::string& why_not) {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    why_not = cudaGetErrorString(found != cudaSuccess ? found : cudaErrorNoDevice);
    return {};
  }
  std::vector<gpu_info> all;
  for (int number = 0; number < count; ++number) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties");
    all.push_back({properties.name, properties.major * 10 + properties.minor, properties.multiProcessorCount,
                   properties.totalGlobalMem});
  }
  return all;
}

template <class T>
void gpu_split(const T* in, T* out, std::size_t n, const bin_request<T>& by, std::uint64_t* offsets,
               std::string_view strategy) {
  const std::size_t entries = std::size_t{by.bins} + 1;
  bench::device_array<T> from(n);
  const bench::device_array<T> to(n);
  bench::device_array<T> splitters(by.splitters.size());
  const bench::device_array<std::uint64_t> table(entries);
  from.from_host(in);
  splitters.from_host(by.splitters.data());
  multisplit(gpu{}, items(static_cast<const T*>(from.data()), n), items(to.data(), n),
             file_bins<T>(by, splitters.data()), items(table.data(), entries), {.strategy = strategy});
  to.to_host(out);
  table.to_host(offsets);
}

template void gpu_split(const std::uint32_t*, std::uint32_t*, std::size_t, const bin_request<std::uint32_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::uint64_t*, std::uint64_t*, std::size_t, const bin_request<std::uint64_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::int32_t*, std::int32_t*, std::size_t, const bin_request<std::int32_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::int64_t*, std::int64_t*, std::size_t, const bin_request<std::int64_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const float*, float*, std::size_t, const bin_request<float>&, std::uint64_t*, std::string_view);
template void gpu_split(const double*, double*, std::size_t, const bin_request<double>&, std::uint64_t*,
                        std::string_view);

}  // namespace peneira::tool
