// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A program for mpirun: ranks that are processes and share the GPUs of this machine sort pairs as one process does, by
// CUDA IPC where that works, and by way of their hosts with windows and with messages. Exit code 77 without a GPU.
#include <cstdio>
#include <numeric>
#include <random>

#include "peneira/mpi.hpp"

namespace {

namespace pn = peneira;
using pn::detail::check;

template <class T>
struct device_part {
  std::size_t size;
  T* at = nullptr;

  explicit device_part(const std::vector<T>& whole, std::size_t begin, std::size_t end) : size(end - begin) {
    check(cudaMalloc(reinterpret_cast<void**>(&at), size * sizeof(T) + 1), "cudaMalloc");
    check(cudaMemcpy(at, whole.data() + begin, size * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  device_part(const device_part&) = delete;
  device_part& operator=(const device_part&) = delete;
  ~device_part() { static_cast<void>(cudaFree(at)); }
  [[nodiscard]] auto get() const { return pn::items(at, size); }
  [[nodiscard]] bool is(const std::vector<T>& whole, std::size_t begin) const {
    std::vector<T> found(size);
    check(cudaMemcpy(found.data(), at, size * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return std::equal(found.begin(), found.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin));
  }
};

/// Whether the sort of n pairs is right on this rank; keys are below `most`.
bool is_sorted_right(pn::mpi<pn::gpu>& on, std::size_t n, std::uint64_t most) {
  std::mt19937_64 random(n);
  std::vector<std::uint64_t> keys(n);
  for (auto& key : keys) key = random() % most;
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0U);
  const std::size_t begin = n * on.rank() / on.ranks() * on.rank() / on.ranks();  // each has another size
  const std::size_t end = n * (on.rank() + 1) / on.ranks() * (on.rank() + 1) / on.ranks();
  const device_part<std::uint64_t> my_keys(keys, begin, end);
  const device_part<std::uint32_t> my_values(values, begin, end);
  std::uint64_t* sum = nullptr;
  check(cudaMalloc(reinterpret_cast<void**>(&sum), sizeof(*sum)), "cudaMalloc");
  std::uint64_t found = 0;
  pn::reduce(on, my_keys.get(), sum, pn::plus{});
  check(cudaMemcpy(&found, sum, sizeof(found), cudaMemcpyDeviceToHost), "cudaMemcpy");
  static_cast<void>(cudaFree(sum));
  const bool added_up = found == pn::reduce(pn::cpu{.threads = 1}, keys, pn::plus{});
  pn::sort(on, pn::pairs(my_keys.get(), my_values.get()));
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  pn::sort(pn::cpu{.threads = 1}, pn::pairs(keys, values));
  return added_up && my_keys.is(keys, begin) && my_values.is(values, begin);
}

int run(int rank) {
  int faults = 0;
  const pn::mpi_options ways[] = {
      {},
      {.device_addresses = false},
      {.shared_windows = false, .message_bytes = 1000, .device_addresses = false, .staging_bytes = 65536}};
  for (const pn::mpi_options& how : ways) {
    pn::mpi<pn::gpu> on{MPI_COMM_WORLD, pn::gpu{}, how};
    for (const std::size_t n : {0U, 5U, 3000U, 500'000U}) {
      for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{50}, ~std::uint64_t{0}}) {
        if (is_sorted_right(on, n, most)) continue;
        ++faults;
        std::fprintf(stderr, "rank %d: %zu items below %llu by way %td: wrong\n", rank, n,
                     static_cast<unsigned long long>(most), &how - ways);
      }
    }
    if (rank == 0) {
      std::printf("%s: %s\n", how.device_addresses ? "by address where that works" : "by the hosts",
                  on.rooms().reaches(on.ranks() - 1) ? "rank 0 reads the last one's room" : "staged");
    }
  }
  return faults;
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  int devices = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    if (rank == 0) std::puts("skipped: no GPU");
    MPI_Finalize();
    return 77;
  }
  int faults = 0;
  check(cudaSetDevice(rank % devices), "cudaSetDevice");
  faults = run(rank);
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0 && faults == 0) std::puts("right");
  return faults == 0 ? 0 : 1;
}
