// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the time of a command went, as --report tells it. A phase's time is that of all threads in it, over their
// number: what goes on behind other work costs nothing and is not counted, so that the phases add up to the whole.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace peneira::tool {

enum class phase { starting, reading, copying, kernels, computing, writing };

class phase_times {
 public:
  using clock = std::chrono::steady_clock;

  /// One thread's time in a phase, from here to the end of its scope; `threads`: of so many, as the others wait.
  class scope {
   public:
    scope(phase_times& all, phase what, std::uint64_t bytes = 0, unsigned threads = 1)
        : all_(all), what_(what), threads_(threads), bytes_(bytes) {}
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    scope(scope&&) = delete;
    scope& operator=(scope&&) = delete;
    ~scope() {
      const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start_).count();
      entry& to = all_.entries_[static_cast<std::size_t>(what_)];
      to.nanoseconds.fetch_add(static_cast<std::uint64_t>(took) * threads_, std::memory_order_relaxed);
      to.bytes.fetch_add(bytes_, std::memory_order_relaxed);
    }

   private:
    phase_times& all_;
    phase what_;
    unsigned threads_;
    std::uint64_t bytes_;
    clock::time_point start_ = clock::now();
  };

  explicit phase_times(unsigned team) : team_(team) {}

  [[nodiscard]] unsigned team() const { return team_; }
  /// Where it ran and why, for the report.
  void ran(bool on_gpu, const std::string& why) { where_ = (on_gpu ? "the GPU (" : "the CPU (") + why + ')'; }

  /// Tells on standard error of all phases that took any time.
  void tell_report() const;

 private:
  static constexpr std::size_t phases = 6;
  struct entry {
    std::atomic<std::uint64_t> nanoseconds{0};
    std::atomic<std::uint64_t> bytes{0};
  };

  unsigned team_;
  std::array<entry, phases> entries_;
  std::string where_ = "the CPU";
  clock::time_point start_ = clock::now();
};

}  // namespace peneira::tool
