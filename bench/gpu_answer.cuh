// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a multisplit should give, found on the device by other means: CUB sorts the labels of the items with their
// indices along, stably. Answers of 256 Mi items are checked in milliseconds, where the host would take a minute.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/peers_gpu.cuh"
#include "peneira/bins.hpp"
#include "peneira/multisplit.hpp"
#include "peneira/view.hpp"

namespace peneira::bench {

/// A sum that tells multisets of items apart, and a count of what is wrong.
struct findings {
  unsigned long long sum;
  unsigned long long wrong;
};

/// Stable: every item must be the one that the sorted indices name. Otherwise: every item must be of the bin that the
/// sorted labels name, and the sum is for the caller to compare.
template <class K, class V, class F>
__global__ void compare_items(view<const K, const V> in, view<const K, const V> out, F f, const std::uint32_t* indices,
                              const std::uint32_t* labels, bool stable, findings* found) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  findings mine{};
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < out.size; i += stride) {
    std::uint64_t mark = mix64(static_cast<std::uint64_t>(out.keys[i]));
    bool right = !stable || out.keys[i] == in.keys[indices[i]];
    if constexpr (view<K, V>::has_values) {
      mark = mix64(mark + out.values[i]);
      right = right && (!stable || out.values[i] == in.values[indices[i]]);
    }
    if (!right || f(out.keys[i]) != labels[i]) ++mine.wrong;
    mine.sum += mark;
  }
  atomicAdd(&found->sum, mine.sum);
  if (mine.wrong != 0) atomicAdd(&found->wrong, mine.wrong);
}

/// The right answer for items that are on the device.
template <class K, class V, class F>
class gpu_answer {
 public:
  gpu_answer(view<const K, const V> in, const F& f, cudaStream_t stream)
      : in_(in), f_(f), indices_(in.size), labels_(in.size), offsets_(std::size_t{f.bins()} + 1), stream_(stream) {
    const device_array<std::uint32_t> numbers(in.size);
    number_items<<<4096, 256, 0, stream>>>(numbers.data(), in.size);
    label_and_sort<std::uint32_t> sort(in.size, f.bins());
    sort.by(in.keys, numbers.data(), indices_.data(), labels_.data(), in.size, f, offsets_.data(), stream);
    expected_ = compare(in, false).sum;
  }

  [[nodiscard]] bool accepts(view<const K, const V> out, const device_array<std::uint64_t>& table, order within_bin) {
    std::vector<std::uint64_t> wanted(offsets_.size());
    std::vector<std::uint64_t> got(offsets_.size());
    offsets_.to_host(wanted.data());
    table.to_host(got.data());
    const findings found = compare(out, within_bin == order::stable);
    return wanted == got && found.wrong == 0 && found.sum == expected_;
  }
  /// For a peer that leaves none.
  void copy_offsets(device_array<std::uint64_t>& to) const {
    peneira::detail::check(
        cudaMemcpy(to.data(), offsets_.data(), to.size() * sizeof(std::uint64_t), cudaMemcpyDeviceToDevice),
        "cudaMemcpy");
  }

 private:
  findings compare(view<const K, const V> out, bool stable) {
    const device_array<findings> found(1);
    peneira::detail::check(cudaMemsetAsync(found.data(), 0, sizeof(findings), stream_), "cudaMemsetAsync");
    compare_items<K, V, F>
        <<<4096, 256, 0, stream_>>>(in_, out, f_, indices_.data(), labels_.data(), stable, found.data());
    peneira::detail::check(cudaGetLastError(), "compare_items");
    peneira::detail::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    findings here{};
    found.to_host(&here);
    return here;
  }

  view<const K, const V> in_;
  F f_;
  device_array<std::uint32_t> indices_;
  device_array<std::uint32_t> labels_;
  device_array<std::uint64_t> offsets_;
  cudaStream_t stream_;
  unsigned long long expected_ = 0;
};

}  // namespace peneira::bench
