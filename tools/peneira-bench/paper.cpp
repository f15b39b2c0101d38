// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench paper: the tables and figures of the papers that peneira starts from, measured again on this machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira-bench/paper_measure.hpp"
#include "tools/peneira-bench/paper_tables.hpp"
#include "tools/peneira-bench/papers.hpp"
#include "tools/peneira-bench/quoted.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/cli/write.hpp"

namespace peneira::tool {
namespace {

using json = nlohmann::ordered_json;

struct paper_options : bench_options {
  std::vector<std::string> papers;
  bool quick = false;
  bool dry_run = false;
  bool median = false;
  std::string inputs = "ours";
  std::string millions = "2^20";
  std::string quoted = PENEIRA_SOURCE_DIR "/bench/quoted";
};

/// No more threads than were asked for, or else than two a core, as the paper's machine had; and that number, or else
/// the machine's own, where it is none of the paper's.
void fit_threads(paper_table& t, unsigned asked) {
  if (t.by != measured_by::strings_cpu) return;
  const unsigned own = asked != 0 ? asked : host::here().threads;
  const unsigned most = asked != 0 ? asked : 2 * own;
  t.threads.erase(std::remove_if(t.threads.begin(), t.threads.end(), [&](std::uint64_t n) { return n > most; }),
                  t.threads.end());
  const auto place = std::lower_bound(t.threads.begin(), t.threads.end(), own);
  if (place == t.threads.end() ? own < 32 : *place != own) t.threads.insert(place, own);
}

/// A million of a paper on multisplit as the options have it: the papers do not say which they mean.
std::uint64_t as_asked(std::uint64_t n, const paper_options& o) {
  constexpr std::uint64_t mega = 1U << 20U;
  return o.millions == "10^6" && n % mega == 0 ? n / mega * 1'000'000 : n;
}

/// Its keys as the options have them: spread over the type, or the numbers that the paper prints.
std::string as_asked(const std::string& input, const paper_options& o) {
  if (o.inputs != "printed") return input;
  return input == "normal" ? "normal_n" : input == "exponential" ? "exponential_int" : input;
}

void read_as_asked(paper_table& t, const paper_options& o) {
  if (t.by != measured_by::multisplit) return;
  for (std::uint64_t& n : t.n) n = as_asked(n, o);
  for (std::string& input : t.inputs) input = as_asked(input, o);
  if (o.inputs == "printed") t.layout.about += ", inputs as printed";
}

/// A figure of the paper's own, for the same.
void read_as_asked(bench::row& r, const paper_options& o) {
  if (r.bins == 0 || r.published.table.empty()) return;
  const std::uint64_t n = as_asked(r.n, o);
  r.seconds *= static_cast<double>(n) / static_cast<double>(r.n);  // the rate is what was printed
  r.n = n;
  r.distribution = as_asked(r.distribution, o);
}

std::vector<paper> chosen_papers(const paper_options& o) {
  std::vector<paper> chosen;
  for (const paper& p : all_papers()) {
    const auto asks_for = [&](const std::string& name) {
      return std::find(o.papers.begin(), o.papers.end(), name) != o.papers.end();
    };
    if (!asks_for(p.name) && !asks_for("all")) continue;
    chosen.push_back(o.quick ? quick(p) : p);
    for (paper_table& t : chosen.back().tables) {
      fit_threads(t, o.threads);
      read_as_asked(t, o);
      if (o.runs != 0) {
        t.runs = o.runs;
        t.why_runs = "--runs";
      }
    }
  }
  return chosen;
}

/// Whether a quoted figure belongs to a table: what it says of the work is the table's.
bool is_of(const bench::row& r, const paper_table& t) {
  const auto has = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  const auto fits = [&](const std::vector<std::uint64_t>& list, std::uint64_t number) {
    return number == 0 || has(list, number);
  };
  return t.by != measured_by::nobody && (r.published.table.empty() || r.published.table == t.layout.table) &&
         (r.distribution.empty() || has(t.inputs, r.distribution)) && fits(t.n, r.n) && fits(t.bins, r.bins) &&
         fits(t.segments, r.segments) && fits(t.threads, r.threads);
}

/// The figures of a paper's files, each for the table that has it; those of others' files where they fit. A figure of
/// the paper's that fits nowhere is an error, unless the sizes are not the paper's.
std::vector<std::vector<bench::row>> quotes_for(const paper& p, const paper_options& o) {
  std::vector<std::vector<bench::row>> all(p.tables.size());
  for (const std::string& name : p.quoted) {
    const std::string path = o.quoted + "/" + name;
    for (bench::row& r : read_quoted(path)) {
      read_as_asked(r, o);
      bool fits = false;
      for (std::size_t k = 0; k < p.tables.size(); ++k) {
        const paper_table& t = p.tables[k];
        if (!is_of(r, t)) continue;
        fits = true;
        all[k].push_back(r);
        bench::row& mine = all[k].back();
        mine.place = t.on_gpu() ? "gpu" : "cpu";
        mine.published.paper = p.name;
        mine.published.table = t.layout.table;
        mine.published.part = t.layout.part;
        for (const auto& [theirs, ours] : t.beside) {
          if (theirs == r.strategy && r.published.table == t.layout.table) mine.published.beside = ours;
        }
      }
      if (!fits && !r.published.table.empty() && !o.quick) {
        throw std::runtime_error(fmt::format("{}: {} of {} has n {}, bins {}, segments {}, {}, which no table has",
                                             path, r.strategy, r.published.table, r.n, r.bins, r.segments,
                                             r.distribution));
      }
    }
  }
  return all;
}

/// What would be measured.
std::string list_table(const paper_table& t, const std::vector<bench::row>& quotes) {
  std::string text =
      fmt::format("\n{}{}{}: {}\n", t.layout.table, t.layout.part.empty() ? "" : ", ", t.layout.part, t.layout.about);
  const auto line = [&](const char* name, const auto& list) {
    if (!list.empty()) text += fmt::format("  {:<11} {}\n", name, fmt::join(list, " "));
  };
  const auto sizes = [&](const char* name, const std::vector<std::uint64_t>& list) {
    std::vector<std::string> texts(list.size());
    std::transform(list.begin(), list.end(), texts.begin(), bench::short_size);
    line(name, texts);
  };
  if (!t.layout.rows_of.empty()) return text + fmt::format("  {:<11} those of {}\n", "rows", t.layout.rows_of);
  line("place", std::vector<std::string>{t.on_gpu() ? "gpu" : "cpu"});
  sizes("n", t.n);
  line("bins", t.bins);
  sizes("segments", t.segments);
  line(t.on_gpu() ? "a block" : "threads", t.threads);
  line("inputs", t.inputs);
  text += fmt::format("  {:<11} {}\n", "strategies", fmt::join(t.strategies, ", "));
  if (!t.peers.empty()) text += fmt::format("  {:<11} {}\n", "peers", fmt::join(t.peers, ", "));
  text += fmt::format("  {:<11} {}, {}\n", "runs", t.runs, t.why_runs.empty() ? "as in the paper" : t.why_runs);
  std::map<std::string, std::size_t> figures;
  for (const bench::row& r : quotes) ++figures[r.published.machine];
  for (const auto& [machine, count] : figures) text += fmt::format("  {:<11} {} of {}\n", "quoted", count, machine);
  return text;
}

std::string heading(const paper& p) {
  return fmt::format("{}: {}\nmeasured there on {}\n", p.name, p.title, p.machine);
}

void list_papers(const paper_options& o) {
  std::string text;
  for (const paper& p : chosen_papers(o)) {
    const auto quotes = quotes_for(p, o);
    text += (text.empty() ? "" : "\n") + heading(p);
    for (std::size_t k = 0; k < p.tables.size(); ++k) text += list_table(p.tables[k], quotes[k]);
  }
  write_stdout(text);
}

/// Measures what this machine can, prints each table as soon as it is complete, and saves all rows.
class paper_run {
 public:
  explicit paper_run(const paper_options& o) : o_(o) {
    check_result_files(o);
    gpu_ = !find_gpus(why_not_).empty() && o.place != "cpu";
    if (o.place == "cpu") why_not_ = "--place cpu";
    if (o.place == "gpu" && !gpu_) throw std::runtime_error("--place gpu: " + why_not_);
  }

