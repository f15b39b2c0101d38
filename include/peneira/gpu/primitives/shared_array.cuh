// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An array in shared memory that a struct may hold beside pointers to global memory.
//
// A plain pointer may not: where such a struct is copied as a whole and stays in memory, nvcc 13.0 sees only that a
// pointer to shared memory was stored in it, and then reads through all pointers of it as if they were that.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peneira::detail {

#if defined(__CUDACC__)

template <class T>
class shared_array {
 public:
  __device__ explicit shared_array(T* first) : address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(first))) {}

  __device__ T& operator[](std::size_t k) const { return static_cast<T*>(__cvta_shared_to_generic(address_))[k]; }

 private:
  std::uint32_t address_;
};

#endif

}  // namespace peneira::detail
