// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-bench/sweep_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace peneira::tool {
namespace {

constexpr std::array<double, 5> shares{0, 0.01, 0.05, 0.25, 0.5};
constexpr std::array<const char*, 5> share_names{"worst", "1%", "5%", "25%", "50%"};
constexpr std::uint64_t large = std::uint64_t{4} << 20U;  // items from which the share of the roofline is told

/// A line of the table: the bar, how many problems, the quantiles, how many are behind.
struct line {
  std::string bar;
  std::vector<double> values;
  bool is_share = false;
};

std::vector<line> lines_of(const std::vector<sweep_dot>& dots) {
  std::map<std::string, std::vector<double>> ratios;
  std::map<std::string, std::vector<double>> rooflines;
  for (const sweep_dot& dot : dots) {
    ratios[dot.bar].push_back(dot.ratio);
    if (dot.bar.ends_with("reduce") && dot.n >= large) rooflines[dot.bar].push_back(100 * dot.roofline);
  }
  std::vector<line> all;
  for (auto& [bar, values] : ratios) all.push_back({bar, std::move(values)});
  for (auto& [bar, values] : rooflines) all.push_back({bar + ", % of reading, n >= 4M", std::move(values), true});
  return all;
}

}  // namespace

std::string sweep_command(bool on_gpu, unsigned threads, std::uint64_t seed, std::uint64_t index) {
  return fmt::format("peneira-bench sweep --place {} --seed {} --problem {}",
                     on_gpu ? "gpu" : fmt::format("cpu --threads {}", threads), seed, index);
}

std::vector<sweep_dot> sweep_dots(const nlohmann::ordered_json& all) {
  std::vector<sweep_dot> dots;
  for (const auto& row : all.at("rows")) {
    dots.push_back({row.at("bar"), row.at("problem"), row.at("n"), row.value("against_peer", 0.0), row.at("roofline"),
                    row.at("best_peer"),
                    sweep_command(row.at("place") == "gpu", row.at("threads"), row.at("seed"), row.at("index"))});
  }
  return dots;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

std::string print_quantiles(const std::vector<sweep_dot>& dots, bool markdown) {
  std::string text =
      fmt::format(fmt::runtime(markdown ? "| {} | {} |" : "{:<40} {:>8}"), "ours over the best peer", "problems");
  for (const char* const name : share_names) text += fmt::format(fmt::runtime(markdown ? " {} |" : " {:>7}"), name);
  text += markdown ? " below 1 |\n|---|---:|---:|---:|---:|---:|---:|---:|\n" : "  below 1\n";
  for (const line& l : lines_of(dots)) {
    text += fmt::format(fmt::runtime(markdown ? "| {} | {} |" : "{:<40} {:>8}"), l.bar, l.values.size());
    for (const double share : shares) {
      text += fmt::format(fmt::runtime(markdown ? " {:.2f} |" : " {:>7.2f}"), quantile(l.values, share));
    }
    const auto behind = std::count_if(l.values.begin(), l.values.end(), [](double v) { return v < 1; });
    const std::string told = l.is_share ? "" : fmt::format("{}", behind);
    text += markdown ? fmt::format(" {} |\n", told) : fmt::format(" {:>8}\n", told);
  }
  return text;
}

std::string print_worst(std::vector<sweep_dot> dots, std::size_t count) {
  std::sort(dots.begin(), dots.end(), [](const sweep_dot& a, const sweep_dot& b) { return a.ratio < b.ratio; });
  std::string text;
  for (std::size_t k = 0; k < std::min(count, dots.size()); ++k) {
    text += fmt::format("{:6.2f}  {}, beside {}\n        {}\n", dots[k].ratio, dots[k].problem, dots[k].best_peer,
                        dots[k].command);
  }
  return text;
}

}  // namespace peneira::tool
