// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU half of `peneira sort` on text. Without CUDA it is there all the same and finds no GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "peneira/strings/problem.hpp"
#include "peneira/strings/view.hpp"

namespace peneira::tool {

#if defined(PENEIRA_WITH_CUDA)

/// The bytes of its memory that a sort of strings takes, which have so many characters.
std::size_t gpu_bytes_to_sort(std::size_t strings, std::size_t chars);

/// Copies strings to the GPU, sorts them there and copies the permutation back.
template <class Offset>
void gpu_sort_strings(const strings<Offset>& all, std::uint32_t* permutation, const sort_strings_options& options);

#else

inline std::size_t gpu_bytes_to_sort(std::size_t /*strings*/, std::size_t /*chars*/) {
  return 0;
}
template <class Offset>
void gpu_sort_strings(const strings<Offset>& /*all*/, std::uint32_t* /*permutation*/,
                      const sort_strings_options& /*options*/) {
  throw std::logic_error("gpu_sort_strings: this program was built without CUDA");
}

#endif

}  // namespace peneira::tool
