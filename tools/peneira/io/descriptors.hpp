// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many files may be open at once.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace peneira::tool {

namespace detail {

inline std::size_t free_descriptors(rlim_t limit, std::size_t wanted) {
  std::size_t found = 0;
  for (rlim_t fd = 0; fd < limit && found < wanted; ++fd) {
    if (::fcntl(static_cast<int>(fd), F_GETFD) < 0) ++found;
  }
  return found;
}

}  // namespace detail

/// How many more files can be opened, counted up to `wanted`. Where the limit is too low for these, it is raised as far
/// as it may be.
inline std::size_t room_for_files(std::size_t wanted) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const std::size_t room = detail::free_descriptors(limit.rlim_cur, wanted);
  if (room == wanted || limit.rlim_cur >= limit.rlim_max) return room;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, limit.rlim_cur + (wanted - room));
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return room;
  return detail::free_descriptors(limit.rlim_cur, wanted);
}

}  // namespace peneira::tool
