// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The temporary memory of a peer of CUB's, taken once, outside what is timed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "bench/device_array.cuh"

namespace peneira::bench {

/// Temporary memory that CUB asked for.
class cub_scratch {
 public:
  /// Asks `call(memory, bytes)` how much it wants.
  template <class Call>
  explicit cub_scratch(Call&& call) {
    peneira::detail::check(call(nullptr, bytes_), "CUB");
    memory_ = std::make_unique<device_array<char>>(std::max<std::size_t>(bytes_, 1));
  }
  template <class Call>
  void operator()(Call&& call) {
    peneira::detail::check(call(static_cast<void*>(memory_->data()), bytes_), "CUB");
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  std::unique_ptr<device_array<char>> memory_;
};

}  // namespace peneira::bench
