// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sweep in short: how the ratios of its problems are spread, and which are the worst.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace peneira::tool {

/// What a summary knows of a problem.
struct sweep_dot {
  std::string bar;
  std::string problem;
  std::uint64_t n = 0;
  double ratio = 0;     ///< the best peer's time over ours
  double roofline = 0;  ///< our share of it
  std::string best_peer;
  std::string command;  ///< that measures it again
};

/// The command that measures a problem again.
std::string sweep_command(bool on_gpu, unsigned threads, std::uint64_t seed, std::uint64_t index);

/// The dots of a result file.
std::vector<sweep_dot> sweep_dots(const nlohmann::ordered_json& all);

/// The value that a share of some values lies below: one of them, the lower where two are as near.
double quantile(std::vector<double> values, double share);

/// The quantiles of the ratio for each bar, and of the share of the roofline where they are judged by it; as text for a
/// terminal, or in Markdown.
std::string print_quantiles(const std::vector<sweep_dot>& dots, bool markdown);

/// Those that are furthest behind, or least ahead, each with the command that measures it again.
std::string print_worst(std::vector<sweep_dot> dots, std::size_t count);

}  // namespace peneira::tool
