// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A group_by on the CPU, which adds up, beside hash maps and a sort.
#include "peneira/group_by.hpp"

#include "bench/sweep/call_race.hpp"
#include "bench/sweep/groups_answer.hpp"

namespace peneira::bench::sweep {
namespace {

template <class K, class V, class Sum>
outcome race_groups(const problem& p, const bench_place& on) {
  const std::size_t n = p.n;
  const std::size_t copies = copies_for(n);
  const made_items<K, V> input(p, copies, on.threads);
  const view<const K, const V> in = input.items();
  const groups_answer<K, Sum> answer(in, n, copies, on.threads);
  const array<K> keys(n * copies, on.threads);
  const array<V> sums(n * copies, on.threads);
  std::vector<std::size_t> counts(copies);
  const bool ascending = p.equal == order::stable;
  const auto check = [&] {
    bool right = true;
    for (std::size_t c = 0; right && c < copies; ++c) {
      right = answer.accepts(c, keys.data() + c * n, sums.data() + c * n, counts[c], ascending);
    }
    return poisoned(right, keys, sums);
  };
  const peer_threads limit(on.threads);
  call_race race(on, copies);
  race.peer(
      "hash map",
      [&](std::size_t c) {
        counts[c] = hash_group_by<Sum>(in.keys + c * n, in.values + c * n, n, ascending, keys.data() + c * n,
                                       sums.data() + c * n);
      },
      check);
  race.peer(
      "sort + fold",
      [&](std::size_t c) {
        counts[c] = sort_group_by<Sum>(on.threads, in.keys + c * n, in.values + c * n, n, keys.data() + c * n,
                                       sums.data() + c * n);
      },
      check);
  if (on.threads > 1) {
    race.peer(
        "hash maps, all threads",
        [&](std::size_t c) {
          counts[c] = hash_group_by_threads<Sum>(on.threads, in.keys + c * n, in.values + c * n, n, ascending,
                                                 keys.data() + c * n, sums.data() + c * n);
        },
        check);
  }
  const group_by_options options{.groups = p.equal};
  const auto call = [&](auto&& at, std::size_t c) {
    counts[c] = group_by(at, items(in.keys + c * n, n), items(in.values + c * n, n), items(keys.data() + c * n, n),
                         items(sums.data() + c * n, n), plus{}, options);
  };
  const double bytes = bytes_of(n + answer.count(), p.item_bytes());
  return race.ours(call, check, bytes);
}

}  // namespace

outcome race_group_by_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.type == item_type::u64_u64) return race_groups<std::uint64_t, std::uint64_t, std::uint64_t>(p, on);
  }
  return race_groups<std::uint32_t, float, double>(p, on);
}

}  // namespace peneira::bench::sweep
