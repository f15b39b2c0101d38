// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Which records of text a rank has: those that begin in its part of all inputs, one behind the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira/text/records.hpp"

namespace peneira::tool {

/// A file of text, and where its records begin, behind a mark and a header.
struct text_input {
  std::string path;
  std::uint64_t first = 0;
};

/// A rank's part of a file, from the begin of a record to the end of one.
struct text_part {
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// How records end.
struct record_ends {
  char terminator = '\n';
  std::optional<char> csv{};  ///< the separator of fields that may stand in quotes
};

/// Throws unless all are files of text of which ranks could read parts.
void check_texts(const std::vector<std::string>& paths);

/// A file of records, its header taken off, with its newline. Throws for what is no text of ours.
text_input open_text(const std::string& path, const text_format& format, bool has_header, std::string& header);

/// The parts of this rank, one for each input, some of them empty. A call of all ranks.
std::vector<text_part> parts_of_rank(job_ranks& on, const std::vector<text_input>& inputs, const record_ends& ends);

/// The bytes of parts, and a terminator behind each that has none.
std::uint64_t most_bytes(const std::vector<text_part>& parts);
/// Reads them; returns how many they are.
std::uint64_t read_parts(const std::vector<text_part>& parts, char terminator, char* to);

}  // namespace peneira::tool
