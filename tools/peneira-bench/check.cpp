// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench check: whether result files have all that one may build a claim on.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira-bench/results.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/write.hpp"

namespace peneira::tool {
namespace {

using json = nlohmann::ordered_json;

/// Collects what is wrong with one object of a file.
class inspector {
 public:
  inspector(const json& object, std::string where, std::vector<std::string>& problems)
      : object_(object), where_(std::move(where)), problems_(problems) {
    if (!object.is_object()) complain("is not an object");
  }

  void complain(std::string_view what) { problems_.push_back(fmt::format("{} {}", where_, what)); }

  void texts(std::initializer_list<const char*> names, bool may_be_empty = false) {
    for (const char* const name : names) {
      const json* const found = find(name);
      if (found == nullptr) continue;
      if (!found->is_string()) {
        complain(fmt::format("\"{}\" is not a text", name));
      } else if (!may_be_empty && found->get_ref<const std::string&>().empty()) {
        complain(fmt::format("\"{}\" is empty", name));
      }
    }
  }
  void flags(std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      if (const json* const found = find(name); found != nullptr && !found->is_boolean()) {
        complain(fmt::format("\"{}\" is neither true nor false", name));
      }
    }
  }
  void counts(std::initializer_list<const char*> names, std::uint64_t least) {
    for (const char* const name : names) {
      const json* const found = find(name);
      if (found != nullptr && (!found->is_number_unsigned() || found->get<std::uint64_t>() < least)) {
        complain(fmt::format("\"{}\" is not a whole number of at least {}", name, least));
      }
    }
  }
  void numbers(std::initializer_list<const char*> names, bool positive) {
    for (const char* const name : names) {
      const json* const found = find(name);
      if (found == nullptr) continue;
      const double value = found->is_number() ? found->get<double>() : std::nan("");
      if (!std::isfinite(value) || value < 0 || (positive && value == 0)) {
        complain(fmt::format("\"{}\" is not {}", name, positive ? "positive" : "a number of at least 0"));
      }
    }
  }

 private:
  const json* find(const char* name) {
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    complain(fmt::format("lacks \"{}\"", name));
    return nullptr;
  }

  const json& object_;
  std::string where_;
  std::vector<std::string>& problems_;
};

void inspect_row(const json& row, std::size_t index, std::vector<std::string>& problems) {
  inspector look(row, fmt::format("row {}", index), problems);
  if (!row.is_object()) return;
  const std::size_t before = problems.size();
  look.texts({"primitive", "place", "strategy", "type"});
  look.texts({"distribution", "order"}, true);
  look.flags({"peer", "right"});
  // A paper may say how many times as fast, but not how fast, or of how many items.
  const bool may_lack = row.value("quoted", false) && row.contains("speedup");
  look.counts({"n"}, may_lack ? 0 : 1);
  look.counts({"threads", "runs"}, 0);
  look.numbers({"seconds", "items_per_second"}, !may_lack);
  look.numbers({"spread", "roofline"}, false);
  if (problems.size() != before) return;
  if (row.at("place") != "cpu" && row.at("place") != "gpu") look.complain("has a place other than cpu and gpu");
  if (row.at("runs") == 0 && !row.value("quoted", false)) look.complain("was not measured, and is not quoted");
  if (!row.at("right").get<bool>() && !row.at("peer").get<bool>()) {
    look.complain(fmt::format("has a wrong output of {}", row.at("strategy").get<std::string>()));
  }
  if (row.contains("bar")) {  // a problem of a sweep
    look.texts({"bar", "problem", "best_peer"});
    look.counts({"seed", "index"}, 0);
    look.numbers({"peer_seconds"}, true);
  }
  if (!row.contains("low") && !row.contains("high")) return;  // one run, or a file from before rows had intervals
  look.numbers({"low", "high"}, false);
  if (problems.size() == before && !(row.at("low") <= row.at("seconds") && row.at("seconds") <= row.at("high"))) {
    look.complain("has a time outside of its interval");
  }
}

/// All that is wrong with a file; nothing where it is right.
std::vector<std::string> problems_of(const json& all) {
  std::vector<std::string> problems;
  inspector look(all, "the file", problems);
  look.texts({"compiler", "commit", "date", "command"});
  if (const std::string commit = all.value("commit", json()).is_string() ? all.at("commit") : json("");
      commit == "unknown" || commit.ends_with("-dirty")) {
    look.complain(fmt::format("does not name a clean commit: \"commit\" is \"{}\"", commit));
  }
  if (!all.contains("machine")) {
    look.complain("lacks \"machine\"");
  } else {
    inspector machine(all.at("machine"), "the machine", problems);
    machine.texts({"processor"});
    machine.counts({"threads", "cores"}, 1);
  }
  if (all.at("rows").empty()) look.complain("has no rows");
  std::size_t index = 0;
  for (const json& row : all.at("rows")) inspect_row(row, index++, problems);
  return problems;
}

void bench_check(const std::vector<std::string>& files) {
  std::size_t wrong = 0;
  for (const std::string& file : files) {
    std::vector<std::string> problems;
    try {
      problems = problems_of(read_results(file));
    } catch (const std::runtime_error& e) {
      problems = {e.what()};
    }
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(problems.size(), most); ++i) {
      write_stdout(fmt::format("{}: {}\n", file, problems[i]));
    }
    if (problems.size() > most) write_stdout(fmt::format("{}: and {} more\n", file, problems.size() - most));
    wrong += static_cast<std::size_t>(!problems.empty());
  }
  if (wrong != 0) throw std::runtime_error(fmt::format("{} of {} result files are not right", wrong, files.size()));
  write_stdout(fmt::format("{} result files are right\n", files.size()));
}

}  // namespace

void add_bench_check(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("check", "Check that result files are complete and correct");
  const auto files = std::make_shared<std::vector<std::string>>();
  sub->add_option("FILE", *files, "Result files that `peneira-bench ... --json` wrote")->required();
  sub->footer(
      "\nEvery row must have its fields, of the right type, with a positive time inside its interval, and every row of "
      "ours\n"
      "a right output; the file must name its machine, command and commit, without changes that were not committed.\n"
      "\nExample:\n"
      "  peneira-bench check bench/results/*/*.json");
  sub->callback([files] { bench_check(*files); });
}

}  // namespace peneira::tool
