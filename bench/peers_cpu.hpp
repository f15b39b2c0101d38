// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a programmer would write without a library, to be measured beside ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "peneira/cpu/team.hpp"
#include "peneira/view.hpp"

namespace peneira::bench {

/// Two passes with all threads, of our own team: a histogram a thread, a running sum over bins and threads, a plain
/// scatter.
template <class K, class V, class F, class Offset>
void plain_two_pass(unsigned threads, view<const K, const V> in, view<K, V> out, const F& f, Offset* offsets) {
  const std::size_t bins = f.bins();
  std::vector<std::uint64_t> next(threads * bins);
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(in.size, m, threads);
    std::uint64_t* const mine = next.data() + m * bins;
    for (std::size_t i = begin; i < end; ++i) ++mine[f(in.keys[i])];
  });
  std::uint64_t position = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    offsets[b] = static_cast<Offset>(position);
    for (unsigned m = 0; m < threads; ++m) {
      const std::uint64_t count = next[m * bins + b];
      next[m * bins + b] = position;
      position += count;
    }
  }
  offsets[bins] = static_cast<Offset>(position);
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(in.size, m, threads);
    std::uint64_t* const mine = next.data() + m * bins;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t to = mine[f(in.keys[i])]++;
      out.keys[to] = in.keys[i];
      if constexpr (view<K, V>::has_values) out.values[to] = in.values[i];
    }
  });
}

}  // namespace peneira::bench
