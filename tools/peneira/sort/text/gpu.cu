// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/text/gpu.hpp"

#include <cuda_runtime.h>

#include "bench/device_array.cuh"
#include "peneira/sort_strings.hpp"

namespace peneira::tool {

std::size_t gpu_bytes_to_sort(std::size_t strings, std::size_t chars) {
  const plan made = explain(
      [&](auto& on) {
        sort_strings(on, peneira::strings<>(nullptr, nullptr, strings), items<std::uint32_t>(nullptr, strings));
      },
      pn::detail::current_device());
  return chars + (strings + 1) * sizeof(std::uint64_t) + strings * sizeof(std::uint32_t) + made.temporary_bytes;
}

template <class Offset>
void gpu_sort_strings(const strings<Offset>& all, std::uint32_t* permutation, const sort_strings_options& options) {
  if (all.size == 0) return;
  bench::device_array<char> chars(all.starts[all.size] - all.trailing);
  bench::device_array<Offset> starts(all.size + 1);
  const bench::device_array<std::uint32_t> sorted(all.size);
  chars.from_host(all.chars);
  starts.from_host(all.starts);
  sort_strings(gpu{}, strings<Offset>(chars.data(), starts.data(), all.size, all.trailing),
               items(sorted.data(), all.size), options);
  sorted.to_host(permutation);
}

template void gpu_sort_strings(const strings<std::uint32_t>&, std::uint32_t*, const sort_strings_options&);
template void gpu_sort_strings(const strings<std::uint64_t>&, std::uint32_t*, const sort_strings_options&);

}  // namespace peneira::tool
