// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the GPU's tests share: device memory as a space for the suite, and tests that are skipped where no GPU is.
#pragma once

#include <cuda_runtime_api.h>

#include "peneira/device/runtime.cuh"
#include "peneira/multisplit/published.hpp"
#include "peneira/multisplit/reference.hpp"
#include "tests/any_order.hpp"
#include "tests/support.hpp"

namespace peneira::test {

inline void must(cudaError_t code) {
  detail::check(code, "test");
}

/// Arrays of the current device, and the GPU as the place to test.
struct device_space {
  using strategies = multisplit_gpu_strategies;
  static constexpr order strictest = order::stable;  // that all of them keep to
  static constexpr std::array thread_counts{1U};     // the grid is the strategy's own affair

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
  static void split(auto&&... arguments) { multisplit(arguments...); }

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

/// The same with the published strategies.
struct published_space : device_space {
  using strategies = multisplit_published_strategies;
  static constexpr order strictest = order::any;
  static void split(auto&&... arguments) { published::multisplit(arguments...); }
};

/// The same for strategies that keep no order.
struct any_order_space : device_space {
  static constexpr order strictest = order::any;
};

/// Calls work(space, strategy) for every strategy that runs on a GPU.
template <class Work>
void for_each_on_gpu(Work&& work) {
  device_space::strategies::for_each([&](auto strategy) {
    constexpr bool keeps_no_order = strategy.name == "groups" || strategy.name == "sampled";
    using space = std::conditional_t<keeps_no_order, any_order_space, device_space>;
    work(space{}, strategy);
  });
  published_space::strategies::for_each([&](auto strategy) { work(published_space{}, strategy); });
}

class gpu_test : public ::testing::Test {
 protected:
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

/// Random 32-bit keys on the device, split into 361 bins.
class device_problem {
 public:
  static constexpr std::uint32_t bins = 361;

  device_problem(std::size_t n, std::uint64_t from) : keys_(n), in_(keys_), out_(n, 5), offsets_(bins + 1) {
    refill(from);
  }

  /// Other keys at the same place.
  void refill(std::uint64_t from) {
    random next(from);
    keys_ = make_keys<std::uint32_t>(shape::uniform, keys_.size(), next);
    device_space::copy(in_.data(), keys_.data(), keys_.size() * sizeof(keys_[0]));
  }

  template <class Space = device_space, class Place>
  void call(Place&& on, std::string_view strategy = {}, Space /*space*/ = {}) const {
    Space::split(on, items(in_.data(), keys_.size()), items(out_.data(), keys_.size()), hashed{bins},
                 items(offsets_.data(), bins + 1),
                 multisplit_options{.within_bin = Space::strictest, .strategy = strategy});
  }

  /// Compares what is on the device with the reference. The call must have ended.
  void expect_right(order within_bin = order::stable) const {
    std::vector<std::uint32_t> out(keys_.size());
    std::vector<std::uint64_t> offsets(bins + 1);
    reference::multisplit<std::uint32_t, no_value>({keys_.data(), nullptr, keys_.size()},
                                                   {out.data(), nullptr, out.size()}, hashed{bins}, offsets.data());
    EXPECT_TRUE(same(offsets, offsets_.read()));
    if (within_bin == order::stable) {
      EXPECT_TRUE(same(out, out_.read()));
    } else {
      EXPECT_TRUE(same_bins(out, out_.read(), offsets));
    }
  }

 private:
  std::vector<std::uint32_t> keys_;
  placed<std::uint32_t, device_space> in_;
  guarded<std::uint32_t, device_space> out_;
  guarded<std::uint64_t, device_space> offsets_;
};

}  // namespace peneira::test
