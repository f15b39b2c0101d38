// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/split/gpu.hpp"

#include "bench/device_array.cuh"
#include "peneira/key_order.hpp"
#include "peneira/multisplit.hpp"

namespace peneira::tool {
namespace {

/// The bin of a label: the label.
struct labelled {
  std::uint32_t count;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return count; }
  PENEIRA_HD std::uint32_t operator()(std::uint32_t label) const { return label; }
};

}  // namespace
}  // namespace peneira::tool

namespace peneira::detail {
template <>
inline constexpr bool never_misses<tool::labelled> = true;
}  // namespace peneira::detail

namespace peneira::tool {
namespace {

constexpr unsigned threads_a_block = 256;

/// The bin of each item.
template <class T>
__global__ void __launch_bounds__(threads_a_block)
    label_items(const T* items, std::size_t n, file_bins<T> by, std::uint32_t* labels) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all) labels[i] = by(items[i]);
}

/// Splits items of any type that is as wide as U by their labels: engines are compiled for two widths, instead of for
/// each type with a function that takes minutes. Copies to and from the GPU take longer than to write labels and to
/// move them along.
template <class U>
void split_by_labels(const U* in, U* out, const bench::device_array<std::uint32_t>& labels, std::uint32_t bins,
                     std::uint64_t* offsets, std::string_view strategy) {
  const std::size_t n = labels.size();
  const bench::device_array<std::uint32_t> moved(n);
  multisplit(gpu{}, pairs(items(labels.data(), n), items(in, n)), pairs(items(moved.data(), n), items(out, n)),
             labelled{bins}, items(offsets, std::size_t{bins} + 1), {.strategy = strategy});
}

}  // namespace

template <class T>
void gpu_split(const T* in, T* out, std::size_t n, const bin_request<T>& by, std::uint64_t* offsets,
               std::string_view strategy) {
  using bits = peneira::detail::bits_of<T>;
  bench::device_array<T> from(n);
  const bench::device_array<T> to(n);
  const bench::device_array<std::uint32_t> labels(n);
  bench::device_array<T> splitters(by.splitters.size());
  const bench::device_array<std::uint64_t> table(std::size_t{by.bins} + 1);
  from.from_host(in);
  splitters.from_host(by.splitters.data());
  const auto blocks = static_cast<unsigned>(8 * peneira::detail::current_device().sms);
  label_items<<<blocks, threads_a_block>>>(from.data(), n, file_bins<T>(by, splitters.data()), labels.data());
  peneira::detail::check(cudaGetLastError(), "label_items");
  split_by_labels(reinterpret_cast<const bits*>(from.data()), reinterpret_cast<bits*>(to.data()), labels, by.bins,
                  table.data(), strategy);
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
