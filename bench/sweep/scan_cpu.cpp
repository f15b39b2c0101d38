// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A scan on the CPU, beside the standard library's and two passes with all threads.
#include "peneira/scan.hpp"

#include <numeric>

#include "bench/peers_reduce_cpu.hpp"
#include "bench/peers_sort_cpu.hpp"
#include "bench/sweep/call_race.hpp"
#include "bench/sweep/scan_answer.hpp"

namespace peneira::bench::sweep {
namespace {

/// A slice a thread: what each comes to, then each again from where the one before it ended.
template <class T, class Op>
void two_pass_scan(unsigned threads, const T* in, std::size_t n, T* out, const Op& op, bool inclusive) {
  std::vector<T> sums(threads + 1, op.template identity<T>());
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(n, m, threads);
    sums[m + 1] = std::reduce(in + begin, in + end, op.template identity<T>(), op);
  });
  for (unsigned m = 0; m < threads; ++m) sums[m + 1] = op(sums[m], sums[m + 1]);
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(n, m, threads);
    if (inclusive) {
      std::inclusive_scan(in + begin, in + end, out + begin, op, sums[m]);
    } else {
      std::exclusive_scan(in + begin, in + end, out + begin, sums[m], op);
    }
  });
}

template <class T, class Op>
outcome race_scan(const problem& p, const bench_place& on) {
  const std::size_t n = p.n;
  const std::size_t copies = copies_for(n);
  const bool inclusive = p.asked.inclusive;
  const made_items<T, no_value> input(p, copies, on.threads);
  const T* const in = input.items().keys;
  const array<T> out(n * copies, on.threads);
  const auto check = [&] {
    bool right = true;
    for (std::size_t c = 0; right && c < copies; ++c) {
      right = is_scan(in + c * n, out.data() + c * n, n, Op{}, inclusive);
    }
    return poisoned(right, out);
  };
  const peer_threads limit(on.threads);
  call_race race(on, copies);
  const T start = Op{}.template identity<T>();
  race.peer(
      inclusive ? "std::inclusive_scan" : "std::exclusive_scan",
      [&, start](std::size_t c) {
        const T* const from = in + c * n;
        if (inclusive) {
          std::inclusive_scan(from, from + n, out.data() + c * n, Op{}, start);
        } else {
          std::exclusive_scan(from, from + n, out.data() + c * n, start, Op{});
        }
      },
      check);
  if (on.threads > 1) {
    race.peer(
        "two passes, all threads",
        [&](std::size_t c) { two_pass_scan(on.threads, in + c * n, n, out.data() + c * n, Op{}, inclusive); }, check);
  }
  const scan_options options{.inclusive = inclusive};
  const auto call = [&](auto&& at, std::size_t c) {
    scan(at, items(in + c * n, n), items(out.data() + c * n, n), Op{}, options);
  };
  return race.ours(call, check, 2 * bytes_of(n, sizeof(T)));
}

}  // namespace

outcome race_scan_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.type == item_type::f64) return race_scan<double, plus>(p, on);
    if (p.type == item_type::f32) return race_scan<float, max>(p, on);
  }
  return race_scan<std::uint32_t, plus>(p, on);
}

}  // namespace peneira::bench::sweep
