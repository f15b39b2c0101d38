// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort of records and an argsort by two columns on the CPU, beside the sorts that a programmer reaches for.
#include "bench/peers_sort_cpu.hpp"
#include "bench/sweep/call_race.hpp"
#include "peneira/sort_columns.hpp"
#include "peneira/sort_records.hpp"

namespace peneira::bench::sweep {
namespace {

/// A record of some bytes: a key, where it was, and what else there is.
template <std::size_t Bytes>
struct wide_record {
  std::uint64_t key;
  std::uint64_t position;
  std::array<std::uint64_t, Bytes / 8 - 2> more;
  friend bool operator<(const wide_record& a, const wide_record& b) { return a.key < b.key; }
};

template <std::size_t Bytes>
outcome race_records(const problem& p, const bench_place& on) {
  using item = wide_record<Bytes>;
  const std::size_t n = p.n;
  const std::size_t copies = copies_for(n);
  const array<item> input(n * copies, on.threads);
  const array<item> work(n * copies, on.threads);
  {
    const made_items<std::uint64_t, no_value> keys(p, copies, on.threads);
    for (std::size_t i = 0; i < n * copies; ++i) input.data()[i] = {keys.items().keys[i], i, {}};
  }
  const auto check = [&](bool stable) {
    for (std::size_t i = 0; i < n * copies; ++i) {
      const item& one = work.data()[i];
      if (one.position / n != i / n || input.data()[one.position].key != one.key) return false;
      if (i % n == 0) continue;
      const item& last = work.data()[i - 1];
      if (one < last || (stable && !(last < one) && one.position < last.position)) return false;
    }
    std::vector<bool> seen(n * copies);
    for (std::size_t i = 0; i < n * copies; ++i) seen[work.data()[i].position] = true;
    return std::find(seen.begin(), seen.end(), false) == seen.end();
  };
  const peer_threads limit(on.threads);
  call_race race(on, copies, [&] { std::copy(input.data(), input.data() + n * copies, work.data()); });
  const auto peer = [&](const char* name, auto sort_it) {
    race.peer(
        name, [&work, n, sort_it](std::size_t c) { sort_it(work.data() + c * n, work.data() + (c + 1) * n); },
        [check] { return check(false); });
  };
  peer("std::sort", [](item* begin, item* end) { std::sort(begin, end); });
  if (n >= few_items) for_sort_peers<item>(on.threads, peer);
  const auto call = [&](auto&& at, std::size_t c) {
    sort(at, items(work.data() + c * n, n), by{[](const item& r) { return r.key; }});
  };
  return race.ours(
      call, [check] { return check(true); }, 2 * bytes_of(n, Bytes));
}

/// A row of two columns, as peers sort it: the first ascending, the second descending, equal ones as they were.
struct two_columns {
  std::uint32_t first;
  std::uint32_t second;
  std::uint32_t position;
  friend bool operator<(const two_columns& a, const two_columns& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second != b.second ? a.second > b.second : a.position < b.position;
  }
};

}  // namespace

outcome race_sort_records_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.asked.record_bytes == 32) return race_records<32>(p, on);
    if (p.asked.record_bytes == 64) return race_records<64>(p, on);
  }
  return race_records<16>(p, on);
}

outcome race_sort_columns_cpu(const problem& p, const bench_place& on) {
  constexpr std::uint32_t values_of_second = 1000;
  const std::size_t n = p.n;
  const std::size_t copies = copies_for(n);
  const made_items<std::uint32_t, no_value> input(p, copies, on.threads);
  const std::uint32_t* const first = input.items().keys;
  const array<std::uint32_t> second(n * copies, on.threads);
  for (std::size_t i = 0; i < n * copies; ++i) {
    second.data()[i] = static_cast<std::uint32_t>(mix64(p.data_seed + i) % values_of_second);
  }
  const array<std::uint32_t> positions(n * copies, on.threads);
  const array<two_columns> rows(n, on.threads);
  const auto row = [&](std::size_t c, std::uint32_t i) {
    return two_columns{first[c * n + i], second.data()[c * n + i], i};
  };
  const auto check = [&] {
    bool right = true;
    for (std::size_t i = 0; right && i < n * copies; ++i) {
      const std::uint32_t at = positions.data()[i];
      right = at < n && (i % n == 0 || row(i / n, positions.data()[i - 1]) < row(i / n, at));
    }
    return poisoned(right, positions);
  };
  const peer_threads limit(on.threads);
  call_race race(on, copies);
  const auto peer = [&](const char* name, auto sort_it) {
    race.peer(
        name,
        [&, sort_it](std::size_t c) {
          for (std::uint32_t i = 0; i < n; ++i) rows.data()[i] = row(c, i);
          sort_it(rows.data(), rows.data() + n);
          for (std::size_t i = 0; i < n; ++i) positions.data()[c * n + i] = rows.data()[i].position;
        },
        check);
  };
  peer("rows by std::sort", [](two_columns* begin, two_columns* end) { std::sort(begin, end); });
  if (n >= few_items) for_sort_peers<two_columns>(on.threads, peer);
  const auto call = [&](auto&& at, std::size_t c) {
    argsort(at, columns(items(first + c * n, n), descending(items(second.data() + c * n, n))),
            items(positions.data() + c * n, n));
  };
  return race.ours(call, check, bytes_of(n, 3 * sizeof(std::uint32_t)));
}

}  // namespace peneira::bench::sweep
