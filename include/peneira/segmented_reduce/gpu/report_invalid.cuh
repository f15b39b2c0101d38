// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What {.checked = true} does on a GPU: names the first segment that kernels found to be wrong.
#pragma once

#include <type_traits>

#include "peneira/gpu/runtime.cuh"
#include "peneira/segments.hpp"

namespace peneira::detail {

/// Waits for the stream and throws if a segment was invalid; what `checked` asks for.
template <class Segments>
void report_invalid(const gpu& on, const std::uint64_t* first_invalid, const Segments& segments, std::size_t count,
                    std::size_t n) {
  const auto fetch = [&](auto& to, const auto* from) {
    check(cudaMemcpyAsync(&to, from, sizeof to, cudaMemcpyDeviceToHost, on.stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize");
  };
  std::uint64_t s = 0;
  fetch(s, first_invalid);
  if (s >= count) return;
  if constexpr (!Segments::regular) {
    std::remove_const_t<std::remove_pointer_t<decltype(segments.offsets)>> bounds[2];
    fetch(bounds, segments.offsets + s);
    reject_segment("segmented_reduce", s, static_cast<std::size_t>(bounds[0]), static_cast<std::size_t>(bounds[1]), n);
  }
}

}  // namespace peneira::detail
