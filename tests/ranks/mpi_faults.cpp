// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A program for mpirun, in which calls of MPI fail.
//
//   mpi_faults errors SEED COUNT   COUNT times: one call of MPI, on one rank, reports an error. All ranks must throw
//   the
//                                  same error, which names the rank, within five seconds, or else the right answer.
//   mpi_faults kill SEED           one rank kills itself in some call of MPI
//
// What all ranks do together in one call that waits (to make communicators and windows) is made, and then reported as
// failed; all else is not made at all.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <string_view>

#include "peneira/mpi.hpp"

namespace {

namespace pn = peneira;

constexpr std::string_view names[] = {
    "MPI_Iallreduce",   "MPI_Iallgatherv",     "MPI_Ialltoall",  "MPI_Iexscan",
    "MPI_Ibarrier",     "MPI_Testall",         "MPI_Test",       "MPI_Iprobe",
    "MPI_Isend",        "MPI_Irecv",           "MPI_Issend",     "MPI_Recv",
    "MPI_Comm_dup",     "MPI_Comm_split",      "MPI_Iallgather", "MPI_Win_allocate_shared",
    "MPI_Win_lock_all", "MPI_Win_shared_query"};

/// The call that will fail, on this rank.
struct fault {
  std::size_t name = std::size(names);
  std::uint64_t left = 0;
  bool kills = false;
  bool struck = false;
} next;

/// Whether a call of that name fails now.
bool strikes(std::string_view name) {
  if (next.name == std::size(names) || (names[next.name] != name && !next.kills) || next.left-- != 0) return false;
  if (next.kills) ::kill(::getpid(), SIGKILL);
  next.name = std::size(names);
  next.struck = true;
  return true;
}

int rank_of_world = 0;
bool in_last_call = false;
/// At a barrier, or where ranks agree: nothing fails while one waits for these, as others may have gone on to a call in
/// which they hear nothing.
bool at_barrier = false;
char trying[200];  ///< for who reads why it failed

void too_long(int /*signal*/) {
  const char text[] = "mpi_faults: a rank waits for longer than five seconds: ";
  static_cast<void>(!::write(STDERR_FILENO, text, sizeof(text) - 1));
  static_cast<void>(!::write(STDERR_FILENO, trying, std::strlen(trying)));
  ::_exit(3);
}

}  // namespace

#include "tests/ranks/mpi_shim.hpp"

extern "C" int MPI_Iallreduce(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g) {
  if (strikes("MPI_Iallreduce")) return MPI_ERR_OTHER;
  at_barrier = c == 1;
  return PMPI_Iallreduce(a, b, c, d, e, f, g);
}
extern "C" int MPI_Ibarrier(MPI_Comm a, MPI_Request* b) {
  if (strikes("MPI_Ibarrier")) return MPI_ERR_OTHER;
  at_barrier = true;
  return PMPI_Ibarrier(a, b);
}
extern "C" int MPI_Testall(int a, MPI_Request* b, int* c, MPI_Status* d) {
  if (!at_barrier && strikes("MPI_Testall")) return MPI_ERR_OTHER;
  const int made = PMPI_Testall(a, b, c, d);
  if (*c != 0) at_barrier = false;
  return made;
}
PENEIRA_INSTEAD(Test, (MPI_Request * a, int* b, MPI_Status* c), (a, b, c))
extern "C" int MPI_Iprobe(int a, int b, MPI_Comm c, int* d, MPI_Status* e) {
  return !at_barrier && strikes("MPI_Iprobe") ? MPI_ERR_OTHER : PMPI_Iprobe(a, b, c, d, e);
}

