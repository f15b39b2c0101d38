// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the ranks of peneira-mpi share: one output file, and a report.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "peneira/mpi.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/sort/file.hpp"

namespace peneira::tool {

using job_ranks = pn::mpi<cpu>;

/// What every subcommand is told.
struct job_options {
  bool report = false;
  bool quiet = false;
};

/// Threads of a rank where nobody says: the cores of the node by its ranks, unless the launcher has bound it to some.
unsigned threads_of(unsigned asked);

/// The ranks on this machine. A call of all ranks, the first time.
unsigned ranks_of_node();

/// What a rank did, for --report: items, or bytes of text.
struct rank_report {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t sent_bytes = 0;
};

/// The seconds of each phase.
class phase_times {
 public:
  explicit phase_times(std::vector<std::string_view> names) : names_(std::move(names)), seconds_(names_.size(), 0) {}

  /// What passed since the last phase ended was of this one.
  void end(std::size_t phase) {
    const auto now = std::chrono::steady_clock::now();
    seconds_[phase] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }
  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }

 private:
  std::vector<std::string_view> names_;
  std::vector<double> seconds_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Where ranks write: what a command that is not sort says of it.
struct output_rules {
  bool replaces = true;   ///< a file that is there
  bool standard = false;  ///< "-" is standard output, of rank 0
};

/// One file that all ranks write, each its own range. It appears under its name when all have.
class rank_output {
 public:
  /// A call of all ranks, as the others are. Rank 0 makes the file; all must see the folder that it lies in.
  rank_output(job_ranks& on, const std::string& path, const output_rules& rules = {});
  rank_output(const rank_output&) = delete;
  rank_output& operator=(const rank_output&) = delete;
  ~rank_output();

  /// Writes this rank's bytes behind those of the ranks before it.
  void write(const char* data, std::size_t bytes);
  /// The same in pieces, of a file: all ranks say how many bytes they have, each writes them, and ends.
  void begin(std::size_t bytes);
  void put(const char* data, std::size_t bytes);
  void end();
  /// Gives it its name.
  void commit();

 private:
  job_ranks& on_;
  void print(const char* data, std::size_t bytes);

  std::string path_;
  bool standard_;
  std::optional<sort_file> made_;  ///< on rank 0
  int fd_ = -1;                    ///< on the others
  std::uint64_t at_ = 0;           ///< where this rank writes next
};

/// Throws unless ranks can read parts of the file.
void check_plain(const input_file& file);
/// The same for its name, which must not be that of standard input.
void check_plain(const std::string& path);
/// Reads bytes of a file.
void read_at(const input_file& file, char* to, std::size_t bytes, std::size_t first);

/// Shows what is being done: on rank 0 alone, on a terminal, unless --quiet.
void show_step(const job_ranks& on, const job_options& o, std::string_view text);
/// Prints what all ranks did, on rank 0.
void print_report(job_ranks& on, const phase_times& times, const rank_report& mine, std::string_view unit = "items");

/// What a command line asks for, once it is read: commands that the program peneira has, too, leave it here.
using job_request = std::function<void(const job_options& how)>;
job_request& asked_for();

/// peneira-mpi sort of items of a type.
struct number_request {
  std::string input;
  std::string out;
  std::string type;
  bool descending = false;
};
void sort_numbers(job_ranks& on, const number_request& o, const job_options& how);

}  // namespace peneira::tool
