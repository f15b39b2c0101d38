// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A line on stderr for work that takes longer than a second: how far, how fast, how long still. It shows only on a
// terminal and clears itself.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tools/peneira/cli/sizes.hpp"

namespace peneira::tool {

class progress {
 public:
  enum class unit { bytes, lines };

  /// total == 0: nobody knows how much there is.
  progress(std::string label, std::uint64_t total, unit counted, bool quiet)
      : label_(std::move(label)), total_(total), counted_(counted), visible_(!quiet && ::isatty(STDERR_FILENO) == 1) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  progress(progress&&) = delete;
  progress& operator=(progress&&) = delete;
  ~progress() {
    if (shown_) static_cast<void>(std::fputs("\r\x1b[K", stderr));  // whoever reads it
  }

  /// Whether anybody can see it.
  [[nodiscard]] bool visible() const { return visible_; }

  void add(std::uint64_t more) {
    done_ += more;
    if (!visible_) return;
    const auto now = clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    show(std::chrono::duration<double>(now - start_).count());
  }

 private:
  using clock = std::chrono::steady_clock;

  [[nodiscard]] std::string print(double amount) const {
    return counted_ == unit::bytes ? print_bytes(amount) : print_count(amount) + " lines";
  }

  void show(double seconds) {
    const auto done = static_cast<double>(done_);
    const double rate = done / seconds;
    std::string line = fmt::format("\r\x1b[K{}  ", label_);
    if (total_ != 0) {
      constexpr int width = 24;
      const double part = std::min(1.0, done / static_cast<double>(total_));
      const int full = static_cast<int>(part * width);
      line += fmt::format("[{:=<{}}{:<{}}] {:3.0f}%  ", "", full, "", width - full, part * 100);
    }
    line += fmt::format("{}  {}/s", print(done), print(rate));
    if (total_ > done_ && rate > 0) {
      const auto left = static_cast<std::uint64_t>(static_cast<double>(total_ - done_) / rate);
      line += fmt::format("  {}:{:02} left", left / 60, left % 60);
    }
    static_cast<void>(std::fputs(line.c_str(), stderr));
    std::fflush(stderr);
    shown_ = true;
  }

  std::string label_;
  std::uint64_t total_;
  unit counted_;
  bool visible_;
  bool shown_ = false;
  std::uint64_t done_ = 0;
  clock::time_point start_ = clock::now();
  clock::time_point next_ = start_ + std::chrono::seconds(1);
};

}  // namespace peneira::tool
