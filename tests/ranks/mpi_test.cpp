// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// mpi_test windows|messages: a program for mpirun. Every rank makes the whole input, takes its part, makes the calls
// over all ranks, and compares what it got with its part of what one process gives.
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <string_view>

#include "peneira/mpi.hpp"

namespace {

namespace pn = peneira;

int faults = 0;

void expect(bool right, const char* what, std::size_t n, unsigned rank) {
  if (right) return;
  ++faults;
  std::fprintf(stderr, "rank %u: %s of %zu items is not what one process gives\n", rank, what, n);
}

/// Where the part of a rank begins in n items: ranks differ in size, and some have none.
std::size_t begin_of(std::size_t n, unsigned rank, unsigned ranks, unsigned seed) {
  if (rank == 0) return 0;
  if (rank == ranks) return n;
  std::mt19937 random(seed);
  std::vector<std::size_t> cuts(ranks - 1);
  for (auto& cut : cuts) cut = n == 0 ? 0 : random() % (n + 1);
  std::sort(cuts.begin(), cuts.end());
  return cuts[rank - 1];
}

template <class T>
std::vector<T> part(const std::vector<T>& whole, unsigned rank, unsigned ranks, unsigned seed) {
  const auto begin = whole.begin();
  return {begin + static_cast<std::ptrdiff_t>(begin_of(whole.size(), rank, ranks, seed)),
          begin + static_cast<std::ptrdiff_t>(begin_of(whole.size(), rank + 1, ranks, seed))};
}

/// All calls on one input.
template <class On>
void compare(On& on, std::size_t n, std::uint64_t most, unsigned seed) {
  const unsigned me = on.rank();
  const unsigned ranks = on.ranks();
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys(n);
  for (auto& key : keys) key = most == 0 ? random() : random() % most;
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0U);
  const pn::cpu alone{.threads = 1};

  std::vector<std::uint64_t> sorted(n);
  std::vector<std::uint32_t> positions(n);
  pn::sort(alone, pn::pairs(keys, values), pn::pairs(sorted, positions));
  const auto my_keys = part(keys, me, ranks, seed);
  const auto my_values = part(values, me, ranks, seed);
  auto got = part(sorted, me, ranks, seed + 1);
  auto got_values = part(positions, me, ranks, seed + 1);
  std::fill(got.begin(), got.end(), 0);
  std::fill(got_values.begin(), got_values.end(), 0);
  pn::sort(on, pn::pairs(my_keys, my_values), pn::pairs(got, got_values));
  expect(got == part(sorted, me, ranks, seed + 1), "sort", n, me);
  expect(got_values == part(positions, me, ranks, seed + 1), "the values of sort", n, me);

  const pn::hashed f{97};
  std::vector<std::uint64_t> offsets(98);
  std::vector<std::uint64_t> my_offsets(98);
  std::vector<std::uint64_t> split(n);
  pn::multisplit(alone, keys, split, f, offsets);
  pn::multisplit(on, my_keys, got, f, my_offsets);
  expect(got == part(split, me, ranks, seed + 1), "multisplit", n, me);
  expect(my_offsets == offsets, "the offsets of multisplit", n, me);

  std::vector<std::uint64_t> sums(97);
  pn::segmented_reduce(alone, split, offsets, sums, pn::plus{});
  auto my_sums = part(sums, me, ranks, seed + 2);
  std::fill(my_sums.begin(), my_sums.end(), 1);
  pn::segmented_reduce(on, got, offsets, my_sums, pn::plus{});
  expect(my_sums == part(sums, me, ranks, seed + 2), "segmented_reduce", n, me);

  std::vector<std::uint64_t> groups(n);
  std::vector<std::uint64_t> counts(n);
  groups.resize(pn::group_by(alone, keys, groups, pn::aggregates{pn::count(counts)}));
  counts.resize(groups.size());
  auto my_groups = part(groups, me, ranks, seed + 3);
  auto my_counts = my_groups;
  const std::size_t found = pn::group_by(on, my_keys, my_groups, pn::aggregates{pn::count(my_counts)});
  expect(found == my_groups.size() && my_groups == part(groups, me, ranks, seed + 3), "group_by", n, me);
  expect(my_counts == part(counts, me, ranks, seed + 3), "the counts of group_by", n, me);

