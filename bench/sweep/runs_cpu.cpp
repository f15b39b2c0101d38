// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// unique and run_lengths on the CPU, beside std::unique_copy and plain loops.
#include "bench/sweep/call_race.hpp"
#include "bench/sweep/runs_answer.hpp"
#include "peneira/unique.hpp"

namespace peneira::bench::sweep {
namespace {

/// The runs of an array as anybody would write it; lengths may be nullptr.
template <class K>
std::size_t plain_runs(const K* keys, std::size_t n, K* values, std::uint32_t* lengths) {
  std::size_t runs = 0;
  for (std::size_t i = 0; i < n;) {
    const std::size_t begin = i;
    while (++i < n && keys[i] == keys[begin]) {
    }
    values[runs] = keys[begin];
    if (lengths != nullptr) lengths[runs] = static_cast<std::uint32_t>(i - begin);
    ++runs;
  }
  return runs;
}

template <class K>
outcome race_runs(const problem& p, const bench_place& on) {
  const std::size_t n = p.n;
  const std::size_t copies = copies_for(n);
  const runs_input<K> input(p, copies, on.threads);
  const K* const keys = input.keys();
  const bool with_lengths = p.what == primitive::run_lengths;
  const array<K> values(n * copies, on.threads);
  const array<std::uint32_t> lengths(with_lengths ? n * copies : 0, on.threads);
  std::vector<std::size_t> counts(copies);
  const auto check = [&] {
    bool right = true;
    for (std::size_t c = 0; right && c < copies; ++c) {
      right = input.accepts(c, values.data() + c * n, with_lengths ? lengths.data() + c * n : nullptr, counts[c]);
    }
    return poisoned(right, values, lengths);
  };
  call_race race(on, copies);
  if (!with_lengths) {
    race.peer(
        "std::unique_copy",
        [&](std::size_t c) {
          K* const to = values.data() + c * n;
          counts[c] = static_cast<std::size_t>(std::unique_copy(keys + c * n, keys + (c + 1) * n, to) - to);
        },
        check);
  }
  race.peer(
      "plain loop",
      [&](std::size_t c) {
        counts[c] = plain_runs(keys + c * n, n, values.data() + c * n, with_lengths ? lengths.data() + c * n : nullptr);
      },
      check);
  const double bytes = bytes_of(n + input.runs(), sizeof(K)) + bytes_of(with_lengths ? input.runs() : 0, 4);
  if (with_lengths) {
    const auto call = [&](auto&& at, std::size_t c) {
      counts[c] =
          run_lengths(at, items(keys + c * n, n), items(values.data() + c * n, n), items(lengths.data() + c * n, n));
    };
    return race.ours(call, check, bytes);
  }
  const auto call = [&](auto&& at, std::size_t c) {
    counts[c] = unique(at, items(keys + c * n, n), items(values.data() + c * n, n));
  };
  return race.ours(call, check, bytes);
}

}  // namespace

outcome race_runs_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.type == item_type::u64) return race_runs<std::uint64_t>(p, on);
  }
  return race_runs<std::uint32_t>(p, on);
}

}  // namespace peneira::bench::sweep
