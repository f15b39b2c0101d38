// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What ends the program early. main() turns each into a line on stderr and an exit code.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace peneira::tool {

/// The command line cannot be right: exit code 2.
class usage_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file that was to be checked is not sorted: exit code 1; where a sort fails it is 2.
class not_sorted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whoever read our output has gone: nothing to say, and nobody to say it to.
class broken_pipe : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "broken pipe"; }
};

/// A text of the input as messages show it: in quotes, without what a terminal would obey, and no more than a line of
/// it.
inline std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string quoted = "\"";
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    quoted += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return quoted + (text.size() > most ? "\"..." : "\"");
}

/// A call of the system failed, with the file and the system's reason.
[[noreturn]] inline void fail(std::string_view doing, std::string_view path, int code = errno) {
  throw std::runtime_error(fmt::format("cannot {} {}: {}", doing, path, std::strerror(code)));
}

}  // namespace peneira::tool
