// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the GPU's tests share: device memory as a space for a suite, and tests that are skipped where no GPU is.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdlib>

#include "peneira/gpu/runtime.cuh"
#include "tests/support/common.hpp"

namespace peneira::test {

inline void must(cudaError_t code) {
  detail::check(code, "test");
}

/// Arrays of the current device, and the GPU as the place to test.
struct device_space {
  static constexpr std::array thread_counts{1U};  // the grid is the strategy's own affair

  /// Why there is no GPU to test on; nullptr where there is one.
  static const char* unavailable() {
    static const std::string reason = [] {
      int count = 0;
      const cudaError_t code = cudaGetDeviceCount(&count);
      if (code != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(code);
      return std::string(count == 0 ? "no GPU: this machine has 0 CUDA devices" : "");
    }();
    return reason.empty() ? nullptr : reason.c_str();
  }
  static gpu place(unsigned /*threads*/) { return {}; }
  static const device& machine(unsigned /*threads*/) { return detail::current_device(); }

  static void* allocate(std::size_t bytes) {
    void* at = nullptr;
    must(cudaMalloc(&at, std::max<std::size_t>(bytes, 1)));
    return at;
  }
  static void deallocate(void* at) { static_cast<void>(cudaFree(at)); }
  static void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    must(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    must(cudaStreamSynchronize(nullptr));  // the last bytes may be on their way still, and other streams do not wait
  }
};

class gpu_test : public ::testing::Test {
 protected:
  /// Whether a checker watches, which takes a hundred times as long: PENEIRA_CHECK says so (CONTRIBUTING.md). Tests
  /// then do less of the same.
  static bool under_checker() { return std::getenv("PENEIRA_CHECK") != nullptr; }

  void SetUp() override {
    if (device_space::unavailable() != nullptr) GTEST_SKIP() << device_space::unavailable();
  }
};

/// A stream that ends with its scope and does not wait for the default one.
class scoped_stream {
 public:
  scoped_stream() { must(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  scoped_stream(const scoped_stream&) = delete;
  scoped_stream& operator=(const scoped_stream&) = delete;
  ~scoped_stream() { static_cast<void>(cudaStreamDestroy(handle_)); }
  operator cudaStream_t() const { return handle_; }
  void wait() const { must(cudaStreamSynchronize(handle_)); }

 private:
  cudaStream_t handle_ = nullptr;
};

/// A call that a stream has captured instead of running it, as a graph.
class captured_call {
 public:
  /// call(gpu) is what is captured.
  template <class Call>
  captured_call(const scoped_stream& on, const Call& call) : on_(on) {
    must(cudaStreamBeginCapture(on, cudaStreamCaptureModeGlobal));
    EXPECT_NO_THROW(call(gpu{.stream = on}));
    must(cudaStreamEndCapture(on, &graph_));
    must(cudaGraphInstantiate(&replay_, graph_, 0));
  }
  captured_call(const captured_call&) = delete;
  captured_call& operator=(const captured_call&) = delete;
  ~captured_call() {
    static_cast<void>(cudaGraphExecDestroy(replay_));
    static_cast<void>(cudaGraphDestroy(graph_));
  }
  /// Runs it behind all that was asked of the device, and waits for its end.
  void replay() const {
    must(cudaDeviceSynchronize());
    launch();
    on_.wait();
  }
  /// Asks its stream to run it.
  void launch() const { must(cudaGraphLaunch(replay_, on_)); }

 private:
  const scoped_stream& on_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
};

/// The pool, counted; after `left` blocks it asks for more than any device has.
class counted_pool final : public memory {
 public:
  void* allocate(std::size_t bytes, stream on) override {
    void* const block = pool::shared().allocate(left-- > 0 ? bytes : std::size_t{1} << 46U, on);
    ++outstanding;
    return block;
  }
  void deallocate(void* block, std::size_t bytes, stream on) noexcept override {
    --outstanding;
    pool::shared().deallocate(block, bytes, on);
  }
  int left = 0;
  int outstanding = 0;
};

}  // namespace peneira::test
