// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// --debug: what of each line is compared, and what of the command line may be a mistake, as GNU sort tells it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/peneira/sort/text/keys.hpp"
#include "tools/peneira/sort/text/options.hpp"
#include "tools/peneira/sort/text/output.hpp"

namespace peneira::tool {

/// Tells on standard error what is odd about the keys.
void tell_key_warnings(const sort_text_options& o);

/// Writes lines with their keys underlined below them; the header as it is.
class debug_sink : public byte_sink {
 public:
  debug_sink(const sort_text_options& o, byte_sink& to) : o_(o), to_(to), finder_(o.fields()), is_header_(o.header) {}

  void write(const char* data, std::size_t size) override;
  /// Writes what is left.
  void finish();

 private:
  void add_line(std::string_view line);
  /// Underlines a key; nothing: the whole line.
  void mark(std::string_view line, const sort_key* key);

  const sort_text_options& o_;
  byte_sink& to_;
  key_finder finder_;
  bool is_header_;
  std::string begun_;  ///< of a line
  std::string text_;   ///< to be written
};

}  // namespace peneira::tool
