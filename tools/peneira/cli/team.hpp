// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The program's threads: the library's team, which does the work between its calls as well.
#pragma once

#include <cstddef>

#include "peneira/cpu/team.hpp"

namespace peneira::tool {

using peneira::detail::on_each;
using peneira::detail::slice;

/// The threads that --threads asks for; 0: all that there are.
inline unsigned team_of(unsigned threads) {
  return threads != 0 ? threads : peneira::detail::team_size();
}

/// Calls work(member, begin, end) for each member of a team, which share out `size` things between them.
template <class Work>
void on_slices(unsigned team, std::size_t size, const Work& work) {
  on_each(team, [&](unsigned m) {
    const auto [begin, end] = slice(size, m, team);
    work(m, begin, end);
  });
}

}  // namespace peneira::tool
