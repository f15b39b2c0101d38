// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/reduce/gpu.hpp"

#include <algorithm>
#include <optional>

#include "peneira/segmented_reduce.hpp"
#include "tools/peneira/cli/device_memory.cuh"
#include "tools/peneira/io/part_size.hpp"

namespace peneira::tool {
namespace {

/// A fold chunk by chunk. A segment that lies in several of them is combined here.
template <class U>
class chunk_fold {
 public:
  chunk_fold(const fold_call& call, item_row<U> row, const gpu_operator<U>& op, phase_times& times)
      : call_(call), row_(row), op_(op), times_(times) {
    const phase_times::scope starting(times, phase::starting, 0, times.team());
    lanes_.emplace(times.team(), part_bytes(sizeof(U)));
    chunk_ = chunk_items(row.size, most_chunk_bytes / sizeof(U), [this](std::size_t n) { return bytes_for(n); });
    items_.reserve(chunk_ * sizeof(U));
  }

  std::vector<uint128> run() {
    std::vector<uint128> results(call_.offsets.size() - 1, op_.template identity<uint128>());
    std::size_t segment = 0;
    for (std::size_t first = call_.offsets.front(); first < call_.offsets.back(); first += chunk_) {
      const std::size_t last = std::min<std::size_t>(call_.offsets.back(), first + chunk_);
      send_all(*lanes_, reinterpret_cast<const char*>(row_.data + first), items_.data(), (last - first) * sizeof(U),
               times_);
      find_segments(segment, first, last);
      fold(last - first);
      for (std::size_t k = 0; k < ids_.size(); ++k) results[ids_[k]] = op_(results[ids_[k]], folded_[k]);
    }
    return results;
  }

 private:
  static constexpr std::size_t most_chunk_bytes = std::size_t{1} << 28U;  ///< more would make no copy faster

  [[nodiscard]] std::size_t bytes_for(std::size_t items) const {
    const std::size_t segments = std::min(items, call_.offsets.size());
    return items * sizeof(U) + segments * (sizeof(std::uint64_t) + sizeof(uint128));
  }

  /// The segments with items in [first, last), and where they begin and end in it; `segment` is the first that may.
  void find_segments(std::size_t& segment, std::size_t first, std::size_t last) {
    const std::vector<std::uint64_t>& offsets = call_.offsets;
    ids_.clear();
    bounds_.assign(1, 0);
    for (; segment + 1 < offsets.size() && offsets[segment] < last; ++segment) {
      const std::size_t end = std::min<std::size_t>(last, offsets[segment + 1]);
      if (end > std::max<std::size_t>(first, offsets[segment])) {
        ids_.push_back(segment);
        bounds_.push_back(end - first);
      }
      if (offsets[segment + 1] > last) return;
    }
  }

  void fold(std::size_t items) {
    const phase_times::scope kernels(times_, phase::kernels, items * sizeof(U), times_.team());
    using peneira::detail::check;
    offsets_.reserve(bounds_.size() * sizeof(std::uint64_t));
    results_.reserve(ids_.size() * sizeof(uint128));
    folded_.resize(ids_.size());
    check(cudaMemcpy(offsets_.data(), bounds_.data(), bounds_.size() * sizeof(std::uint64_t), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    segmented_reduce(gpu{}, pn::items(reinterpret_cast<const U*>(items_.data()), items),
                     pn::items(reinterpret_cast<const std::uint64_t*>(offsets_.data()), bounds_.size()),
                     pn::items(reinterpret_cast<uint128*>(results_.data()), ids_.size()), op_,
                     {.strategy = call_.strategy});
    check(cudaMemcpy(folded_.data(), results_.data(), ids_.size() * sizeof(uint128), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  }

  const fold_call& call_;
  item_row<U> row_;
  const gpu_operator<U>& op_;
  phase_times& times_;
  std::size_t chunk_ = 0;
  device_block items_;
  device_block offsets_;
  device_block results_;
  std::vector<std::size_t> ids_;
  std::vector<std::uint64_t> bounds_;
  std::vector<uint128> folded_;
  std::optional<lanes> lanes_;  // the last: it waits for all that is queued
};

}  // namespace

template <std::unsigned_integral U>
std::vector<uint128> gpu_fold(const fold_call& call, item_row<U> row, const gpu_operator<U>& op, phase_times& times) {
  return chunk_fold<U>(call, row, op, times).run();
}

template std::vector<uint128> gpu_fold(const fold_call&, item_row<std::uint8_t>, const gpu_operator<std::uint8_t>&,
                                       phase_times&);
template std::vector<uint128> gpu_fold(const fold_call&, item_row<std::uint16_t>, const gpu_operator<std::uint16_t>&,
                                       phase_times&);
template std::vector<uint128> gpu_fold(const fold_call&, item_row<std::uint32_t>, const gpu_operator<std::uint32_t>&,
                                       phase_times&);
template std::vector<uint128> gpu_fold(const fold_call&, item_row<std::uint64_t>, const gpu_operator<std::uint64_t>&,
                                       phase_times&);

}  // namespace peneira::tool
