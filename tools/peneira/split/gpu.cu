// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/split/gpu.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "peneira/key_order.hpp"
#include "peneira/multisplit.hpp"
#include "tools/peneira/cli/device_memory.cuh"
#include "tools/peneira/io/part_size.hpp"

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

/// Items as the engines take them. They are compiled for two widths, instead of for each type with a function that
/// takes minutes: copies to and from the GPU take longer than to write labels and to move them along.
template <class T>
using wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The bin of each item, and its bits.
template <class T>
__global__ void __launch_bounds__(threads_a_block)
    label_items(const T* items, std::size_t n, file_bins<T> by, std::uint32_t* labels, wide<T>* words) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all) {
    const T item = items[i];
    labels[i] = by(item);
    words[i] = peneira::detail::raw_bits(item);
  }
}

template <class T>
__global__ void __launch_bounds__(threads_a_block) narrow_items(const wide<T>* words, std::size_t n, T* items) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all) {
    items[i] = peneira::detail::key_of_bits<T>(static_cast<peneira::detail::bits_of<T>>(words[i]));
  }
}

/// Splits words by their labels, of which `moved` becomes the order.
template <class W>
void split_by_labels(W* in, W* out, std::uint32_t* labels, std::uint32_t* moved, std::size_t n, std::uint32_t bins,
                     std::uint64_t* offsets, std::string_view strategy) {
  multisplit(gpu{}, pairs(items(labels, n), items(in, n)), pairs(items(moved, n), items(out, n)), labelled{bins},
             items(offsets, std::size_t{bins} + 1), {.strategy = strategy});
}

template <class T>
class chunked_split {
 public:
  chunked_split(const T* in, T* out, std::size_t n, const bin_request<T>& by, std::string_view strategy,
                phase_times& times)
      : in_(in), out_(out), n_(n), by_(by), strategy_(strategy), times_(times) {
    const phase_times::scope starting(times, phase::starting, 0, times.team());
    lanes_.emplace(times.team(), part_bytes(sizeof(T)));
    splitters_.reserve(std::max<std::size_t>(1, by.splitters.size()) * sizeof(T));
    peneira::detail::check(
        cudaMemcpy(splitters_.data(), by.splitters.data(), by.splitters.size() * sizeof(T), cudaMemcpyHostToDevice),
        "cudaMemcpy");
    table_.reserve((std::size_t{by.bins} + 1) * sizeof(std::uint64_t));
    chunk_ = chunk_items(n, most_chunk, [this](std::size_t items) { return bytes_for(items); });
    items_.reserve(chunk_ * sizeof(T));
    words_.reserve(2 * chunk_ * sizeof(wide<T>));
    labels_.reserve(2 * chunk_ * sizeof(std::uint32_t));
  }

  void run(std::uint64_t* offsets) {
    std::vector<std::uint64_t> chunk(std::size_t{by_.bins} + 1);
    std::fill_n(offsets, chunk.size(), 0);
    const bool once = n_ <= chunk_;
    for (std::size_t first = 0; first < n_; first += chunk_) {
      split(first, chunk);
      for (std::size_t b = 0; b < by_.bins; ++b) offsets[b + 1] += chunk[b + 1] - chunk[b];
    }
    for (std::size_t b = 0; b < by_.bins; ++b) offsets[b + 1] += offsets[b];
    std::vector<std::uint64_t> next(offsets, offsets + by_.bins);
    for (std::size_t first = 0; first < n_; first += chunk_) {
      if (!once) split(first, chunk);
      write(chunk, next);
      for (std::size_t b = 0; b < by_.bins; ++b) next[b] += chunk[b + 1] - chunk[b];
    }
  }

 private:
  static constexpr std::size_t most_chunk = std::size_t{1} << 31U;  ///< items

  [[nodiscard]] std::size_t bytes_for(std::size_t n) const {
    const auto call = [&](auto& on) {
      wide<T>* const words = nullptr;
      std::uint32_t* const labels = nullptr;
      std::uint64_t* const offsets = nullptr;
      const auto all = pairs(items(labels, n), items(words, n));
      multisplit(on, all, all, labelled{by_.bins}, items(offsets, std::size_t{by_.bins} + 1), {.strategy = strategy_});
    };
    const plan made = explain(call, peneira::detail::current_device());
    return n * (sizeof(T) + 2 * sizeof(wide<T>) + 2 * sizeof(std::uint32_t)) + table_.bytes() + made.temporary_bytes;
  }

