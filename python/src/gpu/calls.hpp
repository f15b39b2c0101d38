// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that a GPU has besides those that both places share. Arrays are device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <peneira/place.hpp>

#include "moves.hpp"
#include "multisplit.hpp"
#include "types.hpp"

namespace peneira::python {

/// Items of 4 or 8 bytes, labels of 4 or 8. Items whose label names no bin are left out.
void split_by_labels(const gpu& on, const label_call& call);

/// What a histogram of labels is asked for; weights are as a histogram_call has them.
struct label_histogram_call {
  const void* labels;
  unsigned label_bytes;
  std::size_t size;
  const void* weights;
  weighed by;
  std::uint32_t bins;
  void* counts;
};
void histogram_by_labels(const gpu& on, const label_histogram_call& call);

/// What run_lengths is asked for, of u32, u64, f32 or f64. How many runs there are is written to device memory.
struct runs_call {
  const void* items;
  std::size_t size;
  type of;
  void* values;
  std::int64_t* lengths;
  std::uint64_t* count;
};
void run_lengths_of(const gpu& on, const runs_call& call);

}  // namespace peneira::python
