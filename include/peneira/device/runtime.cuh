// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The host's side of the GPU: errors, the device at hand, the pool, and the one function that launches kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "peneira/error.hpp"
#include "peneira/memory.hpp"
#include "peneira/place.hpp"
#include "peneira/plan.hpp"

namespace peneira {

namespace detail {

/// Throws what a CUDA call reported: std::bad_alloc where memory ran out, cuda_error for the rest. The error is taken
/// off the runtime, so that the next call starts clean.
inline void check(cudaError_t code, std::string_view call) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  if (code == cudaErrorMemoryAllocation) throw std::bad_alloc();
  throw cuda_error(call, cudaGetErrorString(code), static_cast<int>(code));
}

inline int current_device_number() {
  int number = 0;
  check(cudaGetDevice(&number), "cudaGetDevice");
  return number;
}

/// The current device as a plan sees it; each device is asked once.
inline const device& current_device() {
  static std::mutex mutex;
  static std::map<int, device> known;
  const int number = current_device_number();
  const std::lock_guard lock(mutex);
  const auto found = known.find(number);
  if (found != known.end()) return found->second;
  const auto ask = [number](cudaDeviceAttr what) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, what, number), "cudaDeviceGetAttribute");
    return value;
  };
  device d;
  d.arch = ask(cudaDevAttrComputeCapabilityMajor) * 10 + ask(cudaDevAttrComputeCapabilityMinor);
  d.sms = ask(cudaDevAttrMultiProcessorCount);
  d.shared_per_block = static_cast<std::size_t>(ask(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  d.shared_per_sm = static_cast<std::size_t>(ask(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  d.l2 = static_cast<std::size_t>(ask(cudaDevAttrL2CacheSize));
  return known.emplace(number, d).first->second;
}

}  // namespace detail

/// The GPU's default memory: a stream-ordered pool of its own on each device, which keeps what it once took for the
/// next call. trim() gives it back to the device.
class pool final : public memory {
 public:
  void* allocate(std::size_t bytes, stream on) override {
    void* block = nullptr;
    detail::check(cudaMallocFromPoolAsync(&block, bytes, of_current_device(), on), "cudaMallocFromPoolAsync");
    return block;
  }
  void deallocate(void* block, std::size_t /*bytes*/, stream on) noexcept override {
    static_cast<void>(cudaFreeAsync(block, on));
  }
  /// Returns unused memory beyond `keep` bytes to the current device.
  void trim(std::size_t keep = 0) { detail::check(cudaMemPoolTrimTo(of_current_device(), keep), "cudaMemPoolTrimTo"); }

  /// The one that calls without a memory of their own share. It lives as long as the process.
  static pool& shared() {
    static pool& instance = *new pool;
    return instance;
  }

 private:
  cudaMemPool_t of_current_device() {
    const int number = detail::current_device_number();
    const std::lock_guard lock(mutex_);
    cudaMemPool_t& made = pools_[number];
    if (made == nullptr) {
      cudaMemPoolProps properties{};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location.type = cudaMemLocationTypeDevice;
      properties.location.id = number;
      cudaMemPool_t fresh = nullptr;
      detail::check(cudaMemPoolCreate(&fresh, &properties), "cudaMemPoolCreate");
      std::uint64_t keep = ~std::uint64_t{0};
      detail::check(cudaMemPoolSetAttribute(fresh, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
      made = fresh;
    }
    return made;
  }

  std::mutex mutex_;
  std::map<int, cudaMemPool_t> pools_;
};

namespace detail {

inline memory& memory_of(const gpu& on) {
  return on.memory != nullptr ? *on.memory : static_cast<memory&>(pool::shared());
}

/// Waits for the stream and throws if not all items were kept, since the bin function missed; what `checked` asks for.
inline void report_dropped(const gpu& on, const std::uint64_t* kept, std::size_t items, std::uint32_t bins) {
  std::uint64_t count = 0;
  check(cudaMemcpyAsync(&count, kept, sizeof count, cudaMemcpyDeviceToHost, on.stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize");
  if (count == items) return;
  reject("multisplit", "bin function",
         "returned a bin out of range for " + std::to_string(items - count) + " items; there are " +
             std::to_string(bins) + " bins");
}

#if defined(__CUDACC__)

/// Launches a kernel as its step of the plan says. The only <<<>>> of the library.
template <class... Parameters, class... Arguments>
void launch(const gpu& on, const step& planned, void (*kernel)(Parameters...), Arguments&&... arguments) {
  constexpr std::size_t without_asking = 32 * 1024;  // of 48 KiB, which what the kernel declares itself shares
  if (planned.shared > without_asking) {
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(planned.shared)),
          planned.name);
  }
  kernel<<<dim3(static_cast<unsigned>(planned.grid)), dim3(planned.block), planned.shared, on.stream>>>(
      static_cast<Parameters>(arguments)...);
  check(cudaGetLastError(), planned.name);
}

#endif

}  // namespace detail
}  // namespace peneira
