// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The races of each primitive at each place. Each type takes long to compile: they are spread over files.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/sweep/race.hpp"
#include "peneira/bins.hpp"
#include "peneira/ops.hpp"
#include "peneira/view.hpp"

namespace peneira::bench::sweep {

/// A problem of a sort on the CPU; the second and the third are called by the first.
outcome race_sort_cpu(const problem& p, const bench_place& on);
outcome race_sort_cpu_floats(const problem& p, const bench_place& on);
outcome race_sort_cpu_pairs(const problem& p, const bench_place& on);
outcome race_multisplit_cpu(const problem& p, const bench_place& on);
outcome race_segmented_reduce_cpu(const problem& p, const bench_place& on);
outcome race_reduce_cpu(const problem& p, const bench_place& on);
outcome race_group_by_cpu(const problem& p, const bench_place& on);
outcome race_histogram_cpu(const problem& p, const bench_place& on);
/// unique and run_lengths.
outcome race_runs_cpu(const problem& p, const bench_place& on);
outcome race_top_k_cpu(const problem& p, const bench_place& on);
outcome race_segmented_sort_cpu(const problem& p, const bench_place& on);
outcome race_sort_records_cpu(const problem& p, const bench_place& on);
outcome race_sort_columns_cpu(const problem& p, const bench_place& on);
outcome race_scan_cpu(const problem& p, const bench_place& on);
outcome race_partition_cpu(const problem& p, const bench_place& on);
outcome race_gather_cpu(const problem& p, const bench_place& on);

/// Whether most types are left out, where nothing but that all compiles and runs is to be seen.
#if defined(PENEIRA_FEW_TYPES)
static constexpr bool few_types = true;
#else
static constexpr bool few_types = false;
#endif

/// Whether a problem's types are compiled, on the CPU.
inline bool is_compiled_for_cpu(const problem& p) {
  using enum item_type;
  if (!few_types) return true;
  if (p.what == primitive::multisplit) return p.type == u32 || p.type == u64_u64;
  if (p.what == primitive::reduce || p.what == primitive::segmented_reduce) return p.type == u64 || p.type == f64;
  if (p.what == primitive::group_by) return p.type == u32_f32;
  if (p.what == primitive::sort_records) return p.asked.record_bytes == 16;
  return p.type == u32;
}

/// Calls f(key, value) with the types of a multisplit's items.
template <class F>
outcome with_split_type(item_type type, F&& f) {
  if (type == item_type::u32) return f(std::uint32_t{}, no_value{});
  if (type == item_type::u64_u64) return f(std::uint64_t{}, std::uint64_t{});
#if !defined(PENEIRA_FEW_TYPES)
  if (type == item_type::u64) return f(std::uint64_t{}, no_value{});
  if (type == item_type::u32_u32) return f(std::uint32_t{}, std::uint32_t{});
#endif
  throw std::logic_error("a multisplit was drawn that nobody compiled");
}

/// Calls f(item, operator) with those of a reduction.
template <class F>
outcome with_reduction(const problem& p, F&& f) {
  if (p.type == item_type::u64) return f(std::uint64_t{}, plus{});
  if (p.type == item_type::f64) return f(double{}, max{});
#if !defined(PENEIRA_FEW_TYPES)
  if (p.type == item_type::u32) return f(std::uint32_t{}, max{});
  if (p.type == item_type::f32) return f(float{}, plus{});
#endif
  throw std::logic_error("a reduction was drawn that nobody compiled");
}

/// A caller's function: the remainder of a key, which no bin function of ours is.
struct remainder {
  std::uint64_t bins;
  template <class K>
  PENEIRA_HD std::uint32_t operator()(const K& key) const {
    return static_cast<std::uint32_t>(static_cast<K>(key) % static_cast<K>(bins));
  }
};

/// Items of a problem on the host, first touched by a team; `copies` arrays of n one behind another, which differ.
template <class K, class V>
class made_items {
 public:
  made_items(const problem& p, std::size_t copies, unsigned threads)
      : keys_(p.n * copies, threads), values_(view<K, V>::has_values ? p.n * copies : 0, threads) {
    peneira::detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(keys_.size(), m, threads);
      for (std::size_t i = begin; i < end;) {
        const std::size_t copy = i / p.n;
        const std::size_t first = i % p.n;
        const std::size_t count = std::min(p.n - first, end - i);
        fill_keys(keys_.data() + i, first, count, p.n, p.keys, p.data_seed + copy);
        if constexpr (view<K, V>::has_values) {
          for (std::size_t k = 0; k < count; ++k) values_.data()[i + k] = static_cast<V>(first + k);
        }
        i += count;
      }
    });
  }
  [[nodiscard]] view<const K, const V> items() const {
    return {keys_.data(), view<K, V>::has_values ? values_.data() : nullptr, keys_.size()};
  }

 private:
  array<K> keys_;
  array<V> values_;
};

/// Equal ranges from 0 to the greatest key, or to the greatest possible one.
template <class K>
ranges<K> ranges_for(const problem& p, const K* keys, unsigned threads) {
  if (p.whole_range) return ranges<K>(p.bins, 0, std::numeric_limits<K>::max());
  std::vector<K> greatest(threads, 0);
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(static_cast<std::size_t>(p.n), m, threads);
    K most = 0;
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, keys[i]);
    greatest[m] = most;
  });
  return ranges<K>(p.bins, 0, *std::max_element(greatest.begin(), greatest.end()));
}

/// Whether a function is compiled for items of a type; as draw_problem draws them.
template <class K, class V>
constexpr bool splits_by(bin_function f) {
  constexpr bool pairs = view<K, V>::has_values;
  constexpr bool words = sizeof(K) == 4;
  if (f == bin_function::digit) return words != pairs;
  if (f == bin_function::hashed) return words;
  return f == bin_function::ranges || !pairs;
}

/// Calls by(f) with the function of a problem.
template <class K, class V, class By>
outcome with_bin_function(const problem& p, const made_items<K, V>& input, unsigned threads, By&& by) {
  if constexpr (splits_by<K, V>(bin_function::hashed)) {
    if (p.function == bin_function::hashed) return by(hashed(p.bins));
  }
  if constexpr (splits_by<K, V>(bin_function::digit)) {
    const auto bits = static_cast<unsigned>(std::bit_width(p.bins) - 1);
    if (p.function == bin_function::digit) return by(digit(p.shift, bits));
  }
  if constexpr (splits_by<K, V>(bin_function::callers)) {
    if (p.function == bin_function::callers) return by(binned(p.bins, remainder{p.bins}));
  }
  return by(ranges_for<K>(p, input.items().keys, threads));
}

}  // namespace peneira::bench::sweep
