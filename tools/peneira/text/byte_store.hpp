// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for many short texts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace peneira::tool {

/// Bytes that stay where they are. Behind each piece lie some that may be read.
class byte_store {
 public:
  char* take(std::size_t size) {
    constexpr std::size_t slack = 8;
    if (size + slack > left_) {
      left_ = std::max(size + slack, std::size_t{1} << 16U);
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      at_ = blocks_.back().get();
      bytes_ += left_;
    }
    char* const taken = at_;
    at_ += size;
    left_ -= size;
    return taken;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void clear() { *this = byte_store(); }
  /// Takes over what the other holds.
  void append(byte_store&& other) {
    std::move(other.blocks_.begin(), other.blocks_.end(), std::back_inserter(blocks_));
    bytes_ += other.bytes_;
    at_ = nullptr;
    left_ = 0;
    other.clear();
  }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace peneira::tool
