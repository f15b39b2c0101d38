// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The same call on a GPU: give it a gpu for a place, and device memory as a pointer and a size.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no GPU here, nothing to show\n");
    return 77;  // ctest's "skipped"
  }
  constexpr std::size_t n = 1'000'000;
  constexpr std::uint32_t bins = 361;  // any number will do, not only powers of two
  std::vector<float> host(n);
  for (std::size_t i = 0; i < n; ++i)
    host[i] = static_cast<float>(pn::mix32(static_cast<std::uint32_t>(i)) >> 8U) * 0x1p-24F;

  float* keys = nullptr;
  float* out = nullptr;
  std::uint32_t* offsets = nullptr;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaMalloc(&keys, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&offsets, (bins + 1) * sizeof(std::uint32_t));
  cudaMemcpyAsync(keys, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);

  // PENEIRA_HD lets the function run on the device. The call returns at once: it is work on the stream like any other.
  const pn::binned f{bins, [] PENEIRA_HD(float x) { return static_cast<std::uint32_t>(x * 361); }};
  pn::multisplit(pn::gpu{.stream = stream}, pn::items(keys, n), pn::items(out, n), f, pn::items(offsets, bins + 1));

  std::vector<std::uint32_t> starts(bins + 1);
  cudaMemcpyAsync(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(starts.data(), offsets, starts.size() * sizeof(std::uint32_t), cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return 1;

  for (std::uint32_t b = 0; b < bins; ++b) {
    for (std::uint32_t at = starts[b]; at < starts[b + 1]; ++at) {
      if (f(host[at]) != b) return 1;
    }
  }
  std::printf("%u keys in %u bins; bin 180 holds %u of them, from %f on\n", starts[bins], bins,
              starts[181] - starts[180], static_cast<double>(host[starts[180]]));
  cudaFree(keys);
  cudaFree(out);
  cudaFree(offsets);
  cudaStreamDestroy(stream);
  return starts[bins] == n ? 0 : 1;
}
