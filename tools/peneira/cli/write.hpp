// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing to descriptors, in pieces between which a signal is seen.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"

namespace peneira::tool {

/// Writes all of it, or throws with the file's name.
inline void write_all(int fd, const void* data, std::size_t size, std::string_view path) {
  const char* at = static_cast<const char*>(data);
  constexpr std::size_t most = std::size_t{1} << 22U;  // between two looks at the interrupt flag
  while (size > 0) {
    poll_interrupt();
    const ssize_t written = ::write(fd, at, std::min(size, most));
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw broken_pipe();
      fail("write", path);
    }
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

inline void write_stdout(std::string_view text) {
  write_all(STDOUT_FILENO, text.data(), text.size(), "standard output");
}

}  // namespace peneira::tool
