// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A split of a file that can be watched and interrupted: its bin function, which is asked about every item in each
// pass, tells how far that has come and looks for signals.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "peneira/bins.hpp"
#include "peneira/cpu/scatter/classify.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/progress.hpp"

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

/// The bins of keys by their bits, watched. What the type of the keys and the kind of bins say is behind a call for
/// some keys at a time, so that one engine serves all types of a width. What is done in less time than a call takes is
/// not: digits, and ranges of unsigned keys.
template <class U>
class watched_bins {
 public:
  /// `by`, for keys of T, must stay where it is.
  template <class T, class F>
  watched_bins(std::type_identity<T> /*keys*/, const F& by, seen_bytes& seen)
      : by_(&by),
        find_one_(&find<1, T, F>),
        find_few_(&find<few, T, F>),
        find_many_(&find<most, T, F>),
        seen_(&seen),
        bins_(by.bins()) {
    if constexpr (std::is_same_v<F, ranges<U>>) range_ = by, kind_ = kind::range;
    if constexpr (std::is_same_v<F, digit>) digit_ = by, kind_ = kind::digit;
  }

  [[nodiscard]] std::uint32_t bins() const { return bins_; }
  template <std::size_t Count>
  [[gnu::always_inline]] void many(const U* keys, std::uint32_t* to) const {
    if (kind_ == kind::range) {
      peneira::detail::fill_bins<Count>(range_, keys, to);
    } else if (kind_ == kind::digit) {
      peneira::detail::fill_bins<Count>(digit_, keys, to);
    } else {
      constexpr std::size_t together = Count % most == 0 ? most : Count % few == 0 ? few : 1;
      for (std::size_t k = 0; k < Count; k += together) {
        (together == most ? find_many_ : together == few ? find_few_ : find_one_)(by_, keys + k, to + k);
      }
    }
    seen_->pass(keys, Count * sizeof(U));
  }
  std::uint32_t operator()(U key) const {
    std::uint32_t bin = 0;
    find_one_(by_, &key, &bin);
    return bin;
  }

 private:
  enum class kind { range, digit, other };
  using finder = void (*)(const void* by, const U* keys, std::uint32_t* to);
  static constexpr std::size_t few = peneira::detail::batch;
  static constexpr std::size_t most = 16;

  template <std::size_t Count, class T, class F>
  static void find(const void* by, const U* keys, std::uint32_t* to) {
    const F& f = *static_cast<const F*>(by);
    if constexpr (std::is_integral_v<T>) {
      peneira::detail::fill_bins<Count>(f, reinterpret_cast<const T*>(keys), to);  // signed or not
    } else if constexpr (requires(const T* typed) { f.template many<Count>(typed, to); }) {
      T typed[Count];
      std::memcpy(typed, keys, sizeof typed);
      f.template many<Count>(typed, to);
    } else {
      PENEIRA_UNROLL(8)
      for (std::size_t k = 0; k < Count; ++k) to[k] = f(std::bit_cast<T>(keys[k]));
    }
  }

  const void* by_;
  finder find_one_;
  finder find_few_;
  finder find_many_;
  seen_bytes* seen_;
  std::uint32_t bins_;
  kind kind_ = kind::other;
  ranges<U> range_{1, U{0}, U{0}};
  digit digit_{0, 1};
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
