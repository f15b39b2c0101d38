// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench strings
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/strings.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {
namespace {

struct strings_bench_options : bench_options {
  std::vector<std::string> n{"10000000"};
  std::vector<std::string> inputs{"random", "url"};
  std::vector<std::string> task_sizes{"100"};
  std::vector<std::string> block_threads{"32"};
  std::vector<std::string> merge_items{"0"};
  bool copies = false;
  std::vector<unsigned> teams;
};

void bench_strings(const strings_bench_options& o) {
  for (const std::string& input : o.inputs) bench::strings_input(input);
  run_bench(o, [&o](bool on_gpu, const bench::row_sink& sink) {
    bench::strings_axes axes;
    o.set(axes, on_gpu);
    axes.n = parse_sizes("--n", o.n, 1);
    for (const std::uint64_t n : axes.n) {
      if (n > std::numeric_limits<std::uint32_t>::max()) throw usage_error("--n: must be at most 4294967295");
    }
    axes.inputs = o.inputs;
    axes.task_sizes = parse_sizes("--task-size", o.task_sizes, 1);
    axes.block_threads = parse_sizes("--block-threads", o.block_threads, 1);
    axes.merge_items = parse_sizes("--merge-items", o.merge_items, 0);
    axes.copies = o.copies;
#if defined(PENEIRA_BENCH_GPU)
    if (on_gpu) return bench::bench_strings_gpu(axes, sink);
#endif
    bool right = true;
    for (const unsigned threads : o.teams.empty() ? std::vector<unsigned>{axes.threads} : o.teams) {
      axes.threads = threads;
      right = bench::bench_strings_cpu(axes, sink) && right;
    }
    return right;
  });
}

}  // namespace

void add_bench_strings(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("strings", "Sort lines of text");
  const auto o = std::make_shared<strings_bench_options>();
  add_list(*sub, "--n", o->n, "Lines");
  add_list(*sub, "--input", o->inputs, "Inputs, as of `peneira gen --text`: " + bench::all_strings_inputs());
  add_list(*sub, "--task-size", o->task_sizes, "Strings that a task of task_merge_quicksort sorts by itself");
  add_list(*sub, "--block-threads", o->block_threads, "Threads of a block of doubling_merge");
  add_list(*sub, "--merge-items", o->merge_items,
           "Strings that a thread of a published strategy merges at most; 0: each merge is one thread's");
  sub->add_flag("--copies", o->copies,
                "On a GPU: also with the copies of the strings there and of the permutation back");
  add_common(*sub, *o);
  sub->remove_option(sub->get_option("--threads"));
  sub->add_option("--threads", o->teams, "Threads, one number or several (default: all cores)")
      ->delimiter(',')
      ->check(CLI::Range(1U, 4096U));
  sub->footer(
      "\n'% of copy' holds one read of the characters and of where they start and one write of the permutation "
      "against the\n"
      "copy bandwidth of the same run; 'x peer' is the rate over the best peer's on the same input: the parallel "
      "sorts\n"
      "of `bench sort`, over std::string_view. task_merge_quicksort is the published sort of strings by OpenMP tasks.\n"
      "On a GPU the lines are there beforehand, and the peer is thrust::stable_sort over a comparison of strings.\n"
      "doubling_merge, the published sort by CUDA, ends with one thread that merges all: it gets the first million\n"
      "lines at most, and one run, unless --merge-items split its merges.\n"
      "\nExamples:\n"
      "  peneira-bench strings --threads 2\n"
      "  peneira-bench strings --n 10000000 --input random,url --threads 1,2,4,8,16 --strategy "
      "auto,task_merge_quicksort\n"
      "  peneira-bench strings --n 1M --strategy task_merge_quicksort --task-size 10,100,1K,10K,100K --no-peers\n"
      "  peneira-bench strings --place gpu --strategy auto,doubling_merge --block-threads 16,32,64,128,256");
  sub->callback([o] { bench_strings(*o); });
}

}  // namespace peneira::tool
