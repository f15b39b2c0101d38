// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench sweep: problems that nobody chose.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/report.hpp"
#include "bench/sweep/runner.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira-bench/sweep_summary.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/cli/write.hpp"

namespace peneira::tool {
namespace {

namespace sweep = bench::sweep;

constexpr std::uint64_t all_problems = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t worst_shown = 20;

struct sweep_options : bench_options {
  std::vector<std::string> only;
  double minutes = 1;
  std::uint64_t problems = all_problems;
  std::uint64_t one = all_problems;  ///< the number of the one problem to measure
  std::uint64_t max_n = 0;           ///< 0: as the place has it
  bool dry_run = false;
  bool verbose = false;
};

/// Whether --only names a primitive.
bool is_named(const sweep_options& o, sweep::primitive what) {
  const std::string name = sweep::name_in(sweep::primitive_names, what);
  return o.only.empty() || std::find(o.only.begin(), o.only.end(), name) != o.only.end();
}

/// Problems in the order of their numbers that are not too large and whose primitive is wanted; those of the first four
/// primitives and those of the other calls in turn.
class problem_stream {
 public:
  using can_run = std::function<bool(const sweep::problem&)>;

  problem_stream(const sweep_options& o, std::uint64_t max_n, can_run runs)
      : o_(o), max_n_(max_n), runs_(std::move(runs)) {
    for (std::size_t k = 0; k < sweep::primitive_names.size(); ++k) {
      const auto what = static_cast<sweep::primitive>(k);
      if (is_named(o, what)) wanted_[sweep::is_first_four(what) ? 0 : 1] = true;
    }
  }
  sweep::problem next() {
    turn_ = wanted_[1 - turn_] ? 1 - turn_ : turn_;
    for (;;) {
      const sweep::problem p = sweep::draw_problem(o_.seed, index_[turn_]++);
      if (is_named(o_, p.what) && p.n <= max_n_ && runs_(p)) return p;
    }
  }

 private:
  const sweep_options& o_;
  std::uint64_t max_n_;
  can_run runs_;
  std::array<std::uint64_t, 2> index_{0, sweep::first_call};
  std::array<bool, 2> wanted_{};
  std::size_t turn_ = 1;
};

/// One line on a terminal that says how far it is; it clears itself.
class sweep_progress {
 public:
  explicit sweep_progress(bool quiet) : visible_(!quiet && ::isatty(STDERR_FILENO) == 1) {}
  sweep_progress(const sweep_progress&) = delete;
  sweep_progress& operator=(const sweep_progress&) = delete;
  ~sweep_progress() { clear(); }

  void show(double part, double left_s, std::size_t done, const sweep::problem& next) {
    if (!visible_) return;
    constexpr int width = 24;
    const int full = static_cast<int>(std::clamp(part, 0.0, 1.0) * width);
    const auto left = static_cast<unsigned>(std::max(0.0, left_s));
    fmt::print(stderr, "\r\x1b[Ksweep  [{:=<{}}{:<{}}] {} problems  {}:{:02} left  {} of {}", "", full, "",
               width - full, done, left / 60, left % 60, sweep::name_in(sweep::primitive_names, next.what), next.n);
    std::fflush(stderr);
  }
  void clear() const {
    if (visible_) static_cast<void>(std::fputs("\r\x1b[K", stderr));
  }

