// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Text of any size in chunks of whole records.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/mapped_file.hpp"
#include "tools/peneira/progress.hpp"
#include "tools/peneira/records.hpp"

namespace peneira::tool {

/// The bytes of all inputs, without opening them: a pipe can be opened only once. Nothing where one cannot tell.
inline std::optional<std::uint64_t> total_bytes(const std::vector<std::string>& paths) {
  std::uint64_t total = 0;
  for (const std::string& path : paths) {
    if (path == "-") return std::nullopt;
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) fail("open", path);
    if (!S_ISREG(found.st_mode)) return std::nullopt;
    total += static_cast<std::uint64_t>(found.st_size);
  }
  return total;
}

/// The separator that --separator names.
inline char parse_separator(std::string_view text, bool csv) {
  if (text != "\\t" && text.size() != 1) {
    throw usage_error(fmt::format("--separator: must be one byte or \\t, but is \"{}\"", text));
  }
  const char separator = text.size() == 1 ? text.front() : '\t';
  if (separator == '\n' || (csv && separator == '"')) {
    throw usage_error("--separator: cannot be a newline, nor with --csv a quote");
  }
  return separator;
}

/// Reads inputs one after the other. Memory is bounded by the chunk, unless one record is longer.
class text_reader {
 public:
  text_reader(const std::vector<std::string>& paths, bool csv, bool header, std::size_t chunk, unsigned team)
      : paths_(paths), csv_(csv), has_header_(header), chunk_(chunk), team_(team) {}

  /// The first input's header with its newline; empty before it was read, or where there is none.
  [[nodiscard]] const std::string& header() const { return header_; }

  /// The input that the chunk is of, and its lines before the chunk, a header among them.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t lines_before() const { return lines_before_; }

  /// Bytes behind a chunk that may be read, though they mean nothing.
  static constexpr std::size_t slack = 8;

  /// Calls take(text, records) for each chunk, headers left out.
  template <class Take>
  void for_each_chunk(progress& bar, Take&& take) {
    for (const std::string& path : paths_) read_file(path, bar, take);
  }

 private:
  template <class Take>
  void read_file(const std::string& path, progress& bar, Take& take) {
    input_file file(path);
    path_ = file.path();
    lines_before_ = 0;
    // Records shorter than this on average make chunks smaller: their descriptors, not their bytes, fill the memory.
    constexpr std::size_t most_records = std::size_t{1} << 20U;
    const std::size_t least_chunk = std::min<std::size_t>(chunk_, std::size_t{4} << 20U);
    std::size_t wanted = least_chunk;
    std::size_t held = 0;
    bool ended = false;
    bool first_chunk = true;
    while (!ended || held > 0) {
      reserve(wanted + 1 + slack, held);
      while (!ended && held < wanted) {
        const std::size_t got = file.read(buffer_.get() + held, wanted - held);
        ended = got == 0;
        held += got;
        bar.add(got);
      }
      if (ended && held > 0 && buffer_[held - 1] != '\n') buffer_[held++] = '\n';

      const std::string_view text(buffer_.get(), held);
      const std::size_t covered = find_records(text, csv_, team_, records_);
      if (ended && covered < held) {
        throw std::runtime_error(fmt::format("{}: a quoted field is still open at the end of the file", file.path()));
      }
      wanted = records_.empty() ? 2 * std::max(wanted, held)
                                : std::clamp(most_records * (covered / records_.size()), least_chunk, chunk_);
      const std::size_t ended_records = records_.size();
      if (first_chunk && has_header_ && !records_.empty()) take_header(text);
      if (covered > 0) first_chunk = false;
      if (covered > 0) take(text, records_);
      // A record of CSV may be many lines.
      lines_before_ +=
          csv_ ? static_cast<std::size_t>(std::count(text.begin(), text.begin() + covered, '\n')) : ended_records;
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
  std::string path_;
  std::uint64_t lines_before_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::vector<record> records_;
};

}  // namespace peneira::tool
