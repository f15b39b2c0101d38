// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark of multisplit: its axes, and what the CPU's and the GPU's half have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "bench/inputs.hpp"
#include "peneira/multisplit.hpp"
#include "peneira/multisplit/reference.hpp"

namespace peneira::bench {

/// One row for each combination.
struct multisplit_axes {
  std::vector<std::uint64_t> n;
  std::vector<std::uint64_t> bins;
  std::vector<distribution> distributions;
  std::vector<std::string> types;
  std::vector<order> orders;
  std::vector<std::string> strategies;  ///< names, "auto", or "all"
  bool peers = true;
  unsigned threads = 1;
  std::size_t runs = 7;
  double seconds = 0;  ///< on a CPU, see effort
  std::uint64_t seed = 1;
  bool paper_limits = false;  ///< on a GPU: mrbins and multipartition with the limits of their papers, too
  bool callers = false;       ///< of u32: the automatic choice by the same function as a caller would write it, too
};

/// What the rows of a caller's function are called.
inline constexpr const char* callers_row = "auto, a caller's function";

/// Equal ranges as a function of which the library knows nothing.
template <class K>
struct callers_ranges {
  ranges<K> f;
  PENEIRA_HD std::uint32_t operator()(const K& key) const { return f(key); }
};

/// What the rows of a strategy with the limits of its paper have behind its name.
inline constexpr const char* by_paper = " (the paper's limits)";

/// The types that the benchmark knows.
#if defined(PENEIRA_FEW_TYPES)  // where nothing is measured
inline constexpr std::string_view multisplit_types = "u32";
#else
inline constexpr std::string_view multisplit_types = "u32, u64, u32+u32, u64+u64";
#endif

/// Measures on the CPU; returns whether every output was right.
bool bench_multisplit_cpu(const multisplit_axes& axes, const row_sink& sink);
/// Measures on the GPU; throws std::runtime_error where there is none.
bool bench_multisplit_gpu(const multisplit_axes& axes, const row_sink& sink);

/// Calls f(key, value) with the types that a name stands for; value is no_value for keys alone.
template <class F>
void with_type(const std::string& name, F&& f) {
  if (name == "u32") return f(std::uint32_t{}, no_value{});
#if !defined(PENEIRA_ONE_TYPE) && !defined(PENEIRA_FEW_TYPES)
  if (name == "u64+u64") return f(std::uint64_t{}, std::uint64_t{});
  if (name == "u64") return f(std::uint64_t{}, no_value{});
  if (name == "u32+u32") return f(std::uint32_t{}, std::uint32_t{});
#endif
  throw std::invalid_argument("invalid type \"" + name + "\"; there are: " + std::string(multisplit_types));
}

/// Keys of a distribution, their values (the index of each), and the right answer for some number of bins.
template <class K, class V>
class multisplit_case {
 public:
  multisplit_case(std::size_t n, distribution d, std::uint64_t seed, unsigned threads)
      : keys_(n, threads), values_(view<K, V>::has_values ? n : 0, threads), distribution_(d), threads_(threads) {
    peneira::detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(n, m, threads);
      fill(keys_.data() + begin, begin, end - begin, n, d, seed);
      if constexpr (view<K, V>::has_values) {
        for (std::size_t i = begin; i < end; ++i) values_.data()[i] = static_cast<V>(i);
      }
    });
  }

  [[nodiscard]] view<const K, const V> items() const {
    return {keys_.data(), view<K, V>::has_values ? values_.data() : nullptr, keys_.size()};
  }

  /// The papers' function: equal ranges from 0 to the greatest key; for uniform keys, to the greatest possible one.
  [[nodiscard]] ranges<K> function(std::uint64_t bins) const {
    if (distribution_ == distribution::uniform) return ranges<K>(bins, 0, std::numeric_limits<K>::max());
    std::vector<K> greatest(threads_, 0);
    peneira::detail::on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(keys_.size(), m, threads_);
      K most = 0;
      for (std::size_t i = begin; i < end; ++i) most = std::max(most, keys_.data()[i]);
      greatest[m] = most;
    });
    return ranges<K>(bins, 0, *std::max_element(greatest.begin(), greatest.end()));
  }

 private:
  array<K> keys_;
  array<V> values_;
  distribution distribution_;
  unsigned threads_;
};

/// What a multisplit should give.
template <class K, class V>
struct multisplit_answer {
  template <class F>
  multisplit_answer(view<const K, const V> in, const F& f, unsigned threads)
      : keys(in.size, threads),
        values(view<K, V>::has_values ? in.size : 0, threads),
        offsets(f.bins() + std::size_t{1}) {
    reference::multisplit<K, V>(in, items(), f, offsets.data());
  }
  [[nodiscard]] view<K, V> items() const {
    return {keys.data(), view<K, V>::has_values ? values.data() : nullptr, keys.size()};
  }

  /// Whether an output is right. Where any order within a bin will do, each bin must hold the same items.
  template <class F>
  [[nodiscard]] bool accepts(view<const K, const V> out, const std::vector<std::uint64_t>& table, order within_bin,
                             const F& f) const {
    if (table != offsets) return false;
    if (within_bin == order::stable) {
      if (std::memcmp(out.keys, keys.data(), keys.size() * sizeof(K)) != 0) return false;
      if constexpr (view<K, V>::has_values) {
        return std::memcmp(out.values, values.data(), values.size() * sizeof(V)) == 0;
      }
      return true;
    }
    const auto mark = [](view<const K, const V> items, std::size_t i) {
      std::uint64_t h = mix64(items.keys[i]);
      if constexpr (view<K, V>::has_values) h = mix64(h + items.values[i]);
      return h;
    };
    for (std::size_t b = 0; b < f.bins(); ++b) {
      std::uint64_t found = 0;
      std::uint64_t expected = 0;
      for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i) {
        if (f(out.keys[i]) != b) return false;
        found += mark(out, i);
        expected += mark(items(), i);
      }
      if (found != expected) return false;
    }
    return true;
  }

  array<K> keys;
  array<V> values;
  std::vector<std::uint64_t> offsets;
};

/// A row with all that does not depend on the measurement.
template <class K, class V>
row describe(const multisplit_axes& axes, const std::string& type, std::size_t n, std::uint64_t bins, distribution d,
             order within_bin) {
  row r;
  r.primitive = "multisplit";
  r.type = type;
  r.n = n;
  r.bins = bins;
  r.distribution = name_of(d);
  r.order = within_bin == order::stable ? "stable" : "any";
  r.threads = axes.threads;
  r.runs = axes.runs;
  r.bytes = 3.0 * static_cast<double>(n) * (sizeof(K) + (view<K, V>::has_values ? sizeof(V) : 0));
  return r;
}

}  // namespace peneira::bench