 private:
  bool visible_;
};

/// What a run of a sweep has gathered.
struct sweep_run {
  sweep::runner& on;
  bool on_gpu;
  unsigned threads;
  bench::report rows{nullptr};
  std::size_t done = 0;
  std::vector<std::string> wrong = {};          ///< problems of which our output was, and how to see it again
  std::map<std::string, int> wrong_peers = {};  ///< on how many problems the output of each was
};

void print_problem(const sweep::problem& p, const sweep::outcome& found) {
  std::string text = fmt::format("{}: {}\n", p.index, sweep::describe(p));
  for (const auto& [name, timed] : found.all) {
    text += fmt::format("  {:<32} {:>12.3f} us  {:>5.1f}%  {} runs{}\n", name, 1e6 * timed.seconds, 100 * timed.spread,
                        timed.runs, name == found.best_peer ? "  best peer" : "");
  }
  for (const std::string& name : found.wrong) text += fmt::format("  {} is WRONG\n", name);
  text += fmt::format("  {:.3f} times as fast as the best peer, by {}\n", found.ratio(), found.chosen);
  write_stdout(text);
}

void measure(const sweep_options& o, sweep_run& run, const sweep::problem& p) {
  const sweep::outcome found = run.on.run(p);
  if (!found.right)
    run.wrong.push_back(
        fmt::format("{}: {}", sweep::describe(p), sweep_command(run.on_gpu, run.threads, p.seed, p.index)));
  if (o.verbose || o.one != all_problems) print_problem(p, found);
  for (const std::string& name : found.wrong) ++run.wrong_peers[name];
  if (found.best_peer.empty()) return;  // nobody to stand beside
  run.rows.add(sweep::row_of(p, found, run.on_gpu, run.threads, run.on.bandwidth(sweep::only_reads(p))));
  ++run.done;
}

/// Measures until the time is over.
void measure_all(const sweep_options& o, sweep_run& run, std::uint64_t max_n) {
  sweep_progress bar(o.quiet || o.verbose);
  const double start = bench::seconds_now();
  const double budget = o.problems != all_problems ? std::numeric_limits<double>::infinity() : 60 * o.minutes;
  problem_stream problems(o, max_n, [&run](const sweep::problem& p) {
    return run.on.can_run(p) && sweep::bytes_needed(p) <= run.on.memory();
  });
  for (double taken = 0; run.done < o.problems && taken < budget; taken = bench::seconds_now() - start) {
    const sweep::problem p = problems.next();
    const bool timed = o.problems == all_problems;
    const double part = timed ? taken / budget : static_cast<double>(run.done) / static_cast<double>(o.problems);
    bar.show(part, part > 0 ? taken / part - taken : 0, run.done, p);
    measure(o, run, p);
    poll_interrupt();
  }
}

/// --dry-run: the problems themselves.
void list_problems(const sweep_options& o, std::uint64_t max_n) {
  const std::uint64_t count = o.problems == all_problems ? worst_shown : o.problems;
  problem_stream problems(o, max_n, [](const sweep::problem& /*p*/) { return true; });
  for (std::uint64_t k = 0; k < (o.one == all_problems ? count : 1); ++k) {
    const sweep::problem p = o.one == all_problems ? problems.next() : sweep::draw_problem(o.seed, o.one);
    write_stdout(fmt::format("{}: {}\n", p.index, sweep::describe(p)));
  }
}

void run_sweep(const sweep_options& o) {
  check_result_files(o);
  std::string why_not;
  const bool on_gpu = o.place == "gpu" || (o.place == "auto" && !find_gpus(why_not).empty());
  constexpr std::uint64_t most_on_cpu = std::uint64_t{16} << 20U;
  const std::uint64_t max_n = o.max_n != 0 ? o.max_n : (on_gpu ? sweep::most_items : most_on_cpu);
  if (o.dry_run) return list_problems(o, max_n);
  if (on_gpu && find_gpus(why_not).empty()) throw std::runtime_error("--place gpu: " + why_not);

  const sweep::bench_place at{o.threads != 0 ? o.threads : host::here().threads, {}};
  std::unique_ptr<sweep::runner> runner;
#if defined(PENEIRA_BENCH_GPU)
  if (on_gpu) runner = sweep::gpu_runner(at);
#endif
  if (!runner) runner = sweep::cpu_runner(at);
  sweep_run run{*runner, on_gpu, at.threads};
  if (o.one != all_problems) {
    measure(o, run, sweep::draw_problem(o.seed, o.one));
  } else {
    measure_all(o, run, max_n);
  }
  const std::vector<sweep_dot> dots = sweep_dots(run.rows.json({}));
  if (o.one == all_problems && !o.quiet) {
    write_stdout(fmt::format("{} problems of seed {}, up to {} items\n\n{}\nThe worst:\n{}", run.done, o.seed,
                             bench::short_size(max_n), print_quantiles(dots, false), print_worst(dots, worst_shown)));
  }
  if (!o.quiet) {
    for (const auto& [name, count] : run.wrong_peers) write_stdout(fmt::format("{}: {} wrong\n", name, count));
  }
  save_results(o, run.rows, {{"sweep", {{"seed", o.seed}, {"problems", run.done}, {"max_n", max_n}}}});
  if (!run.wrong.empty()) throw std::runtime_error(fmt::format("wrong outputs:\n{}", fmt::join(run.wrong, "\n")));
}

constexpr const char* sweep_footer =
    "\nA problem is drawn from the seed and its number: n log-uniform from 1 to 2^28, the type, the order, how keys\n"
    "are spread, bins from 2 to 2^20 with functions of ours and a caller's, segments of random shapes. The same seed\n"
    "gives the same problems on every machine. Every other one is of sort, multisplit, segmented_reduce and reduce; "
    "the\n"
    "rest, with numbers from 1000000000 on, are of the other calls: group_by, histogram, unique, run_lengths, top_k,\n"
    "segmented_sort, sort_records, sort_columns, scan, partition and gather. Those too large for --max-n or for the\n"
    "memory are passed over, as are those that --only does not name and those of calls that the place does not have.\n"
    "Ours and the peers run in turn, and every output is checked; a wrong one of ours is named with the command that\n"
    "shows it again, and the exit code is 1.\n"
    "\nAt the end: how many times as fast as the best peer (its median time over ours), as quantiles for each kind of\n"
    "problem, and the worst twenty with commands that measure each again.\n"
    "\nExamples:\n"
    "  peneira-bench sweep --minutes 2                        whatever comes, for two minutes\n"
    "  peneira-bench sweep --only sort,reduce --max-n 1M      small problems of two primitives\n"
    "  peneira-bench sweep --seed 7 --json sweep.json         other problems, as a result file\n"
    "  peneira-bench sweep --seed 7 --problem 123             one of them again, with each peer's time\n"
    "  peneira-bench sweep --dry-run --problems 5             what would be measured";

}  // namespace

void add_bench_sweep(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("sweep", "Problems drawn at random, each beside the best peer");
  const auto o = std::make_shared<sweep_options>();
  sub->add_option("--place", o->place, "Where to run; auto: the GPU if there is one")
      ->check(CLI::IsMember({"cpu", "gpu", "auto"}))
      ->capture_default_str();
  add_list(*sub, "--only", o->only, "Only these primitives: sort, multisplit, ..., gather")
      ->check(CLI::IsMember(std::vector<std::string>(sweep::primitive_names.begin(), sweep::primitive_names.end())));
  add_whole(*sub, "--seed", o->seed, "Seed of the problems");
  CLI::Option* const minutes = sub->add_option("--minutes", o->minutes, "How long to measure")
                                   ->check(CLI::PositiveNumber)
                                   ->capture_default_str();
  sub->add_option("--problems", o->problems, "Measure so many problems, however long it takes")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))
      ->excludes(minutes);
  sub->add_option("--problem", o->one, "Only the problem of this number, whatever its size");
  add_size(*sub, "--max-n", o->max_n, "Only problems of up to so many items (default: 16M on the CPU, 256M on a GPU)",
           1);
  add_threads(*sub, o->threads);
  sub->add_flag("--dry-run", o->dry_run, "Only list the problems, or the first twenty of them");
  sub->add_flag("--verbose", o->verbose, "Print the time of each contestant of every problem");
  sub->add_flag("--quiet", o->quiet, "Print nothing; for --json and --csv");
  add_files(*sub, *o);
  sub->footer(sweep_footer);
  sub->callback([o] { run_sweep(*o); });
}

}  // namespace peneira::tool
