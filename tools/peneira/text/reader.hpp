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
#include <utility>
#include <vector>

#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/io/decoded_file.hpp"
#include "tools/peneira/text/formats.hpp"
#include "tools/peneira/text/records.hpp"

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

/// What is wrong with a --separator of nothing, for CLI11 to say.
inline std::string refuse_empty(const std::string& text) {
  return text.empty() ? "must be one byte or \\t, but is \"\"" : "";
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

/// How much a text_reader holds.
struct text_limits {
  std::size_t chunk;        ///< bytes to read at a time
  std::size_t most_record;  ///< bytes of the longest record of CSV: a quote too many can make one of the whole input
  std::string_view option;  ///< that allows longer ones
};

/// A part of an input: from the begin of a record to the end of one, and the input's header, with its newline.
struct text_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string header;
};

/// Reads inputs one after the other. Memory is bounded by the chunk, unless one record is longer.
class text_reader {
 public:
  text_reader(const std::vector<std::string>& paths, const text_format& format, bool header, const text_limits& limits,
              unsigned team)
      : paths_(paths), format_(format), has_header_(header), limits_(limits), team_(team) {}

  /// Reads a part of each input alone, of plain files. Whoever says so has read the headers.
  void keep_to(std::vector<text_range> ranges) { ranges_ = std::move(ranges); }

  /// The first header of all inputs, and the last that was read, with their newlines; empty where there is none yet.
  [[nodiscard]] const std::string& header() const { return header_; }
  [[nodiscard]] const std::string& last_header() const { return last_header_; }

