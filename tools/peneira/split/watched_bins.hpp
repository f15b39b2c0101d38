// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A split of a file that can be watched and interrupted: its bin function, which is asked about every item in each
// pass, tells how far that has come and looks for signals.
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

#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/split/bins.hpp"

namespace peneira::tool {

/// Bytes that threads have seen of arrays that they go through.
class seen_bytes {
 public:
  /// Tells of all that lies between two marks when some bytes from `at` on hold one: a comparison for each batch of
  /// items, and nothing to store. A split of 256 MB that are in memory already takes 7% longer so (N1).
  [[gnu::always_inline]] void pass(const void* at, std::size_t bytes) {
    if (((reinterpret_cast<std::uintptr_t>(at) - first) & (apart - 1)) < bytes) [[unlikely]]
      add(apart);
  }
  [[gnu::noinline]] void add(std::size_t bytes) {
    told_.fetch_add(bytes, std::memory_order_relaxed);
    poll_interrupt();
  }
  [[nodiscard]] std::uint64_t told() const { return told_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t apart = std::size_t{1} << 18U;
  static constexpr std::size_t first =
      3072;  ///< not where pages begin: there engines look for runs, and see items twice
  std::atomic<std::uint64_t> told_{0};
};

/// file_bins, watched.
template <class T>
class watched_bins {
 public:
  watched_bins(const file_bins<T>& of, seen_bytes& seen) : of_(of), seen_(&seen) {}

  [[nodiscard]] std::uint32_t bins() const { return of_.bins(); }
  template <std::size_t Count>
  [[gnu::always_inline]] void many(const T* keys, std::uint32_t* to) const {
    peneira::detail::fill_bins<Count>(of_, keys, to);
    seen_->pass(keys, Count * sizeof(T));
  }
  std::uint32_t operator()(T key) const { return of_(key); }

 private:
  file_bins<T> of_;
  seen_bytes* seen_;
};

/// A bar that shows, ten times a second and as long as it lives, how far bytes have come that are all seen several
/// times.
class watcher {
 public:
  watcher(std::string label, std::uint64_t bytes, unsigned times, bool quiet, const seen_bytes& seen)
      : bar_(std::move(label), bytes, progress::unit::bytes, quiet) {
    if (!bar_.visible()) return;
    thread_ = std::jthread([this, bytes, times, &seen](const std::stop_token& stop) {
      std::uint64_t shown = 0;
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; }) &&
             !stop.stop_requested()) {
        const std::uint64_t done = std::min(seen.told() / times, bytes);  // some are seen once more
        bar_.add(done - shown);
        shown = done;
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
