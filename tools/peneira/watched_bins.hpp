// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A split of a file that can be watched and interrupted: the bin function, which sees every item once in each pass,
// counts them and looks for signals.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tools/peneira/binary_bins.hpp"
#include "tools/peneira/interrupt.hpp"
#include "tools/peneira/progress.hpp"

namespace peneira::tool {

/// file_bins, counted.
template <class T>
class watched_bins {
 public:
  watched_bins(const file_bins<T>& of, std::atomic<std::uint64_t>& seen) : of_(of), seen_(&seen) {}

  [[nodiscard]] std::uint32_t bins() const { return of_.bins(); }
  template <std::size_t Count>
  void many(const T* keys, std::uint32_t* to) const {
    for (std::size_t k = 0; k < Count; ++k) to[k] = of_(keys[k]);
    thread_local std::uint64_t unseen = 0;  // by others
    constexpr std::uint64_t enough = 1U << 18U;
    unseen += Count;
    if (unseen < enough) [[likely]]
      return;
    seen_->fetch_add(unseen, std::memory_order_relaxed);
    unseen = 0;
    poll_interrupt();
  }
  std::uint32_t operator()(T key) const {
    std::uint32_t bin = 0;
    many<1>(&key, &bin);
    return bin;
  }

 private:
  file_bins<T> of_;
  std::atomic<std::uint64_t>* seen_;
};

/// Shows on a bar, ten times a second, how far a count of items has come that pass by several times.
class watcher {
 public:
  watcher(progress& bar, const std::atomic<std::uint64_t>& seen, std::size_t item_bytes, unsigned passes)
      : thread_([this, &bar, &seen, item_bytes, passes](const std::stop_token& stop) {
          std::uint64_t shown = 0;
          std::unique_lock lock(mutex_);
          while (!ended_.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; }) &&
                 !stop.stop_requested()) {
            const std::uint64_t bytes = seen.load(std::memory_order_relaxed) * item_bytes / passes;
            bar.add(bytes - shown);
            shown = bytes;
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

}  // namespace peneira::tool

namespace peneira::detail {
template <class T>
inline constexpr bool never_misses<tool::watched_bins<T>> = true;
}  // namespace peneira::detail
