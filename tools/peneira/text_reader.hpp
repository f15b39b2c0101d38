// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Text of any size in chunks of whole records.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/mapped_file.hpp"
#include "tools/peneira/progress.hpp"
#include "tools/peneira/records.hpp"

namespace peneira::tool {

/// Reads inputs one after the other. Memory is bounded by the chunk, unless one record is longer.
class text_reader {
 public:
  text_reader(const std::vector<std::string>& paths, bool csv, bool header, std::size_t chunk, unsigned team)
      : paths_(paths), csv_(csv), has_header_(header), chunk_(chunk), team_(team) {}

  /// The first input's header with its newline; empty before it was read, or where there is none.
  [[nodiscard]] const std::string& header() const { return header_; }

  /// Calls take(text, records) for each chunk, headers left out.
  template <class Take>
  void for_each_chunk(progress& bar, Take&& take) {
    for (const std::string& path : paths_) read_file(path, bar, take);
  }

 private:
  template <class Take>
  void read_file(const std::string& path, progress& bar, Take& take) {
    input_file file(path);
    // Records shorter than this on average make chunks smaller: their descriptors, not their bytes, fill the memory.
    constexpr std::size_t most_records = std::size_t{1} << 20U;
    const std::size_t least_chunk = std::min<std::size_t>(chunk_, std::size_t{4} << 20U);
    std::size_t wanted = least_chunk;
    std::size_t held = 0;
    bool ended = false;
    bool first_chunk = true;
    while (!ended || held > 0) {
      reserve(wanted + 1, held);
      const std::size_t before = held;
      while (!ended && held < wanted) {
        const std::size_t got = file.read(buffer_.get() + held, wanted - held);
        ended = got == 0;
        held += got;
      }
      bar.add(held - before);
      if (ended && held > 0 && buffer_[held - 1] != '\n') buffer_[held++] = '\n';

      const std::string_view text(buffer_.get(), held);
      const std::size_t covered = find_records(text, csv_, team_, records_);
      if (ended && covered < held) {
        throw std::runtime_error(fmt::format("{}: a quoted field is still open at the end of the file", file.path()));
      }
      wanted = records_.empty() ? 2 * std::max(wanted, held)
                                : std::clamp(most_records * (covered / records_.size()), least_chunk, chunk_);
      if (first_chunk && has_header_ && !records_.empty()) take_header(text);
      if (covered > 0) first_chunk = false;
      if (covered > 0) take(text, records_);
      held -= covered;
      std::memmove(buffer_.get(), buffer_.get() + covered, held);
      wanted = std::max(wanted, held + 1);
      poll_interrupt();
    }
  }

  void take_header(std::string_view text) {
    if (header_.empty()) header_ = text.substr(0, records_.front().size);
    records_.erase(records_.begin());
  }

  void reserve(std::size_t bytes, std::size_t held) {
    if (bytes <= capacity_) return;
    auto larger = std::make_unique_for_overwrite<char[]>(bytes);
    if (held > 0) std::memcpy(larger.get(), buffer_.get(), held);
    buffer_ = std::move(larger);
    capacity_ = bytes;
  }

  std::vector<std::string> paths_;
  bool csv_;
  bool has_header_;
  std::size_t chunk_;
  unsigned team_;
  std::string header_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::vector<record> records_;
};

}  // namespace peneira::tool
