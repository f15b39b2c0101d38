// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line said about a split, and the two ways to do one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/peneira/cli/team.hpp"

namespace peneira::tool {

struct split_options {
  std::vector<std::string> inputs;
  std::string by;
  std::uint64_t bins = 0;  ///< 0: not said
  std::string out;
  std::string splitters;
  unsigned threads = 0;
  bool force = false;
  bool quiet = false;
  bool report = false;

  // binary items
  std::string type;
  std::string offsets;
  std::string lo;
  std::string hi;
  unsigned shift = 0;
  unsigned bits = 8;
  std::string place = "auto";
  std::string strategy;

  // text
  std::string separator;
  std::string key;  ///< numbers or names of fields, with commas between them; empty: the whole line
  bool csv = false;
  bool tsv = false;
  bool header = false;
  std::uint64_t top = 0;    ///< so many of the most frequent keys have a shard each
  std::uint64_t lines = 0;  ///< that a file has room for; 0: any number
  std::uint64_t size = 0;   ///< bytes, likewise
  std::uint64_t chunk_bytes = std::uint64_t{32} << 20U;

  [[nodiscard]] unsigned team() const { return team_of(threads); }
};

void split_binary(const split_options& o);
void split_text(const split_options& given);

/// The splitters that --splitters names: a,b,c, or @file with one a line.
std::vector<std::string> read_splitters(const std::string& from);

/// Prints what was done: sizes of the bins, from `offsets` of bins + 1 entries, and the speed.
void summarise_split(const std::vector<std::uint64_t>& offsets, std::string_view things, std::string_view bins,
                     std::uint64_t bytes, std::chrono::steady_clock::duration took);

}  // namespace peneira::tool
