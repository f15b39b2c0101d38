// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant who wrote a name that does not exist.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace peneira::tool {

namespace detail {

/// How many letters must be put in, left out, changed or swapped with their neighbour to make one name of the other.
inline std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace detail

/// The name that `given` is closest to, or begins, if it is close to any; else nothing.
inline std::string closest_name(std::string_view given, const std::vector<std::string>& names) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string& name : names) {
    const bool begins = given.size() >= 3 && name.starts_with(given);
    const std::size_t edits = begins ? 1 : detail::edits_between(given, name);
    if (edits >= fewest || edits >= name.size()) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

/// "; did you mean NAME?", or nothing.
inline std::string did_you_mean(std::string_view given, const std::vector<std::string>& names) {
  const std::string meant = closest_name(given, names);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

}  // namespace peneira::tool
