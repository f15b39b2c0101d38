// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Text in memory, in large pages where there is much of it: it is written once, and a fault costs as much as a page.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "tools/peneira/io/paged_array.hpp"
#include "tools/peneira/sort/text/output.hpp"

namespace peneira::tool {

class memory_text {
 public:
  explicit memory_text(std::size_t bytes) : size_(bytes) { bytes_.reserve(bytes); }

  [[nodiscard]] char* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view view() const { return {data(), size_}; }
  /// Leaves out what is behind so many bytes.
  void shrink(std::size_t bytes) { size_ = bytes; }

 private:
  paged_array<char> bytes_;
  std::size_t size_;
};

/// Keeps what it is given.
class memory_sink : public byte_sink {
 public:
  void write(const char* data, std::size_t size) override {
    bytes_.reserve(size_ + size);
    if (size > 0) std::memcpy(bytes_.data() + size_, data, size);
    size_ += size;
  }
  [[nodiscard]] const char* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  paged_array<char> bytes_;
  std::size_t size_ = 0;
};

}  // namespace peneira::tool
