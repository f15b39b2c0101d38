// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort over ranks that share this machine's GPU, rooms read by CUDA IPC and by way of the host, beside pn::sort in
// one process; and beside the second, what its copies would take at least: pinned memory, both directions at once.
//
//   mpirun -n 4 peneira_bench_mpi_gpu N RUNS
//
// Prints a line for each run: name, ours or peer, input, ranks, right or wrong, seconds; with commas between. A rank
// uses device number (rank modulo their count).
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "peneira/mpi.hpp"

namespace {

namespace pn = peneira;
using pn::detail::check;

std::vector<std::uint64_t> make(std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> keys(end - begin);
  for (std::uint64_t i = begin; i < end; ++i) keys[i - begin] = pn::mix64(i + 1);
  return keys;
}

class device_keys {
 public:
  explicit device_keys(const std::vector<std::uint64_t>& from) : from_(from) {
    check(cudaMalloc(reinterpret_cast<void**>(&at_), std::max<std::size_t>(8, from.size() * 8)), "cudaMalloc");
  }
  device_keys(const device_keys&) = delete;
  device_keys& operator=(const device_keys&) = delete;
  ~device_keys() { static_cast<void>(cudaFree(at_)); }

  void fill() { check(cudaMemcpy(at_, from_.data(), from_.size() * 8, cudaMemcpyHostToDevice), "cudaMemcpy"); }
  [[nodiscard]] auto get() const { return pn::items(at_, from_.size()); }
  [[nodiscard]] std::uint64_t* data() const { return at_; }
  [[nodiscard]] std::vector<std::uint64_t> read() const {
    std::vector<std::uint64_t> found(from_.size());
    check(cudaMemcpy(found.data(), at_, found.size() * 8, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return found;
  }

 private:
  const std::vector<std::uint64_t>& from_;
  std::uint64_t* at_ = nullptr;
};

/// Waits for all processes, and leaves the processor to those that work.
void meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) ::usleep(20);
  }
}

/// The seconds from when all are here to when all are done, the GPU too.
double time(const std::function<void()>& work) {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  meet();
  const auto start = std::chrono::steady_clock::now();
  work();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  meet();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Whether all keys are there, in order over the ranks.
bool are_sorted(const std::vector<std::uint64_t>& given, const std::vector<std::uint64_t>& keys) {
  std::uint64_t sums[2] = {0, 0};
  for (const std::uint64_t x : given) sums[0] += pn::mix64(x);
  for (const std::uint64_t x : keys) sums[1] += pn::mix64(x);
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<std::uint64_t> ends(2 * static_cast<std::size_t>(ranks));
  const std::uint64_t mine[2] = {keys.empty() ? 0 : keys.front(), keys.empty() ? 0 : keys.back()};
  MPI_Allgather(mine, 2, MPI_UINT64_T, ends.data(), 2, MPI_UINT64_T, MPI_COMM_WORLD);
  int right = sums[0] == sums[1] && std::is_sorted(keys.begin(), keys.end()) && std::is_sorted(ends.begin(), ends.end())
                  ? 1
                  : 0;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return right != 0;
}

/// Both directions of what a rank sends and gets, at once.
class pinned_copies {
 public:
  pinned_copies(std::uint64_t* keys, std::size_t bytes) : keys_(keys), bytes_(bytes) {
    for (int i = 0; i < 2; ++i) {
      check(cudaMallocHost(&host_[i], bytes), "cudaMallocHost");
      check(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    }
  }
  pinned_copies(const pinned_copies&) = delete;
  pinned_copies& operator=(const pinned_copies&) = delete;
  ~pinned_copies() {
    for (int i = 0; i < 2; ++i) {
      static_cast<void>(cudaFreeHost(host_[i]));
      static_cast<void>(cudaStreamDestroy(streams_[i]));
    }
  }
  void run() {
    check(cudaMemcpyAsync(host_[0], keys_, bytes_, cudaMemcpyDeviceToHost, streams_[0]), "cudaMemcpyAsync");
    check(cudaMemcpyAsync(keys_, host_[1], bytes_, cudaMemcpyHostToDevice, streams_[1]), "cudaMemcpyAsync");
  }

 private:
  std::uint64_t* keys_;
  std::size_t bytes_;
  void* host_[2] = {};
  cudaStream_t streams_[2] = {};
};

void print(int rank, const char* name, const char* kind, int ranks, bool right, double seconds) {
  if (rank != 0) return;
  std::printf("%s,%s,uniform,%d,%s,%.6f\n", name, kind, ranks, right ? "right" : "wrong", seconds);
  std::fflush(stdout);
}

void run(std::uint64_t n, int runs, int rank, int ranks) {
  const auto all = make(0, rank == 0 ? n : 0);
  const auto given = make(n * static_cast<unsigned>(rank) / static_cast<unsigned>(ranks),
                          n * (static_cast<unsigned>(rank) + 1) / static_cast<unsigned>(ranks));
  device_keys alone(all);
  device_keys mine(given);
  pn::mpi<pn::gpu> by_address{MPI_COMM_WORLD, pn::gpu{}};
  pn::mpi<pn::gpu> by_hosts{MPI_COMM_WORLD, pn::gpu{}, {.device_addresses = false}};
  pinned_copies copies(mine.data(), given.size() * 8 / static_cast<unsigned>(ranks) * static_cast<unsigned>(ranks - 1));
  for (int turn = -1; turn < runs; ++turn) {  // the first for pages and pools
    const auto show = [&](const char* name, const char* kind, int of, bool right, double seconds) {
      if (turn >= 0) print(rank, name, kind, of, right, seconds);
    };
    alone.fill();
    const double one = time([&] {
      if (rank == 0) pn::sort(pn::gpu{}, alone.get());
    });
    show("one process", "peer", 1, true, one);
    for (auto* const on : {&by_address, &by_hosts}) {
      mine.fill();
      const double seconds = time([&] { pn::sort(*on, mine.get()); });
      const bool read = on->rooms().reaches((static_cast<unsigned>(rank) + 1) % static_cast<unsigned>(ranks));
      const bool by_hosts_alone = on == &by_hosts;
      show(by_hosts_alone ? "ranks (by the hosts)"
           : read         ? "ranks (CUDA IPC)"
                          : "ranks (no CUDA IPC here)",
           "ours", ranks, are_sorted(given, mine.read()), seconds);
    }
    show("pinned copies", "peer", ranks, true, time([&] { copies.run(); }));
  }
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  int ranks = 0;
  int devices = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool good = count == 3 && cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 &&
                    cudaSetDevice(rank % devices) == cudaSuccess;
  if (good) run(std::strtoull(arguments[1], nullptr, 10), std::atoi(arguments[2]), rank, ranks);
  if (!good && rank == 0) std::fprintf(stderr, "use: mpirun -n 4 peneira_bench_mpi_gpu N RUNS, where a GPU is\n");
  MPI_Finalize();
  return good ? 0 : 2;
}
