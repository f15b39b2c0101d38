// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether strings in device memory can be right, seen before anything of them is read.
#pragma once

#include <algorithm>

#include "peneira/place.hpp"
#include "peneira/plan.hpp"
#include "peneira/strings/check.hpp"
#include "peneira/strings/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// A launch with a thread a string, or several strings a thread.
inline step each_string_step(std::string_view name, std::size_t items, const device& machine) {
  constexpr std::size_t threads = 256;
  const std::size_t most = 8 * static_cast<std::size_t>(machine.sms);
  return {name, std::clamp<std::size_t>((items + threads - 1) / threads, 1, most), threads};
}

/// What check_strings finds.
struct start_check {
  std::uint64_t wrong;  ///< the first string that ends before it starts; all bits set: none
  std::uint64_t begin;  ///< of all characters
  std::uint64_t end;
};

#if defined(__CUDACC__)

__device__ inline std::size_t first_item() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t item_stride() {
  return std::size_t{gridDim.x} * blockDim.x;
}

/// `found` has all bits set beforehand.
template <class Offset>
__global__ void check_strings(strings<Offset> all, start_check* found) {
  if (first_item() == 0) {
    found->begin = all.starts[0];
    found->end = all.starts[all.size];
  }
  for (std::size_t i = first_item(); i < all.size; i += item_stride()) {
    const Offset begin = all.starts[i];
    const Offset end = all.starts[i + 1];
    if (end < begin || end - begin < all.trailing) {
      atomicMin(reinterpret_cast<unsigned long long*>(&found->wrong), static_cast<unsigned long long>(i));
    }
  }
}

/// Throws std::invalid_argument where a string ends before it starts, or the permutation lies among the characters.
/// Waits for the stream.
template <class Offset, class Index>
void check_starts(const gpu& on, const step& planned, const strings<Offset>& all, const Index* permutation,
                  start_check* device_found) {
  const auto read = [&on](void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, on.stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize");
  };
  check(cudaMemsetAsync(device_found, 0xFF, sizeof *device_found, on.stream), "cudaMemsetAsync");
  launch(on, planned, check_strings<Offset>, all, device_found);
  start_check found{};
  read(&found, device_found, sizeof found);
  if (found.wrong < all.size) {
    Offset both[2] = {};
    read(both, all.starts + found.wrong, sizeof both);
    reject_string(found.wrong, both[0], both[1], all.trailing);
  }
  check_apart(all.chars + found.begin, found.end - all.trailing - found.begin, permutation, all.size * sizeof(Index));
}

#endif

}  // namespace peneira::detail
