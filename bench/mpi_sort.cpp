// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort over the ranks of an MPI job, or in one process, for bench/mpi.sh: prints the seconds of each run and whether
// all were right.
//
//   mpirun -n P peneira_bench_mpi ranks INPUT N RUNS       each rank with one thread
//   peneira_bench_mpi alone INPUT N RUNS THREADS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "peneira/mpi.hpp"

namespace {

namespace pn = peneira;
using clock_type = std::chrono::steady_clock;

/// The i-th key of an input.
std::uint64_t key_of(std::string_view input, std::uint64_t i, std::uint64_t n) {
  const std::uint64_t x = pn::mix64(i + 1);
  if (input == "constant") return 42;
  if (input == "few") return x % 13;
  if (input == "zipf") return n / (1 + x % n);
  return x;
}

struct request {
  std::string_view input;
  std::uint64_t n;
  int runs;
};

std::vector<std::uint64_t> make(const request& o, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> keys(end - begin);
  for (std::uint64_t i = begin; i < end; ++i) keys[i - begin] = key_of(o.input, i, o.n);
  return keys;
}

void print(const std::vector<double>& seconds, bool right) {
  std::printf("%s", right ? "right" : "wrong");
  for (const double one : seconds) std::printf(",%.6f", one);
  std::printf("\n");
}

double since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

void sort_alone(const request& o, unsigned threads) {
  std::vector<double> seconds;
  bool right = true;
  for (int run = -1; run < o.runs; ++run) {  // the first is for caches and pages
    auto keys = make(o, 0, o.n);
    const auto start = clock_type::now();
    pn::sort(pn::cpu{.threads = threads}, keys);
    if (run >= 0) seconds.push_back(since(start));
    right = right && std::is_sorted(keys.begin(), keys.end());
  }
  print(seconds, right);
}

void sort_over_ranks(const request& o) {
  pn::mpi on{MPI_COMM_WORLD, pn::cpu{.threads = 1}};
  const std::uint64_t begin = o.n * on.rank() / on.ranks();
  const std::uint64_t end = o.n * (on.rank() + 1) / on.ranks();
  std::vector<double> seconds;
  bool right = true;
  for (int run = -1; run < o.runs; ++run) {
    auto keys = make(o, begin, end);
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    pn::reduce(on, keys, &before, pn::plus{});
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = clock_type::now();
    pn::sort(on, keys);
    MPI_Barrier(MPI_COMM_WORLD);
    if (run >= 0) seconds.push_back(since(start));
    pn::reduce(on, keys, &after, pn::plus{});
    right = right && before == after && std::is_sorted(keys.begin(), keys.end());
  }
  const std::uint64_t mine = right ? 1 : 0;
  std::uint64_t all = 0;
  pn::reduce(on, pn::items(&mine, 1), &all, pn::min{});
  if (on.rank() == 0) print(seconds, all == 1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) return 2;
  const request o{arguments[2], std::strtoull(arguments[3], nullptr, 10), std::atoi(arguments[4])};
  if (std::string_view(arguments[1]) == "alone") {
    sort_alone(o, count > 5 ? static_cast<unsigned>(std::atoi(arguments[5])) : 0);
    return 0;
  }
  MPI_Init(&count, &arguments);
  sort_over_ranks(o);
  MPI_Finalize();
  return 0;
}
