// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line said about a reduction of a file.
#pragma once

#include <cstdint>
#include <string>

#include "tools/peneira/cli/team.hpp"

namespace peneira::tool {

struct reduce_request {
  std::string input;
  std::string type;
  std::string op = "sum";
  std::string segments;
  std::string offset_type = "u64";
  std::uint64_t every = 0;
  std::string out = "-";
  bool binary = false;
  bool force = false;
  bool quiet = false;
  bool report = false;
  std::string place = "auto";
  std::string strategy;
  unsigned threads = 0;

  [[nodiscard]] unsigned team() const { return team_of(threads); }
};

/// Whether an operator's results depend on how items are grouped, which differs between places.
inline bool depends_on_grouping(const reduce_request& o) {
  return o.type.starts_with('f') && (o.op == "sum" || o.op == "mean" || o.op == "product");
}

/// Combines the items of the file and writes the results.
void reduce_file(const reduce_request& o);

}  // namespace peneira::tool
