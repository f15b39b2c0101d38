// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench compare: which rows of a result file moved against those of an older one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/report.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira-bench/results.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/write.hpp"

namespace peneira::tool {
namespace {

using json = nlohmann::ordered_json;

struct compare_options {
  std::string before;
  std::string after;
  std::string least = "3%";
  bool all = false;
};

/// The fraction that "3%" or "3" means.
double parse_percent(const std::string& text) {
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc() || !(rest == end || (rest + 1 == end && *rest == '%')) || !(percent >= 0)) {
    throw usage_error(fmt::format("invalid --least \"{}\": must be a percentage, such as 3%", text));
  }
  return percent / 100;
}

/// What a row says of a strategy at some work.
struct figure {
  double seconds = 0;
  double low = 0;
  double high = 0;
  bool peer = false;
  bool right = false;
};

/// Files from before rows had intervals: as in a notched box plot, the median and 1.57 of the quartiles' distance over
/// the root of the runs.
figure figure_of(const json& row) {
  figure f{row.at("seconds").get<double>(), 0, 0, row.at("peer").get<bool>(), row.at("right").get<bool>()};
  const double notch = 1.57 * 2 * row.at("spread").get<double>() * f.seconds /
                       std::sqrt(static_cast<double>(std::max<std::size_t>(row.at("runs").get<std::size_t>(), 1)));
  f.low = row.value("low", f.seconds - notch);
  f.high = row.value("high", f.seconds + notch);
  return f;
}

/// The work of a row in words.
std::string work_of(const json& row) {
  std::string text = row.value("primitive", "multisplit");
  const auto word = [&](const std::string& name) {
    if (const std::string value = row.value(name, ""); !value.empty()) text += " " + value;
  };
  const auto count = [&](const std::string& name) {
    if (const auto value = row.value(name, std::uint64_t{0}); value != 0) {
      text += fmt::format(", {} {}", bench::short_size(value), name);
    }
  };
  word("type");
  word("op");
  text += " " + bench::short_size(row.at("n").get<std::uint64_t>());
  count("bins");
  count("segments");
  text += ",";
  word("distribution");
  word("order");
  text += ", " + row.at("place").get<std::string>();
  count("threads");
  return text;
}

/// Work and strategy; a third tells rows apart that are alike in both, in the order of the file.
using row_name = std::tuple<std::string, std::string, std::size_t>;

/// The measured rows of a file, and their order in it.
struct figures {
  std::map<row_name, figure> of;
  std::vector<row_name> order;

  explicit figures(const json& all) {
    for (const json& row : all.at("rows")) {
      if (row.value("quoted", false)) continue;
      row_name name{work_of(row), row.at("strategy").get<std::string>(), 0};
      while (of.contains(name)) ++std::get<2>(name);
      of.emplace(name, figure_of(row));
      order.push_back(name);
    }
  }
};

/// How often each thing happened, and the logarithms of the ratios.
struct tally {
  std::size_t same = 0;
  std::size_t faster = 0;
  std::size_t slower = 0;
  std::size_t wrong = 0;
  double logarithms = 0;

  [[nodiscard]] std::size_t rows() const { return same + faster + slower + wrong; }
  [[nodiscard]] std::string text() const {
    const double mean = std::exp(logarithms / static_cast<double>(rows()));
    return fmt::format("{} faster, {} slower{}, {} the same; geometric mean {:.3f} times as fast", faster, slower,
                       wrong != 0 ? fmt::format(", {} WRONG", wrong) : "", same, mean);
  }
};

/// The lines of the table, each with its ratio, and what they come to.
class comparison {
 public:
  comparison(const figures& before, const figures& after, double least, bool all) : least_(least), all_(all) {
    for (const row_name& name : after.order) {
      const auto old = before.of.find(name);
      if (old == before.of.end()) {
        ++fresh_;
        if (all_) add(name, 0, fmt::format("{:>12} {:>12} {:>7}  new", "-", time(after.of.at(name).seconds), "-"));
      } else {
        compare(name, old->second, after.of.at(name));
      }
    }
    for (const row_name& name : before.order) {
      if (after.of.contains(name)) continue;
      ++gone_;
      if (all_) add(name, 0, fmt::format("{:>12} {:>12} {:>7}  gone", time(before.of.at(name).seconds), "-", "-"));
    }
  }

