// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts numbers that are spread over the ranks of an MPI job: mpirun -n 4 ./mpi_sort
#include <peneira/mpi.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  bool right = false;
  {
    pn::mpi on{MPI_COMM_WORLD, pn::cpu{.threads = 1}};

    // What this rank has: ranks may have different numbers of items.
    std::mt19937_64 random(on.rank());
    std::vector<std::uint64_t> keys(100'000 + 1000 * on.rank());
    for (auto& key : keys) key = random();
    std::uint64_t before = 0;
    pn::reduce(on, keys, &before, pn::plus{});

    pn::sort(on, keys);

    // Every rank has as many as it had, in order, and its last is not above the next rank's first.
    std::uint64_t after = 0;
    pn::reduce(on, keys, &after, pn::plus{});
    std::vector<std::uint64_t> firsts(on.ranks());
    MPI_Allgather(keys.data(), 1, MPI_UINT64_T, firsts.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    const bool in_order = on.rank() + 1 == on.ranks() || keys.back() <= firsts[on.rank() + 1];
    right = before == after && in_order && std::is_sorted(keys.begin(), keys.end());
    std::printf("rank %u of %u: %zu keys from %016llx\n", on.rank(), on.ranks(), keys.size(),
                static_cast<unsigned long long>(keys.front()));
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
