// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU half of `peneira sort` on numbers and records. Items come to the device in parts while others are read, and
// leave it in parts while others are written, by buffers that the device reads and writes itself, two a thread. Without
// CUDA there is nobody who makes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/peneira/cli/phases.hpp"

namespace peneira::tool {

/// What is sorted.
struct gpu_sort_shape {
  std::size_t item_bytes = 0;
  std::size_t key_first = 0;
  std::size_t key_bytes = 0;  ///< of records; 0: items are unsigned numbers, of 4 or 8 bytes
  bool descending = false;    ///< of records; numbers are in their order already
};

class gpu_sorter {
 public:
  gpu_sorter() = default;
  gpu_sorter(const gpu_sorter&) = delete;
  gpu_sorter& operator=(const gpu_sorter&) = delete;
  gpu_sorter(gpu_sorter&&) = delete;
  gpu_sorter& operator=(gpu_sorter&&) = delete;
  virtual ~gpu_sorter() = default;

  /// Bytes of the device that it may take.
  [[nodiscard]] virtual std::size_t memory() const = 0;
  /// Whether that is enough to sort so many.
  [[nodiscard]] virtual bool fits(std::size_t n) const = 0;
  /// So many items are next.
  virtual void begin(std::size_t n) = 0;
  /// Where a member of the team may put a part of them, as large as those of for_each_part.
  virtual char* room(unsigned member) = 0;
  /// What the member has put there are these items.
  virtual void send(unsigned member, std::size_t first, std::size_t count) = 0;
  /// Sorts them, records by the windows of their keys from `window` on.
  virtual void sort(std::size_t window) = 0;
  /// Brings a member items [first, first + count) of the sorted ones.
  virtual void fetch(unsigned member, char* to, std::size_t first, std::size_t count) = 0;
};

/// How often each of the numbers of 8 or 16 bits occurs.
class gpu_counter {
 public:
  gpu_counter() = default;
  gpu_counter(const gpu_counter&) = delete;
  gpu_counter& operator=(const gpu_counter&) = delete;
  gpu_counter(gpu_counter&&) = delete;
  gpu_counter& operator=(gpu_counter&&) = delete;
  virtual ~gpu_counter() = default;

  /// Where a member of the team may put a part of the items.
  virtual char* room(unsigned member) = 0;
  /// So many are what the member has put there.
  virtual void count(unsigned member, std::size_t items) = 0;
  /// When all are there.
  virtual std::vector<std::uint64_t> counts() = 0;
};

#if defined(PENEIRA_WITH_CUDA)

std::unique_ptr<gpu_counter> make_gpu_counter(std::size_t item_bytes, phase_times& times);
/// For a team of threads. Starts the GPU, which takes a while.
std::unique_ptr<gpu_sorter> make_gpu_sorter(const gpu_sort_shape& shape, const std::string& strategy,
                                            phase_times& times);

#else

inline std::unique_ptr<gpu_counter> make_gpu_counter(std::size_t /*item_bytes*/, phase_times& /*times*/) {
  throw std::logic_error("make_gpu_counter: this program was built without CUDA");
}
inline std::unique_ptr<gpu_sorter> make_gpu_sorter(const gpu_sort_shape& /*shape*/, const std::string& /*strategy*/,
                                                   phase_times& /*times*/) {
  throw std::logic_error("make_gpu_sorter: this program was built without CUDA");
}

#endif

}  // namespace peneira::tool
