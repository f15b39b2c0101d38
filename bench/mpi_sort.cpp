// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts over the ranks of an MPI job beside pn::sort in one process, and the exchange beside memcpy, for bench/mpi.sh:
// runs that take turns. Ranks that have no part in one sleep meanwhile.
//
//   mpirun -n 8 peneira_bench_mpi N THREADS       N keys; as many ranks as threads, of one thread each; where the job
//   has
//                                                 so many, four times as many; from four threads on, two ranks of them
//
// Prints a line for each: name, ours or peer, input, ranks or threads, right or wrong, seconds; with commas between.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "peneira/mpi.hpp"

namespace {

namespace pn = peneira;

/// The i-th key of an input.
std::uint64_t key_of(std::string_view input, std::uint64_t i, std::uint64_t n) {
  const std::uint64_t x = pn::mix64(i + 1);
  if (input == "constant") return 42;
  if (input == "few") return x % 13;
  if (input == "zipf") return n / (1 + x % n);
  return x;
}

std::vector<std::uint64_t> make(std::string_view input, std::uint64_t n, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> keys(end - begin);
  for (std::uint64_t i = begin; i < end; ++i) keys[i - begin] = key_of(input, i, n);
  return keys;
}

/// Some of the processes of the job.
class some_ranks {
 public:
  some_ranks(int rank, int count) : among_(rank < count) {
    MPI_Comm_split(MPI_COMM_WORLD, among_ ? 0 : 1, rank, &comm_);
  }
  some_ranks(const some_ranks&) = delete;
  some_ranks& operator=(const some_ranks&) = delete;
  ~some_ranks() { MPI_Comm_free(&comm_); }

  [[nodiscard]] bool among() const { return among_; }
  [[nodiscard]] MPI_Comm get() const { return comm_; }
  /// The seconds from when all are here to when all are done.
  double time(const std::function<void()>& work) const {
    MPI_Barrier(comm_);
    const auto start = std::chrono::steady_clock::now();
    work();
    MPI_Barrier(comm_);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  bool among_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Waits for all processes without taking a core from those that work.
void meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) ::usleep(1000);
  }
}

struct outcome {
  bool right;
  double seconds;
};

outcome sort_alone(std::string_view input, std::uint64_t n, unsigned threads) {
  auto keys = make(input, n, 0, n);
  const auto start = std::chrono::steady_clock::now();
  pn::sort(pn::cpu{.threads = threads}, keys);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {std::is_sorted(keys.begin(), keys.end()), seconds};
}

outcome sort_over_ranks(const some_ranks& with, pn::mpi<pn::cpu>& on, std::string_view input, std::uint64_t n) {
  auto keys = make(input, n, n * on.rank() / on.ranks(), n * (on.rank() + 1) / on.ranks());
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  pn::reduce(on, keys, &before, pn::plus{});
  const double seconds = with.time([&] { pn::sort(on, keys); });
  pn::reduce(on, keys, &after, pn::plus{});
  const std::uint64_t mine[2] = {keys.empty() ? 0 : keys.front(), keys.empty() ? 0 : keys.back()};
  std::vector<std::uint64_t> ends(2 * on.ranks());
  MPI_Allgather(mine, 2, MPI_UINT64_T, ends.data(), 2, MPI_UINT64_T, with.get());
  int wrong = before == after && std::is_sorted(keys.begin(), keys.end()) ? 0 : 1;
  if (!std::is_sorted(ends.begin(), ends.end())) wrong = 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, with.get());
  return {wrong == 0, seconds};
}

/// Every rank sends the same to all; beside it, as many bytes copied by each.
outcome exchange(const some_ranks& with, pn::mpi<pn::cpu>& on, std::uint64_t bytes, bool copies) {
  const std::size_t each = bytes / on.ranks() / on.ranks();
  const std::size_t all = each * on.ranks();
  auto* const room = static_cast<char*>(on.between().make_room(all));
  std::memset(room, static_cast<int>(on.rank()) + 1, all);
  std::vector<char> to(all, '\0');
  std::vector<pn::detail::room_part> parts(on.ranks());
  for (std::size_t r = 0; r < parts.size(); ++r) parts[r] = {r * each, each};
  const double seconds = with.time([&] {
    if (copies) {
      std::memcpy(to.data(), room, all);
    } else {
      on.between().exchange(parts, to.data());
    }
  });
  bool right = true;
  for (std::size_t r = 0; r < parts.size() && !copies; ++r) {
    right = right && std::all_of(to.begin() + static_cast<std::ptrdiff_t>(r * each),
                                 to.begin() + static_cast<std::ptrdiff_t>((r + 1) * each),
                                 [&](char c) { return c == static_cast<char>(r + 1); });
  }
  return {right, seconds};
}

void print(const char* name, const char* kind, const char* input, unsigned threads, const outcome& one) {
  std::printf("%s,%s,%s,%u,%s,%.6f\n", name, kind, input, threads, one.right ? "right" : "wrong", one.seconds);
  std::fflush(stdout);
}

/// Measures a thing; `warm` does it once before, for caches and pages.
template <class Work>
void measure(bool takes_part, bool prints, bool warm, const char* name, const char* kind, const char* input,
             unsigned threads, const Work& work) {
  meet();
  if (takes_part) {
    if (warm) work();
    const outcome one = work();
    if (prints) print(name, kind, input, threads, one);
  }
  meet();
}

/// Some ranks, of so many threads each.
struct bench_ranks {
  some_ranks ranks;
  pn::mpi<pn::cpu> on;

  bench_ranks(int rank, unsigned count, unsigned threads)
      : ranks(rank, static_cast<int>(count)), on(ranks.get(), pn::cpu{.threads = threads}) {}
};

void run(std::uint64_t n, unsigned threads, int rank, unsigned job) {
  bench_ranks each(rank, threads, 1);
  bench_ranks two(rank, 2, std::max(1U, threads / 2));
  bench_ranks four(rank, 4, 1);
  bench_ranks many(rank, std::min(job, 4 * threads), 1);
  const bool first = rank == 0;
  const auto sort_over = [&](bench_ranks& with, bool warm, const char* name, const char* input, unsigned all) {
    measure(with.ranks.among(), first, warm, name, "ours", input, all,
            [&] { return sort_over_ranks(with.ranks, with.on, input, n); });
  };
  for (const char* const input : {"uniform", "zipf", "few", "constant"}) {
    const bool warm = std::string_view(input) == "uniform";
    measure(first, first, warm, "one process", "peer", input, threads, [&] { return sort_alone(input, n, threads); });
    sort_over(each, warm, "ranks", input, threads);
    if (threads >= 4) sort_over(two, warm, "two ranks", input, threads);
  }
  if (job >= 4 * threads) sort_over(many, true, "ranks (four a core)", "uniform", 4 * threads);
  const std::uint64_t bytes = n * sizeof(std::uint64_t);
  for (const bool copies : {true, false}) {
    measure(four.ranks.among(), first, true, copies ? "memcpy" : "exchange", copies ? "peer" : "ours", "exchange", 4,
            [&] { return exchange(four.ranks, four.on, bytes, copies); });
  }
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const unsigned threads = count < 3 ? 0 : static_cast<unsigned>(std::atoi(arguments[2]));
  const bool good = threads > 0 && ranks >= 4 && static_cast<unsigned>(ranks) >= threads;
  if (good) run(std::strtoull(arguments[1], nullptr, 10), threads, rank, static_cast<unsigned>(ranks));
  MPI_Finalize();
  return good ? 0 : 2;
}