  void run(const std::vector<paper>& papers) {
    leave_out(papers);
    for (const paper& p : papers) {
      const auto quotes = quotes_for(p, o_);
      bool first = true;
      for (std::size_t k = 0; k < p.tables.size(); ++k) {
        if (!can_run(p.tables[k])) continue;
        if (first) write_stdout((report_.empty() ? "" : "\n") + heading(p));
        first = false;
        measure(p.tables[k], quotes[k]);
      }
      if (!first) heads_.push_back({{"name", p.name}, {"title", p.title}, {"machine", p.machine}});
    }
    save_results(o_, report_, {{"papers", heads_}, {"tables", layouts_}});
    if (!right_) throw std::runtime_error("some outputs were wrong");
  }

 private:
  [[nodiscard]] bool can_run(const paper_table& t) const { return t.on_gpu() ? gpu_ : o_.place != "gpu"; }

  /// Says what cannot be measured here; throws where nothing can.
  void leave_out(const std::vector<paper>& papers) const {
    std::vector<std::string> out;
    bool some = false;
    for (const paper& p : papers) {
      std::vector<std::string> tables;
      for (const paper_table& t : p.tables) {
        const bool known = !tables.empty() && tables.back() == t.layout.table;
        if (!can_run(t) && t.on_gpu() && !known) tables.push_back(t.layout.table);
      }
      const bool all = std::none_of(p.tables.begin(), p.tables.end(), [&](const auto& t) { return can_run(t); });
      some = some || !all;
      if (tables.empty()) continue;
      out.push_back(all ? p.name : fmt::format("{} of {}", fmt::join(tables, ", "), p.name));
    }
    const std::string text = fmt::format("{}: needs a GPU: {}", fmt::join(out, ", "), why_not_);
    if (!some) throw std::runtime_error(out.empty() ? "--place gpu: these papers measured nothing on a GPU" : text);
    if (!out.empty()) tell("peneira-bench: left out: {}\n", text);
  }

