// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A split of a file that can be watched and interrupted: its bin function, which is asked about every item in each
// pass, counts them and looks for signals.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "tools/peneira/binary_bins.hpp"
#include "tools/peneira/interrupt.hpp"
#include "tools/peneira/progress.hpp"

namespace peneira::tool {

/// Items that threads have seen, about. A thread tells of its own now and then, and what it has not told when it ends
/// is lost.
class seen_items {
 public:
  [[gnu::always_inline]] void see(std::uint64_t items) {
    constexpr std::uint64_t enough = 1U << 18U;
    untold += items;
    if (untold >= enough) [[unlikely]]
      say();
  }
  [[nodiscard]] std::uint64_t told() const { return told_.load(std::memory_order_relaxed); }

 private:
  [[gnu::noinline]] void say() {
    told_.fetch_add(std::exchange(untold, 0), std::memory_order_relaxed);
    poll_interrupt();
  }

  static inline thread_local std::uint64_t untold = 0;
  std::atomic<std::uint64_t> told_{0};
};

/// file_bins, watched.
template <class T>
class watched_bins {
 public:
  watched_bins(const file_bins<T>& of, seen_items& seen) : of_(of), seen_(&seen) {}

  [[nodiscard]] std::uint32_t bins() const { return of_.bins(); }
  template <std::size_t Count>
  [[gnu::always_inline]] void many(const T* keys, std::uint32_t* to) const {
    peneira::detail::fill_bins<Count>(of_, keys, to);
    seen_->see(Count);
  }
  std::uint32_t operator()(T key) const {
    std::uint32_t bin = 0;
    many<1>(&key, &bin);
    return bin;
  }

 private:
  file_bins<T> of_;
  seen_items* seen_;
};

/// A bar that shows, ten times a second and as long as it lives, how far items have come that are all seen several
/// times.
class watcher {
 public:
  watcher(std::string label, std::uint64_t items, std::size_t item_bytes, unsigned times, bool quiet,
          const seen_items& seen)
      : bar_(std::move(label), items * item_bytes, progress::unit::bytes, quiet) {
    if (!bar_.visible()) return;
    thread_ = std::jthread([this, items, item_bytes, times, &seen](const std::stop_token& stop) {
      std::uint64_t shown = 0;
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; }) &&
             !stop.stop_requested()) {
        const std::uint64_t bytes = std::min(seen.told() / times, items) * item_bytes;  // some are seen once more
        bar_.add(bytes - shown);
        shown = bytes;
      }
    });
  }

 private:
  progress bar_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

}  // namespace peneira::tool

namespace peneira::detail {
template <class T>
inline constexpr bool never_misses<tool::watched_bins<T>> = true;
}  // namespace peneira::detail
