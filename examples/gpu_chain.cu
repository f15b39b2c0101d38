// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that follow one another on a GPU's stream, and nobody waits between them: which stations report frost, and how
// often each does.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

#include "peneira/partition.hpp"
#include "peneira/sort.hpp"
#include "peneira/unique.hpp"

namespace {

struct reading {
  std::uint16_t station;
  std::int16_t celsius;
};

struct is_frost {
  PENEIRA_HD bool operator()(const reading& r) const { return r.celsius < 0; }
};

/// The station of a reading, or the last number of all for one without frost.
__global__ void take_stations(const reading* readings, std::size_t n, const std::uint32_t* frosts,
                              std::uint16_t* stations) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) stations[i] = i < frosts[0] ? readings[i].station : 0xFFFF;
}

template <class T>
T* on_device(std::size_t count) {
  void* at = nullptr;
  if (cudaMalloc(&at, count * sizeof(T)) != cudaSuccess) return nullptr;
  return static_cast<T*>(at);
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no GPU here, nothing to show\n");
    return 77;  // ctest's "skipped"
  }
  constexpr std::size_t n = 100'000;
  std::vector<reading> host(n);
  std::map<std::uint16_t, std::uint32_t> wanted;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t drawn = pn::mix32(static_cast<std::uint32_t>(i));
    host[i] = {static_cast<std::uint16_t>(drawn % 300), static_cast<std::int16_t>((drawn >> 16U) % 40 - 10)};
    if (is_frost{}(host[i])) ++wanted[host[i].station];
  }

  auto* const in = on_device<reading>(n);
  auto* const parted = on_device<reading>(n);
  auto* const stations = on_device<std::uint16_t>(n);
  auto* const found = on_device<std::uint16_t>(n);
  auto* const times = on_device<std::uint32_t>(n);
  auto* const numbers = on_device<std::uint32_t>(3);
  cudaMemcpy(in, host.data(), n * sizeof(reading), cudaMemcpyHostToDevice);

  // Each call is work on the stream. What one of them counts stays on the device, where the next finds it.
  const pn::gpu on{};
  pn::partition(on, pn::items(in, n), pn::items(parted, n), is_frost{}, pn::items(numbers, 2));
  take_stations<<<(n + 255) / 256, 256>>>(parted, n, numbers, stations);
  pn::sort(on, pn::items(stations, n));
  pn::run_lengths(on, pn::items(stations, n), pn::items(found, n), pn::items(times, n), numbers + 2);

  std::uint32_t runs = 0;
  cudaMemcpy(&runs, numbers + 2, sizeof runs, cudaMemcpyDeviceToHost);
  std::vector<std::uint16_t> names(runs);
  std::vector<std::uint32_t> frosts(runs);
  cudaMemcpy(names.data(), found, runs * sizeof(std::uint16_t), cudaMemcpyDeviceToHost);
  if (cudaMemcpy(frosts.data(), times, runs * sizeof(std::uint32_t), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  if (runs != wanted.size() + 1 || names.back() != 0xFFFF) return 1;
  for (std::uint32_t r = 0; r + 1 < runs; ++r) {
    if (wanted[names[r]] != frosts[r]) return 1;
  }
  std::printf("%u stations had frost, station %u %u times\n", runs - 1, names[0], frosts[0]);
  for (void* const array : {static_cast<void*>(in), static_cast<void*>(parted), static_cast<void*>(stations),
                            static_cast<void*>(found), static_cast<void*>(times), static_cast<void*>(numbers)}) {
    cudaFree(array);
  }
  return 0;
}
