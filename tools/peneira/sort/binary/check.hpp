// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the items of a file are in order, and the sum of their hashes, which is the same in whatever order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/sort/binary/files.hpp"
#include "tools/peneira/sort/binary/items.hpp"

namespace peneira::tool {

struct order_report {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t disorder = none;  ///< the first item, from 0, that must come before the one that it follows
  std::uint64_t checksum = 0;
};

template <class Kind>
order_report check_order(const Kind& kind, const item_source& from, unsigned team, bool quiet) {
  const std::size_t size = kind.bytes();
  progress bar("check", from.bytes(), progress::unit::bytes, quiet);
  std::vector<std::vector<char>> buffers(team);
  std::vector<order_report> reports(team);
  for_each_part(from.bytes() / size, size, team, bar, [&](unsigned m, std::uint64_t at, std::size_t items) {
    const std::size_t before = at == 0 ? 0 : 1;  // the item that the first one follows
    buffers[m].resize(std::max(buffers[m].size(), (items + 1) * size));
    char* const data = buffers[m].data();
    from.read(data, (at - before) * size, (before + items) * size);
    reports[m].checksum += sum_hashes(data + before * size, items, size);
    kind.admit(data, before + items);
    for (std::size_t i = 1; i < before + items; ++i) {
      if (!kind.less(data + i * size, data + (i - 1) * size)) continue;
      reports[m].disorder = std::min(reports[m].disorder, at - before + i);
      break;
    }
  });
  order_report all;
  for (const order_report& one : reports) {
    all.disorder = std::min(all.disorder, one.disorder);
    all.checksum += one.checksum;
  }
  return all;
}

}  // namespace peneira::tool
