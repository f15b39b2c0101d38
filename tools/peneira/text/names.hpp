// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Fields by the names that a header gives them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/suggest.hpp"
#include "tools/peneira/text/records.hpp"

namespace peneira::tool {

/// The number, from 1, of the field of that name in the header of the input at `path`.
inline std::size_t field_named(const std::string& name, const std::vector<std::string>& names, std::string_view path) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw std::runtime_error(fmt::format("{}: the header has no field \"{}\", but: {}{}", path, name,
                                         fmt::join(names, " "), did_you_mean(name, names)));
  }
  if (std::find(found + 1, names.end(), name) != names.end()) {
    throw std::runtime_error(fmt::format("{}: the header has more than one field \"{}\"", path, name));
  }
  return static_cast<std::size_t>(found - names.begin()) + 1;
}

/// Throws if the header of the input at `path` has other fields than the first input's.
inline void check_same_header(const text_format& format, std::string_view first, std::string_view header,
                              std::string_view path) {
  if (first == header) return;
  const std::vector<std::string> wanted = all_fields(format, first);
  const std::vector<std::string> found = all_fields(format, header);
  const auto [w, f] = std::mismatch(wanted.begin(), wanted.end(), found.begin(), found.end());
  if (w == wanted.end() && f == found.end()) return;
  const auto name = [](const auto& at, const auto& all) {
    return at == all.end() ? std::string("missing") : fmt::format("\"{}\"", *at);
  };
  throw std::runtime_error(fmt::format("{}: the header is not that of the first input: field {} is {}, not {}", path,
                                       w - wanted.begin() + 1, name(f, found), name(w, wanted)));
}

}  // namespace peneira::tool
