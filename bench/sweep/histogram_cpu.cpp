// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A histogram on the CPU, beside a plain loop with one thread and with all.
#include "peneira/histogram.hpp"

#include "bench/sweep/call_race.hpp"

namespace peneira::bench::sweep {
namespace {

/// Tables of their own for all threads, added up at the end.
template <class K, class F>
void plain_histogram(unsigned threads, const K* keys, std::size_t n, const F& f, std::uint32_t* counts) {
  const std::size_t bins = f.bins();
  std::vector<std::uint32_t> tables((threads - 1) * bins);
  std::fill(counts, counts + bins, 0U);
  const auto count = [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(n, m, threads);
    std::uint32_t* const mine = m == 0 ? counts : tables.data() + (m - 1) * bins;
    for (std::size_t i = begin; i < end; ++i) ++mine[f(keys[i])];
  };
  if (threads == 1) return count(0);
  peneira::detail::on_each(threads, count);
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(bins, m, threads);
    for (std::size_t t = 0; t + 1 < threads; ++t) {
      for (std::size_t b = begin; b < end; ++b) counts[b] += tables[t * bins + b];
    }
  });
}

template <class K, class F>
outcome race_counts(const problem& p, const bench_place& on, std::size_t copies, const K* keys, const F& f) {
  const std::size_t n = p.n;
  const array<std::uint32_t> counts(copies * p.bins, on.threads);
  const array<std::uint32_t> wanted(copies * p.bins, on.threads);
  for (std::size_t c = 0; c < copies; ++c) {
    for (std::size_t i = 0; i < n; ++i) ++wanted.data()[c * p.bins + f(keys[c * n + i])];
  }
  const auto check = [&] {
    return poisoned(std::equal(wanted.data(), wanted.data() + wanted.size(), counts.data()), counts);
  };
  call_race race(on, copies);
  const auto plain = [&](const char* name, unsigned threads) {
    race.peer(
        name, [&, threads](std::size_t c) { plain_histogram(threads, keys + c * n, n, f, counts.data() + c * p.bins); },
        check);
  };
  plain("plain loop", 1);
  if (on.threads > 1) plain("plain loop, all threads", on.threads);
  const auto call = [&](auto&& at, std::size_t c) {
    histogram(at, items(keys + c * n, n), f, items(counts.data() + c * p.bins, p.bins));
  };
  return race.ours(call, check, bytes_of(n, sizeof(K)) + bytes_of(p.bins, sizeof(std::uint32_t)));
}

template <class K>
outcome race_histogram_of(const problem& p, const bench_place& on) {
  const std::size_t copies = copies_for(std::max(p.n, p.bins));
  const made_items<K, no_value> input(p, copies, on.threads);
  return with_bin_function<K, no_value>(
      p, input, on.threads, [&](const auto& f) { return race_counts<K>(p, on, copies, input.items().keys, f); });
}

}  // namespace

outcome race_histogram_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.type == item_type::u64) return race_histogram_of<std::uint64_t>(p, on);
  }
  return race_histogram_of<std::uint32_t>(p, on);
}

}  // namespace peneira::bench::sweep
