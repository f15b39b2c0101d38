// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A segmented sort on the CPU, in place, beside loops of std::sort.
#include "peneira/segmented_sort.hpp"

#include "bench/peers_sort_cpu.hpp"
#include "bench/sort.hpp"
#include "bench/sweep/call_race.hpp"

namespace peneira::bench::sweep {
namespace {

template <class K, class V>
class segmented_sort_race_cpu {
 public:
  segmented_sort_race_cpu(const problem& p, const bench_place& on)
      : p_(p),
        on_(on),
        n_(p.n),
        copies_(copies_for(std::max(p.n, p.segments.count))),
        input_(p, copies_, on.threads),
        offsets_(make_offsets(p.segments, p.n, p.data_seed, on.threads)),
        work_(n_ * copies_, on.threads),
        records_(has_values ? n_ * copies_ : 0, on.threads) {}

  outcome run() {
    call_race race(on_, copies_, [this] { prepare(); });
    const auto check = [this] { return accepts_peer(); };
    race.peer(
        "loop of std::sort",
        [this](std::size_t c) {
          for (std::size_t s = 0; s + 1 < offsets_.size(); ++s) sort_segment(c, s);
        },
        check);
#if defined(_OPENMP)
    if (on_.threads > 1) {
      race.peer(
          "OpenMP loop of std::sort", [this](std::size_t c) { openmp_loop(c); }, check);
    }
#endif
    const view<K, V> all = work_.items();
    const auto call = [&, all](auto&& at, std::size_t c) {
      const view<K, V> part{all.keys + c * n_, has_values ? all.values + c * n_ : nullptr, n_};
      segmented_sort(at, part, offsets_, part);
    };
    const double bytes = 2 * bytes_of(n_, p_.item_bytes()) + bytes_of(offsets_.size(), sizeof(std::uint32_t));
    return race.ours(
        call, [this] { return accepts(order::stable); }, bytes);
  }

 private:
  static constexpr bool has_values = view<K, V>::has_values;
  using item = std::conditional_t<has_values, record<K, V>, K>;

  [[nodiscard]] item* items_of(std::size_t c) const {
    if constexpr (has_values) {
      return records_.data() + c * n_;
    } else {
      return work_.items().keys + c * n_;
    }
  }
  void sort_segment(std::size_t c, std::size_t s) const {
    std::sort(items_of(c) + offsets_[s], items_of(c) + offsets_[s + 1]);
  }
#if defined(_OPENMP)
  void openmp_loop(std::size_t c) const {
    const std::size_t count = offsets_.size() - 1;
    const auto chunk = static_cast<int>(std::clamp<std::size_t>(count / (std::size_t{64} * on_.threads), 1, 1024));
#pragma omp parallel for schedule(dynamic, chunk) num_threads(static_cast <int>(on_.threads))
    for (std::size_t s = 0; s < count; ++s) sort_segment(c, s);
  }
#endif
  void prepare() const {
    const view<const K, const V> in = input_.items();
    work_.copy(in);
    if constexpr (has_values) {
      work_.each([&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) records_.data()[i] = {in.keys[i], in.values[i]};
      });
    }
  }
  bool accepts_peer() const {
    if constexpr (has_values) {
      const view<K, V> to = work_.items();
      for (std::size_t i = 0; i < to.size; ++i) {
        to.keys[i] = records_.data()[i].key;
        to.values[i] = records_.data()[i].value;
      }
    }
    return accepts(order::any);
  }
  /// The items of each segment as a sort answers for them; a value is a position in its array.
  bool accepts(order equal_keys) const {
    for (std::size_t c = 0; c < copies_; ++c) {
      for (std::size_t s = 0; s + 1 < offsets_.size(); ++s) {
        if (offsets_[s] != offsets_[s + 1] && !accepts_segment(c, s, equal_keys)) return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool accepts_segment(std::size_t c, std::size_t s, order equal_keys) const {
    const std::size_t first = c * n_ + offsets_[s];
    const std::size_t size = offsets_[s + 1] - offsets_[s];
    const view<const K, const V> in{input_.items().keys + first, nullptr, size};
    const view<K, V> got = work_.items();
    if constexpr (has_values) {
      std::vector<V> from(got.values + first, got.values + first + size);
      for (V& position : from) position -= offsets_[s];
      return sort_answer<K, V>(in, 1).accepts({got.keys + first, from.data(), size}, equal_keys);
    } else {
      return sort_answer<K, V>(in, 1).accepts({got.keys + first, nullptr, size}, equal_keys);
    }
  }

  const problem& p_;
  const bench_place& on_;
  std::size_t n_;
  std::size_t copies_;
  made_items<K, V> input_;
  std::vector<std::uint32_t> offsets_;
  sort_items<K, V> work_;
  array<item> records_;
};

}  // namespace

outcome race_segmented_sort_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.has_pairs()) return segmented_sort_race_cpu<std::uint64_t, std::uint64_t>(p, on).run();
  }
  return segmented_sort_race_cpu<std::uint32_t, no_value>(p, on).run();
}

}  // namespace peneira::bench::sweep
