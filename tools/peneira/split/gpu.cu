// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/split/gpu.hpp"

#include "bench/device_array.cuh"
#include "peneira/multisplit.hpp"

namespace peneira::tool {

template <class T>
void gpu_split(const T* in, T* out, std::size_t n, const bin_request<T>& by, std::uint64_t* offsets,
               std::string_view strategy) {
  const std::size_t entries = std::size_t{by.bins} + 1;
  bench::device_array<T> from(n);
  const bench::device_array<T> to(n);
  bench::device_array<T> splitters(by.splitters.size());
  const bench::device_array<std::uint64_t> table(entries);
  from.from_host(in);
  splitters.from_host(by.splitters.data());
  multisplit(gpu{}, items(static_cast<const T*>(from.data()), n), items(to.data(), n),
             file_bins<T>(by, splitters.data()), items(table.data(), entries), {.strategy = strategy});
  to.to_host(out);
  table.to_host(offsets);
}

template void gpu_split(const std::uint32_t*, std::uint32_t*, std::size_t, const bin_request<std::uint32_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::uint64_t*, std::uint64_t*, std::size_t, const bin_request<std::uint64_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::int32_t*, std::int32_t*, std::size_t, const bin_request<std::int32_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const std::int64_t*, std::int64_t*, std::size_t, const bin_request<std::int64_t>&,
                        std::uint64_t*, std::string_view);
template void gpu_split(const float*, float*, std::size_t, const bin_request<float>&, std::uint64_t*, std::string_view);
template void gpu_split(const double*, double*, std::size_t, const bin_request<double>&, std::uint64_t*,
                        std::string_view);

}  // namespace peneira::tool
