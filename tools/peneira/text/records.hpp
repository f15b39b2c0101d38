// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Records of text, their fields and keys. A record is a line with its newline; of CSV, all lines up to the first
// newline outside of quoted fields.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/text/csv.hpp"

namespace peneira::tool {

/// What to say of a record that lacks a field.
inline std::string describe_missing(std::size_t field, std::size_t found) {
  return fmt::format("has no field {}: it ends after {}", field, found);
}

/// Where a record lies in its chunk.
struct record {
  std::uint64_t begin;
  std::uint64_t size;
};

/// How lines become fields.
struct text_format {
  bool csv = false;
  bool blanks = true;    ///< fields stand between runs of blanks
  char separator = ',';  ///< between fields otherwise
};

namespace detail {

/// Makes records of the positions behind their ends, which each part has of its own.
inline std::size_t join_records(const std::vector<std::vector<std::uint64_t>>& ends, std::vector<record>& records) {
  struct place {
    std::size_t first;       // the number of the part's first record
    std::uint64_t last_end;  // of the records before it
  };
  std::vector<place> places;
  std::size_t count = 0;
  std::uint64_t covered = 0;
  for (const auto& part : ends) {
    places.push_back({count, covered});
    count += part.size();
    if (!part.empty()) covered = part.back();
  }
  records.resize(count);
  on_each(static_cast<unsigned>(ends.size()), [&](unsigned m) {
    std::uint64_t begin = places[m].last_end;
    record* to = records.data() + places[m].first;
    for (const std::uint64_t end : ends[m]) {
      *to++ = {begin, end - begin};
      begin = end;
    }
  });
  return covered;
}

/// Parts begin behind a newline, which most often ends a record. Where a part turns out to begin in a quoted field
/// after all, it is walked through once more.
inline void find_csv_ends(std::string_view text, char separator, std::vector<std::vector<std::uint64_t>>& ends) {
  const auto team = static_cast<unsigned>(ends.size());
  std::vector<std::size_t> starts(team + 1, text.size());
  starts.front() = 0;
  for (unsigned m = 1; m < team; ++m) {
    const std::size_t newline = text.find('\n', std::max(slice(text.size(), m, team).first, starts[m - 1]));
    if (newline != std::string_view::npos) starts[m] = newline + 1;
  }
  std::vector<char> quoted_after(team);
  const auto walk = [&](unsigned m, bool quoted) {
    ends[m].clear();
    for_each_csv_end(text, starts[m], starts[m + 1], separator, quoted,
                     [&](std::size_t at) { ends[m].push_back(at + 1); });
    quoted_after[m] = quoted ? 1 : 0;
  };
  on_each(team, [&](unsigned m) { walk(m, false); });
  for (unsigned m = 1; m < team; ++m) {
    if (quoted_after[m - 1] != 0) walk(m, true);
  }
}

inline void find_line_ends(std::string_view text, std::vector<std::vector<std::uint64_t>>& ends) {
  on_slices(static_cast<unsigned>(ends.size()), text.size(), [&](unsigned m, std::size_t begin, std::size_t end) {
    const char* const data = text.data();
    ends[m].reserve(count_newlines(data + begin, data + end));
    while (begin < end) {
      const auto* const found = static_cast<const char*>(std::memchr(data + begin, '\n', end - begin));
      if (found == nullptr) return;
      begin = static_cast<std::size_t>(found - data) + 1;
      ends[m].push_back(begin);
    }
  });
}

}  // namespace detail

/// Finds the records that end in `text`, which begins with one; returns the bytes they cover.
inline std::size_t find_records(std::string_view text, const text_format& format, unsigned team,
                                std::vector<record>& records) {
  std::vector<std::vector<std::uint64_t>> ends(team);
  if (format.csv) {
    detail::find_csv_ends(text, format.separator, ends);
  } else {
    detail::find_line_ends(text, ends);
  }
  return detail::join_records(ends, records);
}

/// A record without what ends its line.
inline std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The fields of a record, one after the other, as they are written.
class field_walk {
 public:
  field_walk(const text_format& format, std::string_view record)
      : format_(format), next_(record.data()), end_(record.data() + without_end(record).size()) {}

  /// Goes on to the next field; false where there is none.
  bool next() {
    if (over_) return false;
    const char* begin = next_;
    const char* stop = nullptr;
    if (format_.blanks) {
      while (begin != end_ && is_blank(*begin)) ++begin;
      stop = std::find_if(begin, end_, is_blank);
      if ((over_ = begin == end_)) return false;
    } else {
      stop = format_.csv ? csv_field_end(begin, end_, format_.separator) : std::find(begin, end_, format_.separator);
      over_ = stop == end_;
    }
    field_ = {begin, static_cast<std::size_t>(stop - begin)};
    next_ = stop == end_ ? end_ : stop + 1;
    ++count_;
    return true;
  }
  [[nodiscard]] std::string_view field() const { return field_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  const text_format& format_;
  const char* next_;
  const char* end_;
  bool over_ = false;
  std::size_t count_ = 0;
  std::string_view field_;
};

/// What all fields of a record mean.
inline std::vector<std::string> all_fields(const text_format& format, std::string_view record) {
  std::vector<std::string> all;
  std::string scratch;
  for (field_walk walk(format, record); walk.next();) {
    all.emplace_back(format.csv ? csv_value(walk.field(), scratch) : walk.field());
  }
  return all;
}

}  // namespace peneira::tool