  void measure(const paper_table& t, const std::vector<bench::row>& quotes) {
    const auto take = [&](const bench::row& r) {
      report_.add(r);
      rows_.push_back(report_.entry(r));
      poll_interrupt();
    };
    const unsigned threads = o_.threads != 0 ? o_.threads : host::here().threads;
    right_ = measure_paper_table(t, threads, o_.seed, take) && right_;
    const json like = rows_.empty() ? json::object() : rows_.back();
    for (bench::row r : quotes) {
      r.primitive = like.value("primitive", "");
      r.type = like.value("type", "");
      r.op = like.value("op", "");
      take(r);
    }
    layouts_.push_back(layout_json(t.layout));
    write_stdout("\n" + print_paper_table(t.layout, rows_, true, o_.median ? shown_time::median : shown_time::mean));
  }

  const paper_options& o_;
  bool gpu_ = false;
  std::string why_not_;
  bench::report report_{nullptr};
  json rows_ = json::array();
  json heads_ = json::array();
  json layouts_ = json::array();
  bool right_ = true;
};

}  // namespace

void add_bench_paper(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("paper", "Measure the tables and figures of a paper again");
  const auto o = std::make_shared<paper_options>();
  std::vector<std::string> names{"all"};
  for (const paper& p : all_papers()) names.push_back(p.name);
  sub->add_option("NAME", o->papers, "Papers, or all: " + fmt::format("{}", fmt::join(names, ", ")))
      ->required()
      ->check(CLI::IsMember(names));
  sub->add_flag("--quick", o->quick, "A trial with far fewer items and two runs; published figures are left out");
  sub->add_flag("--median", o->median, "Print medians; without it means, as in the papers. --json keeps both");
  sub->add_option("--inputs", o->inputs, "Keys of the multisplit papers: ours, spread over the type, or as printed")
      ->check(CLI::IsMember({"ours", "printed"}))
      ->capture_default_str();
  sub->add_option("--millions", o->millions, "What a million keys are in the multisplit papers")
      ->check(CLI::IsMember({"2^20", "10^6"}))
      ->capture_default_str();
  sub->add_flag("--dry-run", o->dry_run, "List what would be measured");
  add_common(*sub, *o);
  for (const char* const not_here : {"--strategy", "--seconds", "--no-peers"})
    sub->remove_option(sub->get_option(not_here));
  sub->add_option("--quoted", o->quoted, "Folder of the published figures")->check(CLI::ExistingDirectory);
  sub->footer(
      "\nThe same items, bins, distributions, segments, threads and runs as in the paper, all its strategies, the "
      "peers that\n"
      "can run here, and our automatic choice; the published figures stand below, with the machine of the paper. "
      "Without a\n"
      "GPU only the figures of the CPU are measured (strings).\n"
      "\nExamples:\n"
      "  peneira-bench paper mrbins --json paper-mrbins.json\n"
      "  peneira-bench paper strings --place cpu --threads 16\n"
      "  peneira-bench paper all --dry-run");
  sub->callback([o] { o->dry_run ? list_papers(*o) : paper_run(*o).run(chosen_papers(*o)); });
}

}  // namespace peneira::tool
