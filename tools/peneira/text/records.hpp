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
  bool blanks = true;     ///< fields stand between runs of blanks
  char separator = ',';   ///< between fields otherwise
  std::size_t field = 0;  ///< the key's, from 1; 0: the whole line
};

namespace detail {

/// Calls at(position) for each newline in [begin, end) that ends a record, as for_each_csv_end does.
template <class At>
void for_each_end(std::string_view text, std::size_t begin, std::size_t end, const text_format& format, bool& quoted,
                  At&& at) {
  if (format.csv) return for_each_csv_end(text, begin, end, format.separator, quoted, at);
  const char* const data = text.data();
  while (begin < end) {
    const auto* const found = static_cast<const char*>(std::memchr(data + begin, '\n', end - begin));
    if (found == nullptr) return;
    begin = static_cast<std::size_t>(found - data) + 1;
    at(begin - 1);
  }
}

/// How many bytes of [from, end) are newlines: in blocks short enough for counters of a byte, which vectorize best.
inline std::size_t count_newlines(const char* from, const char* end) {
  constexpr std::ptrdiff_t block = 240;
  std::size_t all = 0;
  while (from != end) {
    const char* const stop = from + std::min(block, end - from);
    unsigned char some = 0;
    for (; from != stop; ++from) some = static_cast<unsigned char>(some + (*from == '\n' ? 1 : 0));
    all += some;
  }
  return all;
}

}  // namespace detail

/// Finds the records that end in `text`, which begins with one; returns the bytes they cover.
inline std::size_t find_records(std::string_view text, const text_format& format, unsigned team,
                                std::vector<record>& records) {
  struct part {
    bool quoted = false;       // before it
    bool quoted_after[2]{};    // if it begins outside of a quoted field, and inside
    std::size_t ends[2]{};     // in it, likewise
    std::size_t first = 0;     // the number of its first record
    std::size_t last_end = 0;  // after its last record; 0: it has none
  };
  std::vector<part> parts(team);
  const auto for_each_part = [&](const auto& work) {
    on_slices(team, text.size(), [&](unsigned m, std::size_t begin, std::size_t end) {
      if (!format.csv) return work(parts[m], begin, end);
      work(parts[m], detail::after_quotes(text, begin), detail::after_quotes(text, end));
    });
  };
  for_each_part([&](part& mine, std::size_t begin, std::size_t end) {
    if (!format.csv) {
      mine.ends[0] = detail::count_newlines(text.data() + begin, text.data() + end);
      return;
    }
    for (const bool inside : {false, true}) {
      bool quoted = inside;
      std::size_t ends = 0;
      detail::for_each_end(text, begin, end, format, quoted, [&](std::size_t) { ++ends; });
      mine.ends[inside ? 1 : 0] = ends;
      mine.quoted_after[inside ? 1 : 0] = quoted;
    }
  });
  std::size_t count = 0;
  bool quoted = false;
  for (part& p : parts) {
    p.quoted = quoted;
    p.first = count;
    count += p.ends[quoted ? 1 : 0];
    quoted = p.quoted_after[quoted ? 1 : 0];
  }
  records.resize(count);
  for_each_part([&](part& mine, std::size_t begin, std::size_t end) {
    bool inside = mine.quoted;
    std::size_t next = mine.first;
    detail::for_each_end(text, begin, end, format, inside, [&](std::size_t at) {
      records[next] = {mine.last_end, at + 1 - mine.last_end};
      mine.last_end = at + 1;
      ++next;
    });
  });
  // The first record of each part begins where the last one before it ended.
  std::size_t covered = 0;
  for (const part& p : parts) {
    if (p.last_end == 0) continue;
    record& first = records[p.first];
    first = {covered, first.size - covered};
    covered = p.last_end;
  }
  return covered;
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

/// The key of a record, which lies in it or in `scratch`; false where the record lacks the field. Sets the number of
/// fields that were looked at.
inline bool key_of(const text_format& format, std::string_view record, std::string& scratch, std::string_view& key,
                   std::size_t& fields) {
  key = without_end(record);
  if (format.field == 0) return true;
  field_walk walk(format, record);
  while (walk.count() < format.field && walk.next()) continue;
  fields = walk.count();
  if (fields < format.field) return false;
  key = format.csv ? csv_value(walk.field(), scratch) : walk.field();
  return true;
}

}  // namespace peneira::tool
