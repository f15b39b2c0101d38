// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Records of text and their keys. A record is a line with its newline; of CSV, all lines up to the first newline
// outside quotes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/team.hpp"

namespace peneira::tool {

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

/// Calls at(position) for each newline in [begin, end) that ends a record. `quoted` is the state before begin and, on
/// return, the state before end: in CSV every quote switches it, a doubled one twice.
template <class At>
void for_each_end(std::string_view text, std::size_t begin, std::size_t end, bool csv, bool& quoted, At&& at) {
  const char* const data = text.data();
  if (!csv) {
    while (begin < end) {
      const auto* const found = static_cast<const char*>(std::memchr(data + begin, '\n', end - begin));
      if (found == nullptr) return;
      begin = static_cast<std::size_t>(found - data) + 1;
      at(begin - 1);
    }
    return;
  }
  for (std::size_t i = begin; i < end; ++i) {
    if (data[i] == '"') quoted = !quoted;
    if (data[i] == '\n' && !quoted) at(i);
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
inline std::size_t find_records(std::string_view text, bool csv, unsigned team, std::vector<record>& records) {
  struct part {
    bool quoted = false;       // before it
    bool switches = false;     // an odd number of quotes in it
    std::size_t ends[2]{};     // in it, if it begins outside quotes, and inside
    std::size_t first = 0;     // the number of its first record
    std::size_t last_end = 0;  // after its last record; 0: it has none
  };
  std::vector<part> parts(team);
  on_slices(team, text.size(), [&](unsigned m, std::size_t begin, std::size_t end) {
    if (!csv) {
      parts[m].ends[0] = detail::count_newlines(text.data() + begin, text.data() + end);
      return;
    }
    for (const bool inside : {false, true}) {
      bool quoted = inside;
      std::size_t ends = 0;
      detail::for_each_end(text, begin, end, csv, quoted, [&](std::size_t) { ++ends; });
      parts[m].ends[inside ? 1 : 0] = ends;
      parts[m].switches = quoted != inside;
    }
  });
  std::size_t count = 0;
  bool quoted = false;
  for (part& p : parts) {
    p.quoted = quoted;
    p.first = count;
    count += p.ends[quoted ? 1 : 0];
    quoted = quoted != p.switches;
  }
  records.resize(count);
  on_slices(team, text.size(), [&](unsigned m, std::size_t begin, std::size_t end) {
    part& mine = parts[m];
    bool inside = mine.quoted;
    std::size_t next = mine.first;
    detail::for_each_end(text, begin, end, csv, inside, [&](std::size_t at) {
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

/// The key of a record. `scratch` holds it where it is no part of the record: a quoted field with quotes in it.
inline std::string_view key_of(const text_format& format, std::string_view line, std::string& scratch) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (format.field == 0) return line;

  std::size_t begin = 0;
  std::size_t end = 0;
  if (format.blanks) {
    for (std::size_t f = 0; f < format.field; ++f) {
      begin = std::min(line.find_first_not_of(" \t", end), line.size());
      end = std::min(line.find_first_of(" \t", begin), line.size());
    }
    return line.substr(begin, end - begin);
  }
  const auto field_end = [&](std::size_t from) {
    if (!format.csv) return std::min(line.find(format.separator, from), line.size());
    bool quoted = false;
    for (; from < line.size() && (quoted || line[from] != format.separator); ++from) {
      if (line[from] == '"') quoted = !quoted;
    }
    return from;
  };
  end = field_end(0);
  for (std::size_t f = 1; f < format.field; ++f) {
    if (end == line.size()) return {};
    begin = end + 1;
    end = field_end(begin);
  }
  std::string_view field = line.substr(begin, end - begin);
  if (!format.csv || !field.starts_with('"')) return field;
  field.remove_prefix(1);
  if (field.ends_with('"')) field.remove_suffix(1);
  if (field.find('"') == std::string_view::npos) return field;
  scratch.clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    scratch += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
  }
  return scratch;
}

}  // namespace peneira::tool
