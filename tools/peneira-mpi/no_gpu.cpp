// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks sort text on the CPU: what would sort it on a GPU is not part of this program.
#include <limits>

#include "tools/peneira/sort/text/gpu.hpp"

#if defined(PENEIRA_WITH_CUDA)
namespace peneira::tool {

std::size_t gpu_bytes_to_sort(std::size_t /*strings*/, std::size_t /*chars*/) {
  return std::numeric_limits<std::size_t>::max();  // more than any GPU has
}

template <class Offset>
void gpu_sort_strings(const strings<Offset>& /*all*/, std::uint32_t* /*permutation*/,
                      const sort_strings_options& /*options*/) {
  throw std::logic_error("gpu_sort_strings: ranks sort text on the CPU");
}
template void gpu_sort_strings(const strings<std::uint32_t>&, std::uint32_t*, const sort_strings_options&);
template void gpu_sort_strings(const strings<std::uint64_t>&, std::uint32_t*, const sort_strings_options&);

}  // namespace peneira::tool
#endif
