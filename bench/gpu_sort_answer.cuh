// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sort should give, held against it on the device: the keys that CUB leaves, which are ascending and, by a sum
// of hashes, those of the input; the values of pairs, each of which is the position that its key had there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/gpu_harness.cuh"
#include "bench/peers_sort_gpu.cuh"
#include "peneira/hash.hpp"
#include "peneira/key_order.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira::bench {

/// What an output has: the hashes of its keys, by how much the hashes of its values miss those of all positions, and
/// how many items are wrong where they stand.
struct sort_findings {
  unsigned long long keys;
  unsigned long long positions;
  unsigned long long wrong;
};

template <class K, class V>
__global__ void inspect_sorted(view<const K, const V> in, view<const K, const V> out, const K* wanted, bool stable,
                               sort_findings* found) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  sort_findings mine{};
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < out.size; i += stride) {
    const K key = out.keys[i];
    mine.keys += mix64(peneira::detail::raw_bits(key));
    bool right = key == wanted[i] && (i == 0 || out.keys[i - 1] <= key);
    if constexpr (view<K, V>::has_values) {
      const auto from = static_cast<std::uint64_t>(out.values[i]);
      right = right && from < in.size && in.keys[from] == key;
      if (stable && i != 0 && out.keys[i - 1] == key) right = right && out.values[i - 1] < out.values[i];
      mine.positions += mix64(from) - mix64(static_cast<std::uint64_t>(i));
    }
    if (!right) ++mine.wrong;
  }
  atomicAdd(&found->keys, mine.keys);
  atomicAdd(&found->positions, mine.positions);
  if (mine.wrong != 0) atomicAdd(&found->wrong, mine.wrong);
}

/// The right answer for items that are on the device, whose values are their positions.
template <class K, class V>
class gpu_sort_answer {
 public:
  gpu_sort_answer(view<const K, const V> in, cudaStream_t stream) : in_(in), wanted_(in.size), stream_(stream) {
    cub_sort<K, V> cub(in, wanted_.items(), stream);
    cub();
    keys_ = inspect(in, in.keys, false).keys;
    is_right_ = accepts(wanted_.items(), order::stable);
  }
  /// Whether what CUB left, which others are held against, is sorted.
  [[nodiscard]] bool is_right() const { return is_right_; }

  [[nodiscard]] bool accepts(view<const K, const V> out, order equal_keys) const {
    const sort_findings found = inspect(out, wanted_.items().keys, equal_keys == order::stable);
    return found.wrong == 0 && found.positions == 0 && found.keys == keys_;
  }

 private:
  sort_findings inspect(view<const K, const V> out, const K* wanted, bool stable) const {
    const device_array<sort_findings> found(1);
    peneira::detail::check(cudaMemsetAsync(found.data(), 0, sizeof(sort_findings), stream_), "cudaMemsetAsync");
    inspect_sorted<K, V><<<4096, 256, 0, stream_>>>(in_, out, wanted, stable, found.data());
    peneira::detail::check(cudaGetLastError(), "inspect_sorted");
    peneira::detail::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    sort_findings here{};
    found.to_host(&here);
    return here;
  }

  view<const K, const V> in_;
  device_items<K, V> wanted_;
  cudaStream_t stream_;
  unsigned long long keys_ = 0;
  bool is_right_ = false;
};

}  // namespace peneira::bench
