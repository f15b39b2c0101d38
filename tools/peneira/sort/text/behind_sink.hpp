// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing by a thread of its own, while the caller gathers what comes next.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "tools/peneira/sort/text/output.hpp"

namespace peneira::tool {

/// Hands bytes on to another sink, one write behind. What fails there is thrown by the call that follows.
class behind_sink : public byte_sink {
 public:
  /// Writes of more than `capacity` bytes are waited for.
  behind_sink(byte_sink& to, std::size_t capacity)
      : to_(to),
        capacity_(capacity),
        bytes_(std::make_unique_for_overwrite<char[]>(capacity)),
        thread_([this] { run(); }) {}
  behind_sink(const behind_sink&) = delete;
  behind_sink& operator=(const behind_sink&) = delete;
  behind_sink(behind_sink&&) = delete;
  behind_sink& operator=(behind_sink&&) = delete;
  ~behind_sink() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void write(const char* data, std::size_t size) override {
    finish();
    if (size > capacity_) return to_.write(data, size);
    if (size == 0) return;
    {
      const std::lock_guard lock(mutex_);
      std::memcpy(bytes_.get(), data, size);
      held_ = size;
    }
    changed_.notify_all();
  }
  /// Returns when all is written.
  void finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_ == 0; });
    if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return over_ || held_ > 0; });
      if (held_ == 0) return;
      lock.unlock();
      std::exception_ptr failed;
      try {
        to_.write(bytes_.get(), held_);
      } catch (...) {
        failed = std::current_exception();
      }
      lock.lock();
      held_ = 0;
      error_ = failed;
      changed_.notify_all();
    }
  }

  byte_sink& to_;
  std::size_t capacity_;
  std::unique_ptr<char[]> bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t held_ = 0;
  bool over_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace peneira::tool