namespace {

/// Sorts pairs by way of groups, and groups them. Throws where the answer is wrong.
void work(const pn::mpi_options& options) {
  pn::mpi on{MPI_COMM_WORLD, pn::cpu{.threads = 1}, options};
  const std::size_t n = 2000;
  std::vector<std::uint64_t> keys(n);
  std::vector<std::uint32_t> values(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = pn::mix64(i * on.ranks() + on.rank());
  std::iota(values.begin(), values.end(), 0U);
  pn::sort(on, pn::pairs(keys, values));
  if (!std::is_sorted(keys.begin(), keys.end())) throw std::logic_error("out of order");
  std::vector<std::uint64_t> unique(n);
  if (pn::distinct(on, keys, unique) != n) throw std::logic_error("keys were lost");
  std::uint64_t sum = 0;
  in_last_call = true;
  pn::reduce(on, keys, &sum, pn::plus{});  // hears what failed in the last round of the calls before
}

/// One fault. Returns whether all ranks said the same.
bool try_fault(std::mt19937& random) {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int victim = static_cast<int>(random() % static_cast<unsigned>(ranks));
  fault chosen{random() % std::size(names), random() % 30};
  const bool windows = random() % 2 == 0;
  const unsigned two_levels_from = random() % 2 == 0 ? 4 : 64;
  if (names[chosen.name] == "MPI_Comm_dup") chosen.left = 1;  // before the second nobody could be told
  if (names[chosen.name].substr(0, 7) == "MPI_Win" || names[chosen.name].substr(0, 8) == "MPI_Comm" ||
      names[chosen.name] == "MPI_Iallgather") {
    chosen.left = names[chosen.name] == "MPI_Comm_dup" ? 1 : 0;
  }
  next = rank_of_world == victim ? chosen : fault{};
  std::snprintf(trying, sizeof(trying), "%s number %llu on rank %d, %s, two levels from %u ranks\n",
                names[chosen.name].data(), static_cast<unsigned long long>(chosen.left), victim,
                windows ? "windows" : "messages", two_levels_from);
  char said[256] = {};
  in_last_call = at_barrier = false;
  ::alarm(5);
  try {
    work({.shared_windows = windows, .message_bytes = 1000, .two_levels_from = two_levels_from});
  } catch (const std::exception& error) {
    std::snprintf(said, sizeof(said), "%s", error.what());
  }
  ::alarm(0);
  int struck = next.struck ? (in_last_call ? 2 : 1) : 0;
  next = {};
  PMPI_Allreduce(MPI_IN_PLACE, &struck, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  std::vector<char> all(sizeof(said) * static_cast<std::size_t>(ranks));
  PMPI_Allgather(said, sizeof(said), MPI_CHAR, all.data(), sizeof(said), MPI_CHAR, MPI_COMM_WORLD);
  // A window that one rank could not make is made by none, and messages go.
  const bool harmless = struck == 0 || names[chosen.name] == "MPI_Win_allocate_shared";
  const std::string name(names[chosen.name] == "MPI_Testall" ? "MPI_" : names[chosen.name]);  // what was waited for
  const std::string want = "rank " + std::to_string(victim) + ": " + name;
  const char* const first = all.data() + static_cast<std::size_t>(victim) * sizeof(said);
  bool right = true;
  for (int r = 0; r < ranks; ++r) {
    const std::string_view theirs = all.data() + static_cast<std::size_t>(r) * sizeof(said);
    // After its last round a rank has its answer, and hears of the fault in its next call, of which there is none.
    const bool told = theirs == first && theirs.substr(0, want.size()) == want;
    right = right && (harmless ? theirs.empty() : told || (struck == 2 && theirs.empty()));
    if (!right && rank_of_world == 0) {
      std::fprintf(stderr, "%s  rank %d said \"%s\"\n", trying, r, theirs.data());
    }
  }
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  MPI_Init(&count, &arguments);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_of_world);
  std::mt19937 random(static_cast<unsigned>(std::atoi(arguments[2])));
  bool right = true;
  if (std::string_view(arguments[1]) == "kill") {
    int ranks = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int victim = static_cast<int>(random() % static_cast<unsigned>(ranks));
    if (rank_of_world == victim) next = {0, random() % 300, true};
    for (int i = 0; i < 20; ++i) work({.shared_windows = random() % 2 == 0, .two_levels_from = 4});
    right = false;  // it was to be killed
  } else {
    std::signal(SIGALRM, too_long);
    const int times = count < 4 ? 1 : std::atoi(arguments[3]);
    for (int i = 0; i < times && right; ++i) right = try_fault(random);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
