// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/group/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace peneira::tool {
namespace {

/// How many bytes the character of UTF-8 at the start of a text has; 0 where there is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// A string of JSON, which is UTF-8: bytes that are not become U+FFFD.
void append_json(std::string& to, std::string_view value) {
  to += '"';
  while (!value.empty()) {
    const std::size_t size = character_bytes(value);
    const char c = value.front();
    if (size == 0) {
      to += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      to += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (size == 1 && static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      to += value.substr(0, size);
    }
    value.remove_prefix(std::max<std::size_t>(size, 1));
  }
  to += '"';
}

/// A field of TSV: what would end it is written as \t, \n, \r and \\. With `controls`, all that a terminal would act
/// on.
void append_escaped(std::string& to, std::string_view value, bool controls) {
  for (const char c : value) {
    const char* const escaped = c == '\t'                ? "\\t"
                                : c == '\n'              ? "\\n"
                                : c == '\r'              ? "\\r"
                                : c == '\\' && !controls ? "\\\\"
                                                         : nullptr;
    if (escaped != nullptr) {
      to += escaped;
    } else if (controls && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) {
      fmt::format_to(std::back_inserter(to), "\\x{:02x}", static_cast<unsigned>(c));
    } else {
      to += c;
    }
  }
}

/// How many characters a text has; every byte that is none of UTF-8 counts as one.
std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(std::max<std::size_t>(character_bytes(text), 1));
  return count;
}

}  // namespace

row_style row_style_of(std::string_view name) {
  return name == "csv"     ? row_style::csv
         : name == "tsv"   ? row_style::tsv
         : name == "json"  ? row_style::json
         : name == "table" ? row_style::table
                           : row_style::as_input;
}

row_writer::row_writer(row_style style, const text_format& input, row_columns columns)
    : style_(style), input_(input), separator_(input.blanks ? '\t' : input.separator), columns_(std::move(columns)) {
  input_.separator = separator_;
  input_.blanks = false;
  quoting_ = style == row_style::csv || (style == row_style::as_input && input.csv);
  if (style == row_style::csv) separator_ = ',';
  if (style == row_style::tsv || style == row_style::table) separator_ = '\t';
}

void row_writer::append_header(std::string& to) const {
  if (style_ == row_style::json) return;
  const auto append_names = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      append_text(to, name);
      to += separator_;
    }
  };
  if (columns_.results_first) append_names(columns_.results);
  append_names(columns_.keys);
  if (!columns_.results_first) append_names(columns_.results);
  to.back() = '\n';
}

void row_writer::append(std::string& to, std::string_view key, std::span<const group_result> results) const {
  if (style_ == row_style::json) to += '{';
  if (columns_.results_first) append_results(to, key, results);
  append_key(to, key);
  if (!columns_.results_first) append_results(to, key, results);
  end_row(to);
}

/// Each cell is followed by a separator; the last one's becomes the end of the row.
void row_writer::end_row(std::string& to) const {
  if (style_ != row_style::json) {
    to.back() = '\n';
    return;
  }
  to.back() = '}';
  to += '\n';
}

void row_writer::begin_cell(std::string& to, const std::string& name) const {
  if (style_ != row_style::json) return;
  append_json(to, name);
  to += ':';
}

void row_writer::append_key(std::string& to, std::string_view key) const {
  const char behind = style_ == row_style::json ? ',' : separator_;
  if (columns_.keys.empty()) return;
  if (style_ == row_style::as_input && !(columns_.whole_key && quoting_)) {
    to += key;
    to += behind;
    return;
  }
  if (columns_.whole_key || (columns_.keys.size() == 1 && !input_.csv)) {
    begin_cell(to, columns_.keys.front());
    append_text(to, key);
    to += behind;
    return;
  }
  std::string scratch;
  const char* at = key.data();
  const char* const end = at + key.size();
  for (const std::string& name : columns_.keys) {
    const char* const stop =
        input_.csv ? csv_field_end(at, end, input_.separator) : std::find(at, end, input_.separator);
    const std::string_view part(at, static_cast<std::size_t>(stop - at));
    begin_cell(to, name);
    append_text(to, input_.csv ? csv_value(part, scratch) : part);
    to += behind;
    at = stop == end ? end : stop + 1;
  }
}

void row_writer::append_results(std::string& to, std::string_view key, std::span<const group_result> results) const {
  for (std::size_t r = 0; r < results.size(); ++r) {
    begin_cell(to, columns_.results[r]);
    if (results[r].what == group_result::kind::text) {
      append_text(to, results[r].text);
    } else if (results[r].what == group_result::kind::none) {
      to += style_ == row_style::json ? "null" : "";
    } else if (!append_number(to, results[r].number)) {
      std::string group = columns_.keys.empty() ? "" : " of the group \"";
      append_escaped(group, columns_.keys.empty() ? "" : key, true);
      group += columns_.keys.empty() ? "" : "\"";
      throw std::runtime_error(fmt::format("{}{} is beyond the range of a double", columns_.results[r], group));
    }
    to += style_ == row_style::json ? ',' : separator_;
  }
}

void row_writer::append_text(std::string& to, std::string_view value) const {
  if (style_ == row_style::json) {
    append_json(to, value);
  } else if (style_ == row_style::tsv || style_ == row_style::table) {
    append_escaped(to, value, style_ == row_style::table);
  } else if (quoting_ && needs_quotes(value, separator_)) {
    append_quoted(to, value);
  } else {
    to += value;
  }
}

void row_sink::write(std::string_view lines) {
  if (right_.empty() && held_.empty() && lines.size() >= most_held) return out_.write(lines.data(), lines.size());
  held_ += lines;
  if (held_.size() >= most_held) finish();
}

void row_sink::finish() {
  if (held_.empty()) return;
  if (!right_.empty()) align();
  out_.write(held_.data(), held_.size());
  held_.clear();
}

/// Makes aligned lines of what is held.
void row_sink::align() {
  if (widths_.empty()) measure();
  std::string aligned;
  for (std::string_view rest = held_; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    append_aligned(aligned, rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  held_ = std::move(aligned);
}

void row_sink::measure() {
  widths_.assign(right_.size(), 0);
  std::size_t column = 0;
  for (std::string_view rest = held_; !rest.empty();) {
    const std::size_t end = rest.find_first_of("\t\n");
    widths_[column] = std::max(widths_[column], count_characters(rest.substr(0, end)));
    column = rest[end] == '\n' ? 0 : column + 1;
    rest.remove_prefix(end + 1);
  }
}

void row_sink::append_aligned(std::string& to, std::string_view line) const {
  constexpr std::size_t gap = 2;
  for (std::size_t column = 0; column < right_.size(); ++column) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    const std::string_view cell = line.substr(0, end);
    const std::size_t width = count_characters(cell);
    const std::size_t blanks = widths_[column] > width ? widths_[column] - width : 0;
    const bool last = column + 1 == right_.size();
    if (right_[column]) to.append(blanks, ' ');
    to += cell;
    if (!right_[column] && !last) to.append(blanks, ' ');
    if (!last) to.append(gap, ' ');
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  while (to.ends_with(' ')) to.pop_back();
  to += '\n';
}

}  // namespace peneira::tool
