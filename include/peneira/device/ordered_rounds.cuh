// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What one round of an ordered segmented reduce does: each thread takes neighbouring items in their order, and what
// crosses the borders of threads is carried over them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/carry.cuh"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/chunk_shape.hpp"

namespace peneira::detail {

/// Items of the present chunk from `low` to before `high`, and the ends from `from` to before `upto` among them.
template <class T, class Ends>
struct segment_round {
  const T* items;
  std::size_t input_begin;  ///< the position in the input of the chunk's first item; may lie before the input
  unsigned chunk_begin;     ///< the same as the block counts
  int low;
  int high;
  const Ends& ends;
  unsigned from;
  unsigned upto;
};

template <class T, class Result, class Op>
class ordered_rounds {
 public:
  __device__ ordered_rounds(const Op& op, Result* results, void* shared, unsigned ends)
      : op_(op),
        results_(results),
        carry_(op.template identity<Result>()),
        head_(reinterpret_cast<Result*>(shared)),
        staged_(head_ + 1) {
    for (unsigned k = threadIdx.x; k < ends; k += threads) staged_[k] = op.template identity<Result>();
  }
  /// All threads come here together; a __syncthreads() lies before. An end that no item lies before keeps the identity
  /// that waits for it.
  template <class Ends>
  __device__ void take(const segment_round<T, Ends>& round) {
    constexpr int own = chunk_items(sizeof(T));
    __shared__ carry_room<Result, threads> room;
    const int first = static_cast<int>(threadIdx.x) * own;
    const int low = ::max(round.low, first);
    const int high = ::min(round.high, first + own);
    const auto end_after = [&](unsigned end, int at) {  // the first end from there on that lies behind an item
      const unsigned position = round.chunk_begin + at;
      unsigned high_end = round.upto;
      if (end < high_end && round.ends.at(end) > position) return end;
      while (end < high_end) {
        const unsigned middle = (end + high_end) / 2;
        if (round.ends.at(middle) > position) {
          high_end = middle;
        } else {
          end = middle + 1;
        }
      }
      return end;
    };

    bool ended = false;
    unsigned head_end = 0;
    Result head = op_.template identity<Result>();
    Result tail = op_.template identity<Result>();
    unsigned next = low < high ? end_after(round.from, low) : round.upto;
    for (int at = low; at < high; ++at) {
      tail = op_(tail, lifted<Result>(op_, round.items[at], round.input_begin + at));
      if (next == round.upto || round.ends.at(next) != round.chunk_begin + at + 1) continue;
      if (ended) {
        staged_[next] = tail;
      } else {
        ended = true;
        head_end = next;
        head = tail;
      }
      tail = op_.template identity<Result>();
      next = end_after(next + 1, at + 1);
    }
    const Result carried = carry_in<threads>(tail, ended, op_, carry_, room);
    if (ended) staged_[head_end] = op_(carried, head);
    __syncthreads();
    for (unsigned k = round.from + threadIdx.x; k < round.upto; k += threads) {
      if (k == round.from && !ended_) {
        *head_ = staged_[k];
      } else {
        results_[round.ends.begin() + k] = staged_[k];
      }
      staged_[k] = op_.template identity<Result>();
    }
    ended_ = ended_ || round.from < round.upto;
  }
  [[nodiscard]] __device__ Result last_carry() const { return carry_; }
  [[nodiscard]] __device__ Result head() const { return *head_; }

 private:
  static constexpr unsigned threads = tuning::ordered_threads;

  const Op& op_;
  Result* results_;
  Result carry_;  // of the open segment; all threads have the same
  bool ended_ = false;
  Result* head_;
  Result* staged_;
};

}  // namespace peneira::detail
