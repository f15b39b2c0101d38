// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A multisplit on a GPU, beside labels that CUB sorts with the items, and, where bins are bits of the keys, CUB's radix
// sort by these.
#pragma once

#include <memory>

#include "bench/gpu_answer.cuh"
#include "bench/peers_gpu.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "peneira/multisplit.hpp"

namespace peneira::bench::sweep {

template <class K, class V, class F>
class split_race_gpu {
 public:
  split_race_gpu(const problem& p, gpu_place& at, const made_items<K, V>& input, const F& f)
      : p_(p), at_(at), f_(f), from_(filled(p, input)), to_(p.n), offsets_(p.bins + 1), answer_(in(), f, at.stream()) {}

  outcome run() {
    std::vector<contestant> peers;
    if constexpr (view<K, V>::has_values) {
      by_labels_and_gather(peers);
    } else {
      by_labels(peers);
    }
    if (const auto bits = p_.bin_bits()) by_radix_pass(peers, *bits);
    outcome found;
    found.bytes = 3.0 * static_cast<double>(p_.n) * static_cast<double>(p_.item_bytes());
    const auto table = items(offsets_.data(), offsets_.size());
    const multisplit_options options{.within_bin = p_.equal};
    const auto call = [&](auto&& on) { multisplit(on, in(), to_.items(), f_, table, options); };
    const planned_call planned(at_, call, found);
    poison();
    race_on(at_, std::move(peers),
            {"peneira", [] {}, [&] { call(planned.place()); }, [this] { return accepts(p_.equal); }}, found);
    return found;
  }

 private:
  static std::unique_ptr<device_items<K, V>> filled(const problem& p, const made_items<K, V>& input) {
    auto items = std::make_unique<device_items<K, V>>(p.n);
    items->from_host(input.items());
    return items;
  }
  [[nodiscard]] view<const K, const V> in() const { return from_->items(); }

  void poison() {
    to_.poison();
    offsets_.poison();
  }
  bool accepts(order within_bin) {
    const bool right = answer_.accepts(to_.items(), offsets_, within_bin);
    poison();
    return right;
  }

  /// Labels sorted with the keys along.
  void by_labels(std::vector<contestant>& peers) {
    auto peer = std::make_shared<label_and_sort<K>>(p_.n, p_.bins);
    auto sorted = std::make_shared<device_array<std::uint32_t>>(p_.n);
    peers.push_back({"label + CUB SortPairs", [] {},
                     [this, peer, sorted] {
                       peer->by(in().keys, in().keys, to_.items().keys, sorted->data(), p_.n, f_, offsets_.data(),
                                at_.stream());
                     },
                     [this] { return accepts(order::stable); }});
  }

  /// Of pairs, labels sorted with the positions along, which are numbered beforehand, and both gathered.
  void by_labels_and_gather(std::vector<contestant>& peers) {
    struct state {
      explicit state(const problem& p) : sort(p.n, p.bins), numbers(p.n), indices(p.n), sorted(p.n) {}
      label_and_sort<std::uint32_t> sort;
      device_array<std::uint32_t> numbers;
      device_array<std::uint32_t> indices;
      device_array<std::uint32_t> sorted;
    };
    auto with = std::make_shared<state>(p_);
    number_items<<<4096, 256, 0, at_.stream()>>>(with->numbers.data(), p_.n);
    peers.push_back({"label + CUB SortPairs + gather", [] {},
                     [this, with] {
                       with->sort.by(in().keys, with->numbers.data(), with->indices.data(), with->sorted.data(), p_.n,
                                     f_, offsets_.data(), at_.stream());
                       gather_pairs<K, V><<<4096, 256, 0, at_.stream()>>>(in(), with->indices.data(), to_.items());
                       peneira::detail::check(cudaGetLastError(), "gather_pairs");
                     },
                     [this] { return accepts(order::stable); }});
  }

  void by_radix_pass(std::vector<contestant>& peers, bit_field bits) {
    const auto first = static_cast<int>(bits.first);
    auto peer = std::make_shared<radix_pass<K, V>>(p_.n, first, first + static_cast<int>(bits.count));
    peers.push_back(
        {"CUB radix sort by the bin's bits", [] {},
         [this, peer] { peneira::detail::check((*peer)(in(), to_.items(), at_.stream()), "cub::DeviceRadixSort"); },
         [this] {
           answer_.copy_offsets(offsets_);  // it leaves none
           return accepts(order::stable);
         }});
  }

  const problem& p_;
  gpu_place& at_;
  F f_;
  std::unique_ptr<device_items<K, V>> from_;
  device_items<K, V> to_;
  device_array<std::uint64_t> offsets_;
  gpu_answer<K, V, F> answer_;
};

template <class K, class V, class F>
outcome race_split_by(const problem& p, gpu_place& at, const made_items<K, V>& input, const F& f) {
  return split_race_gpu<K, V, F>(p, at, input, f).run();
}

}  // namespace peneira::bench::sweep
