// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bin functions that were compiled while the program ran (libpeneira/_gpu/expressions.py).
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <peneira/error.hpp>
#include <peneira/place.hpp>

namespace peneira::python {

inline void check(cudaError_t code) {
  if (code != cudaSuccess) throw cuda_error("libpeneira", cudaGetErrorString(code), code);
}

/// A kernel peneira_bins(keys, bins, n), which writes the bins of n keys.
class compiled_bins {
 public:
  /// What a compiler made, for the devices that can run it.
  explicit compiled_bins(const void* compiled) {
    check(cudaLibraryLoadData(&library_, compiled, nullptr, nullptr, 0, nullptr, nullptr, 0));
    const cudaError_t found = cudaLibraryGetKernel(&kernel_, library_, "peneira_bins");
    if (found == cudaSuccess) return;
    static_cast<void>(cudaLibraryUnload(library_));
    check(found);
  }
  compiled_bins(const compiled_bins&) = delete;
  compiled_bins& operator=(const compiled_bins&) = delete;
  compiled_bins(compiled_bins&&) = delete;
  compiled_bins& operator=(compiled_bins&&) = delete;
  ~compiled_bins() { static_cast<void>(cudaLibraryUnload(library_)); }

  void operator()(const gpu& on, const void* keys, std::size_t size, std::uint32_t* bins) const {
    if (size == 0) return;
    constexpr unsigned block = 256;
    constexpr std::size_t items_a_thread = 4;
    constexpr std::size_t most_blocks = std::size_t{1} << 16U;
    const std::size_t blocks = std::clamp<std::size_t>(size / (block * items_a_thread), 1, most_blocks);
    std::uint64_t n = size;
    void* arguments[] = {static_cast<void*>(&keys), static_cast<void*>(&bins), static_cast<void*>(&n)};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), dim3(static_cast<unsigned>(blocks)), dim3(block),
                           arguments, 0, static_cast<cudaStream_t>(on.stream)));
  }

 private:
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace peneira::python
