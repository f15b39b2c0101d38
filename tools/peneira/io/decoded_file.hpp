// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An input whose bytes tell whether it is compressed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "tools/peneira/io/compressed.hpp"
#include "tools/peneira/io/mapped_file.hpp"

namespace peneira::tool {

class decoded_file {
 public:
  /// "-" is standard input.
  explicit decoded_file(const std::string& path, const decoding& by = {1, 0}) : file_(path) {
    first_.resize(telling_bytes);
    std::size_t held = 0;
    for (std::size_t got = 1; got != 0 && held < first_.size(); held += got) {
      got = file_.read(first_.data() + held, first_.size() - held);
    }
    first_.resize(held);
    const compression how = compression_of(first_);
    if (how == compression::none) return;
    const auto more = [this](char* to, std::size_t size) { return file_.read(to, size); };
    const bool plain = file_.size() > 0;  // a pipe may wait for long, and nobody could end the thread
    const std::string telling = first_;
    decoder_ =
        make_decoder(how, telling, std::exchange(first_, {}), more, file_.path(), plain ? by : by.by_the_reader());
  }

  [[nodiscard]] const std::string& path() const { return file_.path(); }

  /// Reads bytes [begin, end) alone, of a plain file that is not compressed.
  void keep_to(std::uint64_t begin, std::uint64_t end) {
    first_.clear();
    left_ = end - begin;
    if (::lseek(file_.fd(), static_cast<off_t>(begin), SEEK_SET) < 0) fail("read", file_.path());
  }

  /// Reads up to `size` bytes; 0 at the end.
  std::size_t read(char* to, std::size_t size) {
    if (decoder_ != nullptr) return decoder_->read(to, size);
    if (first_.empty()) {
      const std::size_t got = file_.read(to, std::min<std::uint64_t>(size, left_));
      left_ -= got;
      return got;
    }
    const std::size_t some = first_.copy(to, size);
    first_.erase(0, some);
    return some;
  }

 private:
  input_file file_;
  std::string first_;                                               ///< bytes that were read to look at
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();  ///< to be read, behind these
  std::unique_ptr<decoder> decoder_;
};

}  // namespace peneira::tool
