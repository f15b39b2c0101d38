// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line said about an input to generate, and the three ways to do it.
#pragma once

#include <cstdint>
#include <string>

#include "tools/peneira/cli/team.hpp"

namespace peneira::tool {

struct gen_options {
  std::string type;
  std::uint64_t items = 0;
  std::string shape = "uniform";
  std::uint64_t records = 0;
  std::uint64_t record_bytes = 100;
  std::uint64_t lines = 0;
  std::string text = "random";
  std::uint64_t seed = 1;
  std::string out = "-";
  unsigned threads = 0;
  bool force = false;
  bool quiet = false;

  [[nodiscard]] unsigned team() const { return team_of(threads); }
};

void generate_items(const gen_options& o);
void generate_records(const gen_options& o);
void generate_lines(const gen_options& o);

}  // namespace peneira::tool