  std::vector<std::string> words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = std::to_string(keys[i]);
  std::vector<std::uint64_t> order(n);
  pn::sort_strings(alone, words, order);
  auto my_order = part(order, me, ranks, seed + 4);
  std::fill(my_order.begin(), my_order.end(), 0);
  pn::sort_strings(on, part(words, me, ranks, seed), my_order);
  expect(my_order == part(order, me, ranks, seed + 4), "sort_strings", n, me);

  std::uint64_t sum = 1;
  pn::reduce(on, my_keys, &sum, pn::plus{});
  expect(sum == pn::reduce(alone, keys, pn::plus{}), "reduce", n, me);
}

/// What is wrong on one rank is thrown by all, and the next call works.
template <class On>
void refuse(On& on) {
  std::vector<std::uint64_t> keys(10, on.rank());
  bool thrown = false;
  try {
    pn::sort(on, pn::items(on.rank() == 0 ? static_cast<std::uint64_t*>(nullptr) : keys.data(), 10));
  } catch (const std::invalid_argument& error) {
    thrown = std::string_view(error.what()).find("rank 0: sort: in is a null pointer") == 0;
  }
  expect(thrown, "an error", 10, on.rank());
  compare(on, 100, 0, 77);
}

/// Whether one cannot be made of a communicator.
bool is_refused(MPI_Comm of, std::string_view why) {
  try {
    pn::mpi on{of, pn::cpu{.threads = 1}};
  } catch (const std::invalid_argument& error) {
    return std::string_view(error.what()).find(why) != std::string_view::npos;
  }
  return false;
}

/// Ranks that differ in what they ask for all throw; parts of the ranks, and each alone, work beside one another.
template <class On>
void mix(On& on) {
  std::vector<std::uint64_t> keys(10, on.rank());
  bool thrown = on.ranks() == 1;
  try {
    pn::sort(on, keys, {.descending = on.rank() != 0});
  } catch (const std::invalid_argument& error) {
    thrown = std::string_view(error.what()).find("options or types of ranks 0 and 1 differ") != std::string_view::npos;
  }
  expect(thrown, "other options", 10, on.rank());
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(on.rank() % 2), -static_cast<int>(on.rank()), &half);
  {
    pn::mpi in_half{half, pn::cpu{.threads = 1}};
    pn::mpi alone{MPI_COMM_SELF, pn::cpu{.threads = 1}};
    compare(in_half, 500 + on.rank() % 2, 100, 5);
    compare(alone, 300 + on.rank(), 100, 6);
    compare(on, 400, 100, 7);
    compare(in_half, 200, 0, 8);
  }
  MPI_Comm_free(&half);
  expect(is_refused(MPI_COMM_NULL, "MPI_COMM_NULL"), "a communicator of nobody", 0, on.rank());
}

}  // namespace

int main(int count, char** arguments) {
  expect(is_refused(MPI_COMM_WORLD, "MPI_Init was not called"), "too early", 0, 0);
  MPI_Init(&count, &arguments);
  {
    const bool windows = count < 2 || std::string_view(arguments[1]) == "windows";
    // Messages so small that each exchange takes many, and small pieces by way of groups from 5 ranks on.
    pn::mpi on{MPI_COMM_WORLD,
               pn::cpu{.threads = 1},
               {.shared_windows = windows, .message_bytes = 1000, .two_levels_from = 5}};
    unsigned seed = 0;
    const std::size_t most = on.ranks() > 8 ? 3000 : 30'000;  // on fewer cores than ranks
    for (const std::size_t n : {std::size_t{0}, std::size_t{3}, most, std::size_t{200}}) {
      for (const std::uint64_t greatest : {0U, 1U, 1000U}) compare(on, n, greatest, ++seed);
    }
    refuse(on);
    mix(on);
  }
  int all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  const bool too_late = is_refused(MPI_COMM_WORLD, "MPI_Finalize was called");
  return all == 0 && too_late ? 0 : 1;
}
