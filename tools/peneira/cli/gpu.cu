// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/cli/gpu.hpp"

#include <cuda_runtime.h>

#include "peneira/gpu/runtime.cuh"

namespace peneira::tool {

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
    peneira::detail::check(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties");
    all.push_back({properties.name, properties.major * 10 + properties.minor, properties.multiProcessorCount,
                   properties.totalGlobalMem});
  }
  return all;
}

std::size_t wake_gpu() {
  std::size_t free = 0;
  std::size_t total = 0;
  peneira::detail::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

}  // namespace peneira::tool