  /// Splits a chunk, which then lies in items_, and says where its bins begin.
  void split(std::size_t first, std::vector<std::uint64_t>& offsets) {
    size_ = std::min(chunk_, n_ - first);
    send_all(*lanes_, reinterpret_cast<const char*>(in_ + first), items_.data(), size_ * sizeof(T), times_);
    const phase_times::scope kernels(times_, phase::kernels, size_ * sizeof(T), times_.team());
    auto* const narrow = reinterpret_cast<T*>(items_.data());
    auto* const words = reinterpret_cast<wide<T>*>(words_.data());
    auto* const labels = reinterpret_cast<std::uint32_t*>(labels_.data());
    auto* const table = reinterpret_cast<std::uint64_t*>(table_.data());
    const auto blocks = static_cast<unsigned>(8 * peneira::detail::current_device().sms);
    const file_bins<T> by(by_, reinterpret_cast<const T*>(splitters_.data()));
    label_items<<<blocks, threads_a_block>>>(narrow, size_, by, labels, words);
    peneira::detail::check(cudaGetLastError(), "label_items");
    split_by_labels(words, words + chunk_, labels, labels + chunk_, size_, by_.bins, table, strategy_);
    narrow_items<<<blocks, threads_a_block>>>(words + chunk_, size_, narrow);
    peneira::detail::check(cudaGetLastError(), "narrow_items");
    peneira::detail::check(
        cudaMemcpy(offsets.data(), table, offsets.size() * sizeof(std::uint64_t), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  }

  /// Brings the chunk back; `next` is where the rest of each bin goes.
  void write(const std::vector<std::uint64_t>& offsets, const std::vector<std::uint64_t>& next) {
    fetch_all(
        *lanes_, items_.data(), size_ * sizeof(T), times_, [&](std::size_t byte, const char* data, std::size_t bytes) {
          const auto* const from = reinterpret_cast<const T*>(data);
          const std::size_t first = byte / sizeof(T);
          const std::size_t last = first + bytes / sizeof(T);
          auto b =
              static_cast<std::size_t>(std::upper_bound(offsets.begin(), offsets.end(), first) - offsets.begin()) - 1;
          for (std::size_t at = first; at < last; ++b) {
            const std::size_t end = std::min<std::size_t>(last, offsets[b + 1]);
            std::copy(from + (at - first), from + (end - first), out_ + next[b] + (at - offsets[b]));
            at = end;
          }
        });
  }

  const T* in_;
  T* out_;
  std::size_t n_;
  const bin_request<T>& by_;
  std::string_view strategy_;
  phase_times& times_;
  std::size_t chunk_ = 0;
  std::size_t size_ = 0;
  device_block splitters_;
  device_block table_;
  device_block items_;
  device_block words_;
  device_block labels_;
  std::optional<lanes> lanes_;  // the last: it waits for all that is queued
};

}  // namespace

template <class T>
void gpu_split(const T* in, T* out, std::size_t n, const bin_request<T>& by, std::uint64_t* offsets,
               std::string_view strategy, phase_times& times) {
  chunked_split<T>(in, out, n, by, strategy, times).run(offsets);
}

#define PENEIRA_GPU_SPLIT(T)                                                                                  \
  template void gpu_split(const T*, T*, std::size_t, const bin_request<T>&, std::uint64_t*, std::string_view, \
                          phase_times&)
PENEIRA_GPU_SPLIT(std::uint8_t);
PENEIRA_GPU_SPLIT(std::uint16_t);
PENEIRA_GPU_SPLIT(std::uint32_t);
PENEIRA_GPU_SPLIT(std::uint64_t);
PENEIRA_GPU_SPLIT(std::int8_t);
PENEIRA_GPU_SPLIT(std::int16_t);
PENEIRA_GPU_SPLIT(std::int32_t);
PENEIRA_GPU_SPLIT(std::int64_t);
PENEIRA_GPU_SPLIT(float);
PENEIRA_GPU_SPLIT(double);
#undef PENEIRA_GPU_SPLIT

}  // namespace peneira::tool
