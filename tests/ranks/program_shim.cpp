// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into peneira-mpi: on one rank one call of MPI fails, or the rank is killed in one of these or where it
// reads, writes or names a file. What waits in turns (MPI_Testall, MPI_Iprobe) does not count, so that runs are alike.
//
//   PENEIRA_FAULT="error|kill RANK NUMBER"   what happens, on which rank, in which of the calls that count
//   PENEIRA_CALLS=FILE                       where each rank leaves the number of its calls: FILE.RANK
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

int own_rank() {
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr ? -1 : std::atoi(rank);
}

struct fault {
  char kind[8] = "none";
  int rank = -1;
  unsigned long number = 0;

  fault() {
    const char* const asked = std::getenv("PENEIRA_FAULT");
    if (asked == nullptr || std::sscanf(asked, "%7s %d %lu", kind, &rank, &number) != 3) std::strcpy(kind, "none");
    if (rank != own_rank()) std::strcpy(kind, "none");
  }
};

std::atomic<unsigned long> calls_of_mpi{0};
std::atomic<unsigned long> calls{0};

/// Counts a call; a rank that is to be killed in it is.
void count() {
  static const fault one;
  if (calls++ == one.number && std::strcmp(one.kind, "kill") == 0) ::kill(::getpid(), SIGKILL);
}

/// Whether a call of MPI fails now.
bool strikes(std::string_view /*name*/) {
  static const fault one;
  count();
  return calls_of_mpi++ == one.number && std::strcmp(one.kind, "error") == 0;
}

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

#include "tests/ranks/mpi_shim.hpp"

PENEIRA_INSTEAD(Iallreduce, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g),
                (a, b, c, d, e, f, g))
PENEIRA_INSTEAD(Ibarrier, (MPI_Comm a, MPI_Request* b), (a, b))

extern "C" int MPI_Finalize() {
  if (const char* const path = std::getenv("PENEIRA_CALLS")) {
    char name[512];
    std::snprintf(name, sizeof(name), "%s.%d", path, own_rank());
    if (std::FILE* const file = std::fopen(name, "w")) {
      std::fprintf(file, "%lu %lu\n", calls.load(), calls_of_mpi.load());
      std::fclose(file);
    }
  }
  return PMPI_Finalize();
}

extern "C" ssize_t pread(int fd, void* to, std::size_t bytes, off_t at) {
  static auto* const real = next_of<ssize_t(int, void*, std::size_t, off_t)>("pread");
  count();
  return real(fd, to, bytes, at);
}
extern "C" ssize_t pwrite(int fd, const void* from, std::size_t bytes, off_t at) {
  static auto* const real = next_of<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  count();
  return real(fd, from, bytes, at);
}
extern "C" int rename(const char* from, const char* to) {
  static auto* const real = next_of<int(const char*, const char*)>("rename");
  count();
  return real(from, to);
}
