// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A partition and a gather on the CPU, beside the standard library's and plain loops.
#include "peneira/partition.hpp"

#include "bench/peers_cpu.hpp"
#include "bench/sweep/call_race.hpp"
#include "bench/sweep/parts.hpp"
#include "peneira/gather.hpp"

namespace peneira::bench::sweep {
namespace {

/// Parts as plain_two_pass takes them.
template <class F>
struct part_bins {
  F f;
  std::uint32_t ways;
  [[nodiscard]] std::uint32_t bins() const { return ways; }
  template <class K>
  std::uint32_t operator()(const K& key) const {
    return f.part(key);
  }
};

/// Every item to both ends, of which one counts; those of the second part go to a side and follow at the end.
template <class K, class V, class F>
std::size_t one_pass_partition(view<const K, const V> in, view<K, V> out, view<K, V> side, const F& f) {
  std::size_t first = 0;
  std::size_t second = 0;
  for (std::size_t i = 0; i < in.size; ++i) {
    const bool is_first = f(in.keys[i]);
    out.keys[first] = side.keys[second] = in.keys[i];
    if constexpr (view<K, V>::has_values) out.values[first] = side.values[second] = in.values[i];
    first += is_first ? 1 : 0;
    second += is_first ? 0 : 1;
  }
  std::copy(side.keys, side.keys + second, out.keys + first);
  if constexpr (view<K, V>::has_values) std::copy(side.values, side.values + second, out.values + first);
  return first;
}

template <class K, class V, class F>
class partition_race_cpu {
 public:
  partition_race_cpu(const problem& p, const bench_place& on, const made_items<K, V>& input, std::size_t copies, F f)
      : p_(p),
        on_(on),
        n_(p.n),
        copies_(copies),
        in_(input.items()),
        f_(f),
        keys_(n_ * copies, on.threads),
        values_(has_values ? n_ * copies : 0, on.threads),
        side_keys_(n_, on.threads),
        side_values_(has_values ? n_ : 0, on.threads),
        counts_(3 * copies) {}

  outcome run() {
    call_race race(on_, copies_);
    add_loops(race);
    if constexpr (F::ways == 2) add_of_two(race);
    const partition_options options{.within_part = p_.equal};
    const auto call = [&](auto&& at, std::size_t c) {
      partition(at, in(c), out(c), f_, items(counts_.data() + 3 * c, F::ways), options);
    };
    return race.ours(
        call, [this] { return accepts(p_.equal); }, 2 * bytes_of(n_, p_.item_bytes()));
  }

 private:
  static constexpr bool has_values = view<K, V>::has_values;

  [[nodiscard]] view<const K, const V> in(std::size_t c) const {
    return {in_.keys + c * n_, has_values ? in_.values + c * n_ : nullptr, n_};
  }
  [[nodiscard]] view<K, V> out(std::size_t c) const {
    return {keys_.data() + c * n_, has_values ? values_.data() + c * n_ : nullptr, n_};
  }
  void set_two(std::size_t c, std::size_t first) {
    counts_[3 * c] = first;
    counts_[3 * c + 1] = n_ - first;
  }
  void add_loops(call_race& race) {
    const auto plain = [&](const char* name, unsigned threads) {
      race.peer(
          name,
          [this, threads](std::size_t c) {
            std::array<std::uint64_t, F::ways + 1> offsets{};
            plain_two_pass(threads, in(c), out(c), part_bins<F>{f_, F::ways}, offsets.data());
            for (std::size_t b = 0; b < F::ways; ++b) counts_[3 * c + b] = offsets[b + 1] - offsets[b];
          },
          [this] { return accepts(order::stable); });
    };
    plain("plain two-pass", 1);
    if (on_.threads > 1) plain("plain two-pass, all threads", on_.threads);
  }
  void add_of_two(call_race& race) {
    race.peer(
        "one pass and a copy",
        [this](std::size_t c) {
          const view<K, V> side{side_keys_.data(), has_values ? side_values_.data() : nullptr, n_};
          set_two(c, one_pass_partition(in(c), out(c), side, f_));
        },
        [this] { return accepts(order::stable); });
    if constexpr (!has_values) {
      const bool any = p_.equal == order::any;
      race.peer(
          any ? "std::partition" : "std::stable_partition",
          [this, any](std::size_t c) {
            K* const to = out(c).keys;
            std::copy(in(c).keys, in(c).keys + n_, to);
            K* const middle = any ? std::partition(to, to + n_, f_) : std::stable_partition(to, to + n_, f_);
            set_two(c, static_cast<std::size_t>(middle - to));
          },
          [this] { return accepts(p_.equal); });
    }
  }
  bool accepts(order within) {
    bool right = true;
    for (std::size_t c = 0; right && c < copies_; ++c) {
      right = are_parts(in(c), out(c), counts_.data() + 3 * c, f_, within);
    }
    std::fill(counts_.begin(), counts_.end(), 0);
    return poisoned(right, keys_, values_);
  }

