// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU half of `peneira split` on binary items. Without CUDA it is there all the same and says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "tools/peneira/split/bins.hpp"

namespace peneira::tool {

/// The types of items that gpu_split takes.
template <class T>
inline constexpr bool gpu_splits = sizeof(T) >= 4;

#if defined(PENEIRA_WITH_CUDA)

/// Copies `n` items to the GPU, splits them there and copies them and the offsets back.
template <class T>
void gpu_split(const T* in, T* out, std::size_t n, const bin_request<T>& by, std::uint64_t* offsets,
               std::string_view strategy);

#else

template <class T>
void gpu_split(const T* /*in*/, T* /*out*/, std::size_t /*n*/, const bin_request<T>& /*by*/, std::uint64_t* /*offsets*/,
               std::string_view /*strategy*/) {
  throw std::logic_error("gpu_split: this program was built without CUDA");
}

#endif

}  // namespace peneira::tool
