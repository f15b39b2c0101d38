// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The host's side of the GPU: errors, the device at hand, the pool, and the one function that launches kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <new>
#include <utility>

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

/// The compute capability that kernels of this program have on a GPU of another: that of the newest form among those
/// that were compiled which is not newer. Kernels that were compiled for an A100 alone know nothing of clusters, though
/// the GPU at hand may have them. Forms that were compiled without PTX for a GPU of another generation (90-real beside
/// 80, on a B200) are taken for what runs there: compile PTX of the newest form, as nvcc does unless told otherwise.
inline int compiled_arch(int of_gpu) {
#if defined(__CUDA_ARCH_LIST__)
  int best = 0;
  for (const int form : {__CUDA_ARCH_LIST__}) {
    if (form / 10 <= of_gpu && form / 10 > best) best = form / 10;
  }
  return best == 0 ? of_gpu : best;
#else
  return of_gpu;
#endif
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
  d.arch = compiled_arch(ask(cudaDevAttrComputeCapabilityMajor) * 10 + ask(cudaDevAttrComputeCapabilityMinor));
  d.sms = ask(cudaDevAttrMultiProcessorCount);
  d.shared_per_block = static_cast<std::size_t>(ask(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  d.shared_per_sm = static_cast<std::size_t>(ask(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  d.l2 = static_cast<std::size_t>(ask(cudaDevAttrL2CacheSize));
  return known.emplace(number, d).first->second;
}

/// While it lives, the thread may do what a capture forbids otherwise: what is no part of any graph.
class uncaptured_calls {
 public:
  uncaptured_calls() { check(cudaThreadExchangeStreamCaptureMode(&mode_), "cudaThreadExchangeStreamCaptureMode"); }
  uncaptured_calls(const uncaptured_calls&) = delete;
  uncaptured_calls& operator=(const uncaptured_calls&) = delete;
  ~uncaptured_calls() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  ///< then the one before
};

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
      const detail::uncaptured_calls allowed;  // the first call of all may be one that is captured
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
template <class Count>
void report_dropped(const gpu& on, const Count* kept, std::size_t items, std::uint32_t bins) {
  Count count = 0;
  check(cudaMemcpyAsync(&count, kept, sizeof count, cudaMemcpyDeviceToHost, on.stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize");
  const auto all = static_cast<std::size_t>(count);
  if (all == items) return;
  reject("multisplit", "bin function",
         "returned a bin out of range for " + std::to_string(items - all) + " items; there are " +
             std::to_string(bins) + " bins");
}

#if defined(__CUDACC__)

/// When a launch may begin: once all before it in the stream has ended, or, for a kernel that calls
/// wait_for_kernels_before() itself, as soon as the one before lets it.
enum class start { after_all, early };

/// Makes sure that a kernel may have so much dynamic shared memory. What it was granted once is never taken back: other
/// threads and captured graphs may count on it.
inline void grant_shared_memory(const void* kernel, std::size_t bytes, std::string_view name) {
  constexpr std::size_t without_asking = 16 * 1024;  // of 48 KiB, which what the kernel declares itself shares
  if (bytes <= without_asking) return;
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, std::size_t> granted;
  const std::pair where{current_device_number(), kernel};
  const std::lock_guard lock(mutex);
  std::size_t& so_far = granted[where];
  if (bytes <= so_far) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), name);
  so_far = bytes;
}

/// Blocks of a cluster that every GPU with clusters can launch; more have to be asked for.
inline constexpr std::uint32_t portable_cluster = 8;
inline void allow_large_clusters(const void* kernel, std::string_view name) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), name);
}

/// Launches a kernel as its step of the plan says. The only launch of the library.
template <class... Parameters, class... Arguments>
void launch(const gpu& on, start when, const step& planned, void (*kernel)(Parameters...), Arguments&&... arguments) {
  grant_shared_memory(reinterpret_cast<const void*>(kernel), planned.shared, planned.name);
  cudaLaunchAttribute attributes[3] = {};
  unsigned asked = 0;
  if (when == start::early && current_device().arch >= 90) {
    attributes[asked].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[asked++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (planned.cluster > 1) {
    if (planned.cluster > portable_cluster) allow_large_clusters(reinterpret_cast<const void*>(kernel), planned.name);
    attributes[asked].id = cudaLaunchAttributeClusterDimension;
    attributes[asked].val.clusterDim = {planned.cluster, 1, 1};
    ++asked;
  }
  if (planned.at_once) {
    attributes[asked].id = cudaLaunchAttributeCooperative;
    attributes[asked++].val.cooperative = 1;
  }
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(static_cast<unsigned>(planned.grid));
  how.blockDim = dim3(planned.block);
  how.dynamicSmemBytes = planned.shared;
  how.stream = on.stream;
  how.attrs = attributes;
  how.numAttrs = asked;
  check(cudaLaunchKernelEx(&how, kernel, static_cast<Parameters>(arguments)...), planned.name);
}
template <class... Parameters, class... Arguments>
void launch(const gpu& on, const step& planned, void (*kernel)(Parameters...), Arguments&&... arguments) {
  launch(on, start::after_all, planned, kernel, static_cast<Arguments&&>(arguments)...);
}

/// In a kernel that started early: until all kernels before it have ended and what they wrote is there.
__device__ inline void wait_for_kernels_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// In a kernel before one that starts early: its blocks may now come as room is left.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif

}  // namespace detail
}  // namespace peneira
