// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs that are something else than lines of text, told by their first bytes.
#pragma once

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace peneira::tool {

namespace detail {

struct other_format {
  std::string_view first_bytes;
  std::string_view name;
  std::string_view command;
};

template <std::size_t Count>
void refuse_formats(const std::array<other_format, Count>& formats, std::string_view text, const std::string& path) {
  for (const other_format& f : formats) {
    if (!text.starts_with(f.first_bytes)) continue;
    const bool is_stdin = path == "standard input" || path == "-";
    throw std::runtime_error(fmt::format("{}: is {}, not lines of text; try: {} {} | peneira ...", path, f.name,
                                         f.command, is_stdin ? "FILE" : path));
  }
}

}  // namespace detail

/// Throws where text begins as what is compressed does, in a way that could not be read.
inline void refuse_compressed(std::string_view text, const std::string& path) {
  using namespace std::string_view_literals;
  constexpr std::array<detail::other_format, 6> formats{{{"\x1f\x8b\x08"sv, "compressed by gzip", "zcat"},
                                                         {"\x28\xb5\x2f\xfd"sv, "compressed by zstd", "zstdcat"},
                                                         {"\xfd\x37zXZ\0"sv, "compressed by xz", "xzcat"},
                                                         {"BZh91AY&SY"sv, "compressed by bzip2", "bzcat"},
                                                         {"\x04\x22\x4d\x18"sv, "compressed by lz4", "lz4cat"},
                                                         {"PK\x03\x04"sv, "a ZIP archive", "unzip -p"}}};
  detail::refuse_formats(formats, text, path);
}

/// Throws where text begins as UTF-16 does.
inline void refuse_wide(std::string_view text, const std::string& path) {
  using namespace std::string_view_literals;
  constexpr std::array<detail::other_format, 2> formats{
      {{"\xff\xfe"sv, "UTF-16", "iconv -f UTF-16 -t UTF-8"}, {"\xfe\xff"sv, "UTF-16", "iconv -f UTF-16 -t UTF-8"}}};
  detail::refuse_formats(formats, text, path);
}

}  // namespace peneira::tool
