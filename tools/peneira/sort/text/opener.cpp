// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The inputs of `peneira sort` on text as they are opened: their headers, and the fields that these name.
#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/peneira/sort/text/input.hpp"
#include "tools/peneira/text/names.hpp"

namespace peneira::tool {
namespace {

text_format format_of(const sort_text_options& o) {
  text_format format;
  format.csv = o.csv;
  format.blanks = !o.separator;
  if (o.separator) format.separator = *o.separator;
  return format;
}

}  // namespace

input_opener::input_opener(sort_text_options& o) : o_(o), memory_(o), format_(format_of(o)) {
  if (!o.header) return;
  std::ptrdiff_t empty = 0;
  for (const std::string& path : o.inputs) {
    first_ = std::make_unique<text_file>(path, how_to_decode());
    header_ = take_header(*first_);
    if (first_->taken_lines() > 0) break;
    ++empty;
  }
  o.inputs.erase(o.inputs.begin(), o.inputs.begin() + std::min(empty, std::ssize(o.inputs) - 1));
  if (first_->taken_lines() == 0) return;
  find_named_keys(o.keys, all_fields(format_, header_), format_.blanks, o.inputs.front());
  header_ += o.terminator;
}

decoding input_opener::how_to_decode() const {
  const std::size_t window = window_within(memory_.limit);
  if (o_.merge || o_.check != sort_text_options::check_kind::none) return {1, 0, window, "-S"};
  return {memory_.team, memory_.for_decoding(), window, "-S"};
}

std::string input_opener::take_header(text_file& file) const {
  file.skip_mark();
  std::string header = file.take_first(o_.terminator, o_.csv ? std::optional(csv_ends(*o_.separator)) : std::nullopt);
  if (header.ends_with(o_.terminator)) header.pop_back();
  return header;
}

std::unique_ptr<text_file> input_opener::open(std::size_t input) {
  if (input == 0 && first_ != nullptr) return std::move(first_);
  if (o_.text) return std::make_unique<text_file>(*o_.text);
  auto file = std::make_unique<text_file>(o_.inputs[input], how_to_decode());
  if (!o_.header) {
    if (o_.csv) file->skip_mark();
    return file;
  }
  const std::string header = take_header(*file);
  if (file->taken_lines() == 0) return file;  // it is empty
  check_same_header(format_, std::string_view(header_).substr(0, header_.size() - 1), header, file->name());
  return file;
}

}  // namespace peneira::tool
