// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The compressed bytes of a source, while they are taken apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tools/peneira/io/compressed.hpp"

namespace peneira::tool {

inline constexpr std::size_t compressed_block = std::size_t{1} << 17U;

class compressed_bytes {
 public:
  compressed_bytes(std::string first, byte_pull more, std::string name)
      : held_(std::move(first)), more_(std::move(more)), name_(std::move(name)) {}

  /// Those that were not used yet; more are read where there are none. Empty at the end.
  std::string_view next() {
    if (at_ < held_.size()) return std::string_view(held_).substr(at_);
    if (!more_) return {};
    held_.resize(compressed_block);
    held_.resize(more_(held_.data(), held_.size()));
    at_ = 0;
    return held_;
  }
  void use(std::size_t bytes) { at_ += bytes; }
  /// Appends so many bytes; false where there are fewer, which are appended.
  bool move_to(std::string& to, std::size_t bytes) {
    while (bytes > 0) {
      const std::string_view some = next().substr(0, bytes);
      if (some.empty()) return false;
      to += some;
      use(some.size());
      bytes -= some.size();
    }
    return true;
  }
  /// The rest, behind these bytes.
  compressed_bytes behind(std::string first) {
    if (at_ < held_.size()) first += std::string_view(held_).substr(at_);
    at_ = held_.size();
    return {std::move(first), more_, name_};
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string held_;
  std::size_t at_ = 0;
  byte_pull more_;
  std::string name_;
};

/// A decoder that works in the thread that reads it. between: a member of the file ended before these bytes.
std::unique_ptr<decoder> make_plain_decoder(compression how, compressed_bytes from, const decoding& by,
                                            bool between = false);

}  // namespace peneira::tool
