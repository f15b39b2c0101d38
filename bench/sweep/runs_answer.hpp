// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The items of unique and run_lengths, sorted where the problem says so, and whether some runs are theirs.
#pragma once

#include <algorithm>

#include "bench/sweep/races.hpp"

namespace peneira::bench::sweep {

template <class K>
class runs_input {
 public:
  runs_input(const problem& p, std::size_t copies, unsigned threads) : n_(p.n), keys_(p.n * copies, threads) {
    const made_items<K, no_value> made(p, copies, threads);
    std::copy(made.items().keys, made.items().keys + keys_.size(), keys_.data());
    if (p.asked.sorted) {
      for (std::size_t c = 0; c < copies; ++c) std::sort(keys_.data() + c * n_, keys_.data() + (c + 1) * n_);
    }
  }
  [[nodiscard]] const K* keys() const { return keys_.data(); }
  /// How many runs the first array has.
  [[nodiscard]] std::size_t runs() const {
    std::size_t found = 1;
    for (std::size_t i = 1; i < n_; ++i) found += keys_.data()[i] != keys_.data()[i - 1] ? 1U : 0U;
    return found;
  }
  /// Whether these are the runs of array c; lengths may be nullptr.
  bool accepts(std::size_t c, const K* values, const std::uint32_t* lengths, std::size_t count) const {
    const K* const keys = keys_.data() + c * n_;
    std::size_t run = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (i + 1 != n_ && keys[i + 1] == keys[i]) continue;
      if (run >= count || values[run] != keys[i]) return false;
      if (lengths != nullptr && lengths[run] != i + 1 - begin) return false;
      begin = i + 1;
      ++run;
    }
    return run == count;
  }

 private:
  std::size_t n_;
  array<K> keys_;
};

}  // namespace peneira::bench::sweep