  /// The input that the chunk is of, and the number of the line with which a record of the chunk begins.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t line_of(std::string_view text, const record& r) const {
    return lines_skipped() + lines_before_ + detail::count_newlines(text.data(), text.data() + r.begin) + 1;
  }

  /// Bytes behind a chunk that may be read, though they mean nothing.
  static constexpr std::size_t slack = 8;

  /// Calls take(text, records) for each chunk, headers left out, and before begin() for each input that has a header.
  template <class Begin, class Take>
  void for_each_chunk(progress& bar, Begin&& begin, Take&& take) {
    for (number_ = 0; number_ < paths_.size(); ++number_) read_file(paths_[number_], bar, begin, take);
  }

 private:
  template <class Begin, class Take>
  void read_file(const std::string& path, progress& bar, Begin& begin, Take& take) {
    decoded_file file(path, {team_, 2 * limits_.chunk, std::max(usual_window, limits_.most_record), limits_.option});
    path_ = file.path();
    lines_before_ = 0;
    // Records shorter than this on average make chunks smaller: their descriptors, not their bytes, fill the memory.
    constexpr std::size_t most_records = std::size_t{1} << 20U;
    constexpr std::size_t enough_to_tell = 16;  // bytes that say what an input is
    const std::size_t least_chunk = std::min<std::size_t>(limits_.chunk, std::size_t{4} << 20U);
    std::size_t wanted = std::max(least_chunk, enough_to_tell);
    std::size_t held = 0;
    bool ended = false;
    bool first_bytes = true;
    bool first_chunk = true;
    if (!ranges_.empty()) {
      first_bytes = first_chunk = false;
      file.keep_to(ranges_[number_].begin, ranges_[number_].end);
      records_.clear();
      if (take_header(ranges_[number_].header)) {
        begin();
        take(std::string_view(), records_);
      }
    }
    while (!ended || held > 0) {
      reserve(wanted + 1 + slack, held);
      while (!ended && held < wanted) {
        const std::size_t got = file.read(buffer_.get() + held, wanted - held);
        ended = got == 0;
        held += got;
        bar.add(got);
      }
      if (std::exchange(first_bytes, false)) held -= skip_mark(held);
      if (ended && held > 0 && buffer_[held - 1] != '\n') buffer_[held++] = '\n';
      std::memset(buffer_.get() + held, 0, slack);  // what is read by chance is always the same

      const std::string_view text(buffer_.get(), held);
      const std::size_t covered = find_records(text, format_, team_, records_);
      const bool too_long = format_.csv && records_.empty() && held >= limits_.most_record;
      if (too_long || (ended && covered < held)) refuse_record(file, covered, held, bar);
      wanted = records_.empty() ? larger(std::max(wanted, held))
                                : std::clamp(most_records * (covered / records_.size()), least_chunk, limits_.chunk);
      const std::size_t ended_records = records_.size();
      if (first_chunk && has_header_ && !records_.empty() && take_header(text.substr(0, records_.front().size))) {
        records_.erase(records_.begin());
        begin();
      }
      if (covered > 0) first_chunk = false;
      if (covered > 0) take(text, records_);
      // A record of CSV may be many lines.
      lines_before_ += format_.csv ? detail::count_newlines(text.data(), text.data() + covered) : ended_records;
      held -= covered;
      std::memmove(buffer_.get(), buffer_.get() + covered, held);
      wanted = std::max(wanted, held + 1);
      poll_interrupt();
    }
  }

  /// The next size of a buffer that holds no whole record.
  [[nodiscard]] std::size_t larger(std::size_t size) const {
    return format_.csv && size < limits_.most_record ? std::min(2 * size, limits_.most_record) : 2 * size;
  }

  /// Takes the mark off that some programs put before UTF-8, as it is no part of the first field; returns its bytes.
  std::size_t skip_mark(std::size_t held) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    const std::string_view text(buffer_.get(), held);
    refuse_compressed(text, path_);
    refuse_wide(text, path_);
    if (!text.starts_with(mark)) return 0;
    std::memmove(buffer_.get(), buffer_.get() + mark.size(), held - mark.size());
    return mark.size();
  }

  /// The record of CSV at `from` is too long, or does not end at all; reads on without keeping it, to tell which.
  [[noreturn]] void refuse_record(decoded_file& file, std::size_t from, std::size_t held, progress& bar) {
    const std::uint64_t line = line_of({buffer_.get(), held}, {from, 0});
    csv_record_walk walk(format_.separator);
    walk.add({buffer_.get() + from, held - from});
    for (std::size_t got = 1; got != 0 && !walk.ended();) {
      got = file.read(buffer_.get(), held);
      walk.add({buffer_.get(), got});
      bar.add(got);
    }
    if (walk.open()) {
      throw std::runtime_error(fmt::format("{}: line {}: a quoted field begins here and never ends", path_,
                                           line + walk.lines_before_open()));
    }
    throw std::runtime_error(fmt::format("{}: line {}: a record of more than {} begins here; a larger {} allows it",
                                         path_, line, print_bytes(static_cast<double>(held)), limits_.option));
  }

  /// Keeps the header of an input; whether there is one.
  bool take_header(std::string_view header) {
    if (header.empty()) return false;
    last_header_ = header;
    if (header_.empty()) header_ = last_header_;
    return true;
  }

  /// The lines of the input before the part that is read. Only who tells an error asks.
  [[nodiscard]] std::uint64_t lines_skipped() const {
    if (ranges_.empty()) return 0;
    decoded_file file(paths_[number_]);
    file.keep_to(0, ranges_[number_].begin);
    std::vector<char> buffer(std::size_t{1} << 18U);
    std::uint64_t lines = 0;
    while (const std::size_t got = file.read(buffer.data(), buffer.size())) {
      lines += detail::count_newlines(buffer.data(), buffer.data() + got);
    }
    return lines;
  }

  void reserve(std::size_t bytes, std::size_t held) {
    if (bytes <= capacity_) return;
    auto larger = std::make_unique_for_overwrite<char[]>(bytes);
    if (held > 0) std::memcpy(larger.get(), buffer_.get(), held);
    buffer_ = std::move(larger);
    capacity_ = bytes;
  }

  std::vector<std::string> paths_;
  text_format format_;
  bool has_header_;
  text_limits limits_;
  unsigned team_;
  std::vector<text_range> ranges_;
  std::size_t number_ = 0;  ///< of the input that is read
  std::string header_;
  std::string last_header_;
  std::string path_;
  std::uint64_t lines_before_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::vector<record> records_;
};

}  // namespace peneira::tool
