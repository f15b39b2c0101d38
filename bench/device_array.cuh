// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays on the GPU for programs that copy there and back.
#pragma once

#include <cstddef>
#include <vector>

#include "peneira/gpu/runtime.cuh"

namespace peneira::bench {

/// Device memory that frees itself.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : size_(n) {
    peneira::detail::check(cudaMalloc(&data_, (n == 0 ? 1 : n) * sizeof(T)), "cudaMalloc");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void from_host(const T* from) {
    peneira::detail::check(cudaMemcpy(data_, from, size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void to_host(T* to) const {
    peneira::detail::check(cudaMemcpy(to, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  /// Nothing that is read back can then be an earlier answer.
  void poison() { peneira::detail::check(cudaMemset(data_, 0xA5, size_ * sizeof(T)), "cudaMemset"); }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// What a device array holds, which then holds nothing of it.
template <class T>
std::vector<T> taken_from(device_array<T>& there) {
  std::vector<T> here(there.size());
  there.to_host(here.data());
  there.poison();
  return here;
}

}  // namespace peneira::bench
