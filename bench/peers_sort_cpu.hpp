// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The parallel sorts that a programmer reaches for today. All sort in place, none of those here stably; pairs are
// records of a key and its value to them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#if defined(_OPENMP)
#include <omp.h>

#include <parallel/algorithm>
#endif
#if defined(PENEIRA_WITH_TBB)
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#include <execution>
#endif
#if defined(PENEIRA_WITH_IPS4O)
#include <ips4o.hpp>
#endif

namespace peneira::bench {

/// A pair as the peers sort it.
template <class K, class V>
struct record {
  K key;
  V value;
  friend bool operator<(const record& a, const record& b) { return a.key < b.key; }
};

/// All of them, whether they are here or not.
inline constexpr std::array<std::string_view, 4> sort_peer_names{"std::sort(par_unseq)", "tbb::parallel_sort",
                                                                 "__gnu_parallel::sort", "ips4o"};

/// While it is there, peers that stand on TBB use so many threads; the others are told in their call.
class peer_threads {
 public:
  explicit peer_threads([[maybe_unused]] unsigned threads)
#if defined(PENEIRA_WITH_TBB)
      : limit_(tbb::global_control::max_allowed_parallelism, threads)
#endif
  {
  }

#if defined(PENEIRA_WITH_TBB)
 private:
  tbb::global_control limit_;
#endif
};

/// Calls measure(name, sort) for each peer that is there; sort(begin, end) sorts, under a peer_threads of the caller.
template <class T, class Measure>
void for_sort_peers([[maybe_unused]] unsigned threads, [[maybe_unused]] Measure&& measure) {
#if defined(PENEIRA_WITH_TBB)
  measure("std::sort(par_unseq)", [](T* begin, T* end) { std::sort(std::execution::par_unseq, begin, end); });
  measure("tbb::parallel_sort", [](T* begin, T* end) { tbb::parallel_sort(begin, end); });
#endif
#if defined(_OPENMP)
  measure("__gnu_parallel::sort", [threads](T* begin, T* end) {
    __gnu_parallel::sort(begin, end, __gnu_parallel::default_parallel_tag(threads));
  });
#if defined(PENEIRA_WITH_IPS4O)
  measure("ips4o",
          [threads](T* begin, T* end) { ips4o::parallel::sort(begin, end, std::less<>{}, static_cast<int>(threads)); });
#endif
#endif
}

}  // namespace peneira::bench