  const problem& p_;
  const bench_place& on_;
  std::size_t n_;
  std::size_t copies_;
  view<const K, const V> in_;
  F f_;
  array<K> keys_;
  array<V> values_;
  array<K> side_keys_;
  array<V> side_values_;
  std::vector<std::uint64_t> counts_;
};

template <class K, class V>
outcome race_partition_of(const problem& p, const bench_place& on) {
  const std::size_t copies = copies_for(p.n);
  const made_items<K, V> input(p, copies, on.threads);
  const K pivot = input.items().keys[p.data_seed % p.n];
  if (p.asked.parts == 2) {
    return partition_race_cpu<K, V, is_below<K>>(p, on, input, copies, is_below<K>{pivot}).run();
  }
  return partition_race_cpu<K, V, three_around<K>>(p, on, input, copies, three_around<K>{pivot}).run();
}

template <class K>
outcome race_gather_of(const problem& p, const bench_place& on) {
  const std::size_t n = p.n;
  const std::size_t copies = copies_for(n);
  const array<K> positions(n * copies, on.threads);
  const array<K> in(n * copies, on.threads);
  const array<K> out(n * copies, on.threads);
  fill_positions(made_items<K, no_value>(p, copies, on.threads).items(), n, positions.data());
  for (std::size_t i = 0; i < n * copies; ++i) in.data()[i] = static_cast<K>(mix64(i));
  const auto loop = [&](std::size_t c, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out.data()[c * n + i] = in.data()[c * n + positions.data()[c * n + i]];
  };
  const auto check = [&] {
    bool right = true;
    for (std::size_t i = 0; right && i < n * copies; ++i) {
      right = out.data()[i] == in.data()[i / n * n + positions.data()[i]];
    }
    return poisoned(right, out);
  };
  call_race race(on, copies);
  race.peer(
      "plain loop", [&](std::size_t c) { loop(c, 0, n); }, check);
  if (on.threads > 1) {
    race.peer(
        "plain loop, all threads",
        [&](std::size_t c) {
          peneira::detail::on_each(on.threads, [&](unsigned m) {
            const auto [begin, end] = peneira::detail::slice(n, m, on.threads);
            loop(c, begin, end);
          });
        },
        check);
  }
  const auto call = [&](auto&& at, std::size_t c) {
    gather(at, items(static_cast<const K*>(in.data()) + c * n, n), items(positions.data() + c * n, n),
           items(out.data() + c * n, n));
  };
  return race.ours(call, check, 3 * bytes_of(n, sizeof(K)));
}

}  // namespace

outcome race_partition_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.has_pairs()) return race_partition_of<std::uint64_t, std::uint64_t>(p, on);
  }
  return race_partition_of<std::uint32_t, no_value>(p, on);
}

outcome race_gather_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.type == item_type::u64) return race_gather_of<std::uint64_t>(p, on);
  }
  return race_gather_of<std::uint32_t>(p, on);
}

}  // namespace peneira::bench::sweep
