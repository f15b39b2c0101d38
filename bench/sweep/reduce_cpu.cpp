// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A reduce and a segmented reduce on the CPU, beside plain loops, OpenMP's and the standard library's.
#include <vector>

#include "bench/peers_reduce_cpu.hpp"
#include "bench/segmented_reduce.hpp"
#include "bench/sweep/races.hpp"

namespace peneira::bench::sweep {
namespace {

constexpr std::size_t one_thread_items = std::size_t{1} << 22U;  // above, one thread is never the fastest way

template <class T, class Op>
outcome race_all(const problem& p, const bench_place& on) {
  const made_items<T, no_value> input(p, 1, on.threads);
  const T* const keys = input.items().keys;
  const std::size_t n = p.n;
  const auto wanted = answer_of<T, Op>(keys, n, on.threads);
  T result{};
  std::vector<contestant> peers;
  const auto peer = [&](const char* name, auto work) {
    peers.push_back({name, [] {}, [&result, work] { result = work(); },
                     [&, wanted] { return reduce_answer<T, Op>::accepts_any(std::exchange(result, T{}), wanted, n); }});
  };
  const std::size_t ends[] = {0, n};
  if (n < one_thread_items) peer("plain loop", [&] { return plain_segment(keys, ends, 0, Op{}); });
#if defined(PENEIRA_WITH_TBB)
  peer("std::reduce(par_unseq)", [&] { return std_reduce(on.threads, keys, n, Op{}); });
#endif
#if defined(_OPENMP)
  peer("OpenMP simd", [&] { return openmp_reduce(on.threads, keys, n, Op{}); });
#endif
  const auto call = [&](auto&& at, T* to) { reduce(at, items(keys, n), to, Op{}); };
  contestant ours{"peneira", [] {}, [&] { call(cpu{.threads = on.threads}, &result); },
                  [&] { return reduce_answer<T, Op>::accepts(std::exchange(result, T{}), wanted, n); }};
  const plan made =
      explain([&](auto& at) { call(at, static_cast<T*>(nullptr)); }, host::here().with_threads(on.threads));
  outcome found;
  found.chosen = made.strategy;
  found.temporary_bytes = made.temporary_bytes;
  found.bytes = static_cast<double>(n * sizeof(T));
  race(cpu_once{}, on.limits, true).run(std::move(peers), std::move(ours), found);
  return found;
}

template <class T, class Op>
outcome race_segments(const problem& p, const bench_place& on) {
  const made_items<T, no_value> input(p, 1, on.threads);
  const T* const keys = input.items().keys;
  const std::size_t count = p.segments.count;
  const std::vector<std::uint32_t> offsets = make_offsets(p.segments, p.n, p.data_seed, on.threads);
  const segments_answer<T, Op> answer(keys, offsets, on.threads);
  const array<T> results(count, on.threads);
  const auto poison = [&] { std::memset(static_cast<void*>(results.data()), 0xA5, count * sizeof(T)); };
  const auto check = [&, poison](bool any) {
    const bool right = answer.accepts(results.data(), any);
    poison();
    return right;
  };
  std::vector<contestant> peers;
  const auto peer = [&](const char* name, auto work) {
    peers.push_back({name, [] {}, work, [check] { return check(true); }});
  };
  if (p.n < one_thread_items) {
    peer("plain loop", [&] {
      for (std::size_t s = 0; s < count; ++s) results.data()[s] = plain_segment(keys, offsets.data(), s, Op{});
    });
  }
#if defined(_OPENMP)
  peer("OpenMP loop, static",
       [&] { openmp_segments_static(on.threads, keys, offsets.data(), count, results.data(), Op{}); });
  peer("OpenMP loop, dynamic",
       [&] { openmp_segments_dynamic(on.threads, keys, offsets.data(), count, results.data(), Op{}); });
#endif
  const auto call = [&](auto&& at) {
    segmented_reduce(at, items(keys, p.n), offsets, items(results.data(), count), Op{});
  };
  contestant ours{"peneira", [] {}, [&] { call(cpu{.threads = on.threads}); }, [check] { return check(false); }};
  const plan made = explain([&](auto& at) { call(at); }, host::here().with_threads(on.threads));
  outcome found;
  found.chosen = made.strategy;
  found.temporary_bytes = made.temporary_bytes;
  found.bytes = static_cast<double>(p.n * sizeof(T)) + static_cast<double>(count * (sizeof(T) + sizeof(offsets[0])));
  poison();
  race(cpu_once{}, on.limits, true).run(std::move(peers), std::move(ours), found);
  return found;
}

}  // namespace

outcome race_reduce_cpu(const problem& p, const bench_place& on) {
  return with_reduction(p, [&]<class T, class Op>(T /*item*/, Op /*op*/) { return race_all<T, Op>(p, on); });
}

outcome race_segmented_reduce_cpu(const problem& p, const bench_place& on) {
  return with_reduction(p, [&]<class T, class Op>(T /*item*/, Op /*op*/) { return race_segments<T, Op>(p, on); });
}

}  // namespace peneira::bench::sweep