  [[nodiscard]] std::string text() {
    std::string text;
    if (!lines_.empty()) {
      // What got slowest stands at the end, where the eye is.
      std::stable_sort(lines_.begin(), lines_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      text += fmt::format("{:<{}} {:<{}} {:>12} {:>12} {:>7}\n", "work", work_width_, "strategy", strategy_width_,
                          "before", "after", "times");
      for (const auto& [ratio, line] : lines_) {
        text += fmt::format("{:<{}} {:<{}} {}\n", line.work, work_width_, line.strategy, strategy_width_, line.cells);
      }
      text += "\n";
    }
    if (ours_.rows() != 0) text += fmt::format("ours:  {}\n", ours_.text());
    if (peers_.rows() != 0) text += fmt::format("peers: {} (they tell how even the machine was)\n", peers_.text());
    if (fresh_ + gone_ != 0) text += fmt::format("{} rows are new, {} are gone\n", fresh_, gone_);
    return text;
  }

  [[nodiscard]] const tally& ours() const { return ours_; }
  [[nodiscard]] std::size_t rows() const { return ours_.rows() + peers_.rows(); }

 private:
  struct entry {
    std::string work;
    std::string strategy;
    std::string cells;
  };

  static std::string time(double seconds) {
    return seconds < 1e-3 ? fmt::format("{:.2f} us", 1e6 * seconds)
           : seconds < 1  ? fmt::format("{:.2f} ms", 1e3 * seconds)
                          : fmt::format("{:.3f} s", seconds);
  }

  void add(const row_name& name, double ratio, const std::string& cells) {
    work_width_ = std::max(work_width_, std::get<0>(name).size());
    strategy_width_ = std::max(strategy_width_, std::get<1>(name).size());
    lines_.emplace_back(ratio, entry{std::get<0>(name), std::get<1>(name), cells});
  }

  void compare(const row_name& name, const figure& old, const figure& now) {
    tally& to = now.peer ? peers_ : ours_;
    const double ratio = old.seconds / now.seconds;
    to.logarithms += std::log(ratio);
    std::string verdict;
    if (!now.right) {
      ++to.wrong;
      verdict = "WRONG";
    } else if (ratio >= 1 + least_ && now.high < old.low) {
      ++to.faster;
      verdict = "faster";
    } else if (ratio <= 1 / (1 + least_) && now.low > old.high) {
      ++to.slower;
      verdict = "slower";
    } else {
      ++to.same;
    }
    if (verdict.empty() && !all_) return;
    add(name, now.right ? ratio : -1,
        fmt::format("{:>12} {:>12} {:>7.3f}  {}{}", time(old.seconds), time(now.seconds), ratio, verdict,
                    now.peer && !verdict.empty() ? " (peer)" : ""));
  }

  double least_;
  bool all_;
  std::vector<std::pair<double, entry>> lines_;
  std::size_t work_width_ = 4;
  std::size_t strategy_width_ = 8;
  tally ours_;
  tally peers_;
  std::size_t fresh_ = 0;
  std::size_t gone_ = 0;
};

/// A file's machine in words: processor, cores and GPUs.
std::string machine_of(const json& all) {
  const json& machine = all.at("machine");
  std::string text =
      fmt::format("{}, {} cores", machine.at("processor").get<std::string>(), machine.at("cores").get<unsigned>());
  for (const json& gpu : machine.at("gpus")) text += ", " + gpu.at("name").get<std::string>();
  return text;
}

/// Prints the table; returns how our rows did.
tally compare_files(const compare_options& o, double least) {
  const json before = read_results(o.before);
  const json after = read_results(o.after);
  std::string text =
      fmt::format("before: {}, commit {}\nafter:  {}, commit {}\n", o.before, before.at("commit").get<std::string>(),
                  o.after, after.at("commit").get<std::string>());
  const std::pair machines{machine_of(before), machine_of(after)};
  if (machines.first != machines.second) {
    text += fmt::format("NOTE: the machines differ, so that times tell little: {} before, {} after\n", machines.first,
                        machines.second);
  }
  comparison result{figures(before), figures(after), least, o.all};
  if (result.rows() == 0) throw std::runtime_error(fmt::format("{} has no row of {}", o.after, o.before));
  write_stdout(text + "\n" + result.text());
  return result.ours();
}

void bench_compare(const compare_options& o) {
  const double least = parse_percent(o.least);
  tally ours;
  try {
    ours = compare_files(o, least);
  } catch (const json::exception& e) {
    throw usage_error(fmt::format("{} or {} lacks what a result file has: {}", o.before, o.after, e.what()));
  } catch (const std::runtime_error& e) {
    throw usage_error(e.what());  // exit code 1 is for what got slower
  }
  if (const std::size_t worse = ours.slower + ours.wrong; worse != 0) {
    throw std::runtime_error(fmt::format("{} of {} rows got slower or wrong", worse, ours.rows()));
  }
}

}  // namespace

void add_bench_compare(CLI::App& bench) {
  CLI::App* const sub =
      bench.add_subcommand("compare", "Show which rows became faster or slower between two result files");
  const auto o = std::make_shared<compare_options>();
  sub->add_option("OLD", o->before, "A result file that `peneira-bench ... --json` wrote")->required();
  sub->add_option("NEW", o->after, "Another of the same work")->required();
  sub->add_option("--least", o->least, "The least change that counts")->capture_default_str();
  sub->add_flag("--all", o->all, "Also show rows that did not change, and those that are new or gone");
  sub->footer(
      "\nA row moved where the 95% intervals of the two times do not overlap and the times differ by at least "
      "--least.\n"
      "'times' is how many times as fast it became. Peers are shown, too, but only rows of ours count for the exit "
      "code.\n"
      "\nExit codes: 0 nothing got slower; 1 something got slower, or its output is wrong; 2 the files cannot be "
      "compared.\n"
      "\nExamples:\n"
      "  peneira-bench compare bench/results/h200/sort.json sort.json\n"
      "  peneira-bench compare --least 10% --all before.json after.json");
  sub->callback([o] { bench_compare(*o); });
}

}  // namespace peneira::tool
