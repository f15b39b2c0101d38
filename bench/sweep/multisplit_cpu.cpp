// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A multisplit on the CPU, beside a plain loop with one thread and with all.
#include <cstring>
#include <vector>

#include "bench/multisplit.hpp"
#include "bench/peers_cpu.hpp"
#include "bench/sweep/races.hpp"

namespace peneira::bench::sweep {
namespace {

template <class K, class V, class F>
outcome race_by(const problem& p, const bench_place& on, const made_items<K, V>& input, const F& f) {
  const view<const K, const V> in = input.items();
  const array<K> keys(p.n, on.threads);
  const array<V> values(view<K, V>::has_values ? p.n : 0, on.threads);
  const view<K, V> out{keys.data(), view<K, V>::has_values ? values.data() : nullptr, p.n};
  std::vector<std::uint64_t> offsets(p.bins + 1);
  const multisplit_answer<K, V> answer(in, f, on.threads);
  const auto nothing = [] {};
  const auto poison = [&] {
    std::memset(static_cast<void*>(out.keys), 0xA5, p.n * sizeof(K));
    std::fill(offsets.begin(), offsets.end(), ~std::uint64_t{0});
  };
  std::vector<contestant> peers;
  const auto plain = [&](const char* name, unsigned threads) {
    peers.push_back({name, nothing, [&, threads] { plain_two_pass(threads, in, out, f, offsets.data()); },
                     [&, poison] {
                       const bool right = answer.accepts(out, offsets, order::stable, f);
                       poison();
                       return right;
                     }});
  };
  plain("plain two-pass", 1);
  if (on.threads > 1) plain("plain two-pass, all threads", on.threads);

  const cpu place{.threads = on.threads};
  const multisplit_options options{.within_bin = p.equal};
  contestant ours{"peneira", nothing, [&] { multisplit(place, in, out, f, offsets, options); },
                  [&, poison] {
                    const bool right = answer.accepts(out, offsets, p.equal, f);
                    poison();
                    return right;
                  }};
  multisplit_problem asked{p.n, f.bins(), sizeof(K), view<K, V>::has_values ? sizeof(V) : 0, 8, p.equal};
  asked.may_miss = !peneira::detail::never_misses<F>;
  const plan made = peneira::detail::plan_multisplit(asked, host::here().with_threads(on.threads), "");
  outcome found;
  found.chosen = made.strategy;
  found.temporary_bytes = made.temporary_bytes;
  found.bytes = 3.0 * static_cast<double>(p.n) * static_cast<double>(p.item_bytes());
  poison();
  race(cpu_once{}, on.limits, true).run(std::move(peers), std::move(ours), found);
  return found;
}

}  // namespace

outcome race_multisplit_cpu(const problem& p, const bench_place& on) {
  return with_split_type(p.type, [&]<class K, class V>(K /*key*/, V /*value*/) {
    const made_items<K, V> input(p, 1, on.threads);
    return with_bin_function<K, V>(p, input, on.threads, [&](const auto& f) { return race_by<K, V>(p, on, input, f); });
  });
}

}  // namespace peneira::bench::sweep
