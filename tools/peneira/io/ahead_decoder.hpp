// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Decompressing while what was decompressed is being read.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tools/peneira/io/compressed_bytes.hpp"

namespace peneira::tool {

/// Decompresses what will be asked for, in a thread of its own.
class ahead_decoder : public decoder {
 public:
  explicit ahead_decoder(std::unique_ptr<decoder> from) : from_(std::move(from)), thread_([this] { run(); }) {}
  ~ahead_decoder() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  std::size_t read(char* to, std::size_t size) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return made_ > taken_ || error_ != nullptr; });
    if (made_ == taken_) std::rethrow_exception(error_);
    piece& front = pieces_[taken_ % pieces_.size()];
    lock.unlock();
    const std::size_t some = std::min(size, front.size - at_);
    std::copy_n(front.bytes.data() + at_, some, to);
    at_ += some;
    if (at_ < front.size || front.size == 0) return some;  // one of no bytes is the end, and stays
    at_ = 0;
    lock.lock();
    ++taken_;
    changed_.notify_all();
    return some;
  }

 private:
  struct piece {
    std::vector<char> bytes = std::vector<char>(2 * compressed_block);
    std::size_t size = 0;
  };

  void run() {
    try {
      for (std::size_t got = 1; got != 0;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return over_ || made_ - taken_ < pieces_.size(); });
        if (over_) return;
        piece& back = pieces_[made_ % pieces_.size()];
        lock.unlock();
        back.size = got = from_->read(back.bytes.data(), back.bytes.size());
        lock.lock();
        ++made_;
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      changed_.notify_all();
    }
  }

  std::unique_ptr<decoder> from_;
  std::array<piece, 3> pieces_;
  std::size_t at_ = 0;  ///< in the one that is being taken
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t made_ = 0;
  std::size_t taken_ = 0;
  bool over_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace peneira::tool
