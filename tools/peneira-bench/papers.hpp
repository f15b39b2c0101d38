// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The papers that peneira starts from: every table and figure of theirs, with the parameters that it was measured with
// and how it is laid out. Nothing here measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "peneira/sort/problem.hpp"

namespace peneira::tool {

/// How a table shows its rows. A result file keeps this, so that `peneira-bench table` needs nothing else.
struct table_layout {
  std::string paper{};
  std::string table{};    ///< as the paper calls it: Tabela 1, Figura 3
  std::string part{};     ///< where it has several
  std::string about{};    ///< what it shows, in a few words
  std::string columns{};  ///< the number that columns are for; empty: the measures are the columns
  std::string groups{};   ///< what the first column is for: n, distribution; empty: there is none
  std::vector<std::string>
      measures{};                      ///< of "G items/s", "s", "us", "x" (times as fast); one, if columns has a number
  std::string over{};                  ///< what "x" and the ratios are held against; empty: the line's first column
  std::vector<std::string> ratios{};   ///< strategies whose rate over that gets a line
  std::vector<std::string> best_of{};  ///< strategies the best of which over that gets a line
  std::string rows_of{};               ///< the table whose rows it shows; empty: its own
  std::string note{};
};

/// Which benchmark measures a table.
enum class measured_by {
  nobody,
  multisplit,
  reduce,
  segmented_reduce,
  granularity,
  mpp_sort,
  strings_cpu,
  strings_gpu
};

struct paper_table {
  table_layout layout;
  measured_by by = measured_by::nobody;
  std::vector<std::uint64_t> n{};
  std::vector<std::uint64_t> bins{};
  std::vector<std::uint64_t> segments{};
  std::vector<std::uint64_t> threads{};                  ///< of the CPU, or of a block
  std::vector<std::uint64_t> merge_items{0};             ///< of a published sort of strings; 0: no merge is split
  std::vector<mpp_sort_limits> mpp{{.partitions = 16}};  ///< knobs of mpp_sort
  std::vector<std::string> inputs{};                     ///< distributions, shapes of segments, or texts
  std::vector<std::string> strategies{};
  std::vector<std::string> peers{};
  std::size_t runs = 0;
  std::string why_runs{};                                     ///< empty: as many as in the paper
  std::vector<std::pair<std::string, std::string>> beside{};  ///< the paper's name of a line, and ours

  [[nodiscard]] bool on_gpu() const { return by != measured_by::nobody && by != measured_by::strings_cpu; }
};

struct paper {
  std::string name;
  std::string title;
  std::string machine;              ///< that the paper measured on
  std::vector<std::string> quoted;  ///< files of bench/quoted
  std::vector<paper_table> tables;
};

const std::vector<paper>& all_papers();
/// Two of them, which have a file of their own.
paper mppsort();
paper string_sort();

/// What a table's note says where the paper gives no figures.
inline constexpr const char* no_numbers = "The paper shows a picture without numbers, so that nothing is quoted.";

/// The same with far fewer items and two runs: to try the command, not to learn anything.
paper quick(paper full);

}  // namespace peneira::tool
