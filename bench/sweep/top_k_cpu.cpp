// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A top_k on the CPU, beside the standard library's.
#include "peneira/top_k.hpp"

#include "bench/peers_sort_cpu.hpp"
#include "bench/sweep/call_race.hpp"

namespace peneira::bench::sweep {
namespace {

template <class K, class V>
class top_k_race_cpu {
 public:
  top_k_race_cpu(const problem& p, const bench_place& on)
      : p_(p),
        on_(on),
        n_(p.n),
        k_(p.asked.k),
        copies_(copies_for(p.n)),
        input_(p, copies_, on.threads),
        items_(has_values ? n_ * copies_ : 0, on.threads),
        keys_(k_ * copies_, on.threads),
        values_(has_values ? k_ * copies_ : 0, on.threads),
        found_(k_ * copies_, on.threads),
        room_(n_, on.threads),
        wanted_(k_ * copies_) {
    const view<const K, const V> in = input_.items();
    if constexpr (has_values) {
      for (std::size_t i = 0; i < in.size; ++i) items_.data()[i] = {in.keys[i], in.values[i]};
    }
    for (std::size_t c = 0; c < copies_; ++c) {
      std::vector<K> all(in.keys + c * n_, in.keys + (c + 1) * n_);
      std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k_), all.end(), before{p.asked.least});
      std::copy_n(all.begin(), k_, wanted_.begin() + static_cast<std::ptrdiff_t>(c * k_));
    }
  }

  outcome run() {
    call_race race(on_, copies_);
    const before first{p_.asked.least};
    const auto check_peer = [this] { return accepts_peer(); };
    if (p_.asked.sorted) {
      race.peer(
          "std::partial_sort_copy",
          [this, first](std::size_t c) {
            std::partial_sort_copy(source(c), source(c) + n_, found_.data() + c * k_, found_.data() + (c + 1) * k_,
                                   first);
          },
          check_peer);
    }
    race.peer(
        p_.asked.sorted ? "std::nth_element + std::sort" : "std::nth_element",
        [this, first](std::size_t c) {
          item* const all = room_.data();
          std::copy(source(c), source(c) + n_, all);
          if (k_ != n_) std::nth_element(all, all + k_, all + n_, first);
          if (p_.asked.sorted) std::sort(all, all + k_, first);
          std::copy(all, all + k_, found_.data() + c * k_);
        },
        check_peer);
    const top_k_options options{.least = p_.asked.least, .sorted = p_.asked.sorted};
    const view<const K, const V> in = input_.items();
    const auto call = [&, in](auto&& at, std::size_t c) {
      const view<const K, const V> from{in.keys + c * n_, has_values ? in.values + c * n_ : nullptr, n_};
      const view<K, V> to{keys_.data() + c * k_, has_values ? values_.data() + c * k_ : nullptr, k_};
      top_k(at, from, k_, to, options);
    };
    return race.ours(
        call, [this] { return accepts(); }, bytes_of(n_ + k_, p_.item_bytes()));
  }

 private:
  static constexpr bool has_values = view<K, V>::has_values;
  using item = std::conditional_t<has_values, record<K, V>, K>;

  /// What comes first, of keys and of records.
  struct before {
    bool least;
    template <class T>
    bool operator()(const T& a, const T& b) const {
      return least ? a < b : b < a;
    }
  };

  [[nodiscard]] const item* source(std::size_t c) const {
    if constexpr (has_values) {
      return items_.data() + c * n_;
    } else {
      return input_.items().keys + c * n_;
    }
  }
  /// Takes over what a peer found.
  bool accepts_peer() {
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if constexpr (has_values) {
        keys_.data()[i] = found_.data()[i].key;
        values_.data()[i] = found_.data()[i].value;
      } else {
        keys_.data()[i] = found_.data()[i];
      }
    }
    poison(found_);
    return accepts();
  }
  bool accepts() {
    bool right = true;
    for (std::size_t c = 0; right && c < copies_; ++c) right = accepts_one(c);
    return poisoned(right, keys_, values_);
  }
  /// The keys that are wanted, each with a value that was its own, none of them twice.
  [[nodiscard]] bool accepts_one(std::size_t c) const {
    std::vector<K> got(keys_.data() + c * k_, keys_.data() + (c + 1) * k_);
    if constexpr (has_values) {
      std::vector<V> from(values_.data() + c * k_, values_.data() + (c + 1) * k_);
      for (std::size_t i = 0; i < k_; ++i) {
        if (from[i] >= n_ || input_.items().keys[c * n_ + from[i]] != got[i]) return false;
      }
      std::sort(from.begin(), from.end());
      if (std::adjacent_find(from.begin(), from.end()) != from.end()) return false;
    }
    if (!p_.asked.sorted) std::sort(got.begin(), got.end(), before{p_.asked.least});
    return std::equal(got.begin(), got.end(), wanted_.begin() + static_cast<std::ptrdiff_t>(c * k_));
  }

  const problem& p_;
  const bench_place& on_;
  std::size_t n_;
  std::size_t k_;
  std::size_t copies_;
  made_items<K, V> input_;
  array<item> items_;
  array<K> keys_;
  array<V> values_;
  array<item> found_;
  array<item> room_;
  std::vector<K> wanted_;
};

}  // namespace

outcome race_top_k_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.type == item_type::f32) return top_k_race_cpu<float, no_value>(p, on).run();
    if (p.type == item_type::u64_u64) return top_k_race_cpu<std::uint64_t, std::uint64_t>(p, on).run();
  }
  return top_k_race_cpu<std::uint32_t, no_value>(p, on).run();
}

}  // namespace peneira::bench::sweep
