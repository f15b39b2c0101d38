// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The calls over the ranks of a communicator that libpeneira._mpi has. Keys of sorts and groups are unsigned words in
// the order of the keys (words.hpp), so that few types are compiled.
#pragma once

#include <peneira/mpi.hpp>

#include "cpu/groups.hpp"
#include "multisplit.hpp"

namespace peneira::python {

/// A place over ranks for one call, each with so many threads.
class ranks_place {
 public:
  ranks_place(mpi<>& of, unsigned threads) : between_(of.between()), here_{.threads = threads} {}

  [[nodiscard]] detail::mpi_transport& between() const { return between_; }
  [[nodiscard]] const cpu& here() const { return here_; }

 private:
  detail::mpi_transport& between_;
  cpu here_;
};

/// What a sort is asked for: words of 4 or 8 bytes, values of 4 or 8 bytes, or none (0). The sizes of the outputs of
/// all ranks say who gets how many.
struct rank_sort_call {
  const void* words;
  std::size_t size;
  void* out_words;
  std::size_t out_size;
  unsigned word_bytes;
  const void* values;
  void* out_values;
  unsigned value_bytes;
};
void sort_over_ranks(const ranks_place& on, const rank_sort_call& call);
/// The numbers of the sorted items in the array of all ranks, as many as this rank is to get.
void argsort_over_ranks(const ranks_place& on, const rank_sort_call& call, std::uint64_t* positions);

/// A multisplit of keys of 4 or 8 bytes; every rank gets as many items as it has, and the offsets of the whole.
void split_over_ranks(const ranks_place& on, const split_call& call);

/// A group_by; its room, beside that of the other ranks, says how many groups this one gets. Returns how many it got.
std::size_t group_over_ranks(const ranks_place& on, const group_by_call& call);

}  // namespace peneira::python
