// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// multisplit of a rank's items on its GPU, for calls over ranks, whose hosts look at the offsets.
#pragma once

#include <vector>

#include "peneira/multisplit.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"

namespace peneira::detail {

/// Copies to the host, behind what is queued, and waits.
template <class T>
void copy_to_host(const gpu& here, const T* from, std::size_t count, T* to) {
  if (count != 0)
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, here.stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(here.stream), "cudaStreamSynchronize");
}
/// And to the device.
template <class T>
void copy_to_device(const gpu& here, const T* from, std::size_t count, T* to) {
  if (count != 0)
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyHostToDevice, here.stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(here.stream), "cudaStreamSynchronize");
}

/// multisplit, with offsets that the host can see.
template <class K, class V, class F>
void split_for_host(const gpu& here, view<const K, const V> in, view<K, V> out, const F& f,
                    std::vector<std::uint64_t>& offsets, const multisplit_options& options) {
  workspace memory(memory_of(here), workspace::footprint<std::uint64_t>(offsets.size()), here.stream);
  auto* const there = memory.take<std::uint64_t>(offsets.size());
  multisplit(here, in, out, f, items(there, offsets.size()), options);
  copy_to_host(here, there, offsets.size(), offsets.data());
}

}  // namespace peneira::detail

#endif
