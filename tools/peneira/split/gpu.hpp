// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU half of `peneira split` on binary items. Without CUDA it is there all the same and says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/split/bins.hpp"

namespace peneira::tool {

#if defined(PENEIRA_WITH_CUDA)

/// Brings `n` items to the GPU, splits them there and brings them and the offsets back: chunk by chunk where they are
/// more than its memory holds, and then twice, as the first time only counts.
template <class T>
void gpu_split(const T* in, T* out, std::size_t n, const bin_request<T>& by, std::uint64_t* offsets,
               std::string_view strategy, phase_times& times);

#else

template <class T>
void gpu_split(const T* /*in*/, T* /*out*/, std::size_t /*n*/, const bin_request<T>& /*by*/, std::uint64_t* /*offsets*/,
               std::string_view /*strategy*/, phase_times& /*times*/) {
  throw std::logic_error("gpu_split: this program was built without CUDA");
}

#endif

}  // namespace peneira::tool
