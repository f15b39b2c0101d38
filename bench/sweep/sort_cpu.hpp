// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort on the CPU, in place, beside the sorts that a programmer reaches for. Arrays of few items are sorted many at
// a time, each another, so that a call of ten keys can be timed and no branch is learnt by heart.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "bench/peers_sort_cpu.hpp"
#include "bench/sort.hpp"
#include "bench/sweep/races.hpp"

namespace peneira::bench::sweep {

template <class K, class V>
class sort_race_cpu {
 public:
  sort_race_cpu(const problem& p, const bench_place& on)
      : p_(p),
        on_(on),
        copies_(std::max<std::size_t>(1, batch / p.n)),
        input_(p, copies_, on.threads),
        work_(p.n * copies_, on.threads),
        records_(has_values ? p.n * copies_ : 0, on.threads) {}

  outcome run() {
    outcome found;
    std::vector<contestant> peers;
    const peer_threads limit(on_.threads);
    peers.push_back(peer("std::sort", [](item* begin, item* end) { std::sort(begin, end); }));
    if (p_.n >= few_items) {
      if (p_.n >= many_items) peers.clear();
      for_sort_peers<item>(on_.threads,
                           [&](const char* name, auto&& sort_it) { peers.push_back(peer(name, sort_it)); });
    }
    const cpu place{.threads = on_.threads};
    const sort_options options{.equal_keys = p_.equal};
    contestant ours{"peneira", [this] { work_.copy(input_.items()); },
                    [&, this] {
                      for (std::size_t c = 0; c < copies_; ++c) sort(place, part(work_.items(), c), options);
                    },
                    [this] { return accepts(p_.equal); }};
    const plan made =
        explain([&](auto& at) { sort(at, part(work_.items(), 0), options); }, host::here().with_threads(on_.threads));
    found.chosen = made.strategy;
    found.temporary_bytes = made.temporary_bytes;
    found.bytes = 2.0 * static_cast<double>(p_.n) * static_cast<double>(p_.item_bytes());
    race(cpu_once{}, on_.limits, false).run(std::move(peers), std::move(ours), found);
    for (auto& [name, timed] : found.all) timed = divided(timed);
    found.ours = divided(found.ours);
    found.peer = divided(found.peer);
    return found;
  }

 private:
  static constexpr bool has_values = view<K, V>::has_values;
  static constexpr std::size_t batch = 1 << 16;                     // items that a run sorts at least
  static constexpr std::size_t many_items = std::size_t{1} << 20U;  // of which one thread is never the fastest way
  using item = std::conditional_t<has_values, record<K, V>, K>;

  template <class View>
  [[nodiscard]] View part(View all, std::size_t copy) const {
    const std::size_t n = p_.n;
    return {all.keys + copy * n, has_values ? all.values + copy * n : nullptr, n};
  }

  template <class Sort>
  contestant peer(const char* name, Sort sort_it) {
    return {name, [this] { prepare(); },
            [this, sort_it] {
              item* const items = [this] {
                if constexpr (has_values) {
                  return records_.data();
                } else {
                  return work_.items().keys;
                }
              }();
              for (std::size_t c = 0; c < copies_; ++c) sort_it(items + c * p_.n, items + (c + 1) * p_.n);
            },
            [this] { return accepts_peer(); }};
  }

  void prepare() {
    if constexpr (has_values) {
      const view<const K, const V> in = input_.items();
      work_.each([&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) records_.data()[i] = {in.keys[i], in.values[i]};
      });
    } else {
      work_.copy(input_.items());
    }
  }

  bool accepts_peer() {
    if constexpr (has_values) {
      const view<K, V> to = work_.items();
      work_.each([&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          to.keys[i] = records_.data()[i].key;
          to.values[i] = records_.data()[i].value;
        }
      });
    }
    return accepts(order::any);
  }

  [[nodiscard]] bool accepts(order equal_keys) const {
    const unsigned threads = copies_ == 1 ? on_.threads : 1;
    for (std::size_t c = 0; c < copies_; ++c) {
      const sort_answer<K, V> answer(part(input_.items(), c), threads);
      const view<K, V> got = part(work_.items(), c);
      if (!answer.accepts(got, equal_keys)) return false;
    }
    return true;
  }

  /// The time of one array.
  [[nodiscard]] timing divided(timing t) const {
    for (double* const part : {&t.seconds, &t.low, &t.high, &t.mean, &t.mean_half}) {
      *part /= static_cast<double>(copies_);
    }
    return t;
  }

  const problem& p_;
  const bench_place& on_;
  std::size_t copies_;
  made_items<K, V> input_;
  sort_items<K, V> work_;
  array<item> records_;
};

}  // namespace peneira::bench::sweep
