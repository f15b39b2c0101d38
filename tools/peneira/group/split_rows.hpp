// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What finding groups and sorting them have in common: rows are split into bins, and the bins shared out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "peneira/multisplit.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/group/row_bins.hpp"

namespace peneira::tool {

/// Calls work(member, which) for each of `count` things, whoever is free the next one.
template <class Work>
void share_out(unsigned team, std::size_t count, Work&& work) {
  std::atomic<std::size_t> next{0};
  on_each(team, [&](unsigned m) {
    for (std::size_t which = next++; which < count; which = next++) work(m, which);
  });
}

/// The words of rows and their numbers, split by the words.
inline void split_rows(unsigned team, const std::vector<std::uint64_t>& words,
                       const std::vector<std::uint32_t>& numbers, const row_bins& by,
                       std::vector<std::uint64_t>& to_words, std::vector<std::uint32_t>& to_numbers,
                       std::vector<std::uint32_t>& offsets) {
  multisplit(cpu{.threads = team}, pairs(words.data(), numbers.data(), words.size()), pairs(to_words, to_numbers), by,
             offsets);
}

}  // namespace peneira::tool
