// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/gpu.hpp"

#include <cuda_runtime.h>

#include "peneira/multisplit.hpp"

namespace peneira::tool {
namespace {

using pn::detail::check;

/// An array in the GPU's memory.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t size) {
    if (size != 0) check(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  device_array(device_array&&) = delete;
  device_array& operator=(device_array&&) = delete;
  ~device_array() { static_cast<void>(cudaFree(data_)); }
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

template <class T>
void copy(T* to, const T* from, std::size_t size, cudaMemcpyKind kind) {
  if (size != 0) check(cudaMemcpy(to, from, size * sizeof(T), kind), "cudaMemcpy");
}

}  // namespace

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
  const device_array<T> from(n);
  const device_array<T> to(n);
  const device_array<T> splitters(by.splitters.size());
  const device_array<std::uint64_t> table(entries);
  copy(from.data(), in, n, cudaMemcpyHostToDevice);
  copy(splitters.data(), by.splitters.data(), by.splitters.size(), cudaMemcpyHostToDevice);
  with_bins(by, splitters.data(), static_cast<const T*>(from.data()), to.data(),
            [&](const auto* source, auto* target, const auto& f) {
              multisplit(gpu{}, items(source, n), items(target, n), f, items(table.data(), entries),
                         {.strategy = strategy});
            });
  copy(out, static_cast<const T*>(to.data()), n, cudaMemcpyDeviceToHost);
  copy(offsets, static_cast<const std::uint64_t*>(table.data()), entries, cudaMemcpyDeviceToHost);
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
